use crate::{args::Keygen, error::Error, key, place::Place};
use std::path::Path;

pub fn run(args: &Keygen) -> Result<(), Error> {
    let key = key::generate()?;
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    if let Ok(Place::Descriptor(1)) = Place::to_write(path) {
        return key::print(&key);
    }
    key::create(path, &key)?.keep();
    Ok(())
}
