//! What the demo says. Written for the person who has just started Homard and has no key yet.

use homard_runtime::Clip;

/// Most lines of a tool's output the demo repeats.
const MAX_LINES: usize = 40;
/// Most characters of a line the demo repeats.
const MAX_LINE: usize = 200;

/// Said to a greeting.
pub(super) const GREETING: &str = "Hello! I am Homard's **offline demo**: a small script, not a real model. \
Everything around me is real, though: this page, the gateway, the session, the tools.\n\n\
Try one of these:\n\n\
- `list the files here`\n\
- `run date` (in backticks or not)\n\
- `remember that I like tea`, then `what do you remember?`\n\
- `what can you do?` for a short tour\n";

/// Said to thanks.
pub(super) const THANKS: &str = "You are welcome! When you want better conversation than a scripted demo has to \
offer, ask me how to configure a real model.";

/// Said when the tool that would be needed is not offered.
pub(super) const NO_TOOL: &str = "I would need a tool for that, and the one I need is not allowed in this session. \
The owner decides that in the configuration, under `tools`. (I am the offline demo, by the way.)";

/// Said instead of rewriting a long file that may not have been read whole.
pub(super) const MEMORY_TOO_LONG: &str = "`MEMORY.md` has grown too long for this scripted demo to rewrite safely, \
so I left it as it is. A real model would add the line with the `edit` tool.";

/// The tour.
pub(super) const TOUR: &str = "I am the **offline demo** of Homard, a personal assistant that runs on your own \
machine. I follow a script, but everything I touch is real.\n\n\
| Room | What it does |\n\
|---|---|\n\
| Gateway | One port for this page, the command line and other programs |\n\
| Sessions | Every conversation is a file you can read |\n\
| Tools | `read`, `write`, `edit` and `exec`, in your workspace |\n\
| Memory | Notes in `MEMORY.md`, which are yours to edit |\n\
| Models | Any OpenAI- or Anthropic-compatible API, or me |\n\n\
Things to try here:\n\n\
1. `list the files here`\n\
2. `run date`\n\
3. `remember that my bicycle is blue`\n\
4. `what do you remember?`\n\n\
Everything works from a terminal, too:\n\n\
```sh\n\
homard agent -m \"what can you do?\"\n\
homard sessions\n\
```\n\n\
To talk to something cleverer, ask me **how to configure a real model**.";

/// How to get a real model.
pub(super) const CONFIGURE: &str = "Gladly: I am only the scripted demo. Put a provider into `homard.json` in the state \
directory (`homard config path` prints where it is):\n\n\
```json5\n\
{\n\
\x20 agents: { defaults: { model: { primary: \"local/my-model\" } } },\n\
\x20 models: {\n\
\x20   providers: {\n\
\x20     local: {\n\
\x20       baseUrl: \"http://127.0.0.1:8000/v1\",\n\
\x20       apiKey: \"${MY_API_KEY}\",\n\
\x20       api: \"openai-completions\",  // or \"anthropic-messages\"\n\
\x20       models: [{ id: \"my-model\", name: \"My model\" }],\n\
\x20     },\n\
\x20   },\n\
\x20 },\n\
}\n\
```\n\n\
- `baseUrl` is your provider's address, or that of a server on your own machine\n\
- `${MY_API_KEY}` is read from the environment, so the key stays out of the file\n\
- the gateway notices the change by itself; `homard models list` shows the result\n";

/// Said to anything the table does not know.
pub(super) fn chat(asked: &str) -> String {
    let quoted = asked.split_whitespace().collect::<Vec<_>>().join(" ").clip_chars(80).to_owned();
    let about =
        if quoted.is_empty() { String::new() } else { format!("You wrote: \u{201c}{quoted}\u{201d}. ") };
    format!(
        "{about}I am Homard's **offline demo**, a small script without a real model behind it, so I cannot say \
         anything clever about that.\n\n\
         What I can do is show that everything is in place:\n\n\
         - `list the files here`\n\
         - `run date`\n\
         - `remember that …` and `what do you remember?`\n\
         - `what can you do?`\n\n\
         Ask me *how to configure a real model* when you are ready for one."
    )
}

/// A directory listing in words.
pub(super) fn listing(output: &str, is_error: bool) -> String {
    if is_error {
        return failed("look around", output);
    }
    let entries = output.lines().filter(|line| !line.starts_with("total ") && !line.trim().is_empty());
    let entries = entries.filter(|line| !line.ends_with(" .") && !line.ends_with(" ..")).count();
    let noun = if entries == 1 { "entry" } else { "entries" };
    format!("The workspace has {entries} {noun}:\n\n{}", fenced(output))
}

/// A command's output in words.
pub(super) fn command(command: &str, output: &str, is_error: bool) -> String {
    if is_error {
        return failed(&format!("run `{command}`"), output);
    }
    if output.trim().is_empty() {
        return format!("`{command}` ran and said nothing.");
    }
    format!("`{command}` said:\n\n{}", fenced(output))
}

/// A file's content in words.
pub(super) fn file(path: &str, content: &str, is_error: bool) -> String {
    if is_error {
        return failed(&format!("read `{path}`"), content);
    }
    if content.trim().is_empty() {
        return format!("`{path}` is empty.");
    }
    format!("Here is `{path}`:\n\n{}", fenced(content))
}

/// The memory file in words.
pub(super) fn memory(content: &str, is_error: bool) -> String {
    if is_error || content.trim().is_empty() {
        return "Nothing yet. Say `remember that …` and I will write it into `MEMORY.md`.".to_owned();
    }
    format!("This is what I have in `MEMORY.md`:\n\n{}", fenced(content))
}

/// After writing a fact down.
pub(super) fn remembered(fact: &str, output: &str, is_error: bool) -> String {
    if is_error {
        return failed("write `MEMORY.md`", output);
    }
    format!("Noted: *{fact}*. It is in `MEMORY.md`, where you can read and change it.")
}

/// When the memory file exists but cannot be read.
pub(super) fn memory_unreadable(output: &str) -> String {
    failed("read `MEMORY.md`", output)
}

fn failed(what: &str, output: &str) -> String {
    format!("I could not {what}:\n\n{}", fenced(output))
}

/// Output as a code block, cut to a readable length; the fence is longer than any inside.
fn fenced(output: &str) -> String {
    let ticks = output.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1;
    let fence = "`".repeat(ticks);
    let mut lines: Vec<String> =
        output.trim_end().lines().take(MAX_LINES).map(|line| line.ellipsis_after(MAX_LINE)).collect();
    let more = output.trim_end().lines().count().saturating_sub(MAX_LINES);
    if more > 0 {
        lines.push(format!("… and {more} more lines"));
    }
    format!("{fence}\n{}\n{fence}", lines.join("\n"))
}
