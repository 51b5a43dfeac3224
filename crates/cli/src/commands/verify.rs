use super::{BUFFER, read_ad, read_chunk_size};
use crate::{
    args::Verify,
    error::{Error, say},
    input::{Input, Sources},
    key,
    reader::Reader,
};
use zeroize::Zeroizing;

pub fn run(args: &Verify) -> Result<(), Error> {
    let wanted = args.format.format;
    let chunk_size = read_chunk_size(&args.stream, wanted)?;
    let mut sources = Sources::default();
    let mut input = Input::open(args.input.as_deref(), &mut sources)?;
    let ad = read_ad(args.stream.ad.as_deref(), &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;
    input.show_progress(args.progress.quiet);
    let mut reader = Reader::open(input, &loaded.key, wanted, ad.bytes, chunk_size)?;
    let mut buf = Zeroizing::new(vec![0; BUFFER]);
    while reader.read(&mut buf)? > 0 {}
    let warning = reader.warning();
    drop(reader);
    if let Some(warning) = warning {
        say(warning);
    }
    Ok(())
}
