//! One block at a time in machine words: the reference for every other backend.
//!
//! h <- (h + block + 2^128) r mod 2^130 - 5, with r clamped: its top four bits and the low two of
//! each of its upper words are zero (RFC 8439, 2.5). Two sizes of limb share one interface; both are
//! compiled and tested everywhere, and the machine's word size picks one: that of its registers, where
//! pointers are shorter (x32, ILP32).

#[cfg(any(
    test,
    not(any(
        target_pointer_width = "64",
        target_arch = "x86_64",
        target_arch = "aarch64"
    ))
))]
pub(crate) mod limbs32;
#[cfg(any(
    test,
    target_pointer_width = "64",
    target_arch = "x86_64",
    target_arch = "aarch64"
))]
pub(crate) mod limbs64;

#[cfg(not(any(
    target_pointer_width = "64",
    target_arch = "x86_64",
    target_arch = "aarch64"
)))]
pub use limbs32::State;
#[cfg(any(
    target_pointer_width = "64",
    target_arch = "x86_64",
    target_arch = "aarch64"
))]
pub use limbs64::State;

#[cfg(test)]
mod tests {
    use super::{limbs32, limbs64};

    /// Keys and blocks of all ones drive every limb to its bound; small keys leave h near p.
    #[test]
    fn both_limb_sizes_agree() {
        let mut keys = [[0xff; 32], [0; 32], [0; 32], [0; 32]];
        keys[1][0] = 2;
        keys[2][0] = 1;
        for (i, byte) in keys[3].iter_mut().enumerate() {
            *byte = (i * 73 + 11) as u8;
        }
        for key in keys {
            for fill in [0xff, 0xfe, 0x00, 0x5a] {
                let mut narrow = limbs32::State::new(&key);
                let mut wide = limbs64::State::new(&key);
                for n in 0..200 {
                    assert_eq!(
                        narrow.tag(),
                        wide.tag(),
                        "key {key:x?}, {n} blocks of {fill:x}"
                    );
                    let mut block = [fill; 16];
                    block[n % 16] ^= n as u8;
                    narrow.absorb::<1>(&[block]);
                    wide.absorb::<1>(&[block]);
                }
                narrow.absorb::<0>(&[[fill; 16]]);
                wide.absorb::<0>(&[[fill; 16]]);
                assert_eq!(narrow.tag(), wide.tag());
            }
        }
    }
}
