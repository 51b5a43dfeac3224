use subtle::{Choice, ConstantTimeEq};

/// The synthetic IV: authenticator and second nonce in one, 16 or 32 bytes. It is no secret, and is sent
/// with the ciphertext. Comparison takes the same time whatever the bytes.
#[must_use = "a message without its IV cannot be opened"]
#[derive(Clone, Copy, Debug)]
pub struct Iv<const N: usize>([u8; N]);

impl<const N: usize> Iv<N> {
    /// Bytes in an IV.
    pub const LEN: usize = N;

    /// The bytes, in the order in which they are sent.
    #[inline]
    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> From<[u8; N]> for Iv<N> {
    #[inline]
    fn from(bytes: [u8; N]) -> Self {
        Iv(bytes)
    }
}

impl<const N: usize> From<Iv<N>> for [u8; N] {
    #[inline]
    fn from(iv: Iv<N>) -> Self {
        iv.0
    }
}

impl<const N: usize> ConstantTimeEq for Iv<N> {
    #[inline]
    fn ct_eq(&self, other: &Self) -> Choice {
        // By words: by bytes it would take as long as hashing half a block. N is a multiple of 8.
        let difference = self.0.as_chunks().0.iter().zip(other.0.as_chunks().0);
        difference
            .fold(0, |all, (a, b)| {
                all | (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b))
            })
            .ct_eq(&0)
    }
}

impl<const N: usize> PartialEq for Iv<N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl<const N: usize> Eq for Iv<N> {}
