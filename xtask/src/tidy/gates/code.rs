//! Rust as the gates read it: without comments, literals and inline tests.

/// A source without what is no code.
pub(super) struct Code(String);

impl Code {
    /// The code of a file.
    pub(super) fn of(text: &str) -> Self {
        let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        Self(without_literals(text.get(..tests).unwrap_or(text)))
    }

    /// What stands between the brace at `open` and its end.
    fn block(&self, open: usize) -> &str {
        let rest = self.0.get(open..).unwrap_or_default();
        let mut depth = 0_usize;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 {
                return rest.get(1..at).unwrap_or_default();
            }
        }
        rest
    }

    /// The places where a line, without what is before it, begins with one of these words.
    fn items<'c>(&'c self, words: &'static [&'static str]) -> impl Iterator<Item = (usize, &'c str)> {
        let mut at = 0;
        self.0.split_inclusive('\n').filter_map(move |line| {
            let start = at;
            at += line.len();
            let item = unwrapped(line.trim_start());
            let word = words
                .iter()
                .find(|word| item.strip_prefix(**word).is_some_and(|rest| rest.starts_with([' ', '<'])))?;
            let offset = start + (line.len() - item.len()) + word.len();
            Some((offset, self.0.get(offset..)?))
        })
    }
}

/// An item without its visibility and what kind of function it is.
fn unwrapped(item: &str) -> &str {
    let mut item = item;
    loop {
        let rest = item.strip_prefix("pub").map(|rest| match rest.strip_prefix('(') {
            Some(inner) => inner.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        });
        let rest = rest.filter(|rest| rest.starts_with(' '));
        let rest =
            rest.or_else(|| ["async ", "const ", "unsafe "].iter().find_map(|word| item.strip_prefix(word)));
        match rest {
            Some(rest) => item = rest.trim_start(),
            None => return item,
        }
    }
}

fn name(rest: &str) -> &str {
    let rest = rest.trim_start();
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Types with how many functions one of their own `impl` blocks has.
pub(super) fn methods(code: &Code) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, rest) in code.items(&["impl"]) {
        let Some(brace) = rest.find('{') else { continue };
        let head = rest.get(..brace).unwrap_or_default();
        if head.contains(" for ") || head.contains('}') {
            continue;
        }
        let subject = after_generics(head);
        found.push((name(subject).to_owned(), count_functions(code.block(at + brace))));
    }
    found
}

/// What follows the parameters of an `impl`.
fn after_generics(head: &str) -> &str {
    if !head.starts_with('<') {
        return head;
    }
    let mut depth = 0_i32;
    for (at, c) in head.char_indices() {
        depth += match c {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        if depth == 0 {
            return head.get(at + 1..).unwrap_or_default();
        }
    }
    head
}

fn count_functions(block: &str) -> usize {
    block.lines().filter(|line| unwrapped(line.trim_start()).starts_with("fn ")).count()
}

/// The names of types others can see.
pub(super) fn visible_types(code: &Code) -> Vec<String> {
    let is_visible = |line: &&str| line.trim_start().starts_with("pub");
    let kinds = ["struct ", "enum ", "trait "];
    let named = |line: &str| {
        let item = unwrapped(line.trim_start());
        kinds.iter().find_map(|kind| item.strip_prefix(kind)).map(|rest| name(rest).to_owned())
    };
    code.0.lines().filter(is_visible).filter_map(named).collect()
}

/// Structs with how many fields they have.
pub(super) fn structs(code: &Code) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, rest) in code.items(&["struct"]) {
        let Some(brace) = rest.find('{') else { continue };
        if rest.get(..brace).is_none_or(|head| head.contains(';') || head.contains('(')) {
            continue;
        }
        let is_field = |line: &&str| {
            let field = unwrapped(line.trim_start());
            field.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
                && field
                    .split_once(':')
                    .is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        };
        found.push((name(rest).to_owned(), code.block(at + brace).lines().filter(is_field).count()));
    }
    found
}

/// Functions with how many lines they have.
pub(super) fn functions(code: &Code) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, rest) in code.items(&["fn"]) {
        let Some(brace) = rest.find('{') else { continue };
        let head = rest.get(..brace).unwrap_or_default();
        if head.contains(';') {
            continue;
        }
        let lines = head.matches('\n').count() + code.block(at + brace).matches('\n').count() + 1;
        found.push((name(rest).to_owned(), lines));
    }
    found
}

/// How many parameters are several things in one.
pub(super) fn tuple_parameters(code: &Code) -> usize {
    let is_tuple = |(at, _): &(usize, &str)| {
        let before = code.0.get(..*at).unwrap_or_default();
        let Some(open) = before.rfind('(') else { return false };
        let names = before.get(open + 1..).unwrap_or_default();
        let is_names = names.contains(',') && names.chars().all(|c| c.is_alphanumeric() || " _,".contains(c));
        is_names && before.get(..open).is_some_and(|head| head.trim_end().ends_with(['(', ',']))
    };
    code.0.match_indices("): (").filter(is_tuple).count()
}

/// A source in which comments are gone and literals are empty.
fn without_literals(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) =
            raw_string(rest).filter(|_| !code.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        {
            length
        } else if c == '"' {
            string(rest)
        } else if c == '\'' {
            character(rest)
        } else {
            0
        };
        if skipped > 0 {
            let (literal, after) = rest.split_at(skipped);
            // Lines stay lines.
            code.extend(literal.chars().filter(|c| *c == '\n'));
            rest = after;
        } else {
            code.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    code
}

/// The length of a string that begins here.
fn string(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let body = inner.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(rest.len() - body.len() + length)
}

/// The length of a character that begins here; nothing for the name of a lifetime.
fn character(rest: &str) -> usize {
    let mut inner = rest.chars().skip(1);
    match (inner.next(), inner.next()) {
        (Some('\\'), _) => rest.get(3..).and_then(|after| after.find('\'')).map_or(0, |at| at + 4),
        (Some(c), Some('\'')) => c.len_utf8() + 2,
        _ => 0,
    }
}
