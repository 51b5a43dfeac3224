//! Where keys come from, and where new ones go. No message shows a byte of one.

use crate::{
    args::{KeyArgs, KeyFormat, KeyTransform},
    error::{Error, KeyOrigin, Role, say},
    input::{Identity, Name, Sources},
    output,
    passphrase::{self, Locked},
    redact, stdio,
    unfinished::Unfinished,
};
use ss55_aead::{InvalidKey, Key};
use std::{
    env,
    ffi::OsString,
    fs::OpenOptions,
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Most bytes that are read of a key file: whatever space surrounds a key is below that.
const MAX_FILE: usize = 4096;
const ANY_FORM: &str = "64 hex digits, 43 or 44 characters of base64, or 32 raw bytes";
const TEXT_FORM: &str = "64 hex digits, or 43 or 44 characters of base64";
const HEX_FORM: &str = "64 hex digits";
const BASE64_FORM: &str = "43 or 44 characters of base64";
const RAW_FORM: &str = "32 raw bytes";

/// A key, and the file that it was read from, which no output may replace.
#[derive(Debug)]
pub struct Loaded {
    pub key: Key,
    pub identity: Option<Identity>,
}

impl From<Key> for Loaded {
    fn from(key: Key) -> Self {
        Loaded {
            key,
            identity: None,
        }
    }
}

/// Reads the key that the options name, or else the environment.
pub fn load(args: &KeyArgs, sources: &mut Sources) -> Result<Loaded, Error> {
    if let Some(path) = &args.key {
        return read_file(path, args.into(), sources);
    }
    match (variable("SS55_KEY"), variable("SS55_KEY_FILE")) {
        (Some(_), Some(_)) => Err(Error::usage(
            "SS55_KEY and SS55_KEY_FILE are both set",
            "unset one of them, or say -k FILE, which overrides both",
        )),
        (Some(text), None) => from_variable(text.as_bytes(), args.into()),
        (None, Some(path)) => read_file(Path::new(&path), args.into(), sources),
        (None, None) => Err(Error::usage(
            "no key",
            "say -k FILE, or set SS55_KEY or SS55_KEY_FILE; `ss55 keygen -o FILE` makes a key",
        )),
    }
}

/// How a key is written, as far as somebody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Any,
    Ours(KeyFormat),
    WalG(KeyTransform),
}

impl From<&KeyArgs> for Form {
    fn from(args: &KeyArgs) -> Self {
        match (args.key_transform, args.key_format) {
            (Some(transform), _) => Form::WalG(transform),
            (None, Some(format)) => Form::Ours(format),
            (None, None) => Form::Any,
        }
    }
}

/// An empty variable is as good as none.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn from_variable(text: &[u8], form: Form) -> Result<Loaded, Error> {
    if form == Form::Ours(KeyFormat::Raw) {
        return Err(Error::usage(
            "SS55_KEY holds text, and --key-format says raw",
            "give raw bytes in a file, with -k FILE",
        ));
    }
    // A text of 32 characters is taken for no key at all, rather than for raw bytes.
    let parsed = match form {
        Form::WalG(transform) => transformed(text, transform),
        Form::Ours(format) => parse_text(text, Some(format)),
        Form::Any => parse_text(text, None),
    };
    match parsed {
        Ok(key) => Ok(key.into()),
        Err(found) => Err(Error::Key {
            origin: KeyOrigin::Variable,
            problem: format!("expected {}, found {found}", expected(form, TEXT_FORM)),
            hint: "`ss55 keygen` makes a key",
        }),
    }
}

