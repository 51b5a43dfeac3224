//! secretstream chunk by chunk, next to libsodium's own: tags, ad, rekeys, the end of the counter, and chunks
//! that are damaged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_fuzz::{engines, script::Script, sodium::Secretstream, streams::key};
use ss55_wire::{
    Error,
    secretstream::{OVERHEAD, PullState, PushState, Tag},
};

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    let header = script.array();
    let mut push = PushState::new(script.choose(engines()), &key(), &header);
    let mut pull = PullState::new(script.choose(engines()), &key(), &header);
    let mut theirs = Secretstream::new(key().as_bytes(), &header);
    let mut their_pull = theirs.clone();
    for _ in 0..16 {
        if script.is_over() {
            break;
        }
        let choice = script.byte();
        match choice {
            0..=7 => {
                push.rekey();
                pull.rekey();
                theirs.rekey();
                their_pull.rekey();
            }
            8..=15 => {
                let counter = u32::MAX - u32::from(choice & 3);
                push.set_counter(counter);
                pull.set_counter(counter);
                theirs.set_counter(counter);
                their_pull.set_counter(counter);
            }
            _ => {}
        }
        let (ad_len, len) = (script.size(200), script.size(20_000));
        let (ad, message) = (script.message(ad_len), script.message(len));
        let tag = Tag(script.byte());
        let mut chunk = vec![0; len + OVERHEAD];
        push.push_to(tag, &ad, &message, &mut chunk)
            .expect("a short message");
        assert_eq!(chunk, theirs.push(tag.0, &ad, &message));

        // One that is damaged changes nothing, on either side.
        let mut damaged = chunk.clone();
        let at = script.below(chunk.len());
        damaged[at] ^= 1 << (choice & 7);
        let mut opened = vec![0xa5; len];
        assert_eq!(
            pull.pull_to(&ad, &damaged, &mut opened),
            Err(Error::Authentication)
        );
        assert!(opened.iter().all(|byte| *byte == 0), "plaintext is left");
        assert_eq!(their_pull.pull(&ad, &damaged), None);
        let cut = script.below(OVERHEAD);
        assert_eq!(
            pull.pull_in_place(&ad, &mut damaged[..cut]),
            Err(Error::Truncated)
        );

        assert_eq!(
            their_pull.pull(&ad, &chunk),
            Some((tag.0, message.to_vec()))
        );
        let (opened_tag, opened) = pull
            .pull_in_place(&ad, &mut chunk)
            .expect("what was pushed");
        assert_eq!((opened_tag, &*opened), (tag, &*message));
    }
});
