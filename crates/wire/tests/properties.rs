//! Random streams: three engines and the oracle agree, however the input arrives and whatever is
//! done to it.

#[path = "support/frames.rs"]
mod frames;
#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/read.rs"]
mod read;
#[path = "support/sodium.rs"]
mod sodium;

use frames::{v1_stream, v2_header, v2_stream};
use inputs::{engines, pat};
use proptest::{collection::vec, prelude::*, sample::Index};
use sodium::Secretstream;
use ss55_aead::{Engine, Key, SimdEngine};
use ss55_wire::{
    Error,
    secretstream::{OVERHEAD, PullState, PushState, Tag, layout},
    v1, v2,
};

/// A frame's plaintext and its ad.
type Message = (Vec<u8>, Vec<u8>);

fn messages(max_len: usize) -> impl Strategy<Value = Vec<Message>> {
    let len = prop_oneof![8 => 0..300usize, 2 => 0..=max_len];
    let plaintext = (len, any::<u8>())
        .prop_map(|(len, salt)| pat(len).iter().map(|byte| byte ^ salt).collect());
    vec((plaintext, vec(any::<u8>(), 0..40)), 0..6)
}

fn borrowed(messages: &[Message]) -> Vec<(&[u8], &[u8])> {
    messages.iter().map(|(p, ad)| (&p[..], &ad[..])).collect()
}

fn plaintexts(messages: &[Message]) -> Vec<Vec<u8>> {
    messages
        .iter()
        .map(|(plaintext, _)| plaintext.clone())
        .collect()
}

/// The ad of message frame i; the final frame is asked for with one that it never had.
fn ads(messages: &[Message]) -> impl Fn(usize) -> Vec<u8> {
    |i| messages.get(i).map_or(vec![0xad; 3], |(_, ad)| ad.clone())
}

