//! The message API of secretstream against libsodium, in both directions.

#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/sodium.rs"]
mod sodium;

use inputs::{KEY, NONCE, engines, flipped, key, pat};
use sodium::Secretstream;
use ss55_aead::{Engine, InOutBuf, Key, MAX_SECRETSTREAM_LEN, SimdEngine};
use ss55_wire::{
    Error,
    secretstream::{HEADER_LEN, NONCE_LEN, OVERHEAD, PullState, PushState, Tag},
};

fn kept((key, nonce): (&Key, [u8; NONCE_LEN])) -> ([u8; 32], [u8; NONCE_LEN]) {
    (*key.as_bytes(), nonce)
}

/// Our two sides and libsodium's, in step.
struct Sides<'e> {
    engine: &'e dyn Engine,
    push: PushState<&'e dyn Engine>,
    push_in_place: PushState<&'e dyn Engine>,
    pull: PullState<&'e dyn Engine>,
    their_push: Secretstream,
    their_pull: Secretstream,
}

impl<'e> Sides<'e> {
    fn new(engine: &'e dyn Engine) -> Self {
        Sides {
            engine,
            push: PushState::new(engine, &key(), &NONCE),
            push_in_place: PushState::new(engine, &key(), &NONCE),
            pull: PullState::new(engine, &key(), &NONCE),
            their_push: Secretstream::new(&KEY, &NONCE),
            their_pull: Secretstream::new(&KEY, &NONCE),
        }
    }

    /// One chunk through all of them, in place and not.
    #[track_caller]
    fn exchange(&mut self, tag: u8, ad: &[u8], message: &[u8]) -> Vec<u8> {
        let theirs = self.their_push.push(tag, ad, message);

        let mut buf = message.to_vec();
        let sealed = self
            .push_in_place
            .push_in_place(Tag(tag), ad, &mut buf)
            .unwrap();
        assert!([&[sealed.tag], &buf[..], &sealed.mac].concat() == theirs);
        let mut ours = vec![0xee; message.len() + OVERHEAD];
        self.push.push_to(Tag(tag), ad, message, &mut ours).unwrap();
        assert!(ours == theirs);
        assert_eq!(
            self.their_pull.pull(ad, &ours),
            Some((tag, message.to_vec()))
        );

        // From what there is to keep of the state, and in two steps.
        let (key, nonce) = self.pull.parts();
        let mut again = PullState::from_parts(self.engine, key, &nonce);
        let mut opened = vec![0xee; message.len()];
        let verified = again.verify(ad, &theirs).unwrap();
        let buf = InOutBuf::new(&theirs[1..=message.len()], &mut opened).unwrap();
        let opened_tag = verified.decrypt(buf).unwrap();
        assert_eq!((opened_tag, &opened[..]), (Tag(tag), message));

        let mut buf = theirs.clone();
        let (opened_tag, opened) = self.pull.clone().pull_in_place(ad, &mut buf).unwrap();
        assert_eq!((opened_tag, &*opened), (Tag(tag), message));
        let mut opened = vec![0xee; message.len()];
        let opened_tag = self.pull.pull_to(ad, &theirs, &mut opened).unwrap();
        assert_eq!((opened_tag, &opened[..]), (Tag(tag), message));
        assert_eq!(kept(again.parts()), kept(self.pull.parts()));
        let (key, nonce) = self.push.parts();
        self.push = PushState::from_parts(self.engine, &key.clone(), &nonce);
        theirs
    }

    fn rekey(&mut self) {
        self.push.rekey();
        self.push_in_place.rekey();
        self.pull.rekey();
        self.their_push.rekey();
        self.their_pull.rekey();
    }

    fn set_counter(&mut self, counter: u32) {
        self.push.set_counter(counter);
        self.push_in_place.set_counter(counter);
        self.pull.set_counter(counter);
        self.their_push.set_counter(counter);
        self.their_pull.set_counter(counter);
    }
}

fn pull_state() -> PullState {
    PullState::new(SimdEngine::new(), &key(), &NONCE)
}

/// The padding depends on both lengths mod 16, and libsodium's is not the RFC's.
#[test]
fn all_lengths_of_message_and_ad() {
    for engine in &engines() {
        for len in 0..=48 {
            for ad_len in 0..=48 {
                Sides::new(&**engine).exchange(0, &pat(ad_len), &pat(len));
            }
        }
        // And one stream of longer ones, so that each nonce hangs on the macs before.
        let mut sides = Sides::new(&**engine);
        for len in (49..200).chain([255, 1000, 1023, 1024, 1025, 8192, 65536, 100_000]) {
            sides.exchange(0, &pat(len % 50), &pat(len));
        }
    }
}

