//! What is counted: `program seal|mac|cipher BACKEND BYTES TIMES`.

use ss55_aead::{Aad, Engine, SimdEngine};
use ss55_chacha_simd::ChaCha20;
use ss55_poly1305::Poly1305;
use std::{env, hint::black_box};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [what, name, bytes, times] = &words[..] else {
        panic!("four words");
    };
    let engine = SimdEngine::by_name(name).expect("an engine");
    let cipher = ss55_chacha_simd::Backend::by_name(name).expect("a cipher");
    let mac = ss55_poly1305::Backend::by_name(name);
    let mut message = vec![0; bytes.parse().expect("a length")];
    let times: usize = times.parse().expect("a number");
    for _ in 0..times {
        match what.as_str() {
            "seal" => {
                _ = black_box(engine.seal_in_place(&[1; 32], &[2; 12], Aad::EMPTY, &mut message));
            }
            "mac" => {
                let mut mac = Poly1305::with_backend(mac.expect("a MAC"), &[1; 32]);
                mac.update(&message);
                _ = black_box(mac.finalize());
            }
            _ => {
                let mut cipher = ChaCha20::with_backend(cipher, &[1; 32], &[2; 12]);
                cipher
                    .apply_keystream(&mut message)
                    .expect("a short message");
            }
        }
    }
}