/// Both sides of secretstream do one of these at a time.
#[derive(Clone, Debug)]
enum Step {
    Push {
        tag: u8,
        ad: Vec<u8>,
        len: usize,
    },
    Rekey,
    /// A chunk that does not open comes between.
    Foreign {
        bit: Index,
    },
    Counter(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let tag = prop_oneof![3 => 0..4u8, 1 => any::<u8>()];
    let len = prop_oneof![8 => 0..300usize, 1 => 0..20_000usize];
    prop_oneof![
        8 => (tag, vec(any::<u8>(), 0..40), len)
            .prop_map(|(tag, ad, len)| Step::Push { tag, ad, len }),
        1 => Just(Step::Rekey),
        2 => any::<Index>().prop_map(|bit| Step::Foreign { bit }),
        1 => (u32::MAX - 3..=u32::MAX).prop_map(Step::Counter),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn v2_streams(key: [u8; 32], nonce: [u8; 24], messages in messages(v2::MAX_PLAINTEXT)) {
        let stream = v2_stream(&key, &nonce, &borrowed(&messages));
        let (key, header) = (Key::from_bytes(key), v2::Header::new(nonce));
        for engine in &engines() {
            let mut sealer = v2::Sealer::new(&**engine, &key, &header);
            let mut sealed = header.to_bytes().to_vec();
            for (plaintext, ad) in &messages {
                let mut frame = vec![0; plaintext.len() + v2::FRAME_OVERHEAD];
                sealer.seal_to(ad, plaintext, &mut frame).unwrap();
                sealed.extend(frame);
            }
            sealed.extend(sealer.finish().unwrap());
            prop_assert!(sealed == stream, "{}", engine.name());

            let (opened, end) = read::v2(&**engine, &key, &stream, ads(&messages));
            prop_assert!(opened == plaintexts(&messages), "{}", engine.name());
            prop_assert_eq!(end, Ok(()));
        }
    }

    #[test]
    fn v1_streams(key: [u8; 32], nonce: [u8; 24], messages in messages(v1::MAX_PLAINTEXT)) {
        let stream = v1_stream(&key, &nonce, &borrowed(&messages));
        let key = Key::from_bytes(key);
        for engine in &engines() {
            let mut sealer = v1::Sealer::new(&**engine, &key, &nonce);
            let mut sealed = nonce.to_vec();
            for (plaintext, ad) in &messages {
                let mut frame = vec![0; plaintext.len() + v1::FRAME_OVERHEAD];
                sealer.seal_to(ad, plaintext, &mut frame).unwrap();
                sealed.extend(frame);
            }
            prop_assert!(sealed == stream, "{}", engine.name());

            let (opened, end) = read::v1(&**engine, &key, &stream, ads(&messages));
            prop_assert!(opened == plaintexts(&messages), "{}", engine.name());
            prop_assert_eq!(end, Ok(()));
        }
    }

    /// However a plaintext is cut into frames, it is the same plaintext.
    #[test]
    fn any_split_of_a_plaintext(len in 0..5000usize, cuts in vec(any::<Index>(), 0..8)) {
        let plaintext = pat(len);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(len + 1)).collect();
        cuts.extend([0, len]);
        cuts.sort_unstable();
        let (key, header) = (Key::from_bytes([1; 32]), v2::Header::new([2; 24]));
        let mut sealer = v2::Sealer::new(SimdEngine::new(), &key, &header);
        let mut stream = header.to_bytes().to_vec();
        for cut in cuts.windows(2) {
            let mut frame = vec![0; cut[1] - cut[0] + v2::FRAME_OVERHEAD];
            sealer.seal_to(b"", &plaintext[cut[0]..cut[1]], &mut frame).unwrap();
            stream.extend(frame);
        }
        stream.extend(sealer.finish().unwrap());
        let (opened, end) = read::v2(&SimdEngine::new(), &key, &stream, read::ad(b""));
        prop_assert_eq!(opened.len(), cuts.len() - 1);
        prop_assert!(opened.concat() == plaintext);
        prop_assert_eq!(end, Ok(()));
    }

    /// The opener sees the input grow by any number of bytes at a time.
    #[test]
    fn any_arrival_of_the_input(
        messages in messages(2000),
        arrivals in vec(prop_oneof![Just(1), 1..6usize, 1..600usize], 1..20),
    ) {
        let (key, nonce) = ([1; 32], [2; 24]);
        let stream = v2_stream(&key, &nonce, &borrowed(&messages));
        let (key, header) = (Key::from_bytes(key), v2::Header::new(nonce));
        let mut opener = v2::Opener::new(SimdEngine::new(), &key, &header);
        let (mut opened, mut start, mut have) = (Vec::new(), 36, 36);
        let ads = ads(&messages);
        for arrival in arrivals.iter().cycle() {
            while let Some(head) = opener.frame_header(&stream[start..have]).unwrap() {
                let end = start + v2::FRAME_HEADER_LEN + head.payload_len();
                if have < end {
                    break;
                }
                let mut payload = stream[start + v2::FRAME_HEADER_LEN..end].to_vec();
                let plaintext = opener.open_in_place(head, &ads(opened.len()), &mut payload).unwrap();
                if head.tag() == v2::FrameTag::Message {
                    opened.push(plaintext.to_vec());
                }
                start = end;
            }
            if have == stream.len() {
                break;
            }
            prop_assert_eq!(opener.clone().end(), Err(Error::Truncated));
            have = stream.len().min(have + arrival);
        }
        prop_assert!(opened == plaintexts(&messages));
        prop_assert_eq!(opener.end(), Ok(()));
    }

    /// One byte written over, left out or put in; two bytes in another order; a part left out.
    #[test]
    fn any_damage_to_a_v2_stream_is_noticed(
        messages in messages(500),
        kind in 0..5,
        at: Index,
        other: Index,
        byte: u8,
    ) {
        let (key, nonce) = ([1; 32], std::array::from_fn(|i| i as u8));
        let stream = v2_stream(&key, &nonce, &borrowed(&messages));
        let (at, other) = (at.index(stream.len()), other.index(stream.len()));
        let mut damaged = stream.clone();
        match kind {
            0 => damaged[at] = byte,
            1 => drop(damaged.remove(at)),
            2 => damaged.insert(at, byte),
            3 => damaged.swap(at, other),
            _ => drop(damaged.drain(at.min(other)..at.max(other))),
        }
        let changed = |damaged: &[u8]| [&damaged[..32], &damaged[36..]].concat();
        prop_assume!(damaged.len() < 36 || changed(&damaged) != changed(&stream));

        let key = Key::from_bytes(key);
        let (opened, end) = read::v2(&SimdEngine::new(), &key, &damaged, ads(&messages));
        prop_assert!(end.is_err());
        prop_assert!(plaintexts(&messages).starts_with(&opened), "only what was sealed comes out");
    }

    /// What is no stream at all ends in an error, not in a panic.
    #[test]
    fn any_bytes_at_all(bytes in vec(prop_oneof![Just(0u8), 0..32u8, any::<u8>()], 0..200)) {
        let (engine, key) = (SimdEngine::new(), Key::from_bytes([1; 32]));
        let v2 = [v2_header(&[2; 24]), bytes.clone()].concat();
        let (opened, end) = read::v2(&engine, &key, &v2, read::ad(b""));
        prop_assert!(opened.is_empty() && end.is_err());
        let (opened, end) = read::v1(&engine, &key, &bytes, read::ad(b""));
        prop_assert!(opened.is_empty() && end.is_err() == (bytes.len() != v1::HEADER_LEN));
        let (opened, end) = read::layout(&engine, &key, &bytes, 50);
        prop_assert!(opened.is_empty() && end.is_err());
    }

    #[test]
    fn secretstream(key: [u8; 32], header: [u8; 24], steps in vec(step(), 1..12)) {
        for engine in &engines() {
            let (engine, ours) = (&**engine, Key::from_bytes(key));
            let mut push = PushState::new(engine, &ours, &header);
            let mut pull = PullState::new(engine, &ours, &header);
            let mut their_push = Secretstream::new(&key, &header);
            let mut their_pull = their_push.clone();
            for step in &steps {
                match step {
                    Step::Push { tag, ad, len } => {
                        let message = pat(*len);
                        let mut chunk = vec![0; len + OVERHEAD];
                        push.push_to(Tag(*tag), ad, &message, &mut chunk).unwrap();
                        prop_assert!(chunk == their_push.push(*tag, ad, &message));
                        let (opened_tag, opened) = pull.pull_in_place(ad, &mut chunk.clone())
                            .map(|(tag, message)| (tag, message.to_vec()))
                            .unwrap();
                        prop_assert!(opened == message);
                        prop_assert_eq!(opened_tag, Tag(*tag));
                        prop_assert!(their_pull.pull(ad, &chunk) == Some((*tag, message)));
                    }
                    Step::Rekey => {
                        push.rekey();
                        pull.rekey();
                        their_push.rekey();
                        their_pull.rekey();
                    }
                    Step::Foreign { bit } => {
                        let chunk = their_push.clone().push(0, b"", &pat(20));
                        let chunk = inputs::flipped(&chunk, bit.index(8 * chunk.len()));
                        let end = pull.pull_to(b"", &chunk, &mut [0; 20]);
                        prop_assert_eq!(end, Err(Error::Authentication));
                        prop_assert!(their_pull.pull(b"", &chunk).is_none());
                    }
                    Step::Counter(counter) => {
                        push.set_counter(*counter);
                        pull.set_counter(*counter);
                        their_push.set_counter(*counter);
                        their_pull.set_counter(*counter);
                    }
                }
            }
        }
    }

    #[test]
    fn layouts(chunk_size in 1..700usize, len in 0..3000usize, cut: Index, behind in 1..900usize) {
        let (key, header) = ([1; 32], [2; 24]);
        let plaintext = pat(len);
        let mut push = Secretstream::new(&key, &header);
        let mut stream = header.to_vec();
        let full = plaintext.chunks_exact(chunk_size);
        let last = full.remainder();
        for chunk in full {
            stream.extend(push.push(0, b"", chunk));
        }
        stream.extend(push.push(3, b"", last));
        let sealed_len = layout::sealed_len(len as u64, chunk_size);
        prop_assert_eq!(sealed_len, Some(stream.len() as u64));

        let key = Key::from_bytes(key);
        for engine in &engines() {
            let engine: &dyn Engine = &**engine;
            let (opened, end) = read::layout(engine, &key, &stream, chunk_size);
            prop_assert!(opened.concat() == plaintext);
            prop_assert_eq!(end, Ok(()));
            let cut = &stream[..cut.index(stream.len())];
            let (opened, end) = read::layout(engine, &key, cut, chunk_size);
            prop_assert!(plaintext.starts_with(&opened.concat()));
            prop_assert_eq!(end, Err(Error::Truncated));
            let longer = [&stream[..], &pat(behind)].concat();
            let (opened, end) = read::layout(engine, &key, &longer, chunk_size);
            prop_assert!(plaintext.starts_with(&opened.concat()));
            prop_assert_eq!(end, Err(Error::TrailingData));
        }
    }

    #[test]
    fn sealed_lens(plaintext: u64, shift in 0..64u32, chunk_size in 1..=usize::MAX) {
        let n = u128::from(plaintext >> shift);
        let v2 = u64::try_from(36 + n + n.div_ceil(65536) * 21 + 21).ok();
        prop_assert_eq!(v2::sealed_len(plaintext >> shift), v2);
        let chunk = chunk_size as u128;
        let layout = u64::try_from(24 + n / chunk * (chunk + 17) + n % chunk + 17).ok();
        prop_assert_eq!(layout::sealed_len(plaintext >> shift, chunk_size), layout);
    }
}
