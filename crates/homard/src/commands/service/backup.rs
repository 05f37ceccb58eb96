//! `homard backup`: copies of everything that is kept, and putting them back.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use homard_backup::{
    BackupError, Choice, Listed, Manifest, Plan, RestoreTarget, Restored, create, list, restore, unpack,
    verify,
};
use homard_config::Profile;
use homard_runtime::visible;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::meter::{Meter, size};
use crate::commands::table::{pairs, table};
use crate::commands::{Cx, terminal, words};
use crate::compose::lock::{self, Holder, Lock};
use crate::report::{Advice, Mark};

/// Where archives go when nobody says, in the home.
const FOLDER: &str = "homard-backups";
/// A passphrase that a script hands over without a file.
const VARIABLE: &str = "HOMARD_BACKUP_PASSPHRASE";
/// How much a backup steps back behind others on this machine. Much more, and it would hardly run on a machine that is busy.
const NICE: i32 = 10;

const EXAMPLES: &str = "\
Examples:
  homard backup create                            into ~/homard-backups, while the gateway runs
  homard backup create --encrypt --verify         sealed with a passphrase you type, and read again
  homard backup create --output /mnt/usb --exclude media
  homard backup list
  homard backup verify ~/homard-backups/homard-20260101-120000.tar.gz
  homard backup restore ARCHIVE --to /tmp/look    unpack beside, change nothing else
  homard backup restore ARCHIVE                   put it back; what is there now is kept

An archive is a tar.gz with a list of sizes and SHA-256; with a passphrase it is in the age format, which
`age -d` opens, too.

Exit codes: 0 done, 1 not done (and nothing was changed), 2 the command was not understood.";

/// Make, check and put back copies of everything Homard keeps
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BackupArgs {
    #[command(subcommand)]
    command: BackupCommand,
}

