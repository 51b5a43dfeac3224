//! The S-boxes as logic on words: bit i of the four words is one four-bit input.

pub mod boolean;
#[cfg(any(test, target_arch = "x86_64"))]
pub mod ternary;

/// The outputs of each S-box that the circuits give complemented, bit j for output j. No gate is spent
/// on turning them: the next round key does it.
pub const COMPLEMENTED: [u8; 8] = [3, 15, 8, 0, 1, 15, 7, 1];

/// The same of the inverses.
pub const INVERSE_COMPLEMENTED: [u8; 8] = [13, 5, 12, 0, 5, 8, 15, 3];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::word::{Ternary, Word};

    /// Serpent's S-boxes as its authors print them: entry x is the output for input x.
    const TABLES: [[u8; 16]; 8] = [
        [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
        [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
        [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
        [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
        [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
        [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
        [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
        [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
    ];

    /// Bit p of word j is bit j of p: all sixteen inputs at once, twice.
    const INPUTS: [u32; 4] = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00];

    /// An S-box and its inverse as circuits of one kind.
    type Pair = [fn([u32; 4]) -> [u32; 4]; 2];

    macro_rules! pairs {
        ($module:ident: $($box:literal)*) => {
            [$([$module::substitute::<$box, u32>, $module::substitute_inverse::<$box, u32>]),*]
        };
    }

    const BOOLEAN: [Pair; 8] = pairs!(boolean: 0 1 2 3 4 5 6 7);
    const TERNARY: [Pair; 8] = pairs!(ternary: 0 1 2 3 4 5 6 7);

    fn assert_computes(circuit: fn([u32; 4]) -> [u32; 4], table: &[u8; 16], complemented: u8) {
        let outputs = circuit(INPUTS);
        for p in 0..32 {
            let bit = |j: usize| (outputs[j] >> p & 1) as u8;
            let output = bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3;
            assert_eq!(output ^ complemented, table[p % 16], "input {}", p % 16);
        }
    }

    #[test]
    fn circuits_compute_the_published_tables() {
        for kind in [BOOLEAN, TERNARY] {
            for (n, [forward, inverse]) in kind.into_iter().enumerate() {
                assert_computes(forward, &TABLES[n], COMPLEMENTED[n]);
                let mut table = [0; 16];
                for (input, output) in TABLES[n].into_iter().enumerate() {
                    table[usize::from(output)] = input as u8;
                }
                assert_computes(inverse, &table, INVERSE_COMPLEMENTED[n]);
            }
        }
    }

    /// The tables themselves: that no two inputs share an output, and what their authors promise of them
    /// (Serpent, AES submission, section 2): no difference passes with a probability over 1/4, no linear
    /// relation holds on fewer than 4 or more than 12 inputs, one changed bit changes at least two.
    #[test]
    fn tables_have_the_properties_that_the_authors_promise() {
        for table in TABLES {
            let mut sorted = table;
            sorted.sort_unstable();
            assert_eq!(sorted, core::array::from_fn(|i| i as u8));
            for a in 1..16_usize {
                for b in 1..16_usize {
                    let inputs = || (0..16u8).map(usize::from);
                    let passes = inputs().filter(|&x| table[x] ^ table[x ^ a] == b as u8);
                    let passes = passes.count();
                    assert!(passes <= 4);
                    assert!(passes == 0 || a.count_ones() > 1 || b.count_ones() > 1);
                    let odd = |x: usize| x.count_ones() % 2;
                    let holds = inputs().filter(|&x| odd(x & a) == odd(usize::from(table[x]) & b));
                    assert!((4..=12).contains(&holds.count()));
                }
            }
        }
    }

    /// For the ternary circuits: the gate on plain words, bit by bit.
    impl Ternary for u32 {
        fn ternary<const TABLE: i32>(self, b: u32, c: u32) -> u32 {
            (0..8).filter(|i| TABLE >> i & 1 == 1).fold(0, |sum, i| {
                let pick = |word: u32, bit: i32| if i >> bit & 1 == 1 { word } else { !word };
                sum | pick(self, 2) & pick(b, 1) & pick(c, 0)
            })
        }
    }

    #[test]
    fn words_and_gates_are_what_their_names_say() {
        assert_eq!(INPUTS[0].and_not(INPUTS[1]), INPUTS[0] & !INPUTS[1]);
        let [a, b, c, _] = INPUTS;
        assert_eq!(a.ternary::<0x96>(b, c), a ^ b ^ c);
        assert_eq!(a.ternary::<0x80>(b, c), a & b & c);
        assert_eq!(a.ternary::<0xca>(b, c), a & b | !a & c);
    }
}
