//! Random use against a model: a list of frames.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use proptest::{collection::vec, prelude::*, sample::select};
use ss55_stream::{Decryptor, Encryptor, libsodium};
use ss55_wire::{
    secretstream::layout,
    v2::{self, FrameTag, Header, Opener},
};
use std::io::{self, ErrorKind, Read, Write};
use support::{
    frames,
    inputs::{KEY, NONCE, key, pat},
    io::{Source, Step, Target, by, insist},
    streams::Format,
};

/// What a caller may do with a writer.
#[derive(Clone, Debug)]
enum Call {
    Write(usize),
    Frame(usize, Vec<u8>),
    Flush,
}

/// Sizes below, at and above a frame, and mostly small ones.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0..300_usize,
        2 => select(vec![65535, 65536, 65537, 131072]),
        1 => 0..200_000_usize,
    ]
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => size().prop_map(Call::Write),
        2 => (size(), vec(any::<u8>(), 0..20)).prop_map(|(len, ad)| Call::Frame(len, ad)),
        2 => Just(Call::Flush),
    ]
}

/// How the other side takes and gives bytes: pieces of these sizes, where 0 is `WouldBlock` and 1 is
/// `Interrupted`.
fn pieces() -> impl Strategy<Value = Vec<usize>> {
    let piece = prop_oneof![0..3_usize, 2..100_usize, 2..100_000_usize];
    // One of them at least takes a step ahead, and one that is large keeps the number of calls down.
    (vec(piece, 0..6), 5_000..100_000_usize).prop_map(|(mut pieces, last)| {
        pieces.push(last);
        pieces
    })
}

fn plan(pieces: &[usize]) -> impl FnMut(usize) -> Step + Send + use<> {
    let mut by = by(pieces);
    move |gone| match by(gone) {
        Step::Take(0) => Step::Fail(ErrorKind::WouldBlock),
        Step::Take(1) => Step::Fail(ErrorKind::Interrupted),
        step => step,
    }
}

