//! The 16-byte authenticator.

use subtle::{Choice, ConstantTimeEq};

/// An authenticator. Comparison takes the same time whatever the bytes.
#[must_use = "a message without its tag cannot be authenticated"]
#[derive(Clone, Copy, Debug)]
pub struct Tag([u8; Tag::LEN]);

impl Tag {
    /// Bytes in a tag.
    pub const LEN: usize = 16;

    /// The bytes, in the order in which they are sent.
    #[inline]
    pub const fn as_bytes(&self) -> &[u8; Tag::LEN] {
        &self.0
    }
}

impl From<[u8; Tag::LEN]> for Tag {
    #[inline]
    fn from(bytes: [u8; Tag::LEN]) -> Self {
        Tag(bytes)
    }
}

impl From<Tag> for [u8; Tag::LEN] {
    #[inline]
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

impl ConstantTimeEq for Tag {
    #[inline]
    fn ct_eq(&self, other: &Self) -> Choice {
        // As one word: by bytes it would take as long as three blocks of the MAC.
        let difference = u128::from_le_bytes(self.0) ^ u128::from_le_bytes(other.0);
        ((difference >> 64) as u64 | difference as u64).ct_eq(&0)
    }
}

impl PartialEq for Tag {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for Tag {}
