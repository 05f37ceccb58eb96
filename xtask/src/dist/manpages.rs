//! Manual pages, made from the reference of commands in the book, which a test makes from the program: so nothing that
//! writes manual pages is compiled into it.

/// A page of section 1 for the program, and one for each of its commands: file names and contents.
pub(super) fn pages(reference: &str, version: &str) -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = Vec::new();
    let mut body = String::new();
    let mut name = "homard".to_owned();
    let mut lines = reference.lines().skip(1).peekable();
    let mut listed = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(command) = line.strip_prefix("## homard ") {
            pages.push(page(&name, version, &body));
            name = format!("homard-{command}");
            body.clear();
            listed.push(command.to_owned());
        } else if let Some(heading) =
            line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
        {
            body.push_str(&format!(".SH {}\n", plain(heading).to_uppercase()));
        } else if line == "```text" {
            body.push_str(".PP\n.nf\n");
            for code in lines.by_ref().take_while(|code| *code != "```") {
                body.push_str(&format!("{}\n", plain(code)));
            }
            body.push_str(".fi\n");
        } else if let Some(usage) = line.strip_prefix("    ") {
            body.push_str(&format!(".PP\n.nf\n{}\n.fi\n", plain(usage)));
        } else if let Some(row) = line.strip_prefix("| `") {
            let (option, help) = row.split_once("` | ").unwrap_or((row, ""));
            let help = help.trim_end_matches(" |");
            body.push_str(&format!(".TP\n.B {}\n{}\n", plain(option), plain(help)));
        } else if !line.starts_with('|') {
            body.push_str(if line.is_empty() { ".PP" } else { "" });
            body.push_str(&plain(line));
            body.push('\n');
        }
    }
    pages.push(page(&name, version, &body));
    if let Some((_, first)) = pages.first_mut() {
        let seen: Vec<String> =
            listed.iter().map(|command| format!(".BR homard\\-{} (1)", plain(command))).collect();
        first.push_str(&format!(".SH SEE ALSO\n{}\n", seen.join(",\n")));
    }
    pages
}

fn page(name: &str, version: &str, body: &str) -> (String, String) {
    let about = body.lines().find(|line| !line.is_empty() && !line.starts_with('.')).unwrap_or_default();
    let head = format!(".TH {} 1 \"\" \"homard {version}\"\n.SH NAME\n", name.to_uppercase());
    let text = format!("{head}{} \\- {about}\n.SH DESCRIPTION\n{body}", plain(name));
    (format!("{name}.1"), text)
}

/// A line as roff takes it: no marks of Markdown, nothing it would read as a request.
fn plain(line: &str) -> String {
    let line = line.replace("[connection options](#connection-options)", "connection options in homard(1)");
    let text = line.replace('\\', "\\e").replace('-', "\\-").replace("`", "").replace("\\e|", "|");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
