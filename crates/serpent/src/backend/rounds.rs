//! The 32 rounds, over any vector, for up to N vectors at once.
//!
//! A round of the paper is: add a key, substitute, mix. Here it is substitute, mix, with the next
//! round's key added inside the mixing: to an operand that is there early and waits for a slower one,
//! as the constant that has the same effect behind it ([`schedule`](crate::schedule)). So a key is
//! never on the way from one S-box to the next.

use super::word::{Group, State, Vector, Word};
use crate::{Block, schedule::RoundKeys};
use inout::InOutBuf;

/// Blocks that are not done yet, and their tweaks.
pub struct Work<'t, 'i, 'o> {
    tweaks: Option<&'t [u128]>,
    blocks: InOutBuf<'i, 'o, Block>,
}

impl<'t, 'i, 'o> Work<'t, 'i, 'o> {
    /// Tweaks, if there are any, are as many as blocks.
    #[inline(always)]
    pub fn new(tweaks: Option<&'t [u128]>, blocks: InOutBuf<'i, 'o, Block>) -> Self {
        debug_assert!(tweaks.is_none_or(|tweaks| tweaks.len() == blocks.len()));
        Work { tweaks, blocks }
    }

    /// Blocks left.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The next `count` blocks, or all if fewer are left.
    #[inline(always)]
    pub fn take(&mut self, count: usize) -> (Option<&'t [u128]>, InOutBuf<'i, 'o, Block>) {
        let count = count.min(self.len());
        let tweaks = self.tweaks.map(|tweaks| {
            let (here, rest) = tweaks.split_at(count);
            self.tweaks = Some(rest);
            here
        });
        let blocks = core::mem::replace(&mut self.blocks, (&mut [][..]).into());
        let (here, rest) = blocks.split_at(count);
        self.blocks = rest;
        (tweaks, here)
    }
}

/// Runs `$body` for each `$n` with its `$part` of `$items`, `LANES` of them; the last parts may be short or
/// empty. In the one copy of the body every part is whole, and all questions about it are answered when it
/// is compiled: asking them takes 6 % of the time of a pass in XTS.
macro_rules! for_each_part {
    ($items:expr, |$n:ident, $part:ident| $body:expr) => {
        let items = $items;
        if items.len() == N * V::LANES {
            for $n in 0..N {
                let $part = &items[$n * V::LANES..][..V::LANES];
                $body
            }
        } else {
            for $n in 0..N {
                let $part = items.get($n * V::LANES..).unwrap_or_default();
                let $part = &$part[..V::LANES.min($part.len())];
                $body
            }
        }
    };
}

/// Encrypts or decrypts at most `N * LANES` blocks; if tweaks are given, one for each block, they are
/// added before and after (XEX, of which XTS is made).
#[inline(always)]
pub fn pass<V: Vector, const N: usize, const ENCRYPT: bool>(
    token: V::Token,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    debug_assert!(blocks.len() <= N * V::LANES);
    let mut rows = [[V::splat(token, 0); 4]; N];
    for_each_part!(blocks.get_in(), |n, part| rows[n] = V::rows(token, part));
    if let Some(tweaks) = tweaks {
        for_each_part!(tweaks, |n, part| add(
            &mut rows[n],
            V::tweak_rows(token, part)
        ));
    }
    let mut state: State<V, N> = [Group([V::splat(token, 0); N]); 4];
    for n in 0..N {
        set_nth(&mut state, n, V::transpose(rows[n]));
    }

    if ENCRYPT {
        encrypt(token, keys, &mut state);
    } else {
        decrypt(token, keys, &mut state);
    }

    for n in 0..N {
        rows[n] = V::transpose(nth(&state, n));
    }
    if let Some(tweaks) = tweaks {
        for_each_part!(tweaks, |n, part| add(
            &mut rows[n],
            V::tweak_rows(token, part)
        ));
    }
    let blocks = blocks.get_out();
    if blocks.len() == N * V::LANES {
        for n in 0..N {
            V::store(rows[n], &mut blocks[n * V::LANES..][..V::LANES]);
        }
    } else {
        for (rows, blocks) in rows.iter().zip(blocks.chunks_mut(V::LANES)) {
            V::store(*rows, blocks);
        }
    }
}

#[inline(always)]
fn add<V: Vector>(rows: &mut [V; 4], other: [V; 4]) {
    for i in 0..4 {
        rows[i] = rows[i] ^ other[i];
    }
}

/// The words of the n-th vectors.
#[inline(always)]
fn nth<V: Vector, const N: usize>(state: &State<V, N>, n: usize) -> [V; 4] {
    let [a, b, c, d] = state;
    [a.0[n], b.0[n], c.0[n], d.0[n]]
}

#[inline(always)]
fn set_nth<V: Vector, const N: usize>(state: &mut State<V, N>, n: usize, words: [V; 4]) {
    for i in 0..4 {
        state[i].0[n] = words[i];
    }
}

/// A round key in every lane.
#[inline(always)]
fn splat<V: Vector, const N: usize>(token: V::Token, key: &[u32; 4]) -> State<V, N> {
    let [a, b, c, d] = *key;
    [
        Group([V::splat(token, a); N]),
        Group([V::splat(token, b); N]),
        Group([V::splat(token, c); N]),
        Group([V::splat(token, d); N]),
    ]
}

