//! Command lines, as tables of rows and calls.

use homard_config::config::agents::cli_backends::{
    CliBackend as Written, CliImageMode, CliInput, CliSessionMode, CliSystemPromptMode, CliSystemPromptWhen,
};

use super::{CliCall, CommandLine, MAX_ARGUMENT_BYTES, Session, TOOLS_NOTICE, command_line};
use crate::cli_backend::row::Row;

fn row(id: &str, written: &Written) -> Row {
    Row::find(id, Some(written)).unwrap()
}

fn line(row: &Row, session: &Session, images: &[&str], prompt: &str) -> CommandLine {
    let images: Vec<String> = images.iter().map(|&image| image.to_owned()).collect();
    command_line(row, &CliCall { model: "m", session, system: "Be kind.", prompt, images: &images })
}

fn args(row: &Row, session: &Session, images: &[&str]) -> String {
    let CommandLine { mut args, stdin } = line(row, session, images, "say hi");
    args.extend(stdin.map(|text| format!("<{text}")));
    args.join("|").replace(TOOLS_NOTICE, "NOTICE").replace("\n\n", "~")
}

#[test]
fn the_known_programs_are_spoken_to_in_their_own_way() {
    let (new, known) = (Session::New("n".to_owned()), Session::Known("k".to_owned()));
    let claude = row("claude-cli", &Written::default());
    let codex = row("codex-cli", &Written::default());
    let rows = [
        (
            &claude,
            &new,
            &[][..],
            "-p|--output-format|json|--session-id|n|--model|m|<Be kind.~NOTICE~---~say hi",
        ),
        (&claude, &known, &[], "-p|--output-format|json|--resume|k|--model|m|<say hi"),
        (&claude, &known, &["/t/a.png"], "-p|--output-format|json|--resume|k|--model|m|<say hi~/t/a.png"),
        (
            &codex,
            &Session::Unnamed,
            &["/t/a.png", "/t/b.png"],
            "exec|--json|--color|never|--sandbox|read-only|--skip-git-repo-check|--image|/t/a.png|--image|/t/b.png|--model|m|<Be kind.~NOTICE~---~say hi",
        ),
        (
            &codex,
            &known,
            &[],
            "exec|--json|--color|never|--sandbox|read-only|--skip-git-repo-check|resume|k|--model|m|<say hi",
        ),
    ];
    for (row, session, images, expected) in rows {
        assert_eq!(args(row, session, images), expected);
    }
}

#[test]
fn the_owner_s_words_are_laid_over_the_row() {
    let known = Session::Known("k".to_owned());
    let words = |text: &str| Some(text.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let own = |written: Written| row("own", &Written { command: Some("own".to_owned()), ..written });
    let named = own(Written { session_args: words("-s id={sessionId}"), ..Written::default() });
    assert_eq!(args(&named, &known, &[]), "-s|id=k|Be kind.~NOTICE~---~say hi");
    let listed = own(Written {
        image_arg: Some("-i".to_owned()),
        image_mode: Some(CliImageMode::List),
        system_prompt_when: Some(CliSystemPromptWhen::Never),
        ..Written::default()
    });
    assert_eq!(args(&listed, &Session::Unnamed, &["a", "b"]), "-i|a,b|say hi");
    let replaced = row(
        "claude-cli",
        &Written {
            args: words("-p"),
            system_prompt_mode: Some(CliSystemPromptMode::Replace),
            model_aliases: [("m".to_owned(), "big".to_owned())].into(),
            ..Written::default()
        },
    );
    assert_eq!(
        args(&replaced, &Session::Unnamed, &[]),
        "-p|--system-prompt|Be kind.~NOTICE|--model|big|<say hi"
    );
}

#[test]
fn a_row_without_a_command_is_none() {
    assert!(Row::find("own", Some(&Written::default())).is_none());
    assert!(Row::find("own", None).is_none());
}

#[test]
fn only_programs_that_can_be_told_resume() {
    let own = |written: Written| row("own", &Written { command: Some("own".to_owned()), ..written });
    let resume_args = Some(vec!["-r".to_owned()]);
    assert!(!own(Written::default()).resumes());
    assert!(own(Written { resume_args: resume_args.clone(), ..Written::default() }).resumes());
    let never = Written { resume_args, session_mode: Some(CliSessionMode::None), ..Written::default() };
    assert!(!own(never).resumes());
}

#[test]
fn what_does_not_fit_goes_to_standard_input() {
    let known = Session::Known("k".to_owned());
    let by_argument = || Written { input: Some(CliInput::Arg), ..Written::default() };
    let codex = |written: Written| row("codex-cli", &written);
    let long = "y ".repeat(MAX_ARGUMENT_BYTES);
    let rows = [
        (codex(Written { input: Some(CliInput::Stdin), ..Written::default() }), "say hi", true),
        (codex(Written { max_prompt_arg_chars: Some(5), ..by_argument() }), "say hi", true),
        (codex(Written { max_prompt_arg_chars: Some(6), ..by_argument() }), "say hi", false),
        (codex(by_argument()), long.as_str(), true),
        (codex(Written::default()), "say hi", true),
    ];
    for (row, prompt, by_stdin) in rows {
        let line = line(&row, &known, &[], prompt);
        assert_eq!(line.stdin.as_deref() == Some(prompt), by_stdin);
        assert_eq!(line.args.iter().any(|arg| arg == prompt), !by_stdin);
    }
    let claude = row("claude-cli", &Written::default());
    let call =
        CliCall { model: "m", session: &Session::Unnamed, system: &long, prompt: "say hi", images: &[] };
    let line = command_line(&claude, &call);
    assert!(line.stdin.unwrap().ends_with("say hi"));
    assert!(!line.args.contains(&"--append-system-prompt".to_owned()));
}

#[test]
fn a_prompt_is_never_an_option_nor_a_subcommand_nor_cut_by_a_nul() {
    let codex = row("codex-cli", &Written { input: Some(CliInput::Arg), ..Written::default() });
    let known = Session::Known("k".to_owned());
    let rows = [("--help me", " --help me"), ("resume", " resume"), ("a\0 b", "a\u{FFFD} b")];
    for (prompt, argument) in rows {
        assert_eq!(line(&codex, &known, &[], prompt).args.last().unwrap(), argument);
    }
}
