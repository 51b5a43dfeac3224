//! The S-boxes in gates of three inputs: `vpternlog`.
//!
//! A function of the four input bits is its table of 16 bits, and complements are free: a gate undoes
//! those of its inputs. The search adds gates that are not outputs, fewest first, and takes every output
//! that is one gate away. Run to exhaustion it shows that six gates never suffice and gives the seven of
//! S0, S1, S2, S4, S5, S6 and their inverses, of which the circuit of least latency was kept. It also shows
//! that seven are not enough for S3, S7 and their inverses. For S3, S7 and the inverse of S3 eight were
//! found: two gates at random, exhaustion from there. For the inverse of S7 that found none, which proves
//! nothing; its nine are the functions of the circuit of two-input gates, thinned out as long as gates of
//! three inputs still reached all outputs.
//!
//! Outputs are complemented where those of [`boolean`](super::boolean) are, at no cost: all backends
//! share their round keys.

use crate::backend::word::Ternary;

/// S-box `BOX`.
#[inline(always)]
pub fn substitute<const BOX: usize, W: Ternary>(x: [W; 4]) -> [W; 4] {
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
pub fn substitute_inverse<const BOX: usize, W: Ternary>(x: [W; 4]) -> [W; 4] {
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

/// 7 gates.
#[inline(always)]
fn s0<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x36>(b, d);
    let f = a.ternary::<0xb8>(b, d);
    let g = a.ternary::<0x96>(c, d);
    let h = e.ternary::<0x5a>(b, c);
    let i = e.ternary::<0x78>(g, f);
    let j = g.ternary::<0xe2>(h, f);
    let k = g.ternary::<0xb8>(h, f);
    [j, k, i, h]
}

/// 7 gates.
#[inline(always)]
fn s1<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x4e>(b, d);
    let f = a.ternary::<0x96>(b, d);
    let g = a.ternary::<0xa6>(b, c);
    let h = g.ternary::<0x5a>(b, d);
    let i = e.ternary::<0xac>(f, g);
    let j = e.ternary::<0x4e>(f, g);
    let k = e.ternary::<0xd8>(f, g);
    [i, j, h, k]
}

/// 7 gates.
#[inline(always)]
fn s2<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x36>(b, d);
    let f = a.ternary::<0x16>(b, c);
    let g = a.ternary::<0x6a>(c, d);
    let h = f.ternary::<0x78>(b, d);
    let i = g.ternary::<0x96>(b, c);
    let j = f.ternary::<0x6a>(e, g);
    let k = e.ternary::<0x36>(g, h);
    [i, k, j, h]
}

/// 8 gates.
#[inline(always)]
fn s3<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x3a>(b, d);
    let f = e.ternary::<0xfa>(b, c);
    let g = b.ternary::<0x94>(f, d);
    let h = a.ternary::<0xc6>(g, d);
    let i = e.ternary::<0x58>(a, g);
    let j = a.ternary::<0x96>(i, c);
    let k = i.ternary::<0xa6>(g, c);
    let l = e.ternary::<0xb4>(k, j);
    [l, k, j, h]
}

/// 7 gates.
#[inline(always)]
fn s4<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x96>(b, d);
    let f = a.ternary::<0xb8>(b, d);
    let g = a.ternary::<0x36>(c, d);
    let h = g.ternary::<0x96>(b, f);
    let i = h.ternary::<0x9c>(e, b);
    let j = h.ternary::<0x3a>(e, f);
    let k = g.ternary::<0xd2>(e, j);
    [h, k, j, i]
}

/// 7 gates.
#[inline(always)]
fn s5<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x96>(b, d);
    let f = a.ternary::<0xe4>(b, d);
    let g = a.ternary::<0x6a>(b, c);
    let h = g.ternary::<0x96>(f, d);
    let i = h.ternary::<0x9c>(e, d);
    let j = h.ternary::<0xca>(e, f);
    let k = g.ternary::<0x1e>(j, e);
    [h, i, j, k]
}

/// 7 gates.
#[inline(always)]
fn s6<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x96>(b, c);
    let f = e.ternary::<0xb4>(a, d);
    let g = e.ternary::<0x3a>(a, d);
    let h = e.ternary::<0x9c>(c, d);
    let i = g.ternary::<0x9a>(b, h);
    let j = g.ternary::<0x6c>(e, h);
    let k = g.ternary::<0xd2>(i, j);
    [i, f, j, k]
}

