//! What programs can do, as far as it matters for a rule: which run other programs or code, which only pass on
//! a command we can read, and which words the shell takes for itself.

use super::loose;
use super::program::Program;
use super::shell::Word;

/// Programs that speak for the owner to this gateway.
const US: [&str; 2] = ["homard", "openclaw"];

/// Programs that run code or other programs given to them. A rule for the whole program would be a rule for
/// everything, so there is none: only the very same call can be remembered.
const RUNS_CODE: &str = "\
    abduco act agetty aider ansible ansible-playbook apk apptainer apt apt-get aptitude ar aria2c asdf ash at \
    autossh awk bash batch bazel borg brew bsdtar buck buck2 bun bundle bundler bunx busybox bwrap byobu c++ \
    cabal capsh cargo cargo-nextest cc chpst chroot chrt clang claude clickhouse clj clojure cmake code codex \
    composer conda coproc corepack cpio cpulimit crontab crystal cscript csh ctest cvs dash dbus-run-session \
    dc deno direnv distrobox dnf doas docker docker-compose dotnet dpkg dtach duckdb dune earthly ed elixir \
    emacs entr env erl eslint ex exec expect fakeroot faketime fd fdfind find firejail fish flatpak flock fzf \
    g++ gawk gcc gdb gem ghci git-shell gmake gnuplot go gradle gradlew groovy guile hatch helm homard hx \
    hyperfine iex ionice ipython irb java jest jshell julia jupyter just kak kotlin ksh kubectl latex latexmk \
    lein less lldb logrotate ltrace lua luajit lualatex luatex lxc lynx m4 machinectl make mamba man mawk mc \
    meson micro mise mksh mocha mongo mongosh more mosh mutt mvn mvnw mysql nano nawk nc ncat neomutt nerdctl \
    newgrp nice nim ninja nix nix-shell nmap nnn node node-gyp nodejs nodemon nohup nox npm npx nsenter ntl nu \
    nushell nvim nvm octave opam open openclaw osascript pacman pants parallel pax pdflatex pdftex pdm perf \
    perl pg php pico pip pipx pkexec pnpm pnpx podman poetry powershell pre-commit prename proot pry psql pwsh \
    py.test pypy pytest python qemu rails rake raku ranger rclone rebar rebar3 redis-cli rename restic rlwrap \
    rpm Rscript rsync ruby run-mailcap run-parts runghc runuser rustc rvim rye s6-setuidgid sbt scala schroot \
    scp screen script sed setarch setpriv setsid sftp sg sh snap socat softlimit sqlite ssh ssh-add ssh-agent \
    ssh-copy-id ssh-keygen sshpass stack start-stop-daemon stdbuf strace su sudo swift systemctl systemd-run \
    tar task taskset tclsh tcpdump tcsh terraform tex time timeout tmux toolbox tox toybox ts-node tsx ttyd \
    unbuffer unison unshare uv uvx vagrant valgrind vi view vim vimdiff vite vitest volta w3m watch watchexec \
    webpack wine wish xargs xdg-open xelatex xetex xterm yarn yash youtube-dl yt-dlp yum zellij zig zip zsh \
    zypper";

/// Programs that take commands from their input or from elsewhere, or change who runs: not even the very same call
/// does the same again, so nothing of them is remembered.
const NEVER_THE_SAME: &str = "\
    at batch crontab doas docker docker-compose ed emacs entr ex expect gdb homard kubectl lldb machinectl \
    mosh mysql nerdctl newgrp nsenter nvim openclaw parallel pkexec podman psql runuser schroot screen script \
    sftp sg socat sqlite ssh su sudo tmux vi view vim xargs xterm";

/// Programs that run code from a file they find by themselves, so that a call without arguments is complete.
const FINDS_ITS_CODE: &str = "\
    cargo ctest dune gmake gradle gradlew jest just make meson mocha mvn mvnw ninja nox npm pre-commit py.test \
    pytest rake task tox vite vitest webpack yarn";

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
const ESCAPES: &[(&str, &str)] = &[
    ("ack", "--pager --pager="),
    ("bat", "--pager"),
    ("batcat", "--pager"),
    ("ctags", "--options -L"),
    ("curl", "-K --config"),
    ("gh", "alias extension codespace"),
    (
        "git",
        "-c --config-env --exec-path --ext-diff --exec --extcmd --open-files-in-pager --receive-pack --template \
         --tool --upload-pack -O -x alias bisect config credential daemon difftool filter-branch foreach hook \
         mergetool rebase send-email submodule",
    ),
    ("gpg", "--agent-program --dirmngr-program --photo-viewer --exec-path --options"),
    ("hg", "--config --cwd alias"),
    ("ip", "-b -batch netns vrf"),
    ("jj", "--config --config-file --tool util"),
    ("openssl", "-engine -provider -provider-path -config"),
    ("rg", "--pre --hostname-bin"),
    ("sort", "--compress-program"),
    ("split", "--filter"),
    ("svn", "--config-dir --config-option --diff-cmd --diff3-cmd --editor-cmd"),
    ("wget", "-e --execute --use-askpass --config"),
];
/// Commands of git to which a short option names the program at the other end.
const GIT_TALKS: &str = "clone fetch-pack ls-remote send-pack";

/// Whether a list of words has this one.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// What stands between the shell and the command that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unwrapped {
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

/// Whether a line may call this very program, which could answer the questions it is asked about.
#[must_use]
pub fn may_call_us(line: &str) -> bool {
    loose::may_call(line, |program, _| US.iter().any(|us| plain_name(program).eq_ignore_ascii_case(us)))
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
    let talks = args.iter().any(|arg| has(GIT_TALKS, &arg.text));
    if talks && args.iter().any(|arg| arg.text.starts_with("-u")) {
        return true;
    }
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
