//! The S-boxes in gates of two inputs: and, or, xor, and-not.
//!
//! 12 to 15 gates each, found by a beam search. A set of functions (of the four input bits, each a table
//! of 16 bits) grows by one gate at a time; of all sets so made the best 8000 go on. A set is the better
//! the nearer the missing outputs are: one gate away, two, three, more; among equals chance decides.
//! Complements are free: an output may come complemented, which the round keys absorb. That fewer gates
//! would not do is not proven.

use crate::backend::word::Word;

/// S-box `BOX`.
#[inline(always)]
pub fn substitute<const BOX: usize, W: Word>(x: [W; 4]) -> [W; 4] {
    match BOX {
        0 => s0(x),
        1 => s1(x),
        2 => s2(x),
        3 => s3(x),
        4 => s4(x),
        5 => s5(x),
        6 => s6(x),
        _ => s7(x),
    }
}

/// The inverse of S-box `BOX`.
#[inline(always)]
pub fn substitute_inverse<const BOX: usize, W: Word>(x: [W; 4]) -> [W; 4] {
    match BOX {
        0 => inverse_s0(x),
        1 => inverse_s1(x),
        2 => inverse_s2(x),
        3 => inverse_s3(x),
        4 => inverse_s4(x),
        5 => inverse_s5(x),
        6 => inverse_s6(x),
        _ => inverse_s7(x),
    }
}

/// 13 gates.
#[inline(always)]
fn s0<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a | d;
    let f = a ^ d;
    let g = b ^ e;
    let h = c ^ f;
    let i = c ^ g;
    let j = g.and_not(f);
    let k = a ^ j;
    let l = i ^ k;
    let m = k.and_not(i);
    let n = h ^ m;
    let o = h.and_not(l);
    let p = l ^ n;
    let q = g ^ o;
    [n, p, q, i]
}

/// 13 gates.
#[inline(always)]
fn s1<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.and_not(a);
    let f = a ^ b;
    let g = c ^ e;
    let h = d & f;
    let i = d ^ g;
    let j = a ^ g;
    let k = f ^ i;
    let l = h ^ j;
    let m = g.and_not(l);
    let n = k & l;
    let o = k ^ m;
    let p = g ^ n;
    let q = l ^ o;
    [p, o, i, q]
}

/// 12 gates.
#[inline(always)]
fn s2<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a & c;
    let f = b ^ c;
    let g = d ^ e;
    let h = f ^ g;
    let i = b & g;
    let j = a ^ i;
    let k = f ^ j;
    let l = g.and_not(j);
    let m = c ^ l;
    let n = k.and_not(m);
    let o = g ^ n;
    let p = m ^ o;
    [h, p, o, k]
}

/// 15 gates.
#[inline(always)]
fn s3<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.and_not(c);
    let f = c.and_not(d);
    let g = a & d;
    let h = a | f;
    let i = b ^ h;
    let j = e | i;
    let k = i.and_not(g);
    let l = d ^ j;
    let m = c ^ k;
    let n = i | l;
    let o = l ^ m;
    let p = a ^ n;
    let q = m ^ p;
    let r = o & p;
    let s = i ^ r;
    [s, m, q, l]
}

/// 13 gates.
#[inline(always)]
fn s4<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ b;
    let f = a ^ d;
    let g = e.and_not(f);
    let h = c ^ g;
    let i = d ^ h;
    let j = b | i;
    let k = i.and_not(e);
    let l = f ^ j;
    let m = a ^ k;
    let n = f & j;
    let o = m ^ n;
    let p = l | m;
    let q = h ^ p;
    [i, q, o, l]
}

/// 13 gates.
#[inline(always)]
fn s5<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ b;
    let f = a ^ d;
    let g = e | f;
    let h = c ^ g;
    let i = a ^ h;
    let j = d | i;
    let k = i.and_not(b);
    let l = e ^ j;
    let m = e | j;
    let n = f ^ k;
    let o = m ^ n;
    let p = n.and_not(l);
    let q = h ^ p;
    [i, l, o, q]
}

/// 13 gates.
#[inline(always)]
fn s6<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b ^ d;
    let f = a & d;
    let g = a ^ d;
    let h = a ^ e;
    let i = c ^ f;
    let j = b ^ i;
    let k = g & j;
    let l = e ^ k;
    let m = i.and_not(l);
    let n = h & l;
    let o = h ^ m;
    let p = i ^ n;
    let q = l ^ o;
    [o, j, q, p]
}

