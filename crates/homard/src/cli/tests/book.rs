//! The parts of the book that are made from the program: every command with its options, every command in chats, every
//! setting.
//!
//! `cargo xtask book --write` runs these tests with `INSTA_UPDATE=always`, which writes the pages.

use std::fmt::Write as _;
use std::fs;

use clap::{Arg, Command, CommandFactory};
use homard_config::schema;
use homard_policy::words::table::Form;
use homard_policy::words::{COMMANDS, RequiredRank, Where};
use serde_json::{Map, Value};

use super::documentation::root;
use crate::cli::Cli;

/// Compares a page of the book with what it should be, or writes it.
fn is_written_down(page: &str, made: &str) {
    let file = root().join("docs/reference").join(page);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, made).unwrap();
        return;
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == made,
        "docs/reference/{page} is not current; run `cargo xtask book --write` and commit it"
    );
}

#[test]
fn the_reference_of_commands_is_written_down() {
    let mut program = Cli::command().term_width(100);
    program.build();
    let mut page = "# Commands\n\n\
        Every command of the program, made from its help (`homard help COMMAND` shows the same).\n\n\
        Exit codes: `0` it worked; `1` it did not, and standard error says why; `2` the command line was not \
        understood; `3` it asks for something known from OpenClaw that is not built, and standard error says what there \
        is instead. What is asked for is on standard output, everything else on standard error. Colours only on a \
        terminal, without `NO_COLOR` and `--no-color`.\n"
        .to_owned();
    write!(
        page,
        "\n## Global options\n{}",
        options(program.get_arguments().filter(|arg| arg.is_global_set()))
    )
    .unwrap();
    let connection =
        program.find_subcommand("health").unwrap().get_arguments().filter(|arg| is_connection(arg));
    write!(page, "\n## Connection options\n\nOf commands that ask a gateway.\n{}", options(connection))
        .unwrap();
    for command in program.get_subcommands().filter(|command| is_shown(command)) {
        describe(command, "homard", 2, &mut page);
    }
    is_written_down("cli.md", &page);
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set()
}

/// Whether it says how to reach a gateway, which many commands ask alike.
fn is_connection(arg: &Arg) -> bool {
    let shared = ["url", "token", "password", "tls-fingerprint", "timeout"];
    arg.get_help_heading() == Some("Connection") && arg.get_long().is_some_and(|long| shared.contains(&long))
}

fn describe(command: &Command, before: &str, depth: usize, page: &mut String) {
    let name = format!("{before} {}", command.get_name());
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(|line| format!("    {}", line.trim()));
    let usage = usage.collect::<Vec<_>>().join("\n");
    write!(page, "\n{} {name}\n\n{}\n\n{usage}\n", "#".repeat(depth), about.trim()).unwrap();
    let own = command.get_arguments().filter(|arg| !arg.is_global_set() && !is_connection(arg));
    page.push_str(&options(own));
    if command.get_arguments().any(is_connection) {
        page.push_str("\nBeside these, the [connection options](#connection-options).\n");
    }
    if let Some(after) = command.get_after_help() {
        write!(page, "\n```text\n{}\n```\n", after.to_string().trim_end()).unwrap();
    }
    for inner in command.get_subcommands().filter(|command| is_shown(command)) {
        describe(inner, &name, 3, page);
    }
}

/// A table of options and arguments, or nothing.
fn options<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let shown =
        arguments.filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()));
    let rows: Vec<String> = shown
        .map(|arg| {
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
            let choices: Vec<String> = arg
                .get_possible_values()
                .iter()
                .filter(|value| !value.is_hide_set() && arg.get_action().takes_values())
                .map(|value| format!("`{}`", value.get_name()))
                .collect();
            let choices =
                if choices.is_empty() { String::new() } else { format!(" ({})", choices.join(", ")) };
            format!("| `{}` | {}{choices} |\n", cell(&spelling(arg)), cell(&help))
        })
        .collect();
    if rows.is_empty() { String::new() } else { format!("\n| | |\n|---|---|\n{}", rows.concat()) }
}

fn spelling(arg: &Arg) -> String {
    let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let value = value.unwrap_or_else(|| arg.get_id().as_str().to_uppercase());
    let takes = arg.get_action().takes_values();
    match arg.get_long() {
        Some(long) if takes => format!("--{long} {value}"),
        Some(long) => format!("--{long}"),
        None if arg.is_required_set() => value,
        None => format!("[{value}]"),
    }
}

/// A text in a table, on one line.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[test]
fn the_reference_of_settings_is_written_down() {
    let schema = schema();
    let mut page = "# Settings\n\n\
        Every setting in `homard.json` that has an effect, made from the schema (`homard config schema` prints it whole, \
        for editors). Settings of chat platforms are on the platform's page. A file may hold more: what OpenClaw knows \
        and Homard does not use yet is kept and does nothing, and `homard config validate` names it. `<name>` stands \
        for a name of yours, `[]` for an entry of a list.\n"
        .to_owned();
    for (section, found) in schema["properties"].as_object().unwrap() {
        let mut rows = Vec::new();
        walk(schema, &Place { path: section.clone(), above: Vec::new() }, found, &mut rows);
        if !rows.is_empty() {
            let about =
                cell(plain(schema, found).get("description").and_then(Value::as_str).unwrap_or_default());
            write!(page, "\n## {section}\n\n{about}\n\n| key | | |\n|---|---|---|\n{}", rows.concat())
                .unwrap();
        }
    }
    is_written_down("config.md", &page);
}

