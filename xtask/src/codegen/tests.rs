//! Faults put into small pieces of code are found.

use super::*;

/// A loop of rounds, with `more` in it.
fn rounds(more: &str) -> String {
    format!(
        "
0000000000001000 <kernel::rounds>:
    1000:\tmov    $0xa,%eax
    1008:\tnop
    1010:\tvpaddd %zmm1,%zmm0,%zmm0
    1018:\tvpxord %zmm0,%zmm3,%zmm3
    1020:\tvprold $0x10,%zmm3,%zmm3
{more}
    1050:\tdec    %eax
    1058:\tjne    1010 <kernel::rounds+0x10>
    1060:\tmov    %rsp,0x8(%rdi)
    1068:\tcall   2000 <other>
    1070:\tret
"
    )
}

const KERNEL: Kernel = Kernel {
    what: "a kernel",
    functions: &["kernel::"],
    mark: ("vpaddd", 1),
    unrolled: false,
    at_least: 1,
    stores: 0,
    rotates: Rotates::Instruction,
    why: "",
};

fn faults(code: &str, kernel: Kernel) -> String {
    check_kernels(&Disassembly::new(code, ""), &[kernel])
        .faults
        .join("\n")
}

#[test]
fn clean_rounds_pass_and_what_is_around_them_does_not_matter() {
    assert_eq!(faults(&rounds(""), KERNEL), "");
    // Reads from the stack, comparisons and tests with memory are no stores.
    let reads = "    1028:\tvpaddd 0x40(%rsp),%zmm0,%zmm0
    1030:\tvprold $0x7,%zmm3,%zmm3
    1038:\tcmp    %rax,0x8(%rsp)
    1040:\tmulx   0x8(%rsp),%r8,%r9";
    assert_eq!(faults(&rounds(reads), KERNEL), "");
}

#[test]
fn a_spill_is_found() {
    for spill in [
        "vmovdqa64 %zmm31,0x1c0(%rsp)",
        "vmovdqu %ymm4,-0x20(%rbp)",
        "mov    %rax,(%rsp)",
        "movq   $0x0,0x8(%r14,%rax,8)",
        "vmovdqu8 %zmm0,(%rdi){%k1}",
        "add    %rax,0x8(%rsp)",
        "incq   0x8(%rsp)",
    ] {
        let code = rounds(&format!("    1028:\t{spill}"));
        assert!(
            faults(&code, KERNEL).contains("1 stores, 0 allowed"),
            "{spill}"
        );
        let allowed = Kernel {
            stores: 1,
            ..KERNEL
        };
        assert_eq!(faults(&code, allowed), "", "{spill}");
    }
}

#[test]
fn a_call_is_found() {
    for call in [
        "call   2000 <other>",
        "callq  *0x4c80c(%rip)        # 14c4a8 <x>",
    ] {
        let code = rounds(&format!("    1028:\t{call}"));
        assert!(faults(&code, KERNEL).contains("1 calls"), "{call}");
    }
}

#[test]
fn shifts_in_place_of_a_rotate_are_found() {
    let more = "    1028:\tvpaddd %zmm1,%zmm0,%zmm0
    1030:\tvpslld $0x7,%zmm3,%zmm4
    1038:\tvpsrld $0x19,%zmm3,%zmm3";
    assert!(faults(&rounds(more), KERNEL).contains("2 vpaddd with 1 vprold"));
}

#[test]
fn shuffles_are_half_of_the_rotates() {
    let code = "
0000000000001000 <kernel::rounds>:
    1000:\tvpaddd %ymm1,%ymm0,%ymm0
    1008:\tvpshufb %ymm9,%ymm3,%ymm3
    1010:\tvpaddd %ymm1,%ymm0,%ymm0
    1018:\tvpslld $0xc,%ymm3,%ymm4
    1020:\tvpsrld $0x14,%ymm3,%ymm3
    1028:\tjne    1000 <kernel::rounds>
";
    let kernel = || Kernel {
        rotates: Rotates::Shuffles,
        ..KERNEL
    };
    assert_eq!(faults(code, kernel()), "");
    let shifts = code.replace("vpshufb %ymm9,", "vpslld $0x10,");
    assert!(faults(&shifts, kernel()).contains("0 vpshufb"));
}

