//! Words to valgrind's memcheck, which watches this program: which bytes are secret.
//!
//! For memcheck a secret is memory that was never written. It follows such bytes through every computation,
//! and reports each jump and each address that depends on one.
#![allow(unsafe_code)]

use std::arch::asm;

/// Memcheck's own requests are numbered from here.
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;

/// The numbers in valgrind.h and memcheck.h.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Request {
    RunningOnValgrind = 0x1001,
    CountErrors = 0x1201,
    MakeUndefined = MEMCHECK + 1,
    MakeDefined = MEMCHECK + 2,
    GetVbits = MEMCHECK + 8,
}

/// Whether memcheck is there to answer.
pub fn is_watching() -> bool {
    request(Request::RunningOnValgrind, [0; 3]) > 0
}

/// How many dependencies have been reported so far.
pub fn reports() -> usize {
    request(Request::CountErrors, [0; 3])
}

/// From now on `value` is secret, and all that is computed from it.
pub fn hide<T: ?Sized>(value: &mut T) {
    request(Request::MakeUndefined, place(value));
}

/// Everybody may know `value`.
pub fn publish<T: ?Sized>(value: &mut T) {
    request(Request::MakeDefined, place(value));
}

fn place<T: ?Sized>(value: &mut T) -> [usize; 3] {
    let address = (&raw mut *value).cast::<u8>().expose_provenance();
    [address, size_of_val(value), 0]
}

/// Whether every byte of `bytes` has a bit in it that depends on a secret.
pub fn is_secret(bytes: &[u8]) -> bool {
    let mut marks = vec![0_u8; bytes.len()];
    let args = [
        bytes.as_ptr().expose_provenance(),
        marks.as_mut_ptr().expose_provenance(),
        bytes.len(),
    ];
    let answer = request(Request::GetVbits, args);
    assert_eq!(answer, 1, "memcheck knows these bytes");
    marks.iter().all(|mark| *mark != 0)
}

/// Four rotates by 128 bits in all, and an exchange of a register with itself: nothing on a processor, and
/// for valgrind the sign to look at rax and to answer in rdx.
fn request(request: Request, [a, b, c]: [usize; 3]) -> usize {
    let words = [request as usize, a, b, c, 0, 0];
    let mut answer = 0;
    // SAFETY: the instructions leave every register as it was, but the flags and, under valgrind, rdx. What
    // valgrind writes lies in the caller's exposed memory.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}
