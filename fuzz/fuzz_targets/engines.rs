//! Every engine of this machine against libsodium: the AEAD, a secretstream chunk, and what they are made of.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_aead::{Aad, InOutBuf, MAX_MESSAGE_LEN, Tag, keystream_fits};
use ss55_fuzz::{SharedEngine, engines, script::Script};

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    let case = Case {
        choice: script.byte(),
        key: script.array(),
        nonce: script.array(),
        prefix: message(&mut script, 64),
        ad: message(&mut script, 1000),
        plaintext: message(&mut script, 20_000),
        flip: script.array(),
        counter: u32::from_le_bytes(script.array()),
        cuts: [script.size(20_000), script.size(20_000)],
    };
    let (first, others) = engines().split_first().expect("libsodium");
    let run = match case.choice % 4 {
        0 => aead,
        1 => secretstream,
        2 => xor,
        _ => mac,
    };
    let expected = run(*first, &case);
    for engine in others {
        assert_eq!(run(*engine, &case), expected, "{}", engine.name());
    }
});

struct Case {
    choice: u8,
    key: [u8; 32],
    nonce: [u8; 12],
    prefix: Box<[u8]>,
    ad: Box<[u8]>,
    plaintext: Box<[u8]>,
    /// Where a bit is wrong when it is opened.
    flip: [u8; 3],
    counter: u32,
    cuts: [usize; 2],
}

fn message(script: &mut Script<'_>, max: usize) -> Box<[u8]> {
    let len = script.size(max);
    script.message(len)
}

/// Everything that an engine gave, one after the other.
type Given = Vec<u8>;

fn aead(engine: SharedEngine, case: &Case) -> Given {
    let aad = Aad {
        prefix: &case.prefix,
        ad: &case.ad,
    };
    let (key, nonce) = (&case.key, &case.nonce);
    let mut in_place = case.plaintext.clone();
    let tag = engine.seal_in_place(key, nonce, aad, &mut in_place);
    let mut sealed = zeros(case.plaintext.len());
    let tag_to = engine.seal_to(key, nonce, aad, &case.plaintext, &mut sealed);
    assert_eq!((&sealed, tag), (&in_place, tag_to));

    engine
        .open_in_place(key, nonce, aad, &mut in_place, &tag)
        .expect("the right tag");
    assert_eq!(in_place, case.plaintext);
    let mut opened = zeros(sealed.len());
    engine
        .open_to(key, nonce, aad, &sealed, &mut opened, &tag)
        .expect("the right tag");
    assert_eq!(opened, case.plaintext);

    let mut bad = sealed.clone();
    let mut bad_tag = *tag.as_bytes();
    flip(&mut bad, &mut bad_tag, case.flip);
    let bad_tag = Tag::from(bad_tag);
    assert!(
        engine
            .open_to(key, nonce, aad, &bad, &mut opened, &bad_tag)
            .is_err()
    );
    assert!(opened.iter().all(|byte| *byte == 0), "plaintext is left");
    assert!(
        engine
            .open_in_place(key, nonce, aad, &mut bad, &bad_tag)
            .is_err()
    );
    assert!(bad.iter().all(|byte| *byte == 0), "plaintext is left");
    [&sealed[..], tag.as_bytes()].concat()
}

fn secretstream(engine: SharedEngine, case: &Case) -> Given {
    let (key, nonce, ad) = (&case.key, &case.nonce, &case.ad[..]);
    let mut sealed = case.plaintext.clone();
    let mut frame_tag = case.choice >> 2;
    let mac = engine.secretstream_seal(key, nonce, ad, &mut frame_tag, (&mut sealed[..]).into());
    let given = [&[frame_tag], &sealed[..], mac.as_bytes()].concat();

    let verified = engine.secretstream_verify(key, nonce, ad, frame_tag, &sealed, &mac);
    assert_eq!(verified, Ok(case.choice >> 2));
    let mut opened = zeros(sealed.len());
    let mut tag = frame_tag;
    let buf = InOutBuf::new(&sealed, &mut opened).expect("one length");
    engine
        .secretstream_open(key, nonce, ad, &mut tag, buf, &mac)
        .expect("the right mac");
    assert_eq!((tag, &opened), (case.choice >> 2, &case.plaintext));

    let mut bad_mac = *mac.as_bytes();
    flip(&mut sealed, &mut bad_mac, case.flip);
    let mut tag = frame_tag;
    let buf = InOutBuf::from(&mut sealed[..]);
    assert!(
        engine
            .secretstream_open(key, nonce, ad, &mut tag, buf, &bad_mac.into())
            .is_err()
    );
    assert_eq!(tag, frame_tag);
    assert!(sealed.iter().all(|byte| *byte == 0), "plaintext is left");
    given
}

fn xor(engine: SharedEngine, case: &Case) -> Given {
    let mut counter = case.counter;
    if case.choice & 4 != 0 {
        // Up to the last block and not past it.
        counter = u32::MAX - counter % 64;
    }
    let fitting = (1..=case.plaintext.len())
        .rev()
        .find(|len| keystream_fits(counter, *len));
    let mut buf: Box<[u8]> = case.plaintext[..fitting.unwrap_or(0)].into();
    engine.xor(&case.key, &case.nonce, counter, (&mut buf[..]).into());
    let subkey = engine.hchacha20(
        &case.key,
        case.nonce.repeat(2).first_chunk().expect("24 >= 16"),
    );
    assert!(buf.len() as u64 <= MAX_MESSAGE_LEN);
    [&buf[..], &subkey].concat()
}

/// The cuts fall where they fall: the tag is that of one string.
fn mac(engine: SharedEngine, case: &Case) -> Given {
    let message = &case.plaintext[..];
    let (start, rest) = message.split_at(case.cuts[0].min(message.len()));
    let (middle, end) = rest.split_at(case.cuts[1].min(rest.len()));
    let tag = engine.mac(&case.key, &[start, middle, end]);
    assert_eq!(tag, engine.mac(&case.key, &[message]));
    tag.as_bytes().to_vec()
}

fn zeros(len: usize) -> Box<[u8]> {
    vec![0; len].into()
}

/// One bit of the ciphertext, or of the tag.
fn flip(ciphertext: &mut [u8], tag: &mut [u8; 16], [which, low, high]: [u8; 3]) {
    let at = usize::from(u16::from_le_bytes([low, high]));
    if ciphertext.is_empty() || which & 8 == 0 {
        tag[at % 16] ^= 1 << (which & 7);
    } else {
        ciphertext[at % ciphertext.len()] ^= 1 << (which & 7);
    }
}
