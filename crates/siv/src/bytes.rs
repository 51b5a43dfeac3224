use zeroize::DefaultIsZeroes;

/// Secret bytes on the stack, for `Zeroizing`. An array would be wiped byte by byte, which takes a sixth
/// of the time of hashing it; this is wiped as a whole.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<const N: usize>(pub [u8; N]);

impl<const N: usize> Default for Bytes<N> {
    #[inline]
    fn default() -> Self {
        Bytes([0; N])
    }
}

impl<const N: usize> DefaultIsZeroes for Bytes<N> {}