#[derive(Subcommand)]
enum BackupCommand {
    /// Make an archive; the gateway may run on
    Create(CreateArgs),
    /// List archives
    List(ListArgs),
    /// Read an archive to its end and check every file in it
    Verify(VerifyArgs),
    /// Put an archive back, or unpack it beside
    Restore(RestoreArgs),
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
struct CreateArgs {
    /// Folder or file to write to; ~/homard-backups otherwise
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Leave keys, logins and tokens out; the settings are kept without them
    #[arg(long, conflicts_with = "include_secrets")]
    exclude_secrets: bool,
    /// Keep them, as is usual
    #[arg(long)]
    include_secrets: bool,
    /// The settings alone
    #[arg(long)]
    only_config: bool,
    /// Leave the agents' workspaces out
    #[arg(long)]
    no_include_workspace: bool,
    /// Leave out what lies here, such as `media` or `agents/main/sessions`; may be given several times
    #[arg(long, value_name = "PATH")]
    exclude: Vec<String>,
    /// Take in what is usually left out: logs, cache, undo, doctor, sandboxes
    #[arg(long, value_name = "NAME")]
    include: Vec<String>,
    /// Read the archive again when it is done
    #[arg(long)]
    verify: bool,
    /// Say what would go in, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Seal it with a passphrase that is asked for
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct PassphraseArgs {
    /// Read the passphrase from a file, `-` for standard input; HOMARD_BACKUP_PASSPHRASE works, too
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

#[derive(Args)]
struct ListArgs {
    /// Folder to look in; ~/homard-backups otherwise
    folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct VerifyArgs {
    /// Archive to read
    archive: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct RestoreArgs {
    /// Archive to put back
    archive: PathBuf,
    /// Unpack it into this folder, and change nothing else
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When it could not be done; nothing was changed then.
pub(crate) fn run(cx: &Cx, args: BackupArgs) -> anyhow::Result<()> {
    // A chat under way comes first.
    let _priority = rustix::process::nice(NICE);
    match args.command {
        BackupCommand::Create(args) => make(cx, &args),
        BackupCommand::List(args) => show(cx, &args),
        BackupCommand::Verify(args) => check(cx, &args),
        BackupCommand::Restore(args) => put_back(cx, &args),
    }
}

fn make(cx: &Cx, args: &CreateArgs) -> anyhow::Result<()> {
    let choice = Choice {
        no_secrets: args.exclude_secrets,
        only_config: args.only_config,
        no_workspaces: args.no_include_workspace,
        exclude: args.exclude.clone(),
        include: args.include.clone(),
    };
    let plan = Plan::of(&cx.source, &cx.snapshot(), &choice)?;
    if args.dry_run {
        return dry_run(cx, &plan, args.json);
    }
    let passphrase = match given(cx, &args.passphrase)? {
        None if args.encrypt => Some(typed_twice(cx)?),
        given => given,
    };
    let path = output(cx, args.output.as_deref(), passphrase.is_some());
    let mut meter = Meter::new("packed", args.json);
    let created =
        create(&plan, &path, passphrase.as_deref(), &mut |progress| meter.show(progress.done, progress.all))?;
    meter.end();
    if args.verify {
        let mut meter = Meter::new("checked", args.json);
        verify(&path, passphrase.as_deref(), &mut |progress| meter.show(progress.done, progress.all))?;
        meter.end();
    }
    if args.json {
        return Ok(cx.console.json(&json!({
            "path": created.path, "bytes": created.bytes, "plainBytes": created.plain, "files": created.files, "gone": created.gone,
            "raw": created.raw, "encrypted": passphrase.is_some(), "verified": args.verify, "about": plan.about,
        }))?);
    }
    let sealed = if passphrase.is_some() { ", sealed with your passphrase" } else { "" };
    cx.console.line(&cx.console.mark(Mark::Good, &format!("Wrote {}", created.path.display())))?;
    cx.console.line(&format!(
        "{}, {} ({} packed){sealed}",
        count(created.files),
        size(created.plain),
        size(created.bytes)
    ))?;
    if created.gone > 0 {
        cx.console.note(&format!("{} files were gone when their turn came", created.gone));
    }
    if !created.raw.is_empty() {
        let names = created.raw.join(", ");
        cx.console.warn(&format!(
            "SQLite could not read these, so they went in as they lie on the disk: {names}; `homard doctor --deep` says more"
        ));
    }
    if passphrase.is_none() && plan.about.has_secrets {
        cx.console
            .note("It holds your keys and tokens: keep it where only you can read it, or use --encrypt.");
    }
    Ok(())
}

fn dry_run(cx: &Cx, plan: &Plan, json: bool) -> anyhow::Result<()> {
    let (files, bytes) = plan.size();
    if json {
        let parts: Vec<Value> =
            plan.parts().into_iter().map(|(name, bytes)| json!({"path": name, "bytes": bytes})).collect();
        return Ok(cx.console.json(
            &json!({"dryRun": true, "files": files, "bytes": bytes, "parts": parts, "about": plan.about}),
        )?);
    }
    let rows: Vec<Vec<String>> =
        plan.parts().into_iter().map(|(name, bytes)| vec![name, size(bytes)]).collect();
    for line in table(&["PART", "SIZE"], &rows) {
        cx.console.line(&line)?;
    }
    Ok(cx.console.line(&format!("{}, {} before packing. Nothing was written.", count(files), size(bytes)))?)
}

fn count(files: usize) -> String {
    words::count(u64::try_from(files).unwrap_or(u64::MAX), "file")
}

/// Where the archive goes: a file as named, else a name of its own in the folder.
fn output(cx: &Cx, wanted: Option<&Path>, is_sealed: bool) -> PathBuf {
    let base = cx.source.facts.working_dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let is_file = |path: &Path| {
        !path.is_dir() && [".gz", ".tgz", ".age"].iter().any(|end| path.to_string_lossy().ends_with(end))
    };
    let folder = match wanted {
        Some(path) if is_file(path) => return base.join(path),
        Some(path) => base.join(path),
        None => cx.source.paths.home.join(FOLDER),
    };
    let now = Timestamp::from_millisecond(cx.source.clock.now_ms()).unwrap_or_default();
    let stamp = now.to_zoned(TimeZone::system()).strftime("%Y%m%d-%H%M%S").to_string();
    let profile = match &cx.source.paths.profile {
        Profile::Default => String::new(),
        Profile::Dev => "-dev".to_owned(),
        Profile::Named(name) => format!("-{name}"),
    };
    folder.join(format!("homard{profile}-{stamp}.tar.gz{}", if is_sealed { ".age" } else { "" }))
}

fn show(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let folder = args.folder.clone().unwrap_or_else(|| cx.source.paths.home.join(FOLDER));
    let found = list(&folder)?;
    if args.json {
        return Ok(cx.console.json(&json!({"folder": folder, "archives": found}))?);
    }
    if found.is_empty() {
        cx.console.line(&format!("There are no archives in {}.", folder.display()))?;
        cx.console.note("`homard backup create` makes one.");
        return Ok(());
    }
    cx.console.line(&cx.console.mark(Mark::Strong, &folder.display().to_string()))?;
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    for line in table(&["ARCHIVE", "SIZE", "WHAT"], &rows) {
        cx.console.line(&line)?;
    }
    Ok(())
}

fn row(one: &Listed) -> Vec<String> {
    let name = one.path.file_name().map(|name| visible(&name.to_string_lossy())).unwrap_or_default();
    let what = match (&one.problem, &one.about) {
        (Some(_), _) => "cannot be read".to_owned(),
        (None, None) => "sealed".to_owned(),
        (None, Some(about)) => {
            let secrets = if about.has_secrets { "" } else { ", no secrets" };
            let kind = match about.kind {
                homard_backup::ArchiveKind::Full => "everything",
                homard_backup::ArchiveKind::Config => "settings",
            };
            format!("{kind}{secrets}")
        }
    };
    vec![name, size(one.bytes), what]
}

fn check(cx: &Cx, args: &VerifyArgs) -> anyhow::Result<()> {
    let mut meter = Meter::new("checked", args.json);
    let manifest = opening(cx, &args.passphrase, |passphrase| {
        verify(&args.archive, passphrase, &mut |progress| meter.show(progress.done, progress.all))
    })?;
    meter.end();
    if args.json {
        return Ok(cx.console.json(&json!({"ok": true, "path": args.archive, "manifest": manifest}))?);
    }
    cx.console.line(&cx.console.mark(Mark::Good, "The archive is whole."))?;
    for line in pairs(&about(&manifest)) {
        cx.console.line(&line)?;
    }
    Ok(())
}

fn about(manifest: &Manifest) -> Vec<(&'static str, String)> {
    let bytes: u64 = manifest.files.iter().map(|file| file.size).sum();
    vec![
        ("made", visible(&format!("{} by Homard {}", manifest.about.created_at, manifest.about.version))),
        ("of", visible(&manifest.about.state_dir.display().to_string())),
        ("files", format!("{}, {}", manifest.files.len(), size(bytes))),
        ("secrets", if manifest.about.has_secrets { "yes" } else { "left out" }.to_owned()),
    ]
}

fn put_back(cx: &Cx, args: &RestoreArgs) -> anyhow::Result<()> {
    let paths = &cx.source.paths;
    if !args.archive.is_file() {
        return Err(Advice::error(
            format!("there is no archive `{}`", args.archive.display()),
            "`homard backup list` shows what there is",
        ));
    }
    let mut meter = Meter::new("unpacked", args.json);
    if let Some(folder) = &args.to {
        let manifest = opening(cx, &args.passphrase, |passphrase| {
            unpack(&args.archive, folder, passphrase, &mut |progress| meter.show(progress.done, progress.all))
        })?;
        meter.end();
        if args.json {
            return Ok(cx
                .console
                .json(&json!({"to": folder, "files": manifest.files.len(), "about": manifest.about}))?);
        }
        return Ok(cx.console.line(&format!(
            "Unpacked {} files into {}. Nothing else was changed.",
            manifest.files.len(),
            folder.display()
        ))?);
    }
    refuse_while_running(cx)?;
    if !args.yes {
        let question = format!(
            "Put {} back into {}? What is there now is kept beside it.",
            args.archive.display(),
            paths.state_dir.display()
        );
        if !terminal::is_manned() {
            return Err(Advice::usage(
                "nobody can be asked: this is not a terminal",
                "add --yes, or --to DIR to unpack it beside",
            ));
        }
        if !terminal::confirm(cx.console, &question)? {
            return Ok(cx.console.line("Nothing was changed.")?);
        }
    }
    // Nobody starts a gateway on what is being exchanged.
    let lock = hold(cx)?;
    let known = cx.snapshot().config.map(|config| config.agents.list.clone()).unwrap_or_default();
    let workspaces: Vec<PathBuf> = known.into_iter().map(|agent| agent.workspace).collect();
    let target = RestoreTarget { paths, workspaces: &workspaces, stamp: cx.source.clock.now_ms() };
    let restored = opening(cx, &args.passphrase, |passphrase| {
        restore(&args.archive, &target, passphrase, &mut |progress| meter.show(progress.done, progress.all))
    });
    if let Some(lock) = lock {
        lock.release();
    }
    meter.end();
    tell(cx, &restored?, args.json)
}

fn tell(cx: &Cx, restored: &Restored, json: bool) -> anyhow::Result<()> {
    if json {
        let places: Vec<Value> =
            restored.places.iter().map(|(place, kept)| json!({"path": place, "before": kept})).collect();
        return Ok(cx.console.json(&json!({"restored": places, "about": restored.manifest.about}))?);
    }
    cx.console
        .line(&cx.console.mark(Mark::Good, &format!("Put back {} files.", restored.manifest.files.len())))?;
    for (place, kept) in &restored.places {
        let kept = kept
            .as_ref()
            .map_or_else(String::new, |kept| format!("; what was there is in {}", kept.display()));
        cx.console.line(&visible(&format!("{}{kept}", place.display())))?;
    }
    if !restored.manifest.about.has_secrets {
        cx.console.note("The archive was made without secrets: add keys with `homard models auth add`, tokens with `homard channels add`.");
    }
    cx.console.note("Start the gateway with `homard gateway start` (or `homard gateway`); `homard doctor` says whether all is well.");
    Ok(())
}

/// Holds the lock of the state folder, where there is one, so that no gateway starts meanwhile.
///
/// # Errors
/// When a gateway runs.
pub(super) fn hold(cx: &Cx) -> anyhow::Result<Option<Lock>> {
    let paths = &cx.source.paths;
    if paths.state_dir.exists() { lock::take(&paths.lock_file()).map(Some) } else { Ok(None) }
}

/// A gateway that runs would write into what is being exchanged.
pub(super) fn refuse_while_running(cx: &Cx) -> anyhow::Result<()> {
    let path = cx.source.paths.lock_file();
    let Holder::Process(process) = lock::holder(&path) else { return Ok(()) };
    let process = process.map_or_else(|| "?".to_owned(), |pid| pid.as_raw_nonzero().to_string());
    Err(BackupError::Running { path: cx.source.paths.state_dir.clone(), process }.into())
}

/// Does something with the passphrase that was given; asks for one where the archive turns out to need it.
fn opening<T>(
    cx: &Cx,
    args: &PassphraseArgs,
    mut work: impl FnMut(Option<&str>) -> Result<T, BackupError>,
) -> anyhow::Result<T> {
    let passphrase = given(cx, args)?;
    match work(passphrase.as_deref()) {
        Err(BackupError::Locked(path)) if terminal::is_manned() => {
            cx.console.note(&format!("{} is sealed.", path.display()));
            let typed = terminal::secret(cx.console, "its passphrase")?;
            Ok(work(typed.as_deref())?)
        }
        Err(error @ BackupError::Locked(_)) => {
            Err(Advice::error(error.to_string(), "name a file that holds it with --passphrase-file"))
        }
        done => Ok(done?),
    }
}

/// The passphrase of a file, standard input or the environment.
fn given(cx: &Cx, args: &PassphraseArgs) -> anyhow::Result<Option<String>> {
    match &args.passphrase_file {
        Some(file) => terminal::secret_in(file, "passphrase").map(Some),
        None => Ok(cx.source.environment.get(VARIABLE).map(str::to_owned)),
    }
}

fn typed_twice(cx: &Cx) -> anyhow::Result<String> {
    if !terminal::is_manned() {
        return Err(Advice::usage(
            "nobody can be asked for a passphrase: this is not a terminal",
            "name a file that holds it with --passphrase-file",
        ));
    }
    let first = terminal::secret(cx.console, "a passphrase")?;
    let again = terminal::secret(cx.console, "it once more")?;
    match (first, again) {
        (Some(first), Some(again)) if first == again => Ok(first),
        (None, _) => Err(Advice::usage("nothing was typed", "nothing was written; try again")),
        _different => Err(Advice::usage("the two are not the same", "nothing was written; try again")),
    }
}
