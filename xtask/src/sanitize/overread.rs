// Reads behind the end of what it allocated, by the argument's means: the instruments must say so.
#![allow(unsafe_code)]

use std::arch::{asm, x86_64::*};

/// From an odd place: valgrind lets an aligned load pass that begins within what is allocated.
#[target_feature(enable = "avx2")]
fn avx2(bytes: &[u8]) -> i32 {
    // SAFETY: none on purpose, it reads a byte too many: under an instrument that ends the program.
    unsafe { _mm256_movemask_epi8(_mm256_loadu_si256(bytes.as_ptr().add(1).cast())) }
}

#[target_feature(enable = "avx512f")]
fn avx512(bytes: &[u8]) -> i32 {
    // SAFETY: none on purpose, as above.
    unsafe { _mm512_reduce_or_epi32(_mm512_loadu_si512(bytes.as_ptr().cast())) }
}

/// The first byte behind the end.
fn assembly(bytes: &[u8]) -> i32 {
    let mut byte: i32;
    // SAFETY: none on purpose, as above.
    unsafe { asm!("movzx {0:e}, byte ptr [{1}]", out(reg) byte, in(reg) bytes.as_ptr_range().end) };
    byte
}

fn main() {
    let how = std::env::args().nth(1).expect("an argument");
    let len = match &*how {
        "avx512" => 63,
        "avx2" => 32,
        _ => 16,
    };
    let bytes = vec![1; len];
    let read = match &*how {
        "nothing" => 0,
        // SAFETY: the caller has asked whether the machine has the feature.
        "avx512" => unsafe { avx512(&bytes) },
        // SAFETY: as above.
        "avx2" => unsafe { avx2(&bytes) },
        _ => assembly(&bytes),
    };
    // Valgrind complains about use too, but it is the access that counts.
    std::hint::black_box(read);
}
