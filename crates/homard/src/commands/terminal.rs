//! Questions to the person at the terminal about what a command was not told. Where nobody sits there, the command
//! says what it wants, with an example.

use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

use anyhow::Context;

use crate::compose::machine::HiddenTyping;
use crate::report::{Advice, Console};

/// Longest line that is read, in bytes.
const MAX_LINE: u64 = 64 * 1024;
/// How often somebody who typed none of the choices is asked again.
const TRIES: usize = 3;

/// Whether somebody sits there who can be asked.
pub(crate) fn is_manned() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line. Nothing is no answer.
pub(crate) fn ask(console: Console, question: &str) -> anyhow::Result<String> {
    console.note(question);
    line(&mut io::stdin().lock())?.ok_or_else(nothing_typed)
}

/// Asks for a line; nothing is `usual`.
pub(crate) fn line_or(console: Console, question: &str, usual: &str) -> anyhow::Result<String> {
    console.note(question);
    Ok(line(&mut io::stdin().lock())?.unwrap_or_else(|| usual.to_owned()))
}

/// Asks for one of several, by number or name. Each is a name and words about it.
pub(crate) fn choose<'a>(
    console: Console,
    question: &str,
    choices: &[(&'a str, &str)],
) -> anyhow::Result<&'a str> {
    choose_or(console, question, choices, None)
}

/// The same; Enter alone is `usual`. The end of the input is no answer: nobody agrees to anything by leaving.
pub(crate) fn choose_or<'a>(
    console: Console,
    question: &str,
    choices: &[(&'a str, &str)],
    usual: Option<&'a str>,
) -> anyhow::Result<&'a str> {
    console.note(question);
    for (number, (name, about)) in (1..).zip(choices) {
        console.note(format!("  {number}  {name:<12} {about}").trim_end());
    }
    if let Some(usual) = usual {
        console.note(&format!("[{usual}]"));
    }
    for _try in 0..TRIES {
        let mut typed = String::new();
        let read =
            io::stdin().lock().take(MAX_LINE).read_line(&mut typed).context("nothing could be read")?;
        let typed = typed.trim();
        match usual {
            Some(usual) if typed.is_empty() && read > 0 => return Ok(usual),
            _ if typed.is_empty() => return Err(nothing_typed()),
            _ => {}
        }
        if let Some(name) = meant(typed, choices) {
            return Ok(name);
        }
        console.note(&format!("`{typed}` is none of them; type a number or a name"));
    }
    Err(nothing_typed())
}

/// Asks whether something is to be done. Only a clear yes is one.
pub(crate) fn confirm(console: Console, question: &str) -> anyhow::Result<bool> {
    console.note(&format!("{question} [y/N]"));
    let typed = line(&mut io::stdin().lock())?;
    Ok(typed.is_some_and(|typed| matches!(typed.to_lowercase().as_str(), "y" | "yes")))
}

/// Reads a secret without showing it, or from a pipe; `None` when nothing is given.
pub(crate) fn secret(console: Console, what: &str) -> anyhow::Result<Option<String>> {
    let stdin = io::stdin();
    let _hidden = stdin.is_terminal().then(|| {
        console.note(&format!("paste {what} and press Enter (it is not shown)"));
        HiddenTyping::begin()
    });
    line(&mut stdin.lock())
}

/// Reads a secret from a file, or from standard input where its name is `-`. What else is in the process list and the
/// history of the shell is seen by others.
pub(crate) fn secret_in(file: &Path, what: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(MAX_LINE).read_to_string(&mut text)
    } else {
        File::open(file).and_then(|file| file.take(MAX_LINE).read_to_string(&mut text))
    };
    read.with_context(|| format!("could not read the {what} from `{}`", file.display()))?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(Advice::usage(
            format!("there is no {what} in `{}`", file.display()),
            "write one into it, on one line",
        ));
    }
    Ok(text.to_owned())
}

/// A line without what surrounds it; `None` when nothing is in it.
fn line(input: &mut impl BufRead) -> anyhow::Result<Option<String>> {
    let mut text = String::new();
    input.take(MAX_LINE).read_line(&mut text).context("nothing could be read")?;
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

fn meant<'a>(typed: &str, choices: &[(&'a str, &str)]) -> Option<&'a str> {
    let by_number = typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    let by_name = || choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(typed));
    by_number.or_else(by_name).map(|(name, _)| *name)
}

fn nothing_typed() -> anyhow::Error {
    Advice::usage("nothing was typed", "`--help` says what can be written into the command instead")
}

#[cfg(test)]
mod tests {
    use super::{line, meant};

    #[test]
    fn a_line_is_what_was_typed_without_what_surrounds_it() {
        for (typed, read) in
            [("tea\nmore\n", Some("tea")), ("  a b \r\n", Some("a b")), ("\n", None), ("", None)]
        {
            assert_eq!(line(&mut typed.as_bytes()).unwrap().as_deref(), read);
        }
    }

    #[test]
    fn a_choice_is_meant_by_its_number_or_its_name() {
        let choices = [("north", "cold"), ("south", "")];
        for (typed, name) in
            [("1", Some("north")), ("South", Some("south")), ("0", None), ("3", None), ("sou", None)]
        {
            assert_eq!(meant(typed, &choices), name, "{typed}");
        }
    }
}