fn read_file(path: &Path, form: Form, sources: &mut Sources) -> Result<Loaded, Error> {
    let (name, file, metadata) = match sources.open("key", Role::Key, path) {
        Err(Error::Io { .. }) if redact::is_suspect(&path.to_string_lossy()) => {
            return Err(Error::usage(
                "the name of the key file (not shown) looks like a key itself",
                "write the key to a file and name that; it may be in your shell's history now",
            ));
        }
        opened => opened?,
    };
    let identity = Identity::of(&metadata);
    // Of full size from the start: growing would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_FILE + 1));
    file.take(MAX_FILE as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(Role::Key, &name, error))?;
    let parsed = if form == Form::Any && passphrase::is_protected(&bytes) {
        let opened = passphrase::unprotect(&bytes, || passphrase::ask(false))?;
        opened.map_err(|Locked { why, hint }| (why.to_owned(), hint))
    } else {
        parse(&bytes, form).map_err(|Refusal { found, hint }| {
            let expected = expected(form, ANY_FORM);
            (format!("expected {expected}, found {found}"), hint)
        })
    };
    match parsed {
        Ok(key) => Ok(Loaded { key, identity }),
        Err((problem, hint)) => Err(Error::Key {
            origin: KeyOrigin::File(name),
            problem,
            hint,
        }),
    }
}

fn expected(form: Form, general: &'static str) -> &'static str {
    match form {
        Form::Any => general,
        Form::Ours(KeyFormat::Raw) => RAW_FORM,
        Form::Ours(KeyFormat::Hex) | Form::WalG(KeyTransform::Hex) => HEX_FORM,
        Form::Ours(KeyFormat::Base64) => BASE64_FORM,
        Form::WalG(KeyTransform::Base64) => "44 characters of base64, with padding",
        Form::WalG(KeyTransform::None) => "25 bytes or more",
    }
}

/// "1 byte", "2 bytes".
fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// A key as WAL-G makes it of a file's text: `WALG_LIBSODIUM_KEY_TRANSFORM`.
fn transformed(bytes: &[u8], transform: KeyTransform) -> Result<Key, String> {
    /// Of the shortest text that is taken as it is.
    const MIN: usize = 25;
    let bytes = trim(bytes);
    let text = |is_digit: fn(u8) -> bool, len| match std::str::from_utf8(bytes) {
        Ok(text) if text.len() == len && text.bytes().all(is_digit) => Ok(text),
        _ => Err(format!("{} that are not that", count(bytes.len(), "byte"))),
    };
    match transform {
        KeyTransform::Hex => {
            let text = text(|byte| byte.is_ascii_hexdigit(), 2 * Key::LEN)?;
            Key::from_hex(text).map_err(|_| "no hex".into())
        }
        KeyTransform::Base64 => {
            let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
            Key::from_base64(text(is_digit, 44)?).map_err(|_| "no base64 of 32 bytes".into())
        }
        KeyTransform::None if bytes.len() < MIN => Err(count(bytes.len(), "byte")),
        KeyTransform::None => {
            say(
                "ss55: warning: --key-transform none: a text that people can type is a weak key, and \
                 bytes behind the 32nd do not count",
            );
            let mut key = Zeroizing::new([0; Key::LEN]);
            let len = bytes.len().min(Key::LEN);
            key[..len].copy_from_slice(&bytes[..len]);
            Ok(Key::from_bytes(*key))
        }
    }
}

/// Without space around it, as Go's `strings.TrimSpace` has it for text that is UTF-8.
fn trim(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim().as_bytes(),
        Err(_) => bytes.trim_ascii(),
    }
}

/// Why a file's content is no key.
#[derive(Debug)]
pub struct Refusal {
    pub found: String,
    hint: &'static str,
}

impl Refusal {
    fn new(found: impl Into<String>) -> Self {
        Refusal {
            found: found.into(),
            hint: "`ss55 keygen -o FILE` makes a key file",
        }
    }
}

