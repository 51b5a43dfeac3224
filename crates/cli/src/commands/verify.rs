use super::{BUFFER, read_stream_options};
use crate::{
    args::Verify,
    error::{Error, say},
    input::{Input, named},
    key,
    reader::Reader,
};
use zeroize::Zeroizing;

pub fn run(args: &Verify, quiet: bool) -> Result<(), Error> {
    let path = args.input.as_deref();
    let wanted = args.format.format;
    let (ad, chunk_size) = read_stream_options(&args.stream, wanted)?;
    let loaded = key::load(&args.key, named(path).is_none())?;
    let mut input = Input::open(path)?;
    input.show_progress(quiet);
    let mut reader = Reader::open(input, &loaded.key, wanted, ad, chunk_size)?;
    let mut buf = Zeroizing::new(vec![0; BUFFER]);
    while reader.read(&mut buf)? > 0 {}
    let warning = reader.warning();
    drop(reader);
    if let Some(warning) = warning {
        say(warning);
    }
    Ok(())
}
