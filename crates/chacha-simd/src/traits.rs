//! `RustCrypto`'s stream cipher traits (feature `cipher`).

use crate::{ChaCha, Extended, Ietf, Legacy, Variant};
use cipher::{
    BlockSizeUser, InOutBuf, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum,
    StreamCipher, StreamCipherError, StreamCipherSeek,
    consts::{U8, U12, U24, U32, U64},
};

impl<V: Variant, const ROUNDS: usize> KeySizeUser for ChaCha<V, ROUNDS> {
    type KeySize = U32;
}

impl<V: Variant, const ROUNDS: usize> BlockSizeUser for ChaCha<V, ROUNDS> {
    type BlockSize = U64;
}

macro_rules! init {
    ($variant:ty, $nonce_size:ty) => {
        impl<const ROUNDS: usize> IvSizeUser for ChaCha<$variant, ROUNDS> {
            type IvSize = $nonce_size;
        }

        impl<const ROUNDS: usize> KeyIvInit for ChaCha<$variant, ROUNDS> {
            #[inline]
            fn new(key: &Key<Self>, nonce: &Iv<Self>) -> Self {
                ChaCha::<$variant, ROUNDS>::new(&key.0, &nonce.0)
            }
        }
    };
}

init!(Ietf, U12);
init!(Legacy, U8);
init!(Extended, U24);

/// The methods that the trait calls unchecked panic at the end of the keystream, before the buffer
/// changes: there is nothing behind it, and no counter wraps.
impl<V: Variant, const ROUNDS: usize> StreamCipher for ChaCha<V, ROUNDS> {
    #[inline]
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        if len as u128 <= Self::KEYSTREAM_LEN - self.position() {
            Ok(())
        } else {
            Err(StreamCipherError)
        }
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) {
        self.apply_keystream_inout(buf)
            .expect("end of keystream reached");
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        StreamCipher::check_remaining(self, buf.len()).expect("end of keystream reached");
        buf.fill(0);
        self.unchecked_apply_keystream(buf);
    }
}

/// Every position from 0 to the end of the keystream can be had and sought, in any type that holds it.
impl<V: Variant, const ROUNDS: usize> StreamCipherSeek for ChaCha<V, ROUNDS> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // In blocks of one byte, the last of which is whole: with blocks of 64 the trait would form
        // their end, which a type that holds the position need not hold.
        T::from_block_byte(self.position(), 1, 1)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let (byte, _) = position.into_block_byte::<u128>(1)?;
        self.seek(byte).map_err(|_| StreamCipherError)
    }
}
