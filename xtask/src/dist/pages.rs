//! Manual pages and completions, made of the command line itself.

use super::Release;
use anyhow::Result;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fmt::Write;

/// Where each shell looks for completions of commands.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/ss55"),
    (Shell::Zsh, "share/zsh/site-functions/_ss55"),
    (Shell::Fish, "share/fish/vendor_completions.d/ss55.fish"),
];

/// All files, with their paths.
pub fn all(release: &Release) -> Result<Vec<(String, Vec<u8>)>> {
    let mut command = ss55_cli::inside::command();
    let mut files = Vec::new();
    for (shell, path) in COMPLETIONS {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), "ss55", &mut script);
        files.push((path.to_owned(), script));
    }
    // Each page is the help of its command.
    command = command.disable_help_subcommand(true);
    command.build();
    let date = date(release.time);
    for command in commands(&command) {
        let name = name(command);
        let page = page(command, &date, &release.version)?;
        files.push((format!("share/man/man1/{name}.1"), page.into()));
    }
    Ok(files)
}

/// The command and its subcommands.
fn commands(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    std::iter::once(command).chain(command.get_subcommands())
}

/// What its page is called: `ss55-encrypt`.
fn name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn page(command: &clap::Command, date: &str, version: &str) -> Result<String> {
    let man = Man::new(command.clone())
        .title(name(command))
        .date(date)
        .source(format!("ss55 {version}"))
        .manual("ss55");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut page = String::from_utf8(page)?;
    if let Some(help) = command.get_after_help() {
        sections(&mut page, &help.to_string());
    }
    if name(command) != "ss55" {
        page.push_str(".SH \"SEE ALSO\"\n.BR ss55 (1)\n");
    }
    Ok(page)
}

/// The help behind the options: titles, each with its indented lines, which stay as they are.
fn sections(page: &mut String, help: &str) {
    for line in help.lines() {
        let line = line.trim_end();
        if let Some(title) = line.strip_suffix(':').filter(|line| !line.starts_with(' ')) {
            let title = title.to_uppercase();
            writeln!(page, ".SH \"{title}\"\n.nf").expect("a String takes all");
        } else if line.is_empty() {
            page.push_str(".fi\n");
        } else {
            let line = line.strip_prefix("  ").unwrap_or(line);
            writeln!(page, "{}", escaped(line)).expect("a String takes all");
        }
    }
    page.push_str(".fi\n");
}

/// A line of text for roff, whose own characters it has none of then.
fn escaped(line: &str) -> String {
    let line = line
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('`', "\\(ga");
    if line.starts_with(['.', '\'']) {
        return format!("\\&{line}");
    }
    line
}

/// The day, as 2006-01-02, in UTC.
fn date(time: u64) -> String {
    let (year, month, day) = civil(time / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The day of so many days since 1970, in the Gregorian calendar. Years begin in March here, so that the day
/// that is sometimes there is the last one.
fn civil(days: u64) -> (u64, u64, u64) {
    /// Days of 400 years, and from March of the year 0 to 1970.
    const ERA: u64 = 146_097;
    const EPOCH: u64 = 719_468;
    let days = days + EPOCH;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months have 153 days, from March on.
    let month = (5 * day + 2) / 153;
    let first = (153 * month + 2) / 5;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + next, month, day - first + 1)
}

/// The time, as 2006-01-02T15:04:05Z.
pub fn timestamp(time: u64) -> String {
    let (hours, minutes, seconds) = (time / 3600 % 24, time / 60 % 60, time % 60);
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}Z", date(time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;
    use std::fs;
    use std::process::Command;

    fn files() -> Vec<(String, String)> {
        let release = Release {
            version: "1.2.3".into(),
            target: "here".into(),
            time: 0,
        };
        let files = all(&release).unwrap().into_iter();
        files
            .map(|(path, content)| (path, String::from_utf8(content).unwrap()))
            .collect()
    }

    fn file(end: &str) -> String {
        let files = files();
        let found = files.iter().find(|(path, _)| path.ends_with(end));
        found.unwrap_or_else(|| panic!("no {end}")).1.clone()
    }

    /// The long options of a command that are shown.
    fn options(command: &clap::Command) -> Vec<String> {
        let arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
        arguments
            .filter_map(|arg| Some(format!("--{}", arg.get_long()?)))
            .collect()
    }

    fn built() -> clap::Command {
        let mut command = ss55_cli::inside::command().disable_help_subcommand(true);
        command.build();
        command
    }

    #[test]
    fn every_option_is_on_its_page_and_in_every_completion() {
        let scripts: Vec<_> = COMPLETIONS.iter().map(|(_, path)| file(path)).collect();
        let mut seen = 0;
        for command in commands(&built()) {
            let page = file(&format!("/{}.1", name(command)));
            for option in options(command) {
                let escaped = option.replace('-', "\\-");
                assert!(page.contains(&escaped), "{}: no {option}", name(command));
                for script in &scripts {
                    let name = option.trim_start_matches('-');
                    assert!(script.contains(name), "{option}");
                }
                seen += 1;
            }
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn every_line_of_the_help_is_on_the_page() {
        for command in commands(&built()) {
            let page = file(&format!("/{}.1", name(command)));
            let Some(help) = command.get_after_help() else {
                continue;
            };
            for line in help
                .to_string()
                .lines()
                .filter(|line| line.starts_with(' '))
            {
                assert!(page.contains(&escaped(line.trim())), "{line}");
            }
            assert!(page.contains(".SH \"EXIT STATUS\"\n"), "{page}");
        }
    }

    /// No line is a request but those that are known, so that none vanishes.
    #[test]
    fn pages_are_of_known_requests() {
        const KNOWN: [&str; 13] = [
            "ie", "el", "TH", "SH", "TP", "br", "RS", "RE", "nf", "fi", "BR", "PP", "IP",
        ];
        for (path, content) in files() {
            if !path.ends_with(".1") {
                continue;
            }
            for line in content.lines().filter(|line| line.starts_with(['.', '\''])) {
                let request = line[1..].split([' ', '\\']).next().unwrap();
                assert!(KNOWN.contains(&request), "{path}: {line}");
            }
            let title = content
                .lines()
                .find(|line| line.starts_with(".TH"))
                .unwrap();
            assert!(title.contains("1970-01-01"), "{title}");
            assert!(title.contains("ss55 1.2.3"), "{title}");
        }
    }

    /// bash takes it, and completes with it.
    #[test]
    fn bash_completes() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("ss55");
        fs::write(&script, file("bash-completion/completions/ss55")).unwrap();
        process::succeed(Command::new("bash").arg("-n").arg(&script)).unwrap();
        let complete = |words: &str, last: &str| {
            let program = format!(
                "source \"$1\"; COMP_WORDS=({words} '{last}'); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
                 _ss55 ss55 '{last}' \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            );
            let mut bash = Command::new("bash");
            bash.args(["--norc", "-c", &program, "bash"]).arg(&script);
            String::from_utf8(process::output(&mut bash).unwrap()).unwrap()
        };
        assert_eq!(complete("ss55", "enc"), "encrypt\n");
        assert_eq!(complete("ss55 encrypt", "--new"), "--new-key\n");
        assert_eq!(complete("ss55 decrypt --format", "lib"), "libsodium\n");
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        // By `date --utc --date=@N`.
        for (time, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(time), expected);
        }
    }

    #[test]
    fn what_roff_would_take_for_its_own_is_escaped() {
        assert_eq!(escaped(".ss55 is lost"), "\\&.ss55 is lost");
        assert_eq!(escaped("a\\b -o"), "a\\eb \\-o");
    }
}