/// The frames that the calls make: what is gathered is a frame when it is full, when it is flushed, or
/// when another frame wants its place.
#[derive(Default)]
struct Model {
    gathered: Vec<u8>,
    frames: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Model {
    fn write(&mut self, data: &[u8]) {
        for byte in data {
            self.gathered.push(*byte);
            if self.gathered.len() == 65536 {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        if !self.gathered.is_empty() {
            let frame = std::mem::take(&mut self.gathered);
            self.frames.push((frame, b"plain".to_vec()));
        }
    }

    fn frame(&mut self, data: &[u8], ad: &[u8]) {
        if !data.is_empty() {
            self.flush();
            let frames = data
                .chunks(65536)
                .map(|frame| (frame.to_vec(), ad.to_vec()));
            self.frames.extend(frames);
        }
    }

    fn stream(&self) -> Vec<u8> {
        let messages: Vec<_> = self
            .frames
            .iter()
            .map(|(p, ad)| (&p[..], &ad[..]))
            .collect();
        frames::v2_stream(&messages)
    }
}

fn write_all(writer: &mut impl Write, mut data: &[u8]) {
    while !data.is_empty() {
        let (taken, _) = insist(|| writer.write(data));
        data = &data[taken.unwrap()..];
    }
}

/// Opens a v2 stream with the codec alone.
fn open(stream: &[u8], ads: &[(Vec<u8>, Vec<u8>)]) -> Vec<Vec<u8>> {
    let (header, mut rest) = stream.split_first_chunk().unwrap();
    let header = Header::parse(header).unwrap();
    let mut opener = Opener::new(ss55_stream::PortableEngine, &key(), &header);
    let mut frames = Vec::new();
    while let Some(head) = opener.frame_header(rest).unwrap() {
        let (payload, next) = rest[v2::FRAME_HEADER_LEN..].split_at(head.payload_len());
        rest = next;
        let ad = ads.get(frames.len()).map_or(&b""[..], |(_, ad)| ad);
        let mut payload = payload.to_vec();
        let plaintext = opener.open_in_place(head, ad, &mut payload).unwrap();
        if head.tag() == FrameTag::Message {
            frames.push(plaintext.to_vec());
        }
    }
    opener.end().unwrap();
    frames
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Any calls, on any writer: the bytes of the model's stream, by the oracle and by the codec.
    #[test]
    fn encryptor(calls in vec(call(), 0..12), pieces in pieces(), close in 1..3_usize) {
        let mut model = Model::default();
        let mut target = Target::new(plan(&pieces));
        let builder = Encryptor::builder().header(Header::new(NONCE)).ad(*b"plain");
        let mut encryptor = builder.build(&mut target, &key());
        let all = pat(200_000);
        for call in &calls {
            match call {
                Call::Write(len) => {
                    model.write(&all[..*len]);
                    write_all(&mut encryptor, &all[..*len]);
                }
                Call::Frame(len, ad) => {
                    model.frame(&all[..*len], ad);
                    insist(|| encryptor.write_frame(&all[..*len], ad)).0.unwrap();
                }
                Call::Flush => {
                    model.flush();
                    insist(|| encryptor.flush()).0.unwrap();
                }
            }
        }
        model.flush();
        for _ in 0..close {
            insist(|| encryptor.close()).0.unwrap();
        }
        drop(encryptor);
        prop_assert!(target.bytes == model.stream());

        let opened = open(&target.bytes, &model.frames);
        let frames: Vec<_> = model.frames.iter().map(|(plaintext, _)| plaintext).collect();
        prop_assert!(opened.iter().eq(frames));

        // And read again, frame by frame, from a source of the same temper.
        let mut decryptor = Decryptor::new(Source::new(&target.bytes, plan(&pieces)), &key());
        let mut frame = Vec::new();
        for (plaintext, ad) in &model.frames {
            prop_assert!(insist(|| decryptor.read_frame(&mut frame, ad)).0.unwrap());
            prop_assert!(frame == *plaintext);
        }
        prop_assert!(!insist(|| decryptor.read_frame(&mut frame, b"")).0.unwrap());
        prop_assert!(decryptor.end_is_authenticated());
    }

    /// Any splits and flushes, any chunk size: the oracle's bytes, and the codec opens them.
    #[test]
    fn libsodium_encryptor(
        writes in vec((0..20_000_usize, any::<bool>()), 0..8),
        pieces in pieces(),
        chunk_size in prop_oneof![1..200_usize, Just(8192), 1..40_000_usize],
    ) {
        let mut target = Target::new(plan(&pieces));
        let builder = libsodium::Encryptor::builder().header(NONCE).chunk_size(chunk_size);
        let mut encryptor = builder.build(&mut target, &key());
        let mut plaintext = Vec::new();
        for (len, flush) in writes {
            let start = plaintext.len();
            plaintext.extend((start..start + len).map(|i| (i / 3) as u8));
            write_all(&mut encryptor, &plaintext[start..]);
            if flush {
                insist(|| encryptor.flush()).0.unwrap();
            }
        }
        insist(|| encryptor.close()).0.unwrap();
        drop(encryptor);
        prop_assert!(target.bytes == Format::Libsodium.stream(&plaintext, chunk_size));

        let (header, rest) = target.bytes.split_first_chunk().unwrap();
        let engine = ss55_stream::PortableEngine;
        let mut opener = layout::Opener::new(engine, &key(), header, chunk_size);
        let mut opened = Vec::new();
        for chunk in rest.chunks(chunk_size + 17) {
            let start = opened.len();
            opened.resize(start + chunk.len() - 17, 0);
            opener.open_to(chunk, &mut opened[start..]).unwrap();
        }
        opener.end().unwrap();
        prop_assert!(opened == plaintext);
    }

    /// Any mixture of reads, on any source, of any frames: the plaintext.
    #[test]
    fn readers(
        format in select(Format::ALL.to_vec()),
        len in prop_oneof![0..2_000_usize, 0..200_000_usize],
        unit in prop_oneof![100..2_000_usize, 1_000..65_536_usize],
        pieces in pieces(),
        asks in vec((0..4_u8, prop_oneof![0..50_usize, 0..70_000_usize]), 1..20),
    ) {
        let plaintext = pat(len);
        let stream = format.stream(&plaintext, unit);
        let mut reader = format.reader(Source::new(&stream, plan(&pieces)), unit);
        let mut read = Vec::new();
        let mut out = vec![0; 70_000];
        for (way, ask) in asks {
            if way == 0 {
                let ready = insist(|| reader.fill_buf().map(<[u8]>::to_vec)).0.unwrap();
                let take = ready.len().min(ask);
                read.extend_from_slice(&ready[..take]);
                reader.consume(take);
            } else {
                let n = insist(|| reader.read(&mut out[..ask])).0.unwrap();
                prop_assert!(n > 0 || ask == 0 || read.len() == len);
                read.extend_from_slice(&out[..n]);
            }
            prop_assert!(plaintext.starts_with(&read));
        }
        let (end, _) = insist(|| reader.read_to_end(&mut read));
        end.unwrap();
        prop_assert!(read == plaintext);
        prop_assert_eq!(reader.end_is_authenticated(), format != Format::V1);
    }

    /// Frames in any order, any of them more than once or not at all: those that are in their places
    /// come out, and only the whole stream, or a start of v1, ends well.
    #[test]
    fn any_order_of_frames(
        format in select(Format::ALL.to_vec()),
        picks in (0..9_usize).prop_flat_map(|len| prop_oneof![
            vec(0..6_usize, len),
            Just((0..6).collect::<Vec<_>>()).prop_shuffle(),
            (0..=6_usize).prop_map(|len| (0..len).collect()),
        ]),
    ) {
        // With v2 and libsodium the last one is the final one, and as long as the others are.
        let plaintext = pat(if format == Format::V1 { 60 } else { 50 });
        let pieces = format.pieces(&plaintext, 10);
        prop_assert_eq!(pieces.len(), 7);
        let picked = picks.iter().map(|pick| &pieces[1 + pick][..]);
        let stream = [&pieces[0][..]].into_iter().chain(picked).collect::<Vec<_>>().concat();
        let mut read = Vec::new();
        let end = format.reader(&stream[..], 10).read_to_end(&mut read);
        let in_place = picks.iter().enumerate().take_while(|(n, pick)| n == *pick).count();
        let all = in_place == picks.len();
        // The last chunk of libsodium's is known by the input's end alone; the plaintext of all of
        // these is out before.
        let expected = plaintext.len().min(in_place * 10);
        prop_assert!(read == plaintext[..expected], "{} of {:?}", read.len(), picks);
        let ends_well = all && (format == Format::V1 || in_place == 6);
        prop_assert_eq!(end.is_ok(), ends_well, "{:?}", end);
    }

    /// One bit of the key, or any change of the ad: not a byte comes out.
    #[test]
    fn another_key_or_ad(
        format in select(Format::ALL.to_vec()),
        len in 1..300_usize,
        unit in 1..100_usize,
        key_bit in prop::option::of(0..256_usize),
        ad in vec(any::<u8>(), 0..40),
    ) {
        let mut wrong = KEY;
        if let Some(bit) = key_bit {
            wrong[bit / 8] ^= 1 << (bit % 8);
        }
        prop_assume!(key_bit.is_some() || (!ad.is_empty() && format != Format::Libsodium));
        let stream = format.stream(&pat(len), unit);
        let mut read = Vec::new();
        let end = if format == Format::Libsodium {
            let builder = libsodium::Decryptor::builder().chunk_size(unit);
            builder.build(&stream[..], &wrong.into()).read_to_end(&mut read)
        } else {
            let builder = Decryptor::builder().ad(ad);
            builder.build(&stream[..], &wrong.into()).read_to_end(&mut read)
        };
        prop_assert!(read.is_empty());
        prop_assert!(end.is_err());
    }

    /// One change anywhere: an authentic prefix, and an error.
    #[test]
    fn damage(
        format in select(Format::ALL.to_vec()),
        len in 1..3_000_usize,
        unit in 1..500_usize,
        place in any::<prop::sample::Index>(),
        change in 1..=255_u8,
        cut in any::<bool>(),
    ) {
        let plaintext = pat(len);
        let mut stream = format.stream(&plaintext, unit);
        let at = place.index(stream.len());
        // Not authenticated: the last bytes of v2's nonce, and the edges of v1's frames.
        prop_assume!(format != Format::V2 || cut || !(32..36).contains(&at));
        prop_assume!(format != Format::V1 || !cut);
        if cut {
            stream.truncate(at);
        } else {
            stream[at] ^= change;
        }
        let mut read = Vec::new();
        let end = format.reader(&stream[..], unit).read_to_end(&mut read);
        prop_assert!(plaintext.starts_with(&read));
        let kind = end.map_err(|error: io::Error| error.kind()).unwrap_err();
        prop_assert!(matches!(kind, ErrorKind::InvalidData | ErrorKind::UnexpectedEof));
    }
}