#[test]
fn a_kernel_that_is_not_there_is_a_fault() {
    let code = rounds("").replace("kernel::", "renamed::");
    assert!(faults(&code, KERNEL).contains("0 loops found"));
    // Unrolled, it has no loop to be found.
    let code = rounds("").replace("jne ", "nop ");
    assert!(faults(&code, KERNEL).contains("0 loops found"));
}

#[test]
fn of_loops_within_loops_the_smallest_counts() {
    let code = rounds("").replace(
        "    1068:\tcall   2000 <other>",
        "    1068:\tcall   2000 <other>\n    106c:\tja     1000 <kernel::rounds>",
    );
    assert_eq!(faults(&code, KERNEL), "");
}

/// A function that wipes 64 bytes itself and a key by its destructor, which is in another module.
const WIPING: &str = "
0000000000001000 <seal>:
    1000:\tvpxor  %xmm0,%xmm0,%xmm0
    1008:\tvmovdqa64 %zmm0,0x40(%rsp)
    1010:\tlea    0x80(%rsp),%rdi
    1018:\tcall   *0x4c80c(%rip)        # 14c4a8 <_DYNAMIC+0x218>
    1020:\tret
    1028:\tmov    %rax,%rbx
    1030:\tvpxor  %xmm0,%xmm0,%xmm0
    1038:\tvmovdqa64 %zmm0,0x100(%rsp)
    1040:\tmov    %rbx,%rdi
    1048:\tcall   3000 <_Unwind_Resume@plt>

0000000000002000 <core::ptr::drop_in_place::<Key>>:
    2000:\tmovl   $0x0,(%rdi)
    2008:\tmovq   $0x0,0x4(%rdi)
    2010:\tret
";
const SLOTS: &str = "
OFFSET           TYPE              VALUE
000000000014c4a8 R_X86_64_RELATIVE  *ABS*+0x2000
";

fn lost(code: &str, bytes: usize, fills: usize) -> bool {
    let wipe = Wipe {
        function: "seal",
        bytes,
        fills,
        what: "",
    };
    !check_wipes(&Disassembly::new(code, SLOTS), &[wipe])
        .faults
        .is_empty()
}

#[test]
fn a_lost_wipe_is_found() {
    assert!(!lost(WIPING, 64 + 12, 0));
    // More than that is wiped on unwinding alone.
    assert!(lost(WIPING, 64 + 12 + 1, 0));
    for (fault, bytes) in [
        ("    1008:\tvmovdqa64 %zmm0,0x40(%rsp)\n", 12),
        ("    2008:\tmovq   $0x0,0x4(%rdi)\n", 64 + 4),
        (
            "    1018:\tcall   *0x4c80c(%rip)        # 14c4a8 <_DYNAMIC+0x218>\n",
            64,
        ),
    ] {
        let code = WIPING.replace(fault, "");
        assert!(lost(&code, 64 + 12, 0), "{fault}");
        assert!(!lost(&code, bytes, 0), "{fault}");
    }
    assert!(lost(&WIPING.replace("seal", "renamed"), 0, 0));
}

#[test]
fn only_zeros_wipe() {
    let not_zeroed = WIPING.replace("vpxor  %xmm0,%xmm0,%xmm0", "vpxor  %xmm0,%xmm1,%xmm0");
    assert!(lost(&not_zeroed, 64 + 12, 0));
    let other_value = WIPING.replace("movl   $0x0,(%rdi)", "movl   $0x1,(%rdi)");
    assert!(lost(&other_value, 64 + 12, 0));
    let same_place = WIPING.replace("movq   $0x0,0x4(%rdi)", "movl   $0x0,(%rdi)");
    assert!(lost(&same_place, 64 + 12, 0));
}

#[test]
fn a_fill_of_zeros_wipes_and_one_of_something_else_does_not() {
    let fill = "    1018:\txor    %esi,%esi
    101c:\tcall   *0x7b2d3(%rip)        # 160d70 <memset@GLIBC_2.2.5>";
    let call = "    1018:\tcall   *0x4c80c(%rip)        # 14c4a8 <_DYNAMIC+0x218>";
    let code = WIPING.replace(call, fill);
    assert!(!lost(&code, 64, 1));
    assert!(lost(&code, 64, 2));
    assert!(lost(
        &code.replace("xor    %esi,%esi", "mov    $0xff,%esi"),
        64,
        1
    ));
}