/// The bit of value 2 rekeys in any tag, named or not.
#[test]
fn all_tags() {
    for engine in &engines() {
        let mut stream = Sides::new(&**engine);
        for tag in 0..=255 {
            let mut sides = Sides::new(&**engine);
            sides.exchange(tag, b"ad", b"first");
            sides.exchange(tag ^ 0xff, b"", b"second");
            sides.exchange(0, b"", b"third");
            stream.exchange(tag, &[tag], b"");
        }
    }
}

#[test]
fn the_tags_0_2_1_3() {
    let engine = SimdEngine::new();
    let mut sides = Sides::new(&engine);
    for (tag, message) in [
        (Tag::MESSAGE, "one"),
        (Tag::REKEY, "two"),
        (Tag::PUSH, "three"),
        (Tag::FINAL, "four"),
        // libsodium goes on after FINAL, under another key, and so does this.
        (Tag::MESSAGE, "five"),
    ] {
        sides.exchange(tag.0, b"", message.as_bytes());
    }
}

#[test]
fn explicit_rekeys() {
    for engine in &engines() {
        for rekey_before in 0..4 {
            let mut sides = Sides::new(&**engine);
            for chunk in 0..4 {
                if chunk == rekey_before {
                    sides.rekey();
                }
                sides.exchange(0, b"ad", &pat(40 + chunk));
            }
            sides.rekey();
            sides.rekey();
            sides.exchange(2, b"", b"twice");
            sides.exchange(3, b"", b"");
        }
    }
}

/// A rekey on one side only is a wrong key on the other.
#[test]
fn a_rekey_takes_both_sides() {
    let mut push = PushState::new(SimdEngine::new(), &key(), &NONCE);
    push.rekey();
    let mut chunk = [0; 4 + OVERHEAD];
    push.push_to(Tag::MESSAGE, b"", b"text", &mut chunk)
        .unwrap();
    assert_ne!(
        chunk[..],
        Secretstream::new(&KEY, &NONCE).push(0, b"", b"text")
    );
    let mut pull = pull_state();
    let mut message = [0; 4];
    assert_eq!(
        pull.pull_to(b"", &chunk, &mut message),
        Err(Error::Authentication)
    );
    pull.rekey();
    assert_eq!(pull.pull_to(b"", &chunk, &mut message), Ok(Tag::MESSAGE));
}

#[test]
fn the_counter_wraps_into_a_new_key() {
    for engine in &engines() {
        for counter in [
            u32::MAX,
            u32::MAX - 1,
            u32::MAX - 2,
            0xff,
            0xffff,
            0x00ff_ffff,
        ] {
            for tags in [[0, 0, 0], [0, 2, 1], [3, 1, 0], [2, 2, 2], [1, 3, 3]] {
                let mut sides = Sides::new(&**engine);
                sides.set_counter(counter);
                for tag in tags {
                    sides.exchange(tag, b"", b"text");
                }
                sides.exchange(3, b"ad", b"");
            }
        }
    }
}

#[test]
fn a_stream_that_libsodium_began() {
    let (mut push, header) = Secretstream::start(&KEY);
    let mut pull = PullState::new(SimdEngine::new(), &key(), &header);
    for tag in [0, 1, 2, 0, 3] {
        let chunk = push.push(tag, b"ad", b"text");
        let mut message = [0; 4];
        assert_eq!(pull.pull_to(b"ad", &chunk, &mut message), Ok(Tag(tag)));
        assert_eq!(&message, b"text");
    }
}

/// Header, key, ad, and each bit of the chunk.
#[test]
fn every_flipped_bit_fails_and_changes_nothing() {
    let mut push = Secretstream::new(&KEY, &NONCE);
    let (first, second) = (
        push.push(0, b"ad", b"\x01\x01text"),
        push.push(2, b"", b"more"),
    );
    let third = push.push(3, b"", b"end");
    let mut pull = pull_state();
    let mut theirs = Secretstream::new(&KEY, &NONCE);
    let mut refused = |ad: &[u8], chunk: &[u8]| {
        assert_eq!(theirs.pull(ad, chunk), None);
        let end = pull.verify(ad, chunk).map(drop);
        assert_eq!(end, Err(Error::Authentication));
        let mut message = vec![0xee; chunk.len() - OVERHEAD];
        let end = pull.pull_to(ad, chunk, &mut message);
        assert_eq!(end, Err(Error::Authentication));
        assert!(message.iter().all(|byte| *byte == 0));
        let mut buf = chunk.to_vec();
        let end = pull.pull_in_place(ad, &mut buf).map(|_| ());
        assert_eq!(end, Err(Error::Authentication));
        let mac = chunk.len() - 16;
        assert!(buf[1..mac].iter().all(|byte| *byte == 0));
        assert_eq!((buf[0], &buf[mac..]), (chunk[0], &chunk[mac..]));
    };
    for bit in 0..8 * first.len() {
        refused(b"ad", &flipped(&first, bit));
    }
    for bit in 0..16 {
        refused(&flipped(b"ad", bit), &first);
    }
    for ad in [&b""[..], b"a", b"ad\0"] {
        refused(ad, &first);
    }
    refused(b"", &second); // dropped, swapped
    refused(
        b"ad",
        &Secretstream::new(&[1; 32], &NONCE).push(0, b"ad", b"text"),
    );
    refused(
        b"ad",
        &Secretstream::new(&KEY, &[1; 24]).push(0, b"ad", b"text"),
    );
    refused(b"ad", &first[..first.len() - 1]);
    refused(b"ad", &[&first[..], &[0]].concat());

    // As in libsodium, the right chunks open after all that.
    for (chunk, ad, tag) in [(&first, &b"ad"[..], 0), (&second, b"", 2), (&third, b"", 3)] {
        let mut message = vec![0; chunk.len() - OVERHEAD];
        assert_eq!(pull.pull_to(ad, chunk, &mut message), Ok(Tag(tag)));
        assert_eq!(theirs.pull(ad, chunk), Some((tag, message)));
        // Doubled.
        let mut message = vec![0; chunk.len() - OVERHEAD];
        let end = pull.pull_to(ad, chunk, &mut message);
        assert_eq!(end, Err(Error::Authentication));
    }
}

