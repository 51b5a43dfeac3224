//! The picture in the README: a session at a terminal, drawn of a real one.
//!
//! The commands run in a terminal of their own, and what stands on its screen at last is drawn; of the first one,
//! which takes a while, what stands there half way.

use crate::process;
use anyhow::{Context, Result, ensure};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::num::NonZero;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

mod svg;

const FILE: &str = "docs/terminal.svg";
const COLUMNS: NonZero<u16> = NonZero::new(92).unwrap();
const ROWS: NonZero<u16> = NonZero::new(24).unwrap();
/// Of the file that is encrypted: it takes long enough for a bar to be seen.
const LEN: u64 = 1 << 30;
/// What is full and what is not in a bar.
const FULL: char = '█';
const OPEN: char = '░';

/// What is typed, and when its screen is drawn.
const SESSION: [(&str, Moment); 5] = [
    (
        "ss55 encrypt --new-key backup.key backup.tar",
        Moment::HalfWay,
    ),
    ("ss55 inspect backup.tar.ss55", Moment::End),
    ("truncate --size=-1M backup.tar.ss55", Moment::End),
    ("ss55 decrypt -k backup.key backup.tar.ss55", Moment::End),
    ("echo $?", Moment::End),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    HalfWay,
    End,
}

/// A line of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Typed(String),
    Shown(String),
}

/// Draws it anew; or, if `check`, sees that it shows what the commands say now.
///
/// # Errors
/// If a command does not do what is to be seen, or the picture is not of today.
pub fn run(check: bool) -> Result<()> {
    let mut build = process::cargo();
    build.current_dir(crate::root()).args([
        "build",
        "--release",
        "--locked",
        "--package",
        "ss55-cli",
        "--target-dir",
        "target",
    ]);
    process::succeed(&mut build)?;
    let lines = session(&crate::root().join("target/release"))?;
    let path = crate::root().join(FILE);
    if check {
        let committed = fs::read_to_string(&path).context(FILE)?;
        for line in &lines {
            // How fast it is, and how far at that moment, is another thing each time.
            if let Line::Shown(text) | Line::Typed(text) = line
                && !text.contains(FULL)
            {
                ensure!(
                    committed.contains(&svg::escaped(text)),
                    "{FILE} does not show {text:?}: `cargo xtask picture` draws it anew"
                );
            }
        }
        println!("picture: {FILE} shows what the commands say");
        return Ok(());
    }
    fs::write(&path, svg::draw(&lines, COLUMNS.get()))?;
    println!("picture: {FILE}");
    Ok(())
}

/// All that is typed and shown, with the command from the folder `programs`.
fn session(programs: &Path) -> Result<Vec<Line>> {
    let folder = tempfile::tempdir()?;
    File::create(folder.path().join("backup.tar"))?.set_len(LEN)?;
    let old = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(
        [programs.to_owned()]
            .into_iter()
            .chain(env::split_paths(&old)),
    )?;
    let mut lines = Vec::new();
    let mut status = 0;
    for (typed, moment) in SESSION {
        // Each has a shell of its own, which is told how the one before ended.
        let script = format!("(exit {status})\n{typed}");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("TERM", "xterm");
        let (half_way, end, code) = watch(shell)?;
        status = code;
        let screen = match moment {
            Moment::HalfWay => half_way.with_context(|| format!("no bar was seen: {typed}"))?,
            Moment::End => end,
        };
        lines.push(Line::Typed(typed.into()));
        lines.extend(screen.into_iter().map(Line::Shown));
    }
    Ok(lines)
}

/// Runs `command` at a terminal. Its screen when a bar was nearest to two thirds, if there was one, its screen at
/// last, and its exit status.
fn watch(mut command: Command) -> Result<(Option<Vec<String>>, Vec<String>, i32)> {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&person)?;
    unlockpt(&person)?;
    let size = Winsize {
        ws_row: ROWS.get(),
        ws_col: COLUMNS.get(),
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&person, size)?;
    let name = ptsname(&person, Vec::new())?.into_string()?;
    let program = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::NOCTTY.bits().cast_signed())
        .open(name)?;
    command
        .stdin(program.try_clone()?)
        .stdout(program.try_clone()?)
        .stderr(program);
    let mut child = command.spawn()?;
    // Its ends of the terminal too: reading ends when all have gone.
    drop(command);

    let mut person = File::from(person);
    let mut terminal = vt100::Parser::new(ROWS, COLUMNS, 0);
    let (mut best, mut half_way) = (f64::INFINITY, None);
    let mut bytes = [0; 4096];
    // A terminal that all have left says so by an error.
    while let Ok(read @ 1..) = person.read(&mut bytes) {
        terminal.process(&bytes[..read]);
        let screen = screen(&terminal);
        if let Some(share) = screen.iter().find_map(|line| share(line)) {
            let distance = (share - 2.0 / 3.0).abs();
            if distance < best {
                (best, half_way) = (distance, Some(screen));
            }
        }
    }
    let status = child.wait()?.code().context("it was ended by a signal")?;
    Ok((half_way, screen(&terminal), status))
}

/// The lines of the screen, as far as there is something on them.
fn screen(terminal: &vt100::Parser) -> Vec<String> {
    let rows = terminal.screen().rows(0, COLUMNS.get());
    let mut lines: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
    let end = lines.iter().rposition(|line| !line.is_empty());
    lines.truncate(end.map_or(0, |last| last + 1));
    lines
}

/// How much of a bar is full.
#[allow(clippy::cast_precision_loss)] // as wide as a terminal
fn share(line: &str) -> Option<f64> {
    let count = |what| line.chars().filter(|c| *c == what).count();
    let (full, open) = (count(FULL), count(OPEN));
    (full + open > 0).then(|| full as f64 / (full + open) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn the_screen_is_what_is_left_on_it() {
        let script = "test -t 1 && printf 'gone\\r\\033[2Kone\\n\\ntwo  \\n'; exit 3";
        let (half_way, end, status) = watch(shell(script)).unwrap();
        assert_eq!((half_way, status), (None, 3));
        assert_eq!(end, ["one", "", "two"]);
    }

    #[test]
    fn the_bar_is_seen_where_it_is_nearest_to_two_thirds() {
        let script = "for bar in █░░░ ██░░ ███░ ████; do printf \"\\r$bar\"; sleep 0.2; done; printf '\\r\\033[2K'";
        let (half_way, end, _) = watch(shell(script)).unwrap();
        assert_eq!(half_way.unwrap(), ["███░"]);
        assert!(end.is_empty());
    }
}
