//! Programs that only turn their input into output, and how they must be called to stay that way: known options,
//! no files.

use super::analysis::Call;

/// How a filter may be called.
struct Filter {
    name: &'static str,
    /// Letters of options without a value.
    letters: &'static str,
    /// Letters of options with a value.
    valued: &'static str,
    /// Long options, those with a value end with `=`.
    long: &'static [&'static str],
    /// Most arguments that are no options; what they mean is not a file.
    operands: usize,
    /// Whether `-5` is an option.
    counts: bool,
}

/// Only what is listed is let through; a program that learns a new option stays safe.
const FILTERS: &[Filter] = &[
    Filter {
        name: "cut",
        letters: "ns",
        valued: "bcdf",
        long: &[
            "--bytes=",
            "--characters=",
            "--complement",
            "--delimiter=",
            "--fields=",
            "--only-delimited",
            "--output-delimiter=",
        ],
        operands: 0,
        counts: false,
    },
    Filter {
        name: "grep",
        letters: "EFGPchiLlnoqsvwxyabHhz",
        valued: "ABCem",
        long: &[
            "--after-context=",
            "--basic-regexp",
            "--before-context=",
            "--color=",
            "--context=",
            "--count",
            "--extended-regexp",
            "--fixed-strings",
            "--ignore-case",
            "--invert-match",
            "--line-number",
            "--line-regexp",
            "--max-count=",
            "--no-filename",
            "--no-messages",
            "--only-matching",
            "--perl-regexp",
            "--quiet",
            "--regexp=",
            "--silent",
            "--word-regexp",
        ],
        operands: 1,
        counts: true,
    },
    Filter {
        name: "head",
        letters: "qvz",
        valued: "cn",
        long: &["--bytes=", "--lines=", "--quiet", "--silent", "--verbose"],
        operands: 0,
        counts: true,
    },
    Filter {
        name: "jq",
        letters: "CMSacejnrs",
        valued: "",
        long: &[
            "--ascii-output",
            "--color-output",
            "--compact-output",
            "--exit-status",
            "--join-output",
            "--monochrome-output",
            "--null-input",
            "--raw-input",
            "--raw-output",
            "--slurp",
            "--sort-keys",
            "--tab",
        ],
        operands: 1,
        counts: false,
    },
    Filter {
        name: "sort",
        letters: "MRVbcCdfghimnrsuz",
        valued: "kt",
        long: &[
            "--check",
            "--dictionary-order",
            "--field-separator=",
            "--general-numeric-sort",
            "--human-numeric-sort",
            "--ignore-case",
            "--key=",
            "--month-sort",
            "--numeric-sort",
            "--reverse",
            "--stable",
            "--unique",
            "--version-sort",
        ],
        operands: 0,
        counts: false,
    },
    Filter {
        name: "tail",
        letters: "qvz",
        valued: "cn",
        long: &["--bytes=", "--lines=", "--quiet", "--silent", "--verbose"],
        operands: 0,
        counts: true,
    },
    Filter {
        name: "tr",
        letters: "Ccdst",
        valued: "",
        long: &["--complement", "--delete", "--squeeze-repeats", "--truncate-set1"],
        operands: 2,
        counts: false,
    },
    Filter {
        name: "uniq",
        letters: "Dcdiuz",
        valued: "fsw",
        long: &[
            "--check-chars=",
            "--count",
            "--ignore-case",
            "--repeated",
            "--skip-chars=",
            "--skip-fields=",
            "--unique",
        ],
        operands: 0,
        counts: false,
    },
    Filter {
        name: "wc",
        letters: "Lclmw",
        valued: "",
        long: &["--bytes", "--chars", "--lines", "--max-line-length", "--words"],
        operands: 0,
        counts: false,
    },
];

/// For programs the owner calls safe and we know nothing about.
const UNKNOWN: Filter = Filter { name: "", letters: "", valued: "", long: &[], operands: 0, counts: false };

/// What a `jq` program must not hold: it would see variables, or read files.
const JQ_REACHES_OUT: [&str; 6] = ["env", "ENV", "import", "include", "input_filename", "modulemeta"];

/// Whether a call is one of the owner's filters, called so that it only filters.
pub(super) fn is_safe(call: &Call, safe_bins: &[String]) -> bool {
    let name = call.program.name.as_str();
    let is_alone = call.assignments.is_empty() && call.redirects.is_empty();
    let is_static = call.args.iter().all(|arg| !arg.is_dynamic);
    if !is_alone || !is_static || !call.program.is_trusted() || !safe_bins.iter().any(|safe| safe == name) {
        return false;
    }
    let args: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    match FILTERS.iter().find(|filter| filter.name == name) {
        Some(filter) => filter.allows(&args),
        None => !call.runs_code && UNKNOWN.allows(&args),
    }
}

impl Filter {
    fn allows(&self, args: &[&str]) -> bool {
        let mut args = args.iter().copied();
        let mut operands = Vec::new();
        let mut has_pattern = false;
        while let Some(arg) = args.next() {
            if arg == "--" {
                operands.extend(args.by_ref());
            } else if let Some(long) = arg.strip_prefix("--") {
                if !self.has_long(long, &mut args) {
                    return false;
                }
                has_pattern |= long.starts_with("regexp");
            } else if let Some(short) = arg.strip_prefix('-').filter(|short| !short.is_empty()) {
                let is_count = self.counts && short.bytes().all(|byte| byte.is_ascii_digit());
                if !is_count && !self.has_short(short, &mut args) {
                    return false;
                }
                has_pattern |= self.name == "grep" && short.contains('e');
            } else {
                operands.push(arg);
            }
        }
        let most = if has_pattern { 0 } else { self.operands };
        let reaches_out = self.name == "jq"
            && operands.iter().any(|program| JQ_REACHES_OUT.iter().any(|word| program.contains(word)));
        operands.len() <= most && !reaches_out
    }

    fn has_long<'a>(&self, given: &str, args: &mut impl Iterator<Item = &'a str>) -> bool {
        self.long.iter().any(|known| {
            let known = known.trim_start_matches("--");
            match (known.strip_suffix('='), given.split_once('=')) {
                (Some(known), Some((name, _))) => known == name,
                (Some(known), None) => known == given && args.next().is_some(),
                (None, None) => known == given,
                (None, Some(_)) => false,
            }
        })
    }

    fn has_short<'a>(&self, cluster: &str, args: &mut impl Iterator<Item = &'a str>) -> bool {
        let mut letters = cluster.chars();
        while let Some(letter) = letters.next() {
            if self.valued.contains(letter) {
                return !letters.as_str().is_empty() || args.next().is_some();
            }
            if !self.letters.contains(letter) {
                return false;
            }
        }
        true
    }
}
