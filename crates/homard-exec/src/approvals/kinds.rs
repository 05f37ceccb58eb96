//! What programs can do, as far as it matters for a rule: which run other programs or code, which only pass on
//! a command we can read, and which words the shell takes for itself.

use super::program::Program;
use super::shell::Word;

/// Programs that run code or other programs given to them. A rule for the whole program would be a rule for
/// everything, so there is none: only the very same call can be remembered.
const RUNS_CODE: &str = "\
    Rscript ansible apptainer ar ash at awk bash batch bun bunx busybox bwrap capsh cargo chroot chrt cmake \
    code composer coproc cpulimit crontab csh ctest cscript dash dbus-run-session deno distrobox doas docker \
    docker-compose dotnet ed elixir emacs entr env erl ex exec expect fakeroot faketime fd fdfind find \
    firejail fish flatpak flock gawk gdb ghci git-shell gmake go gradle gradlew groovy guile helm hyperfine \
    ionice ipython irb iex java jshell julia just kotlin ksh kubectl lldb less ltrace lua luajit lxc m4 \
    machinectl make man mawk meson mksh more mosh mvn mvnw mysql nawk nerdctl newgrp nice ninja nix \
    nix-shell nmap node nodejs nodemon nohup npm npx nsenter ntl nvim nushell nu octave open osascript \
    parallel perf perl php pip pipx pkexec pnpm pnpx podman poetry powershell proot psql pwsh pypy python \
    qemu rake rlwrap rsync ruby runghc runuser rvim sbt scala schroot scp screen script sed setarch setpriv \
    setsid sftp sg sh snap socat sqlite ssh start-stop-daemon stdbuf strace su sudo swift systemctl \
    systemd-run tar task taskset tclsh tcsh time timeout tmux toolbox toybox ts-node tsx unbuffer unshare uv \
    uvx vi view vim vimdiff watch watchexec wine wish xargs xdg-open xterm yarn yash zip zsh";

/// Programs that take commands from their input or from elsewhere, or change who runs: not even the very same call
/// does the same again, so nothing of them is remembered.
const NEVER_THE_SAME: &str = "\
    at batch crontab doas docker docker-compose ed emacs entr ex expect gdb kubectl lldb machinectl mosh \
    mysql nerdctl newgrp nsenter nvim parallel pkexec podman psql runuser schroot screen script sftp sg \
    socat sqlite ssh su sudo tmux vi view vim xargs xterm";

/// Programs that run code from a file they find by themselves, so that a call without arguments is complete.
const FINDS_ITS_CODE: &str = "\
    cargo ctest gmake gradle gradlew just make meson mvn mvnw ninja npm rake task yarn";

/// Arguments that say "the code comes from the input", or keep asking for more.
const FROM_INPUT: &str = "\
    - -i -s --interactive --stdin /dev/fd/0 /dev/stdin /proc/self/fd/0";

/// Words the shell runs itself and that are the same as the program of that name.
const SAME_AS_PROGRAM: &str = "\
    [ echo false kill printf pwd test true";

/// Words the shell runs itself and that change it, or run something we do not see.
const BUILTINS: &str = "\
    . : alias bg bind break builtin caller command compgen complete compopt continue declare dirs disown \
    enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd \
    read readarray readonly return set shift shopt source suspend times trap type typeset ulimit umask \
    unalias unset wait";

/// Arguments that let a program that is otherwise harmless run others; a rule for the whole program does not
/// cover them.
const ESCAPES: &[(&str, &str)] = &[(
    "git",
    "-c --config-env --exec-path --ext-diff --exec --extcmd --open-files-in-pager --receive-pack --tool \
     --upload-pack -O -x alias bisect config daemon difftool filter-branch foreach hook mergetool rebase \
     send-email submodule",
)];

/// Whether a list of words has this one.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// What stands between the shell and the command that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unwrapped {
    /// The command inside.
    pub(super) words: Vec<Word>,
    /// Variables the wrapper sets for it.
    pub(super) assignments: Vec<(String, String)>,
}

/// The name rules are about: without a version.
fn plain_name(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let trimmed = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let trimmed = trimmed.strip_suffix('-').filter(|_| trimmed.len() < name.len()).unwrap_or(trimmed);
    if trimmed.is_empty() { name } else { trimmed }
}

fn names(program: &Program) -> impl Iterator<Item = &str> {
    let real = program.real.file_name().and_then(|name| name.to_str());
    std::iter::once(program.name.as_str()).chain(real).map(plain_name)
}

/// Whether a program runs code or other programs given to it.
pub(super) fn runs_code(program: &Program) -> bool {
    names(program).any(|name| has(RUNS_CODE, name))
}

