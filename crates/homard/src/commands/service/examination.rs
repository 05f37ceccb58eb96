//! What `homard doctor`, `homard security audit` and `homard status` share: gathering what the rooms say, going through a
//! table of checks, telling, and mending what may be mended.

use std::time::Duration;

use homard_channels::ENTRIES;
use homard_config::config::gateway::AuthMode;
use homard_config::{Config, Snapshot};
use homard_doctor::{
    Act, ChannelState, Check, Depth, Examination, Finding, GatewayState, LockState, Repair, Rooms, Scene,
    Selection, Severity, examine, wrapped,
};
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::ChannelId;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::Status;
use homard_runtime::visible;
use serde_json::{Value, json};

use crate::commands::connection::{self, Target};
use crate::commands::{Cx, models, terminal, words};
use crate::compose::lock::{self, Holder};
use crate::report::{Advice, AlreadyTold, Mark};

/// How long a gateway that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// The width of what is not a terminal.
const WIDTH: usize = 100;
/// Nothing is laid out narrower than that.
const MIN_WIDTH: usize = 24;

/// How to go about it.
pub(super) struct ExaminationOptions {
    pub(super) table: &'static [Check],
    pub(super) selection: Selection,
    pub(super) depth: Depth,
    pub(super) json: bool,
    pub(super) fix: bool,
    pub(super) consent: Consent,
    pub(super) face: ExaminationKind,
}

/// Who says yes to mending.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    /// Each is asked about.
    Ask,
    /// What loses nothing is done, the rest is left.
    OnlyHarmless,
    Everything,
}

/// What differs in how findings are told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExaminationKind {
    Doctor,
    /// Names each finding by its id, and the worst `critical`.
    Audit,
}

impl ExaminationKind {
    pub(super) fn severity(self, severity: Severity) -> &'static str {
        match (severity, self) {
            (Severity::Info, _) => "info",
            (Severity::Warn, _) => "warn",
            (Severity::Error, Self::Doctor) => "error",
            (Severity::Error, Self::Audit) => "critical",
        }
    }

    /// The command itself.
    fn command(self) -> &'static str {
        match self {
            Self::Doctor => "homard doctor",
            Self::Audit => "homard security audit",
        }
    }
}

/// Does all of it. The exit code is 1 when something is left that is worse than a warning.
pub(super) async fn run(cx: &Cx, manner: &ExaminationOptions) -> anyhow::Result<()> {
    let unknown = manner.selection.unknown(manner.table);
    if let Some(word) = unknown.first() {
        let all: Vec<&str> = manner.table.iter().map(|check| check.id).collect();
        return Err(Advice::usage(
            format!("there is no check `{word}`"),
            format!("there are: {}", all.join(", ")),
        ));
    }
    if manner.fix && manner.consent == Consent::Ask && !terminal::is_manned() {
        return Err(Advice::usage(
            "nobody can be asked what to mend: this is not a terminal",
            format!(
                "`{} --fix --yes` mends everything, `--fix --non-interactive` what loses nothing",
                manner.face.command()
            ),
        ));
    }
    let snapshot = cx.snapshot();
    let asks = manner.face == ExaminationKind::Doctor || manner.depth == Depth::Deep;
    let asked = if asks { AskScope::Gateway } else { AskScope::Nobody };
    let rooms = rooms(cx, &snapshot, asked).await;
    let scene = Scene { source: &cx.source, snapshot: &snapshot, rooms: &rooms, depth: manner.depth };
    let mut done = examine(manner.table, &scene, &manner.selection);
    if !manner.json {
        tell(cx, &done, manner.face)?;
    }
    let mut mended = Vec::new();
    if manner.fix {
        mended = mend(cx, &done, manner)?;
        if mended.iter().any(|(_, problem)| problem.is_none()) {
            let snapshot = cx.snapshot();
            let rooms = self::rooms(cx, &snapshot, asked).await;
            let scene = Scene { source: &cx.source, snapshot: &snapshot, rooms: &rooms, depth: manner.depth };
            done = examine(manner.table, &scene, &manner.selection);
        }
    }
    if manner.json {
        cx.console.json(&in_json(&done, &mended, manner.face))?;
    } else {
        cx.console.line("")?;
        for line in wrapped(&summary(cx, &done, manner), width(), 0) {
            cx.console.line(&line)?;
        }
    }
    if done.count(Severity::Error) > 0 { Err(AlreadyTold.into()) } else { Ok(()) }
}

/// Who is asked beside files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AskScope {
    Nobody,
    Gateway,
}

