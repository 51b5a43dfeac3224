//! What looks like a key in a message is not shown. Every message goes through here.

use std::{borrow::Cow, fmt::Write};

/// Characters in a row, of hex or base64, that are taken for (part of) a key. A key has 43 or more.
const SUSPECT: usize = 40;

/// `text` without what looks like a key.
pub fn redact(text: &str) -> Cow<'_, str> {
    if !is_suspect(text) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut show = |part: &str, hide: bool| {
        if hide {
            write!(shown, "({} characters that may be a key)", part.len())
                .expect("a String takes all");
        } else {
            shown.push_str(part);
        }
    };
    for piece in pieces(text, is_digit) {
        if is_key(piece) {
            show(piece, true);
        } else {
            for part in pieces(piece, |c| c != '/') {
                show(part, is_name_like_a_key(part));
            }
        }
    }
    shown.into()
}

/// Whether `text` has something in it that looks like a key.
pub fn is_suspect(text: &str) -> bool {
    pieces(text, is_digit).any(is_key)
        || pieces(text, |c| is_digit(c) && c != '/').any(is_name_like_a_key)
}

/// Base64's digits, of both its alphabets, among which are those of hex.
fn is_digit(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/-_=".contains(c)
}

/// `text` in pieces, each as long as can be and all or nothing of one kind.
fn pieces(text: &str, is_kind: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let kind = is_kind(rest.chars().next()?);
        let end = rest.find(|c| is_kind(c) != kind).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Whether a name without `/` is long enough for a key.
fn is_name_like_a_key(piece: &str) -> bool {
    piece.len() >= SUSPECT && piece.chars().all(is_digit)
}

/// Whether a piece with `/` is base64 rather than a path, which it is where capitals, small letters and
/// other digits take turns. In base64 they do so at 25 of 40 characters, give or take 3; in words once
/// a word, or twice. It is a guess, and wrong for less than one key in 10,000.
fn is_key(piece: &str) -> bool {
    const TURNS: usize = 14;
    let class = |byte: u8| (byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
    let takes_turn = |pair: &[u8]| class(pair[0]) != class(pair[1]);
    piece.chars().all(is_digit)
        && piece.contains('/')
        && piece
            .as_bytes()
            .windows(SUSPECT)
            .any(|window| window.windows(2).filter(|pair| takes_turn(pair)).count() >= TURNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_wherever_its_slashes_are() {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        // The same keys each time: of others, a few would be taken for paths.
        let mut state = 1_u64;
        for _ in 0..1000 {
            let text: String = (0..43)
                .map(|_| {
                    // Knuth's multiplier for 64 bits.
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    char::from(DIGITS[(state >> 58) as usize])
                })
                .collect();
            for context in [text.clone(), format!("a/{text}"), format!("{text}/name")] {
                let shown = redact(&context);
                assert!(!shown.contains(&text[2..10]), "{context}");
            }
        }
    }

    #[test]
    fn paths_and_words_are_shown() {
        for text in [
            "\"/home/Somebody/Documents/Projects/Backup2024/Reports/Final\"",
            "/usr/local/share/applications/org/freedesktop/long/path/of/words",
            "/srv/2024-01-01/db1/pg_dump/base/16384/2619_fsm/0001/0002/0003",
            "64 hex digits, 43 or 44 characters of base64, or 32 raw bytes",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