/// Whether the very same call does the same again: its code does not come from the input.
pub(super) fn is_repeatable(program: &Program, args: &[Word], is_fed: bool) -> bool {
    let named = |list: &str| names(program).any(|name| has(list, name));
    if !runs_code(program) {
        return true;
    }
    let has_code = named(FINDS_ITS_CODE) || args.iter().any(|arg| !arg.text.starts_with('-'));
    let asks_input = args.iter().any(|arg| has(FROM_INPUT, &arg.text));
    let is_certain = args.iter().all(|arg| !arg.is_dynamic);
    !named(NEVER_THE_SAME) && !is_fed && has_code && !asks_input && is_certain
}

/// Whether these arguments let a program run others.
pub(super) fn escapes(program: &Program, args: &[Word]) -> bool {
    let Some((_, words)) = ESCAPES.iter().find(|(name, _)| names(program).any(|called| called == *name))
    else {
        return false;
    };
    args.iter().any(|arg| {
        arg.is_dynamic
            || words.split_ascii_whitespace().any(|word| {
                arg.text == word
                    || arg.text.strip_prefix(word).is_some_and(|rest| rest.starts_with('='))
                    || (word.len() == 2 && word.starts_with('-') && arg.text.starts_with(word))
                    // Long options may be cut short.
                    || (arg.text.len() > 3 && word.starts_with("--") && word.starts_with(option_name(&arg.text)))
            })
    })
}

fn option_name(arg: &str) -> &str {
    if arg.starts_with("--") { arg.split('=').next().unwrap_or(arg) } else { "\0" }
}

/// Whether the shell runs the word itself in a way no program does.
pub(super) fn is_builtin(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let name = first.text.as_str();
    let sets_variable =
        name == "printf" && words.get(1).is_some_and(|word| word.is_dynamic || word.text.starts_with("-v"));
    // The shell's own test works out what stands in an index, commands included.
    let works_out =
        matches!(name, "[" | "test") && words.iter().any(|word| matches!(word.text.as_str(), "-v" | "-R"));
    sets_variable || works_out || (has(BUILTINS, name) && !has(SAME_AS_PROGRAM, name))
}

/// The command inside `env`, `nice`, `nohup`, `stdbuf` or `timeout`; `None` when it is no wrapper, has nothing
/// inside, or its arguments are not certain.
pub(super) fn unwrap(name: &str, args: &[Word]) -> Option<Unwrapped> {
    let mut rest = Rest { args };
    let mut assignments = Vec::new();
    match name {
        "env" => {
            while rest.option_of(&["-i", "-", "--ignore-environment"], &["-u", "--unset"])? {}
            while let Some((name, value)) = rest.first().and_then(|word| word.text.split_once('=')) {
                assignments.push((name.to_owned(), value.to_owned()));
                rest.skip()?;
            }
        }
        "nice" => while rest.option_of(&[], &["-n", "--adjustment"])? {},
        "nohup" => {}
        "stdbuf" => while rest.option_of(&[], &["-i", "-o", "-e", "--input", "--output", "--error"])? {},
        "timeout" => {
            let plain = ["--foreground", "--preserve-status", "-v", "--verbose"];
            while rest.option_of(&plain, &["-k", "--kill-after", "-s", "--signal"])? {}
            let lasts = rest.first()?;
            if !lasts.text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                return None;
            }
            rest.skip()?;
        }
        _ => return None,
    }
    let inner = rest.first()?;
    if inner.text.starts_with('-') {
        return None;
    }
    Some(Unwrapped { words: rest.args.to_vec(), assignments })
}

/// Arguments that are being read; a dynamic one makes everything uncertain.
struct Rest<'w> {
    args: &'w [Word],
}

impl<'w> Rest<'w> {
    fn first(&self) -> Option<&'w Word> {
        self.args.first().filter(|word| !word.is_dynamic)
    }

    fn skip(&mut self) -> Option<()> {
        self.first()?;
        self.args = self.args.get(1..)?;
        Some(())
    }

    /// Skips one known option, if there is one; `None` when there is one that is not known.
    fn option_of(&mut self, plain: &[&str], valued: &[&str]) -> Option<bool> {
        let Some(text) = self.first().map(|word| word.text.as_str()) else { return Some(false) };
        if !text.starts_with('-') {
            return Some(false);
        }
        if plain.contains(&text) {
            self.skip()?;
            return Some(true);
        }
        for option in valued {
            if text == *option {
                self.skip()?;
                self.skip()?;
                return Some(true);
            }
            let Some(value) = text.strip_prefix(option) else { continue };
            if option.starts_with("--") != value.starts_with('=') {
                continue;
            }
            self.skip()?;
            return Some(true);
        }
        None
    }
}
