//! Whether the output of a command that ran on a node holds what somebody put into the files there.
//!
//! Nothing there can be looked at from here, so the line alone tells: a word that could name a file, a folder it is to work
//! in, or a program that prints files. What asks the machine itself (`uname -a`, `df -h`, `systemctl status nginx`) is
//! the owner's, as it is here.

use std::path::Path;

use homard_exec::approvals::{Join, Segment, read};

use super::CommandRun;
use super::provenance::{Role, in_system, pieces, read_words, sweeps};

/// Programs that print what is in files and folders, also where no word looks like one's name.
const PRINT_FILES: [&str; 57] = [
    "awk", "base32", "base64", "basenc", "bat", "bzcat", "bzip2", "cat", "column", "comm", "cut", "dd",
    "diff", "egrep", "expand", "fgrep", "fmt", "fold", "gawk", "git", "grep", "gunzip", "gzip", "head",
    "hexdump", "iconv", "join", "jq", "less", "ls", "mawk", "more", "nl", "od", "paste", "pr", "rev", "sed",
    "shuf", "sort", "strings", "tac", "tail", "tar", "tsort", "unexpand", "uniq", "unzip", "xxd", "xz",
    "xzcat", "yq", "zcat", "zgrep", "zless", "zstd", "zstdcat",
];
/// Longest ending of a file's name.
const MAX_ENDING: usize = 8;

/// Whether it may.
pub(crate) fn reads_files(run: &CommandRun) -> bool {
    // What is not understood may do anything.
    let Ok(segments) = read(&run.line) else { return true };
    let looks = segments.iter().any(|segment| role(segment) == Role::Read);
    let is_elsewhere = |folder: &str| !folder.trim().is_empty() && !in_system(Path::new(folder.trim()));
    let words = read_words(&segments);
    let enters = words.iter().any(|word| word.role == Role::Entered && is_elsewhere(&word.text));
    if looks && (enters || run.workdir.as_deref().is_some_and(is_elsewhere)) {
        return true;
    }
    let values = run.values.iter().flat_map(|value| pieces(value, Role::Read));
    sweeps(&run.line)
        || segments.iter().any(prints_files)
        || words.into_iter().chain(values).any(|word| word.role == Role::Read && could_be_file(&word.text))
}

fn role(segment: &Segment) -> Role {
    Role::under(segment.words.first().map_or("", |program| program.text.as_str()))
}

/// Whether a program in it prints files that are not the system's. The first one, behind a pipe, prints what it is given.
fn prints_files(segment: &Segment) -> bool {
    if role(segment) != Role::Read {
        return false;
    }
    let given = usize::from(segment.join == Join::Pipe);
    let words = segment.words.iter().skip(given).flat_map(|word| pieces(&word.text, Role::Read));
    let words: Vec<String> = words.map(|word| word.text).collect();
    let is_printer = |word: &String| PRINT_FILES.contains(&word.rsplit('/').next().unwrap_or_default());
    let Some(at) = words.iter().position(is_printer) else { return false };
    let mut named = words.iter().skip(at + 1).filter(|word| !word.starts_with('-')).peekable();
    named.peek().is_none() || named.any(|word| !in_system(Path::new(word)))
}

/// Whether a word could name a file or folder in which others write.
fn could_be_file(word: &str) -> bool {
    if word.starts_with('-') || word.contains("://") || in_system(Path::new(word)) {
        return false;
    }
    let has_ending = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=MAX_ENDING).contains(&ending.len())
            && ending.chars().all(char::is_alphanumeric)
            && ending.chars().any(char::is_alphabetic)
    });
    // What a variable holds is known there.
    word.contains(['/', '$']) || word.starts_with(['~', '.']) || has_ending
}

#[cfg(test)]
mod tests {
    use super::{CommandRun, reads_files};

    #[test]
    fn what_asks_the_machine_is_the_owners_and_what_reads_its_files_is_not() {
        for (line, reads) in [
            ("uname -a", false),
            ("df -h /", false),
            ("free -m; uptime && id", false),
            ("systemctl status nginx", false),
            ("dmesg | grep usb | tail -5", false),
            ("ping -c 1 8.8.8.8", false),
            ("touch /home/ann/done && echo ok", false),
            ("cat /etc/os-release", false),
            ("cat /etc/../home/ann/letter", true),
            ("wc -l /proc/cpuinfo", false),
            ("cat letter", true),
            ("wc -w Downloads/letter", true),
            ("wc -w letter.txt", true),
            ("python3 ~/tool", true),
            ("sudo cat letter", true),
            ("sh -c 'cat letter'", true),
            ("true; tail letter", true),
            ("cd mail && make", true),
            ("ls", true),
            ("base64 letter", true),
            ("dd if=letter", true),
            ("dmesg | base64", false),
            ("dmesg | cut -d: -f1 letter.txt", true),
            ("find . -name x", true),
            ("date < letter.txt", true),
            ("make --file=/home/ann/x", true),
            ("echo *", true),
            ("cat <<E", true),
            ("wc -w $letter", true),
        ] {
            assert_eq!(reads_files(&CommandRun::of(line)), reads, "{line}");
        }
        let at =
            |line: &str, workdir: &str| CommandRun { workdir: Some(workdir.into()), ..CommandRun::of(line) };
        assert!(reads_files(&at("make", "/home/ann/mail")) && !reads_files(&at("make", " ")));
        assert!(!reads_files(&at("echo hi", "/home/ann/mail")));
        let with = CommandRun { values: vec!["/home/ann/letter".into()], ..CommandRun::of("make") };
        assert!(reads_files(&with));
    }
}