/// 8 gates.
#[inline(always)]
fn s7<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.ternary::<0x3c>(c, d);
    let f = a.ternary::<0x1a>(b, d);
    let g = f.ternary::<0xb2>(b, c);
    let h = g.ternary::<0xa4>(a, d);
    let i = h.ternary::<0x1e>(c, d);
    let j = e.ternary::<0x16>(h, a);
    let k = e.ternary::<0xd6>(f, h);
    let l = k.ternary::<0x36>(f, c);
    [i, l, j, k]
}

/// 7 gates.
#[inline(always)]
fn inverse_s0<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x4e>(b, d);
    let f = a.ternary::<0x96>(b, d);
    let g = a.ternary::<0x56>(b, c);
    let h = g.ternary::<0x5a>(b, d);
    let i = g.ternary::<0x56>(e, f);
    let j = g.ternary::<0xb2>(e, f);
    let k = g.ternary::<0x6a>(e, f);
    [i, j, h, k]
}

/// 7 gates.
#[inline(always)]
fn inverse_s1<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x5c>(b, d);
    let f = a.ternary::<0xd2>(b, d);
    let g = b.ternary::<0x96>(c, d);
    let h = f.ternary::<0x5a>(b, c);
    let i = e.ternary::<0x6c>(f, g);
    let j = e.ternary::<0xe2>(h, g);
    let k = e.ternary::<0xb8>(h, g);
    [j, k, i, h]
}

/// 7 gates.
#[inline(always)]
fn inverse_s2<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.ternary::<0x72>(c, d);
    let f = b.ternary::<0x4a>(c, d);
    let g = a.ternary::<0x1e>(b, c);
    let h = g.ternary::<0x78>(b, d);
    let i = e.ternary::<0xc6>(f, g);
    let j = e.ternary::<0x96>(i, a);
    let k = e.ternary::<0xd2>(i, h);
    [h, j, i, k]
}

/// 8 gates.
#[inline(always)]
fn inverse_s3<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x9a>(b, c);
    let f = a.ternary::<0xdc>(b, c);
    let g = a.ternary::<0x1e>(e, d);
    let h = g.ternary::<0x96>(f, d);
    let i = h.ternary::<0xc6>(b, e);
    let j = g.ternary::<0x9a>(h, e);
    let k = g.ternary::<0xb4>(i, j);
    let l = g.ternary::<0xd8>(i, j);
    [j, k, l, h]
}

/// 7 gates.
#[inline(always)]
fn inverse_s4<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x56>(b, c);
    let f = a.ternary::<0x76>(c, d);
    let g = f.ternary::<0xb4>(a, b);
    let h = g.ternary::<0x6c>(a, d);
    let i = e.ternary::<0x96>(h, d);
    let j = e.ternary::<0x78>(g, h);
    let k = j.ternary::<0x6a>(i, h);
    [j, g, k, i]
}

/// 7 gates.
#[inline(always)]
fn inverse_s5<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x26>(b, c);
    let f = a.ternary::<0xc6>(c, d);
    let g = e.ternary::<0x78>(a, d);
    let h = g.ternary::<0x36>(a, b);
    let i = h.ternary::<0x96>(f, b);
    let j = h.ternary::<0x56>(g, f);
    let k = i.ternary::<0xa6>(j, h);
    [i, j, k, g]
}

/// 7 gates.
#[inline(always)]
fn inverse_s6<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x4e>(c, d);
    let f = a.ternary::<0xd4>(c, d);
    let g = a.ternary::<0xa6>(c, d);
    let h = g.ternary::<0x3c>(b, d);
    let i = e.ternary::<0xb4>(f, b);
    let j = e.ternary::<0xd2>(f, b);
    let k = j.ternary::<0x56>(i, g);
    [i, h, k, j]
}

/// 9 gates.
#[inline(always)]
fn inverse_s7<W: Ternary>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.ternary::<0x2a>(b, d);
    let f = e.ternary::<0xa4>(b, c);
    let g = e.ternary::<0x58>(a, c);
    let h = g.ternary::<0x3c>(b, d);
    let i = f.ternary::<0x3c>(a, b);
    let j = e.ternary::<0xde>(i, c);
    let k = h.ternary::<0x96>(j, d);
    let l = h.ternary::<0x42>(k, i);
    let m = e.ternary::<0x96>(l, c);
    [i, k, h, m]
}