#[test]
fn every_bit_of_header_and_key_counts() {
    let chunk = Secretstream::new(&KEY, &NONCE).push(0, b"", b"text");
    for bit in 0..8 * HEADER_LEN {
        let header = flipped(&NONCE, bit).try_into().unwrap();
        let mut pull = PullState::new(SimdEngine::new(), &key(), &header);
        let end = pull.pull_to(b"", &chunk, &mut [0; 4]);
        assert_eq!(end, Err(Error::Authentication));
    }
    for bit in 0..8 * KEY.len() {
        let key = Key::try_from(&flipped(&KEY, bit)[..]).unwrap();
        let mut pull = PullState::new(SimdEngine::new(), &key, &NONCE);
        let end = pull.pull_to(b"", &chunk, &mut [0; 4]);
        assert_eq!(end, Err(Error::Authentication));
    }
}

#[test]
fn less_than_a_chunk_is_truncated() {
    let chunk = Secretstream::new(&KEY, &NONCE).push(0, b"", b"");
    let mut pull = pull_state();
    for len in 0..OVERHEAD {
        let mut buf = chunk[..len].to_vec();
        assert_eq!(pull.pull_to(b"", &buf, &mut []), Err(Error::Truncated));
        let end = pull.pull_in_place(b"", &mut buf).map(|_| ());
        assert_eq!(end, Err(Error::Truncated));
        assert_eq!(buf, chunk[..len]);
    }
    assert_eq!(pull.pull_to(b"", &chunk, &mut []), Ok(Tag::MESSAGE));
}

#[test]
fn wrong_sizes_change_nothing() {
    let expected = Secretstream::new(&KEY, &NONCE).push(1, b"ad", b"text");
    let mut push = PushState::new(SimdEngine::new(), &key(), &NONCE);
    for len in (0..60).filter(|len| *len != expected.len()) {
        let mut chunk = vec![0xee; len];
        let end = push.push_to(Tag::PUSH, b"ad", b"text", &mut chunk);
        assert_eq!(end, Err(Error::BufferSize));
        assert!(chunk.iter().all(|byte| *byte == 0xee));
    }
    let mut chunk = [0; 4 + OVERHEAD];
    push.push_to(Tag::PUSH, b"ad", b"text", &mut chunk).unwrap();
    assert_eq!(chunk[..], expected);

    let mut pull = pull_state();
    for len in (0..60).filter(|len| *len != 4) {
        let mut message = vec![0xee; len];
        let end = pull.pull_to(b"ad", &chunk, &mut message);
        assert_eq!(end, Err(Error::BufferSize));
        assert!(message.iter().all(|byte| *byte == 0xee));
    }
    for len in (0..60).filter(|len| *len != 4) {
        let mut message = vec![0xee; len];
        let verified = pull.verify(b"ad", &chunk).unwrap();
        let end = verified.decrypt((&mut message[..]).into());
        assert_eq!(end, Err(Error::BufferSize));
        assert!(message.iter().all(|byte| *byte == 0xee));
    }
    let mut message = [0; 4];
    assert_eq!(pull.pull_to(b"ad", &chunk, &mut message), Ok(Tag::PUSH));
    assert_eq!(&message, b"text");
}

#[test]
fn the_limit_is_libsodiums() {
    assert_eq!(MAX_SECRETSTREAM_LEN, 274_877_906_816);
    let theirs = sodium::secretstream_message_max() as u64;
    assert_eq!(theirs, MAX_SECRETSTREAM_LEN.min(usize::MAX as u64 - 17));
}
