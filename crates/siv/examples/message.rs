//! Messages of a device that cannot be sure of its nonces: it was reset, and counts from the same number
//! again. Under most AEADs that is the end of the key; here it shows which messages are equal.
//!
//! ```text
//! cargo run --example message
//! ```

use ss55_siv::{Error, Iv, Siv256, advance_nonce};

/// What is sent: nonce, ciphertext, IV. The ad is known to both.
type Message = ([u8; 12], Vec<u8>, Iv<32>);

const AD: &[u8] = b"sensor 7";

fn seal(siv: &Siv256, nonce: [u8; 12], text: &[u8]) -> Result<Message, Error> {
    let mut ciphertext = text.to_vec();
    let iv = siv.seal_in_place_detached(&nonce, AD, &mut ciphertext)?;
    Ok((nonce, ciphertext, iv))
}

fn open(siv: &Siv256, (nonce, ciphertext, iv): &Message) -> Result<String, Error> {
    let mut text = ciphertext.clone();
    siv.open_in_place_detached(nonce, AD, &mut text, iv)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn main() -> Result<(), Error> {
    let siv = Siv256::new(&[7; 32]);
    let mut nonce = [0; 12];
    let first = seal(&siv, nonce, b"21.5 degrees")?;
    advance_nonce(&mut nonce, 1);
    let second = seal(&siv, nonce, b"21.5 degrees")?;
    nonce = [0; 12]; // the reset
    let third = seal(&siv, nonce, b"35.0 degrees")?;
    let fourth = seal(&siv, nonce, b"21.5 degrees")?;

    for message in [&first, &second, &third, &fourth] {
        println!("{}", open(&siv, message)?);
    }
    println!("another nonce: equal is {}", first.1 == second.1);
    println!(
        "the same nonce, another text: equal is {}",
        first.1 == third.1
    );
    println!(
        "the same nonce, the same text: equal is {}",
        first.1 == fourth.1
    );

    let mut forged = third;
    forged.1[0] ^= 1;
    println!("forged: {}", open(&siv, &forged).unwrap_err());
    Ok(())
}
