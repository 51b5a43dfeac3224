//! Runs all contestants in turns and writes the tables, the picture and the figures.
//!
//! ```text
//! compare [--quick] [--only OPERATION]... [--render] FOLDER
//! ```
//!
//! `--quick` takes a fifth of the time. `--only` measures these operations and keeps the others' figures
//! from `FOLDER/benchmarks.json`; `--render` measures nothing.

use ss55_benches::{
    Operation,
    report::{Race, Report},
};
use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

/// One race: two hundred rounds of a dozen contestants.
const FULL: Duration = Duration::from_secs(5);
/// One race in a hurry.
const QUICK: Duration = Duration::from_secs(1);

struct Args {
    time: Duration,
    operations: Vec<Operation>,
    folder: PathBuf,
}

fn main() -> ExitCode {
    let Some(args) = args() else {
        let names = Operation::ALL.map(Operation::name).join(", ");
        eprintln!("usage: compare [--quick] [--only OPERATION]... [--render] FOLDER");
        eprintln!("operations: {names}");
        return ExitCode::from(2);
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn args() -> Option<Args> {
    let (mut time, mut only, mut render, mut folder) = (FULL, Vec::new(), false, None);
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        match &*word {
            "--quick" => time = QUICK,
            "--only" => only.push(Operation::by_name(&words.next()?)?),
            "--render" => render = true,
            _ if word.starts_with('-') || folder.is_some() => return None,
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    let operations = match (render, only.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => Operation::ALL.to_vec(),
        (false, false) => only,
    };
    Some(Args {
        time,
        operations,
        folder: folder?,
    })
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let json = args.folder.join("benchmarks.json");
    let mut report = if args.operations.len() == Operation::ALL.len() {
        Report::new()
    } else {
        resumed(&json, !args.operations.is_empty())?
    };
    for &operation in &args.operations {
        println!("{}", operation.title());
        for &size in operation.sizes() {
            let race = Race::run(operation, size, args.time)?;
            print(&race);
            report.enter(race);
        }
    }
    fs::create_dir_all(&args.folder)?;
    fs::write(&json, serde_json::to_string_pretty(&report)? + "\n")?;
    fs::write(args.folder.join("benchmarks.md"), report.to_markdown())?;
    fs::write(args.folder.join("benchmarks.svg"), report.to_svg())?;
    Ok(())
}

/// The figures that are there, for another measurement on the same machine with the same peers.
fn resumed(json: &Path, to_measure: bool) -> Result<Report, Box<dyn Error>> {
    let fresh = Report::new();
    if !json.exists() && to_measure {
        return Ok(fresh);
    }
    let text = fs::read_to_string(json).map_err(|error| format!("{}: {error}", json.display()))?;
    let report: Report = serde_json::from_str(&text)?;
    if to_measure && (&report.machine, &report.peers) != (&fresh.machine, &fresh.peers) {
        return Err("the figures are from another machine or other versions: measure all".into());
    }
    Ok(report)
}

fn print(race: &Race) {
    println!("  {} bytes, {} rounds", race.size, race.rounds);
    for outcome in &race.results {
        let lead = race.lead(&outcome.name).unwrap_or(f64::NAN);
        println!(
            "    {:18} {:6.3} GB/s   median {:6.3}   ss55 is {lead:5.2} x",
            outcome.name, outcome.best, outcome.median
        );
    }
}
