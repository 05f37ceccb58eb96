//! The documentation names only commands, options, settings, methods, events and files that exist.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};
use homard_config::{schema, schema_at};
use homard_protocol::{Event, Method};

use crate::cli::Cli;

/// A piece of code in a document.
struct Code {
    file: String,
    line: usize,
    text: String,
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every document people read: the README and what is below `docs`.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// Lines of code blocks, and what stands between backticks elsewhere.
fn code_in(path: &Path) -> Vec<Code> {
    let file = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let text = fs::read_to_string(path).unwrap();
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let code = |text: &str| Code { file: file.clone(), line: at + 1, text: text.trim().to_owned() };
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            found.push(code(line.split(" #").next().unwrap_or_default()));
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(code));
        }
    }
    found
}

/// The grammar, with what every command inherits.
fn program() -> Command {
    let mut program = Cli::command();
    program.build();
    program
}

/// What is wrong with a command line, if it is one of ours.
fn wrong_command(program: &Command, line: &str) -> Option<String> {
    let line = line.trim_start_matches("$ ");
    let rest = line.strip_prefix("homard ")?;
    // What stands apart is its explanation.
    let rest = rest.split("  ").next().unwrap_or_default();
    let rest = rest.split(['|', ';', '>', '&', '…', '(']).next().unwrap_or_default();
    let mut path: Vec<&Command> = vec![program];
    let (mut may_descend, mut is_value) = (true, false);
    for word in rest.split_whitespace() {
        if std::mem::take(&mut is_value) && !word.starts_with('-') {
            continue;
        }
        let word = word.trim_matches(['"', '\'', '[', ']', ',', '.']);
        let command = path.last()?;
        if let Some(option) = word.strip_prefix("--") {
            let name = option.split('=').next().unwrap_or_default();
            let knows = |command: &&Command| {
                command.get_arguments().any(|argument| {
                    argument.get_long() == Some(name)
                        || argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
                })
            };
            if !name.is_empty() && !path.iter().any(knows) {
                return Some(format!("`{}` has no --{name}", command.get_name()));
            }
            let option_of = |command: &&Command| {
                let mut arguments = command.get_arguments();
                arguments
                    .any(|argument| argument.get_long() == Some(name) && argument.get_action().takes_values())
            };
            is_value = !option.contains('=') && path.iter().any(option_of);
            continue;
        }
        let is_word = word.starts_with(|c: char| c.is_ascii_lowercase());
        if !may_descend || !is_word {
            continue;
        }
        match command.find_subcommand(word) {
            Some(next) => path.push(next),
            // Alternatives such as `start|stop` end where a pipe would.
            None if command.has_subcommands() && command.get_positionals().next().is_none() => {
                return Some(format!("`{}` has no `{word}`", command.get_name()));
            }
            None => may_descend = false,
        }
    }
    None
}