#[inline(always)]
fn encrypt<V: Vector, const N: usize>(token: V::Token, keys: &RoundKeys, state: &mut State<V, N>) {
    add_key(token, state, &keys[0]);
    for eight in 0..4 {
        let keys: &[[u32; 4]; 8] = keys[8 * eight + 1..][..8].try_into().expect("8 of 33");
        round::<V, 0, N>(token, state, &keys[0]);
        round::<V, 1, N>(token, state, &keys[1]);
        round::<V, 2, N>(token, state, &keys[2]);
        round::<V, 3, N>(token, state, &keys[3]);
        round::<V, 4, N>(token, state, &keys[4]);
        round::<V, 5, N>(token, state, &keys[5]);
        round::<V, 6, N>(token, state, &keys[6]);
        if eight < 3 {
            round::<V, 7, N>(token, state, &keys[7]);
        }
    }
    // The last round does not mix.
    *state = V::substitute::<7, N>(*state);
    add_key(token, state, &keys[32]);
}

#[inline(always)]
fn decrypt<V: Vector, const N: usize>(token: V::Token, keys: &RoundKeys, state: &mut State<V, N>) {
    add_key(token, state, &keys[32]);
    *state = V::substitute_inverse::<7, N>(*state);
    for eight in (0..4).rev() {
        let keys: &[[u32; 4]; 8] = keys[8 * eight..][..8].try_into().expect("8 of 33");
        inverse_round::<V, 6, N>(token, state, &keys[7]);
        inverse_round::<V, 5, N>(token, state, &keys[6]);
        inverse_round::<V, 4, N>(token, state, &keys[5]);
        inverse_round::<V, 3, N>(token, state, &keys[4]);
        inverse_round::<V, 2, N>(token, state, &keys[3]);
        inverse_round::<V, 1, N>(token, state, &keys[2]);
        inverse_round::<V, 0, N>(token, state, &keys[1]);
        if eight > 0 {
            inverse_round::<V, 7, N>(token, state, &keys[0]);
        }
    }
    add_key(token, state, &keys[0]);
}

#[inline(always)]
fn add_key<V: Vector, const N: usize>(token: V::Token, state: &mut State<V, N>, key: &[u32; 4]) {
    let key = splat(token, key);
    for i in 0..4 {
        state[i] = state[i] ^ key[i];
    }
}

/// S-box `BOX`, then the linear map with the next key inside.
#[inline(always)]
fn round<V: Vector, const BOX: usize, const N: usize>(
    token: V::Token,
    state: &mut State<V, N>,
    key: &[u32; 4],
) {
    if V::TOGETHER {
        *state = mix(V::substitute::<BOX, N>(*state), splat(token, key));
    } else {
        let key = splat(token, key);
        for n in 0..N {
            let one = alone(nth(state, n));
            let one = mix(V::substitute::<BOX, 1>(one), key);
            set_nth(state, n, nth(&one, 0));
        }
    }
}

/// The inverse linear map with a key inside, then the inverse of S-box `BOX`.
#[inline(always)]
fn inverse_round<V: Vector, const BOX: usize, const N: usize>(
    token: V::Token,
    state: &mut State<V, N>,
    key: &[u32; 4],
) {
    if V::TOGETHER {
        *state = V::substitute_inverse::<BOX, N>(mix_inverse(*state, splat(token, key)));
    } else {
        let key = splat(token, key);
        for n in 0..N {
            let one = alone(nth(state, n));
            let one = V::substitute_inverse::<BOX, 1>(mix_inverse(one, key));
            set_nth(state, n, nth(&one, 0));
        }
    }
}

#[inline(always)]
fn alone<V: Vector>([a, b, c, d]: [V; 4]) -> State<V, 1> {
    [Group([a]), Group([b]), Group([c]), Group([d])]
}

/// The linear map: with `a` = 0 that of the paper.
#[inline(always)]
fn mix<W: Word>([x0, x1, x2, x3]: [W; 4], a: [W; 4]) -> [W; 4] {
    let x0 = x0.rotate::<13, 19>();
    let x2 = x2.rotate::<3, 29>();
    let x3 = (x3 ^ a[3]).xor3(x2, x0.shift::<3>()).rotate::<7, 25>();
    let x1 = (x1 ^ a[1]).xor3(x0, x2).rotate::<1, 31>();
    let x0 = (x0 ^ a[0]).xor3(x1, x3).rotate::<5, 27>();
    let x2 = (x2 ^ a[2]).xor3(x1.shift::<7>(), x3).rotate::<22, 10>();
    [x0, x1, x2, x3]
}

/// Its inverse, backwards.
#[inline(always)]
fn mix_inverse<W: Word>([x0, x1, x2, x3]: [W; 4], a: [W; 4]) -> [W; 4] {
    let x2 = x2.rotate::<10, 22>().xor3(x3 ^ a[2], x1.shift::<7>());
    let x0 = x0.rotate::<27, 5>() ^ x1.xor3(x3, a[0]);
    let x3 = (x3.rotate::<25, 7>() ^ a[3]).xor3(x2, x0.shift::<3>());
    let x1 = (x1.rotate::<31, 1>() ^ a[1]).xor3(x0, x2);
    let x0 = x0.rotate::<19, 13>();
    let x2 = x2.rotate::<29, 3>();
    [x0, x1, x2, x3]
}