/// What the rooms say of themselves.
pub(super) async fn rooms(cx: &Cx, snapshot: &Snapshot, asked: AskScope) -> Rooms {
    let model = match &snapshot.config {
        Some(_) => models::state::of_default_agent(cx).await.ok(),
        None => None,
    };
    let lock = lock_state(cx);
    let asks = lock.is_held && asked == AskScope::Gateway && !makes_identity(cx, snapshot);
    let gateway = if asks { Some(gateway(cx).await) } else { None };
    Rooms {
        version: env!("CARGO_PKG_VERSION"),
        lock,
        model,
        channels: snapshot.config.as_deref().map(channels).unwrap_or_default(),
        gateway,
    }
}

/// Whether asking the gateway would have to make this machine's key first: looking writes nothing.
fn makes_identity(cx: &Cx, snapshot: &Snapshot) -> bool {
    let is_open = snapshot.config.as_ref().is_none_or(|config| config.gateway.auth.mode == AuthMode::None);
    is_open && !cx.source.paths.identity_file().exists()
}

fn lock_state(cx: &Cx) -> LockState {
    let path = cx.source.paths.lock_file();
    let holder = lock::holder(&path);
    let process = match holder {
        Holder::Process(process) => process.map(|pid| pid.as_raw_nonzero().get()),
        Holder::Nobody | Holder::Crashed => None,
    };
    LockState {
        is_held: matches!(holder, Holder::Process(_)),
        process,
        port: lock::port_of_running(&path),
        is_left: holder == Holder::Crashed,
    }
}

fn channels(config: &Config) -> Vec<ChannelState> {
    let accounts = config.view::<ChannelAccounts>();
    let of_platform = |entry: &'static homard_channels::ChannelEntry| {
        let channel = ChannelId::parse(entry.id).ok();
        let accounts: Vec<_> = channel
            .iter()
            .flat_map(|channel| accounts.of_platform(channel))
            .map(|(id, about)| (id, about.clone()))
            .collect();
        accounts.into_iter().map(move |(id, about)| ChannelState {
            channel: entry.id.to_owned(),
            account: id.to_string(),
            is_enabled: about.rules.enabled,
            is_configured: (entry.is_configured)(&Value::Object(about.section.clone()), &config.env),
            problem: None,
        })
    };
    ENTRIES.iter().flat_map(of_platform).collect()
}

async fn gateway(cx: &Cx) -> GatewayState {
    let asked = async {
        let client = connection::connect(cx, &Target::default(), PATIENCE).await?;
        let version = client.hello().server.version.clone();
        let status = client.call::<Status>(&NoParams {}).await?;
        client.close().await;
        let lines = status.get("channelSummary").and_then(Value::as_array).into_iter().flatten();
        let channels = lines.filter_map(Value::as_str).map(str::to_owned).collect();
        anyhow::Ok(GatewayState { version, problem: None, channels })
    };
    asked
        .await
        .unwrap_or_else(|error| GatewayState { problem: Some(error.to_string()), ..GatewayState::default() })
}

/// The columns there are to write on.
pub(super) fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0)).clamp(MIN_WIDTH, WIDTH)
}

fn tell(cx: &Cx, done: &Examination, face: ExaminationKind) -> anyhow::Result<()> {
    for check in &done.checks {
        if check.skipped {
            print(
                cx,
                "skip",
                Mark::Strong,
                &format!("{}: not looked at, the settings cannot be used", check.id),
                face,
            )?;
        } else if check.findings.is_empty() {
            print(cx, "ok", Mark::Good, &format!("{}: {}", check.id, check.looks_at), face)?;
        }
        for finding in &check.findings {
            told(cx, check.id, finding, face)?;
        }
    }
    Ok(())
}

fn told(cx: &Cx, check: &str, finding: &Finding, face: ExaminationKind) -> anyhow::Result<()> {
    let mark = match finding.severity {
        Severity::Info => Mark::Strong,
        Severity::Warn => Mark::Warning,
        Severity::Error => Mark::Bad,
    };
    let name = if face == ExaminationKind::Audit { finding.id.as_str() } else { check };
    print(cx, face.severity(finding.severity), mark, &format!("{name}: {}", finding.message), face)?;
    match &finding.fix {
        Some(fix) => print(cx, "", Mark::Strong, &format!("fix: {fix}"), face),
        None => Ok(()),
    }
}

