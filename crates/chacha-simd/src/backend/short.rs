//! The few bytes that no vector fits.

use inout::InOutBuf;

/// XORs at most 32 bytes by words that may overlap, without a loop.
///
/// # Panics
/// If the lengths differ, or are too long.
#[inline]
pub(crate) fn xor_short(mut buf: InOutBuf<'_, '_, u8>, keystream: &[u8]) {
    assert!(keystream.len() <= 32 && buf.len() == keystream.len());
    match keystream.len() {
        0 => {}
        1..4 => {
            // First, middle and last byte are all there is.
            let at = [0, keystream.len() / 2, keystream.len() - 1];
            let x = at.map(|i| buf.get_in()[i] ^ keystream[i]);
            for (at, x) in at.into_iter().zip(x) {
                buf.get_out()[at] = x;
            }
        }
        4..8 => xor_ends::<4>(&mut buf, keystream),
        8..16 => xor_ends::<8>(&mut buf, keystream),
        _ => xor_ends::<16>(&mut buf, keystream),
    }
}

/// N to 2 N bytes as two words that may overlap: both are read before either is written.
#[inline]
fn xor_ends<const N: usize>(buf: &mut InOutBuf<'_, '_, u8>, keystream: &[u8]) {
    let word = |bytes: &[u8; N]| {
        let mut word = [0; 16];
        word[..N].copy_from_slice(bytes);
        u128::from_le_bytes(word)
    };
    let xor = |a: Option<&[u8; N]>, b: Option<&[u8; N]>| {
        let x = word(a.expect("N bytes")) ^ word(b.expect("N bytes"));
        *x.to_le_bytes().first_chunk::<N>().expect("N <= 16")
    };
    let first = xor(buf.get_in().first_chunk(), keystream.first_chunk());
    let last = xor(buf.get_in().last_chunk(), keystream.last_chunk());
    *buf.get_out().first_chunk_mut().expect("N bytes") = first;
    *buf.get_out().last_chunk_mut().expect("N bytes") = last;
}
