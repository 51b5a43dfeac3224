use crate::{
    args::Keygen,
    error::Error,
    key::{self, NewKeyFile},
};

pub fn run(args: Keygen) -> Result<(), Error> {
    let key = key::generate()?;
    match args.output.filter(|path| path.as_os_str() != "-") {
        None => key::print(&key),
        Some(path) => {
            NewKeyFile::create(&path, &key)?.unfinished.keep();
            Ok(())
        }
    }
}