/// 14 gates.
#[inline(always)]
fn s7<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = c.and_not(b);
    let f = d ^ e;
    let g = a.and_not(f);
    let h = c ^ g;
    let i = b ^ h;
    let j = h.and_not(f);
    let k = f ^ i;
    let l = a ^ k;
    let m = l.and_not(g);
    let n = c ^ m;
    let o = j ^ m;
    let p = i & o;
    let q = f ^ p;
    let r = o ^ q;
    [r, n, q, i]
}

/// 13 gates.
#[inline(always)]
fn inverse_s0<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a | b;
    let f = a ^ b;
    let g = c ^ e;
    let h = d & f;
    let i = d ^ g;
    let j = b ^ i;
    let k = f ^ i;
    let l = h ^ j;
    let m = g & l;
    let n = k.and_not(l);
    let o = k ^ m;
    let p = g ^ n;
    let q = l ^ o;
    [q, p, i, o]
}

/// 13 gates.
#[inline(always)]
fn inverse_s1<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = d.and_not(b);
    let f = b ^ d;
    let g = a ^ e;
    let h = c ^ f;
    let i = c ^ g;
    let j = f & g;
    let k = d ^ j;
    let l = k.and_not(i);
    let m = i ^ k;
    let n = h ^ l;
    let o = h.and_not(m);
    let p = m ^ n;
    let q = g ^ o;
    [p, n, q, i]
}

/// 13 gates.
#[inline(always)]
fn inverse_s2<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b ^ c;
    let f = a ^ e;
    let g = d ^ e;
    let h = b.and_not(g);
    let i = g.and_not(c);
    let j = f ^ h;
    let k = h | i;
    let l = j & k;
    let m = g ^ l;
    let n = a ^ m;
    let o = k ^ m;
    let p = j.and_not(n);
    let q = k ^ p;
    [j, o, n, q]
}

/// 14 gates.
#[inline(always)]
fn inverse_s3<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.and_not(c);
    let f = a ^ e;
    let g = d | f;
    let h = b ^ g;
    let i = c ^ h;
    let j = f | h;
    let k = f ^ i;
    let l = d ^ k;
    let m = g & l;
    let n = b ^ m;
    let o = j ^ m;
    let p = i & o;
    let q = k ^ p;
    let r = o ^ q;
    [i, r, n, q]
}

/// 14 gates.
#[inline(always)]
fn inverse_s4<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = c | d;
    let f = c ^ d;
    let g = a & e;
    let h = b ^ g;
    let i = a & h;
    let j = f ^ i;
    let k = a.and_not(j);
    let l = a ^ j;
    let m = j.and_not(d);
    let n = d ^ k;
    let o = h ^ m;
    let p = n ^ o;
    let q = h.and_not(n);
    let r = l ^ q;
    [p, j, r, o]
}

/// 14 gates.
#[inline(always)]
fn inverse_s5<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.and_not(c);
    let f = b ^ c;
    let g = a.and_not(e);
    let h = d ^ g;
    let i = a.and_not(h);
    let j = f ^ i;
    let k = a & j;
    let l = a ^ j;
    let m = b.and_not(j);
    let n = b ^ k;
    let o = h ^ m;
    let p = n ^ o;
    let q = n.and_not(h);
    let r = l ^ q;
    [o, p, r, j]
}

/// 13 gates.
#[inline(always)]
fn inverse_s6<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = c.and_not(a);
    let f = a ^ c;
    let g = d ^ e;
    let h = d.and_not(f);
    let i = b ^ g;
    let j = c ^ h;
    let k = f ^ i;
    let l = j | k;
    let m = j ^ k;
    let n = g ^ l;
    let o = b & m;
    let p = j ^ o;
    let q = k ^ o;
    [q, i, n, p]
}

/// 15 gates.
#[inline(always)]
fn inverse_s7<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a & b;
    let f = c.and_not(a);
    let g = b | c;
    let h = d.and_not(e);
    let i = c ^ h;
    let j = i.and_not(f);
    let k = g.and_not(i);
    let l = b ^ j;
    let m = a ^ k;
    let n = i | m;
    let o = l ^ m;
    let p = d ^ n;
    let q = l ^ p;
    let r = o.and_not(p);
    let s = i ^ r;
    [m, q, l, s]
}