pub fn parse(bytes: &[u8], form: Form) -> Result<Key, Refusal> {
    if bytes.len() > MAX_FILE {
        return Err(Refusal::new(format!("more than {MAX_FILE} bytes")));
    }
    match form {
        Form::WalG(transform) => transformed(bytes, transform).map_err(Refusal::new),
        Form::Ours(KeyFormat::Raw) => raw(bytes),
        Form::Ours(format) => parse_text(bytes, Some(format)).map_err(Refusal::new),
        // Text of 32 bytes, such as half a key, is far more often meant as text than drawn at random:
        // 32 random bytes are all text once in 2^43.
        Form::Any if bytes.len() == Key::LEN && bytes.iter().copied().all(is_text) => {
            Err(Refusal {
                found: "32 bytes of text: raw bytes, or a part of a key".into(),
                hint: "say which with --key-format raw|hex|base64",
            })
        }
        Form::Any if bytes.len() == Key::LEN => raw(bytes),
        Form::Any => parse_text(bytes, None).map_err(Refusal::new),
    }
}

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

fn raw(bytes: &[u8]) -> Result<Key, Refusal> {
    Key::try_from(bytes).map_err(|_| Refusal::new(count(bytes.len(), "byte")))
}

/// Reads a key's text, with or without space around it and a UTF-8 byte order mark before it. The
/// error says what was found instead.
fn parse_text(bytes: &[u8], format: Option<KeyFormat>) -> Result<Key, String> {
    let all = count(bytes.len(), "byte");
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(format!("{all} of UTF-16 text; save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes.trim_ascii()) {
        Ok("") => return Err(format!("no text in {all}")),
        Ok(text) => text,
        Err(_) => return Err(format!("{all} that are not text")),
    };
    let parsed = match (format, text.len()) {
        (Some(KeyFormat::Hex), _) | (None, 64) => Key::from_hex(text).map_err(|e| (e, "hex")),
        _ => Key::from_base64(text).map_err(|e| (e, "base64")),
    };
    parsed.map_err(|(error, form)| {
        let characters = count(text.chars().count(), "character");
        match error {
            InvalidKey::Length => characters,
            _ => format!("{characters} that are not {form} of 32 bytes"),
        }
    })
}

/// The key as a key file has it: 64 hex digits and a newline.
fn to_text(key: &Key) -> Zeroizing<[u8; 2 * Key::LEN + 1]> {
    let mut text = Zeroizing::new([b'\n'; 2 * Key::LEN + 1]);
    base16ct::lower::encode(key.as_bytes(), &mut text[..2 * Key::LEN])
        .expect("two digits for every byte");
    text
}

pub fn generate() -> Result<Key, Error> {
    Key::generate().map_err(|error| {
        let name = Name::System("random source");
        Error::io(Role::System, &name, io::Error::other(error))
    })
}

/// Writes a key file to standard output.
pub fn print(key: &Key) -> Result<(), Error> {
    stdio::stdout()?
        .write_all(&to_text(key)[..])
        .map_err(|error| Error::io(Role::Output, &Name::Stdout, error))
}

/// Creates the key file `path` for its owner only. Whatever has that name already stays as it is.
pub fn create(path: &Path, key: &Key) -> Result<Unfinished, Error> {
    create_file(path, &to_text(key)[..])
}

/// The same with this content.
pub fn create_file(path: &Path, content: &[u8]) -> Result<Unfinished, Error> {
    let name = Name::Path(path.to_owned());
    let creating = |error| Error::io(Role::NewKey, &name, error);
    let created = Unfinished::create(|| {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        Ok((file, PathBuf::from(path)))
    });
    let (mut file, unfinished) = created.map_err(creating)?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .and_then(|()| output::sync_folder_of(path))
        .map_err(creating)?;
    Ok(unfinished)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    #[test]
    fn new_key_files_are_read_back() {
        let key = Key::from_bytes([0xa7; 32]);
        let read = parse(&to_text(&key)[..], Form::Any).unwrap();
        assert_eq!(read.as_bytes(), key.as_bytes());
    }

    #[test]
    fn no_refusal_repeats_what_it_read() {
        let secret = &HEX[..40];
        for text in [
            secret.to_owned(),
            format!("{HEX}0"),
            format!("{}xy", &HEX[..62]),
        ] {
            let refusal = parse(text.as_bytes(), Form::Any).unwrap_err();
            assert!(
                !format!("{refusal:?}").contains(&secret[..8]),
                "{refusal:?}"
            );
        }
    }
}
