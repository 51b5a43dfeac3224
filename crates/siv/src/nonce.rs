/// Adds `by` to a nonce, as a little-endian number of 96 bits that wraps.
///
/// ```
/// let mut nonce = [0xff; 12];
/// nonce[11] = 0x7f;
/// ss55_siv::advance_nonce(&mut nonce, 1);
/// assert_eq!(nonce, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
/// ```
pub fn advance_nonce(nonce: &mut [u8; 12], by: u64) {
    let mut carry = by;
    for word in nonce.as_chunks_mut().0 {
        // Below 2^33: the sum of a word and of what is carried into it.
        let sum = u64::from(u32::from_le_bytes(*word)) + (carry & 0xffff_ffff);
        *word = (sum as u32).to_le_bytes();
        carry = (carry >> 32) + (sum >> 32);
    }
}