/// A word, and a text beside it that keeps to its column.
fn print(cx: &Cx, word: &str, mark: Mark, text: &str, face: ExaminationKind) -> anyhow::Result<()> {
    let indent = face.severity(Severity::Error).len() + 2;
    // Names of files are anybody's words.
    let lines = wrapped(&visible(text), width().saturating_sub(indent), 0);
    for (at, line) in lines.iter().enumerate() {
        let word = if at == 0 { word } else { "" };
        let pad = " ".repeat(indent - word.len());
        let word = if word.is_empty() { String::new() } else { cx.console.mark(mark, word) };
        cx.console.line(&format!("{word}{pad}{line}"))?;
    }
    Ok(())
}

/// Does what somebody said yes to. Answers what was done, and what was not and why.
fn mend(
    cx: &Cx,
    done: &Examination,
    manner: &ExaminationOptions,
) -> anyhow::Result<Vec<(String, Option<String>)>> {
    let mut agreed: Vec<(&Finding, Act)> = Vec::new();
    for finding in done.findings() {
        let Some(act) = &finding.act else { continue };
        let yes = match manner.consent {
            Consent::Everything => true,
            Consent::OnlyHarmless => act.is_harmless(),
            Consent::Ask => {
                terminal::confirm(cx.console, &format!("\n{}\n{act}: shall I?", finding.message))?
            }
        };
        if yes {
            agreed.push((finding, act.clone()));
        }
    }
    let repair = Repair::new(&cx.source);
    let acts: Vec<Act> = agreed.iter().map(|(_, act)| act.clone()).collect();
    let outcomes = repair.apply(&acts);
    let mut mended = Vec::new();
    for (act, outcome) in acts.iter().zip(outcomes) {
        match outcome {
            Ok(words) => {
                if !manner.json {
                    let words = words.map(|words| format!(": {words}")).unwrap_or_default();
                    print(cx, "done", Mark::Good, &format!("{act}{words}"), manner.face)?;
                }
                mended.push((act.to_string(), None));
            }
            Err(problem) => {
                if !manner.json {
                    print(cx, "left", Mark::Bad, &format!("{act}: {problem}"), manner.face)?;
                }
                mended.push((act.to_string(), Some(problem.to_string())));
            }
        }
    }
    if repair.folder().exists() && !manner.json {
        cx.console.line(&format!("What was there before is in {}.", repair.folder().display()))?;
    }
    Ok(mended)
}

fn summary(cx: &Cx, done: &Examination, manner: &ExaminationOptions) -> String {
    let count = |severity| u64::try_from(done.count(severity)).unwrap_or(0);
    let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warn), count(Severity::Info));
    let worst = if manner.face == ExaminationKind::Audit { "critical finding" } else { "error" };
    let (mark, text) = match (errors, warnings) {
        (0, 0) => (Mark::Good, "Nothing is wrong".to_owned()),
        (0, _) => (Mark::Warning, words::count(warnings, "warning")),
        (_, _) => {
            (Mark::Bad, format!("{}, {}", words::count(errors, worst), words::count(warnings, "warning")))
        }
    };
    let fixable = done.findings().filter(|finding| finding.act.is_some()).count();
    let fixable = u64::try_from(fixable).unwrap_or(0);
    let offer = if fixable > 0 && !manner.fix {
        format!(" `{} --fix` can mend {}.", manner.face.command(), words::count(fixable, "finding"))
    } else {
        String::new()
    };
    format!("{}, {}.{offer}", cx.console.mark(mark, &text), words::count(notes, "note"))
}

fn in_json(done: &Examination, mended: &[(String, Option<String>)], face: ExaminationKind) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "id": finding.id, "severity": face.severity(finding.severity), "message": finding.message,
            "fix": finding.fix, "fixable": finding.act.is_some(),
        })
    };
    let checks: Vec<Value> = done
        .checks
        .iter()
        .map(|check| {
            let findings: Vec<Value> = check.findings.iter().map(finding).collect();
            json!({"id": check.id, "looksAt": check.looks_at, "skipped": check.skipped, "findings": findings})
        })
        .collect();
    let mended: Vec<Value> = mended
        .iter()
        .map(|(act, problem)| json!({"act": act, "done": problem.is_none(), "problem": problem}))
        .collect();
    json!({
        "ok": done.count(Severity::Error) == 0,
        "version": env!("CARGO_PKG_VERSION"),
        "checks": checks,
        "mended": mended,
        "summary": {
            "info": done.count(Severity::Info), "warn": done.count(Severity::Warn),
            (face.severity(Severity::Error)): done.count(Severity::Error),
        },
    })
}
