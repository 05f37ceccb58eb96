//! A loose look at a command line: which programs it may call, scripts and all. For rules that would rather see one
//! too many than miss one; what a line really runs is `analysis`'s.

/// Words that stand before the program that matters.
const BEFORE: &str = "\
    ! busybox bunx caffeinate chronic command do doas elif else env eval exec flock gtimeout if ionice nice nohup \
    npx proxychains proxychains4 setsid stdbuf strace sudo then time timeout torify torsocks type unbuffer until \
    watch which while xargs";
/// Arguments after which another program stands.
const INNER: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
/// How many words after a wrapper may be the program: one of its options may have a value.
const AFTER_WRAPPER: usize = 2;

/// Whether a program may be called of which `is_it` says so; it is given the name without its folder, and the
/// words after it.
pub fn may_call(line: &str, is_it: impl Fn(&str, &[&str]) -> bool) -> bool {
    let ends = [';', '|', '&', '\n', '(', ')', '{', '}', '`', '"', '\'', '<', '>'];
    line.split(ends).any(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let is_at = |at: usize| {
            let program = words.get(at).map_or("", |word| base(word));
            !program.is_empty() && is_it(program, words.get(at + 1..).unwrap_or_default())
        };
        let inner = words.iter().enumerate().filter(|(_, word)| INNER.contains(word)).map(|(at, _)| at + 1);
        candidates(&words).into_iter().chain(inner).any(is_at)
    })
}

/// Where in the words of a command its program may stand.
fn candidates(words: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_wrapped = false;
    for (at, word) in words.iter().enumerate() {
        if BEFORE.split_ascii_whitespace().any(|before| before == base(word)) {
            is_wrapped = true;
            continue;
        }
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if word.starts_with('-') || word.contains('=') || (is_wrapped && is_number) {
            continue;
        }
        found.push(at);
        if found.len() >= if is_wrapped { AFTER_WRAPPER } else { 1 } {
            break;
        }
    }
    found
}

/// The name of a program without where it is, and without what hides it from a look like this.
fn base(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.trim_start_matches(['\\', '$'])
}

#[cfg(test)]
mod tests {
    use super::may_call;

    #[test]
    fn a_program_is_seen_behind_wrappers_and_in_scripts() {
        for (line, is_there) in [
            ("homard status", true),
            ("/usr/local/bin/homard status", true),
            ("cd x && ./target/debug/homard approvals list", true),
            ("timeout 5 homard status", true),
            ("nice -n 10 homard status", true),
            ("sudo -u bob homard status", true),
            ("FOO=1 env -i BAR=2 homard status", true),
            ("if homard status; then echo up; fi", true),
            ("while ! homard status; do sleep 1; done", true),
            ("sh -c 'sleep 5; homard approvals allow x'", true),
            ("echo $(homard status)", true),
            ("$(which homard) status", true),
            ("find . -name x -exec homard {} +", true),
            ("\\homard status", true),
            ("cat homard/README.md", false),
            ("cd homard && ls", false),
            ("git clone https://example.org/homard", false),
            ("sudo apt install homard", false),
            ("echo homard", false),
            ("", false),
        ] {
            assert_eq!(may_call(line, |program, _| program == "homard"), is_there, "{line}");
        }
    }
}