/// Where in the settings we are, and which types we went through.
struct Place {
    path: String,
    above: Vec<String>,
}

/// A schema with its reference followed and a lone alternative of `null` taken; what it says itself wins.
fn plain(schema: &Value, found: &Value) -> Map<String, Value> {
    let own = found.as_object().cloned().unwrap_or_default();
    let real = |key: &str| {
        let choices = own.get(key)?.as_array()?;
        let mut real = choices.iter().filter(|choice| choice["type"] != "null");
        real.next().filter(|_| real.next().is_none())
    };
    let named =
        own.get("$ref").and_then(Value::as_str).and_then(|name| schema.pointer(name.trim_start_matches('#')));
    let Some(inner) = named.or_else(|| real("anyOf")).or_else(|| real("oneOf")) else { return own };
    let mut whole = plain(schema, inner);
    whole.extend(own.into_iter().filter(|(key, _)| !["$ref", "anyOf", "oneOf"].contains(&key.as_str())));
    whole
}

fn walk(schema: &Value, place: &Place, found: &Value, rows: &mut Vec<String>) {
    let here = plain(schema, found);
    let name = found.get("$ref").or(found.get("anyOf")).map(ToString::to_string).unwrap_or_default();
    if here.get("x-inert") == Some(&Value::Bool(true)) {
        return;
    }
    let path = &place.path;
    let inner = here.get("properties").and_then(Value::as_object);
    let about = cell(here.get("description").and_then(Value::as_str).unwrap_or_default());
    // Agents by name have the keys of those in the list.
    if path == "agents.entries" {
        rows.push(format!("| `{path}.<name>` | object | {about} The keys of `agents.list[]`. |\n"));
        return;
    }
    if inner.is_none() {
        rows.push(format!("| `{path}` | {} | {about} |\n", kind(schema, found)));
    }
    if !name.is_empty() && place.above.contains(&name) {
        return;
    }
    let above: Vec<String> = place.above.iter().cloned().chain([name]).collect();
    let mut deeper =
        |path: String, found: &Value| walk(schema, &Place { path, above: above.clone() }, found, rows);
    for (key, found) in inner.into_iter().flatten() {
        deeper(format!("{path}.{key}"), found);
    }
    let has_keys = |found: &&Value| plain(schema, found).contains_key("properties");
    if let Some(each) = here.get("additionalProperties").filter(has_keys) {
        deeper(format!("{path}.<name>"), each);
    }
    if let Some(each) = here.get("items").filter(has_keys) {
        deeper(format!("{path}[]"), each);
    }
    for choices in ["anyOf", "oneOf"].iter().filter_map(|key| here.get(*key)?.as_array()) {
        for choice in choices.iter().filter(has_keys) {
            deeper(path.clone(), choice);
        }
    }
}

/// What may be written there, in a few words.
fn kind(schema: &Value, found: &Value) -> String {
    let here = plain(schema, found);
    if let Some(words) = here.get("enum").and_then(Value::as_array) {
        let words = words
            .iter()
            .filter(|word| !word.is_null())
            .map(|word| format!("`{}`", word.as_str().map_or_else(|| word.to_string(), str::to_owned)));
        return words.collect::<Vec<_>>().join(", ");
    }
    if let Some(word) = here.get("const") {
        return format!("`{}`", word.as_str().map_or_else(|| word.to_string(), str::to_owned));
    }
    if let Some(choices) = here.get("anyOf").or(here.get("oneOf")).and_then(Value::as_array) {
        let mut kinds: Vec<String> = choices
            .iter()
            .filter(|choice| choice["type"] != "null")
            .map(|choice| kind(schema, choice))
            .collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    let types: Vec<&str> = match here.get("type") {
        Some(Value::Array(types)) => {
            types.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        Some(Value::String(name)) => vec![name],
        _ => vec!["anything"],
    };
    match (types.as_slice(), here.get("items")) {
        (["array"], Some(each)) if each.is_object() => format!("list of {}", kind(schema, each)),
        (["array"], _) => "list".to_owned(),
        (types, _) => types.join(" or "),
    }
}

#[test]
fn the_reference_of_chat_commands_is_written_down() {
    let mut page = "# Commands in chats\n\n\
        What may be typed in the page and on chat platforms, made from the table the program reads (`/commands` lists \
        them there). Those marked *inside* may stand anywhere in a message and hold for it alone. Some are for the \
        owner, and some are off until a setting turns them on.\n\n\
        | command | what it does | who | |\n|---|---|---|---|\n"
        .to_owned();
    for command in COMMANDS {
        let arguments =
            if command.arguments.is_empty() { String::new() } else { format!(" {}", command.arguments) };
        let others: Vec<String> = command.aliases.iter().map(|alias| format!("`/{alias}`")).collect();
        let others = if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) };
        let who = match command.who {
            RequiredRank::Authorised => "who may use commands",
            RequiredRank::Owner => "the owner",
            RequiredRank::Elevated => "who may leave the sandbox",
            RequiredRank::ElevatedOwner => "the owner, who may leave the sandbox",
        };
        let mut notes = Vec::new();
        notes.extend((command.form == Form::Directive).then(|| "inside".to_owned()));
        notes.extend((command.place == Where::Groups).then(|| "in groups".to_owned()));
        notes.extend(command.needs.map(|switch| format!("needs `{}`", switch.key())));
        let name = cell(&format!("/{}{arguments}", command.name));
        writeln!(page, "| `{name}` | {}{others} | {who} | {} |", command.help, notes.join(", ")).unwrap();
    }
    is_written_down("chat-commands.md", &page);
}
