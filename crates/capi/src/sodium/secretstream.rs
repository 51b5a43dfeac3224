//! `crypto_secretstream_xchacha20poly1305_*`.

use super::{Ad, FAILED, any_length, constants, length, misuse, moved, or_misuse};
use crate::{
    aead::engine,
    memory::{self, array, input, overlap, put},
};
use core::{
    ffi::{c_int, c_ulonglong},
    mem::offset_of,
    slice,
};
use ss55_aead::{Key, MAX_SECRETSTREAM_LEN};
use ss55_wire::secretstream::{
    HEADER_LEN, MAC_LEN, NONCE_LEN, OVERHEAD, PullState, PushState, TAG_FINAL, TAG_MESSAGE,
    TAG_PUSH, TAG_REKEY, Tag,
};

/// libsodium's state, in memory of the caller's. libsodium itself and this code can take turns with it.
#[repr(C)]
struct State {
    k: [u8; Key::LEN],
    nonce: [u8; NONCE_LEN],
    pad: [u8; 8],
}

const _: () = {
    assert!(offset_of!(State, k) == 0 && offset_of!(State, nonce) == 32);
    assert!(offset_of!(State, pad) == 44 && size_of::<State>() == 52 && align_of::<State>() == 1);
};

impl State {
    /// The state that the caller points to.
    ///
    /// # Safety
    /// `state` is NULL or points to one that nobody else uses for as long as `'a`.
    unsafe fn lent<'a>(state: *mut State) -> &'a mut State {
        // SAFETY: the caller vouches for what is not null; 52 bytes have no values that are not allowed.
        unsafe { state.as_mut() }.unwrap_or_else(|| misuse())
    }

    fn push(&self) -> PushState {
        PushState::from_parts(engine(), &Key::from_bytes(self.k), &self.nonce)
    }

    fn pull(&self) -> PullState {
        PullState::from_parts(engine(), &Key::from_bytes(self.k), &self.nonce)
    }

    fn keep(&mut self, (key, nonce): (&Key, [u8; NONCE_LEN])) {
        self.k = *key.as_bytes();
        self.nonce = nonce;
    }

    /// The state of the stream that `header` begins.
    fn begin(&mut self, key: &Key, header: &[u8; HEADER_LEN]) {
        let state = PushState::new(engine(), key, header);
        self.keep(state.parts());
        self.pad = [0; 8];
    }
}

/// The longest message: what a chunk holds, and its length has to fit a `size_t`.
const MESSAGE_MAX: u64 = {
    let fits = (usize::MAX - OVERHEAD) as u64;
    if fits < MAX_SECRETSTREAM_LEN {
        fits
    } else {
        MAX_SECRETSTREAM_LEN
    }
};

constants! {
    crypto_secretstream_xchacha20poly1305_statebytes: usize = size_of::<State>();
    crypto_secretstream_xchacha20poly1305_abytes: usize = OVERHEAD;
    crypto_secretstream_xchacha20poly1305_headerbytes: usize = HEADER_LEN;
    crypto_secretstream_xchacha20poly1305_keybytes: usize = Key::LEN;
    crypto_secretstream_xchacha20poly1305_messagebytes_max: usize = MESSAGE_MAX as usize;
    crypto_secretstream_xchacha20poly1305_tag_message: u8 = TAG_MESSAGE;
    crypto_secretstream_xchacha20poly1305_tag_push: u8 = TAG_PUSH;
    crypto_secretstream_xchacha20poly1305_tag_rekey: u8 = TAG_REKEY;
    crypto_secretstream_xchacha20poly1305_tag_final: u8 = TAG_FINAL;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_secretstream_xchacha20poly1305_keygen(k: *mut u8) {
    // SAFETY: libsodium's contract: k has room for a key.
    unsafe { super::random(k, Key::LEN) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_secretstream_xchacha20poly1305_init_push(
    state: *mut State,
    header: *mut u8,
    k: *const u8,
) -> c_int {
    // SAFETY: libsodium's contract: a state, room for a header, and a key. A key that the header
    // overwrites is read after it, as there.
    unsafe {
        super::random(header, HEADER_LEN);
        State::lent(state).begin(&or_misuse(memory::key(k)), &or_misuse(array(header)));
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_secretstream_xchacha20poly1305_init_pull(
    state: *mut State,
    header: *const u8,
    k: *const u8,
) -> c_int {
    // SAFETY: libsodium's contract: a state, a header, and a key.
    unsafe {
        let (key, header) = (or_misuse(memory::key(k)), or_misuse(array(header)));
        State::lent(state).begin(&key, &header);
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_secretstream_xchacha20poly1305_rekey(state: *mut State) {
    // SAFETY: libsodium's contract: a state.
    let state = unsafe { State::lent(state) };
    let mut push = state.push();
    push.rekey();
    state.keep(push.parts());
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_secretstream_xchacha20poly1305_push(
    state: *mut State,
    out: *mut u8,
    outlen_p: *mut c_ulonglong,
    m: *const u8,
    mlen: c_ulonglong,
    ad: *const u8,
    adlen: c_ulonglong,
    tag: u8,
) -> c_int {
    // SAFETY: libsodium's contract: a state; room for the chunk at out, and for its length, unless NULL; a
    // message and an ad of these lengths. Which of them overlap is looked at before a slice is made.
    unsafe {
        put(outlen_p, 0);
        let (len, ad_len) = (length(mlen, MESSAGE_MAX), any_length(adlen));
        let chunk_len = len + OVERHEAD;
        if out.is_null() {
            misuse();
        }
        let state = State::lent(state);
        let mut push = state.push();
        let ad = Ad::new(ad, ad_len, out, chunk_len);
        if overlap(m, len, out, chunk_len) {
            let text = out.add(1);
            // Before the tag goes where the message may begin.
            text.copy_from(m, len);
            let text = slice::from_raw_parts_mut(text, len);
            let sealed = or_misuse(push.push_in_place(Tag(tag), ad.bytes(), text));
            out.write(sealed.tag);
            out.add(1 + len).copy_from(sealed.mac.as_ptr(), MAC_LEN);
        } else {
            let chunk = slice::from_raw_parts_mut(out, chunk_len);
            or_misuse(push.push_to(Tag(tag), ad.bytes(), or_misuse(input(m, len)), chunk));
        }
        state.keep(push.parts());
        put(outlen_p, chunk_len as c_ulonglong);
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_secretstream_xchacha20poly1305_pull(
    state: *mut State,
    m: *mut u8,
    mlen_p: *mut c_ulonglong,
    tag_p: *mut u8,
    in_: *const u8,
    inlen: c_ulonglong,
    ad: *const u8,
    adlen: c_ulonglong,
) -> c_int {
    // SAFETY: libsodium's contract: a state; room for the message at m, and for its length and tag, unless
    // NULL; a chunk and an ad of these lengths. The slices of chunk and ad end before m is written.
    unsafe {
        put(mlen_p, 0);
        put(tag_p, 0xff);
        if inlen < OVERHEAD as c_ulonglong {
            return FAILED;
        }
        let len = length(inlen - OVERHEAD as c_ulonglong, MESSAGE_MAX);
        let state = State::lent(state);
        let mut pull = state.pull();
        let chunk = or_misuse(input(in_, len + OVERHEAD));
        let ad = or_misuse(input(ad, any_length(adlen)));
        let Ok(verified) = pull.verify(ad, chunk) else {
            return FAILED;
        };
        let tag = or_misuse(verified.decrypt(moved(in_.add(1), m, len)));
        state.keep(pull.parts());
        put(mlen_p, len as c_ulonglong);
        put(tag_p, tag.0);
    }
    0
}
