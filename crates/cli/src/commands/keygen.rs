use crate::{args::Keygen, error::Error, key, passphrase, place::Place};
use ss55_aead::Key;
use std::path::Path;

pub fn run(args: &Keygen) -> Result<(), Error> {
    let key = key::generate()?;
    if args.passphrase {
        return protected(args, &key);
    }
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    if let Ok(Place::Descriptor(1)) = Place::to_write(path) {
        return key::print(&key);
    }
    key::create(path, &key)?.keep();
    Ok(())
}

fn protected(args: &Keygen, key: &Key) -> Result<(), Error> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    if let Ok(Place::Descriptor(_)) = Place::to_write(path) {
        return Err(Error::usage(
            "--passphrase: a protected key goes to a file",
            "name one with -o FILE",
        ));
    }
    let passphrase = passphrase::ask(true)?;
    let file = passphrase::protect(key, &passphrase)
        .map_err(|why| Error::usage(why, "the system is short of something; try again"))?;
    key::create_file(path, &file)?.keep();
    Ok(())
}