/// Methods and what nodes do have names like settings; the pages about them list those.
fn methods() -> HashSet<String> {
    let pages = ["protocol.md", "nodes.md", "compat.md"]
        .map(|name| fs::read_to_string(root().join("docs").join(name)).unwrap());
    pages.iter().flat_map(|text| text.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// What names of files end with, which look like paths otherwise.
const FILES: [&str; 8] = ["json", "jsonl", "json5", "md", "lock", "sqlite", "log", "rs"];

/// Whether a text looks like the path of a setting: a section that exists, dots, nothing else.
fn is_path(text: &str, sections: &HashSet<&str>) -> bool {
    let Some((section, rest)) = text.split_once('.') else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '[' | ']');
    sections.contains(section)
        && !rest.is_empty()
        && rest.chars().all(plain)
        && rest.starts_with(|c: char| c.is_ascii_lowercase())
        && !FILES.contains(&rest.rsplit('.').next().unwrap_or_default())
}

/// Whether there is such a setting; what stands in a free map is not known beforehand.
fn exists(path: &str) -> bool {
    let path = path.replace("[]", "[0]");
    let is_free = |place: &str| {
        let shapes = ["properties", "anyOf", "oneOf", "enum"];
        schema_at(place).is_some_and(|schema| !shapes.iter().any(|shape| schema.get(shape).is_some()))
    };
    schema_at(&path).is_some() || path.rsplit_once('.').is_some_and(|(place, _)| is_free(place))
}

#[test]
fn every_command_in_the_documentation_exists() {
    let program = program();
    let wrong = documents().into_iter().flat_map(|path| code_in(&path)).filter_map(|code| {
        wrong_command(&program, &code.text)
            .map(|why| format!("{}:{}: {why} ({})", code.file, code.line, code.text))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines of code blocks that begin with the program, with lines that go on joined.
fn typed_in(path: &Path) -> Vec<Code> {
    let file = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let text = fs::read_to_string(path).unwrap();
    let (mut fenced, mut open, mut found) = (false, String::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            open.clear();
            continue;
        }
        if !fenced && !line.starts_with("    ") {
            continue;
        }
        open.push_str(line.trim());
        if let Some(goes_on) = open.strip_suffix('\\') {
            open = goes_on.to_owned();
            continue;
        }
        found.push(Code { file: file.clone(), line: at + 1, text: std::mem::take(&mut open) });
    }
    found
}

/// The examples at the end of a command's help, and of those below it.
fn examples_of(command: &Command, found: &mut Vec<Code>) {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let file = format!("the help of `{}`", command.get_name());
    let mut open = String::new();
    for (at, line) in help.lines().enumerate().filter(|(_, line)| line.starts_with("  ")) {
        open.push_str(line.trim());
        if let Some(goes_on) = open.strip_suffix('\\') {
            open = goes_on.to_owned();
            continue;
        }
        found.push(Code { file: file.clone(), line: at + 1, text: std::mem::take(&mut open) });
    }
    command.get_subcommands().for_each(|below| examples_of(below, found));
}

/// The words of a line as a shell splits them, up to where another program, a file or a remark begins.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.push(c),
            None if matches!(c, '"' | '\'') => (quote, is_word) = (Some(c), true),
            None if c == ' ' => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            None if matches!(c, '|' | '>' | '<' | ';' | '&') || (c == '#' && !is_word) => break,
            None => {
                word.push(c);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

/// Why a whole line would not be understood. A word in capitals stands for something the reader knows.
fn not_understood(line: &str) -> Option<String> {
    let line = line.trim_start_matches("$ ").trim_start_matches("sudo ").trim_start_matches("./");
    // What stands apart is its explanation; what is left out cannot be read.
    let line = line.split("  ").next().unwrap_or_default();
    let words = split(line);
    let is_ours = words.first().is_some_and(|first| matches!(first.as_str(), "homard" | "homard-new"));
    if !is_ours || line.contains(['…', '[', '<']) {
        return None;
    }
    let stands_for = |word: &String| word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let error = Cli::command().try_get_matches_from(&words).err()?;
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => None,
        ErrorKind::ValueValidation | ErrorKind::InvalidValue if words.iter().any(stands_for) => None,
        _wrong => Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}

#[test]
fn every_command_line_in_the_documentation_and_in_examples_is_understood() {
    let mut lines: Vec<Code> = documents().iter().flat_map(|path| typed_in(path)).collect();
    examples_of(&program(), &mut lines);
    let ours = lines.iter().filter(|code| code.text.contains("homard ")).count();
    assert!(ours > 300, "only {ours} lines were found");
    let wrong = lines.iter().filter_map(|code| {
        let why = not_understood(&code.text)?;
        Some(format!("{}:{}: {why} ({})", code.file, code.line, code.text))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_line_is_split_as_a_shell_does() {
    assert_eq!(split("homard a \"b c\" '' d=\"e f\" | less"), ["homard", "a", "b c", "", "d=e f"]);
    assert_eq!(split("homard a # why"), ["homard", "a"]);
    assert!(not_understood("homard gateway --no-such").is_some());
    assert!(not_understood("homard config set a").is_some(), "something is missing");
    assert!(not_understood("homard logs --limit N").is_none());
}

#[test]
fn every_setting_in_the_documentation_exists() {
    let sections: HashSet<&str> =
        schema()["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let methods = methods();
    let named = documents()
        .into_iter()
        .flat_map(|path| code_in(&path))
        .filter(|code| is_path(&code.text, &sections) && !methods.contains(&code.text));
    let wrong: Vec<String> = named
        .filter(|code| !exists(&code.text))
        .map(|code| format!("{}:{}: there is no `{}`", code.file, code.line, code.text))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The names of all methods and events.
fn spoken() -> HashSet<&'static str> {
    let mut names = HashSet::from(["connect"]);
    macro_rules! method_names {
        ($([$($module:ident)::+ $($method:ident)+])+) => {$({
            use homard_protocol::methods::$($module)::+ as family;
            $(names.insert(<family::$method as Method>::NAME);)+
        })+};
    }
    homard_protocol::every_method!(method_names);
    macro_rules! event_names {
        ($($event:ident)+) => { $(names.insert(<homard_protocol::events::$event as Event>::NAME);)+ };
    }
    homard_protocol::every_event!(event_names);
    names
}

/// Whether a text looks like a method or an event: the first word of one, and not of a setting.
fn is_spoken(text: &str, families: &HashSet<&str>) -> bool {
    let Some((family, rest)) = text.split_once('.') else { return false };
    let plain = |c: char| c.is_ascii_alphabetic() || c == '.';
    families.contains(family) && !rest.is_empty() && rest.chars().all(plain) && !FILES.contains(&rest)
}

#[test]
fn every_method_in_the_documentation_exists() {
    /// Pages about names that are not ours: what others' clients call, and what nodes do.
    const OTHERS: [&str; 3] = ["docs/compat.md", "docs/nodes.md", "docs/protocol.md"];
    /// What OpenAI calls a piece of an answer.
    const FOREIGN: [&str; 1] = ["chat.completion.chunk"];
    let schema = schema();
    let sections = schema["properties"].as_object().unwrap();
    let names = spoken();
    let families: HashSet<&str> = names.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
    let families: HashSet<&str> = families.into_iter().filter(|name| !sections.contains_key(*name)).collect();
    let wrong: Vec<String> = documents()
        .into_iter()
        .flat_map(|path| code_in(&path))
        .filter(|code| !OTHERS.contains(&code.file.as_str()) && is_spoken(&code.text, &families))
        .filter(|code| !names.contains(code.text.as_str()) && !FOREIGN.contains(&code.text.as_str()))
        .map(|code| format!("{}:{}: there is no `{}`", code.file, code.line, code.text))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files a text in backticks names: below the repository, or below `crates` where it begins with a crate.
fn files_named(text: &str) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/{},".contains(c);
    let first = text.split('/').next().unwrap_or_default();
    if !text.contains('/') || !text.chars().all(plain) {
        return Vec::new();
    }
    let all = match (text.split_once('{'), text.split_once('}')) {
        (Some((before, rest)), Some((_, after))) => {
            let choices = rest.split('}').next().unwrap_or_default().split(',');
            choices.map(|choice| format!("{before}{choice}{after}")).collect()
        }
        _ => vec![text.to_owned()],
    };
    match first {
        "crates" | "docs" | "fuzz" | "web" | "xtask" => all,
        _ if first.starts_with("homard") => all.into_iter().map(|file| format!("crates/{file}")).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_file_in_the_documentation_exists() {
    /// What a newcomer is to write.
    const EXAMPLES: [&str; 2] = ["crates/homard-tools/src/tools/word_count.rs", "crates/x/tests/"];
    let more = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    let mut wrong = Vec::new();
    for path in documents().into_iter().chain(more) {
        for code in code_in(&path) {
            let named = files_named(&code.text).into_iter().filter(|file| !EXAMPLES.contains(&file.as_str()));
            let gone = named.filter(|file| !root().join(file).exists());
            wrong.extend(gone.map(|file| format!("{}:{}: there is no {file}", code.file, code.line)));
        }
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let is_here = !link.is_empty() && !link.contains("://") && !link.contains(' ');
            if is_here && !path.parent().unwrap().join(link).exists() {
                wrong.push(format!("{}: the link {link} leads nowhere", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a heading is called in a link, as mdBook and others make it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_within_pages_lead_to_a_heading() {
    let mut wrong = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((file, wanted)) = link.split_once('#').filter(|_| !link.contains("://")) else {
                continue;
            };
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let there = fs::read_to_string(&target).unwrap_or_default();
            if !there.lines().any(|line| line.starts_with('#') && anchor(line) == wanted) {
                wrong.push(format!("{}: {link} leads to no heading", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_book_lists_every_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let docs = root().join("docs");
    let pages =
        documents().into_iter().filter_map(|path| Some(path.strip_prefix(&docs).ok()?.display().to_string()));
    let mut pages: Vec<String> = pages.filter(|page| page != "SUMMARY.md").collect();
    pages.sort();
    listed.sort_unstable();
    assert_eq!(listed, pages);
}

/// Files below a folder whose name ends so; tests and what they use are not what people install.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_left_out =
            matches!(name.as_str(), "tests" | "tests.rs" | "examples" | "homard-testkit" | "protocol.ts");
        if path.is_dir() && !is_left_out {
            sources(&path, found);
        } else if !is_left_out && [".rs", ".ts", ".svelte"].iter().any(|end| name.ends_with(end)) {
            found.push(path);
        }
    }
}

#[test]
fn no_hint_names_what_only_the_repository_has() {
    let mut all = Vec::new();
    for folder in ["crates", "web/src"] {
        sources(&root().join(folder), &mut all);
    }
    assert!(all.len() > 500, "{} files", all.len());
    let is_wrong = |line: &str| {
        let is_code = !line.trim_start().starts_with("//") && line.contains(['"', '`', '\'']);
        is_code && ((line.contains("docs/") && line.contains(".md")) || line.contains("cargo xtask"))
    };
    let wrong = all.iter().flat_map(|path| {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| is_wrong(line)).map(|line| line.trim().to_owned());
        lines.map(|line| format!("{}: {line}", path.display())).collect::<Vec<_>>()
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_exist_is_noticed() {
    for (line, is_wrong) in [
        ("homard gateway --port 4000", false),
        ("homard gateway --prot 4000", true),
        ("homard configs get gateway.port", true),
        ("homard config get gateway.port", false),
        ("cargo xtask run", false),
    ] {
        assert_eq!(wrong_command(&program(), line).is_some(), is_wrong, "{line}");
    }
    let sections = HashSet::from(["gateway"]);
    assert!(is_path("gateway.prot", &sections) && !exists("gateway.prot"));
    assert!(!is_path("gateway.lock", &sections) && !is_path("other.port", &sections));
    let families = HashSet::from(["chat"]);
    assert!(is_spoken("chat.perhaps", &families) && !spoken().contains("chat.perhaps"));
    assert!(spoken().contains("chat.send") && spoken().contains("sessions.changed"));
    assert_eq!(
        files_named("homard-relay/src/turns/{lane,turn}.rs"),
        ["crates/homard-relay/src/turns/lane.rs", "crates/homard-relay/src/turns/turn.rs",]
    );
    assert_eq!(files_named("intake/inbound.rs"), Vec::<String>::new());
}
