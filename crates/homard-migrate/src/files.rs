//! The files of a home: which are taken as they are, which are not, and why.

use std::io;
use std::path::{Path, PathBuf};

use homard_runtime::Arrange as _;
use serde_json::{Map, Value};

use crate::home::Home;
use crate::report::{Fate, Kind};
use crate::{Content, Migration, Parcel};

/// What the folders and files of a home that are not taken are, by the first part of their path.
const LEFT: [(&str, &str); 22] = [
    ("browser", "profiles of another program's browser"),
    ("canvas", "pages of another program's canvas"),
    ("completions", "completions of another program's commands"),
    ("delivery-queue", "messages another program had still to deliver"),
    ("dns", "zones of another program"),
    ("exec-approvals.sock", "a socket of another program"),
    ("extensions", "plugins for another program's runtime"),
    ("gateway", "a certificate of another gateway; Homard makes its own"),
    ("hooks", "hooks for another program's runtime; `homard hooks` shows Homard's own"),
    ("logs", "logs of another program"),
    ("media", "copies that another program kept for minutes"),
    ("memory", "an index; it is made anew from the workspace"),
    ("node.json", "this machine as another program's node; `homard node` pairs it"),
    ("nodes", "nodes prove themselves anew; `homard nodes pending` shows them"),
    ("restart-sentinel.json", "a note of another program to itself"),
    ("sandbox", "containers of another program"),
    ("sandboxes", "folders of another program's containers"),
    ("settings", "settings of voices that Homard keeps in its configuration"),
    ("subagents", "runs of another program"),
    ("telegram", "places in lists that Telegram keeps, too"),
    ("tools", "programs another program installed"),
    ("update-check.json", "a note of another program to itself"),
];

/// Folders that are taken whole.
const FOLDERS: [&str; 2] = ["skills", "workspace"];
const NEEDS_SECRETS: &str = "it holds keys or tokens; --include-secrets takes it";
const AS_IT_IS: &str = "as it is";
/// Largest file that is read as JSON, in bytes.
const MAX_JSON: u64 = 256 * 1024 * 1024;

impl Migration {
    pub(crate) fn plan_files(&mut self, home: &Home) {
        for name in self.names(&home.dir, "") {
            let path = home.dir.join(&name);
            let is_config = home.config.as_deref() == Some(path.as_path());
            match name.as_str() {
                _ if is_config => {}
                "agents" => self.plan_agents(home),
                "credentials" => self.plan_credentials(&path),
                "cron" => self.plan_cron(&path),
                "devices" => self.plan_devices(&path),
                "identity" => self.plan_identity(&path),
                // What is in it is told row by row.
                "state" => {}
                ".env" => self.secret(".env", ".env", &path),
                "exec-approvals.json" => {
                    self.json_file("exec-approvals.json", &path, "rules for commands");
                }
                _ if is_folder(&name) => self.folder(&name, &path),
                _ => self.leave(&name, why_left(&name)),
            }
        }
    }

    fn plan_agents(&mut self, home: &Home) {
        for agent in &home.agents {
            let dir = home.dir.join("agents").join(agent);
            let below = format!("agents/{agent}");
            for name in self.names(&dir.join("agent"), &format!("{below}/agent")) {
                let what = format!("{below}/agent/{name}");
                let path = dir.join("agent").join(&name);
                match name.as_str() {
                    "auth-profiles.json" => self.secret(&what, &what, &path),
                    "models.json" => self.leave(&what, "a list that is made anew"),
                    _ if name.starts_with("openclaw-agent.sqlite") => {}
                    _ => self.leave(&what, "not known"),
                }
            }
            self.plan_sessions(&dir.join("sessions"), &format!("{below}/sessions"));
        }
    }

    fn plan_sessions(&mut self, dir: &Path, below: &str) {
        for name in self.names(dir, below) {
            let (path, what) = (dir.join(&name), format!("{below}/{name}"));
            if name == "sessions.json" {
                self.plan_session_list(&what, &path);
            } else if is_transcript(&name) {
                match first_line(&path) {
                    Ok(()) => self.put(&what, Parcel::new(&what, Content::File(path)), Fate::Taken, AS_IT_IS),
                    Err(why) => self.report.add(Kind::File, &what, Fate::Failed, &why),
                }
            } else if name.ends_with(".lock") {
                self.leave(&what, "a lock of another program");
            } else {
                self.leave(&what, "a backup or an archive in a form Homard does not read");
            }
        }
    }

    /// The list of conversations: where their files are is said by name, because they move.
    fn plan_session_list(&mut self, what: &str, path: &Path) {
        let mut list = match read_json(path) {
            Ok(Value::Object(list)) => list,
            Ok(_) => {
                return self.report.add(Kind::File, what, Fate::Failed, "it is not a list of conversations");
            }
            Err(why) => return self.report.add(Kind::File, what, Fate::Failed, &why),
        };
        let moved = session_files_by_name(&mut list);
        let (fate, why) = match moved {
            0 => (Fate::Taken, format!("{} conversations", list.len())),
            moved => {
                (Fate::Changed, format!("{} conversations; the place of {moved} is said by name", list.len()))
            }
        };
        let text = Value::Object(list).to_string().into_bytes();
        self.put(what, Parcel::new(what, Content::Text(text)), fate, &why);
    }

    fn plan_credentials(&mut self, dir: &Path) {
        for name in self.names(dir, "credentials") {
            let (what, path) = (format!("credentials/{name}"), dir.join(&name));
            if name.ends_with("-pairing.json") || name.ends_with("-allowFrom.json") {
                self.json_file(&what, &path, "who may write");
            } else if path.is_dir() {
                self.leave(&what, "a login of a platform Homard does not keep there");
            } else {
                self.leave(&what, "a login in an older form; log in again with `homard models auth login`");
            }
        }
    }

    fn plan_cron(&mut self, dir: &Path) {
        for name in self.names(dir, "cron") {
            let (what, path) = (format!("cron/{name}"), dir.join(&name));
            match name.as_str() {
                "jobs.json" => self.json_file(&what, &path, "jobs"),
                "runs" => self.leave(&what, "logs of runs that are over"),
                _ => self.leave(&what, "a backup of another program"),
            }
        }
    }

    fn plan_devices(&mut self, dir: &Path) {
        for name in self.names(dir, "devices") {
            let (what, path) = (format!("devices/{name}"), dir.join(&name));
            match name.as_str() {
                "paired.json" => self.secret(&what, &what, &path),
                _ => self.leave(&what, "requests that ended after five minutes"),
            }
        }
    }

    fn plan_identity(&mut self, dir: &Path) {
        for name in self.names(dir, "identity") {
            let (what, path) = (format!("identity/{name}"), dir.join(&name));
            match name.as_str() {
                "device.json" => self.secret(&what, &what, &path),
                _ => self.leave(&what, "tokens that are issued anew"),
            }
        }
    }

    /// A folder that is taken whole. A link stays what it is: a link to the same place.
    fn folder(&mut self, name: &str, path: &Path) {
        let what = format!("{name}/");
        if path.is_symlink() {
            return self.leave(&what, "a link to another place; name that place in the configuration");
        }
        if !path.is_dir() {
            return self.leave(name, "a file where a folder belongs");
        }
        let (count, odd) = files_in(path);
        let why = format!("{count} {}", if count == 1 { "file" } else { "files" });
        self.put(&what, Parcel::new(name, Content::Folder(path.to_path_buf())), Fate::Taken, &why);
        for odd in odd {
            let below = odd.strip_prefix(path).unwrap_or(&odd).display();
            self.leave(
                &format!("{name}/{below}"),
                "a pipe, a socket or a device: nothing that could be copied",
            );
        }
    }

    /// A file that must be JSON to be of use.
    fn json_file(&mut self, what: &str, path: &Path, why: &str) {
        match read_json(path) {
            Ok(_) => self.put(what, Parcel::new(what, Content::File(path.to_path_buf())), Fate::Taken, why),
            Err(trouble) => self.report.add(Kind::File, what, Fate::Failed, &trouble),
        }
    }

    /// A file with keys or tokens.
    fn secret(&mut self, what: &str, to: &str, path: &Path) {
        if !self.options.secrets {
            return self.leave(what, NEEDS_SECRETS);
        }
        if to.ends_with(".json") {
            return self.json_file(what, path, "keys and tokens");
        }
        match opened(path) {
            Ok(_) => self.put(
                what,
                Parcel::new(to, Content::File(path.to_path_buf())),
                Fate::Taken,
                "keys and tokens",
            ),
            Err(error) => {
                self.report.add(Kind::File, what, Fate::Failed, &format!("it cannot be read: {error}"));
            }
        }
    }

    /// The names in a folder, in order. One that is not there has none; one that cannot be read is told.
    fn names(&mut self, dir: &Path, what: &str) -> Vec<String> {
        let entries = match std::fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Vec::new();
            }
            Err(error) => {
                let what = if what.is_empty() { "." } else { what };
                self.report.add(Kind::File, what, Fate::Failed, &format!("it cannot be read: {error}"));
                return Vec::new();
            }
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            match entry.file_name().into_string() {
                Ok(name) => names.push(name),
                Err(odd) => {
                    let what = format!("{what}/{}", odd.to_string_lossy());
                    self.report.add(Kind::File, &what, Fate::Left, "its name is not text");
                }
            }
        }
        names.arrange();
        names
    }

    fn leave(&mut self, what: &str, why: &str) {
        self.report.add(Kind::File, what, Fate::Left, why);
    }
}

/// Says where transcripts are by their names alone, and how many were said otherwise.
fn session_files_by_name(list: &mut Map<String, Value>) -> usize {
    let mut moved = 0;
    for entry in list.values_mut().filter_map(Value::as_object_mut) {
        let Some(Value::String(file)) = entry.get_mut("sessionFile") else { continue };
        let name = file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if name != *file {
            *file = name;
            moved += 1;
        }
    }
    moved
}

fn is_folder(name: &str) -> bool {
    FOLDERS.contains(&name) || name.starts_with("workspace-")
}

fn why_left(name: &str) -> &'static str {
    let known = LEFT.iter().find(|(known, _)| *known == name).map(|(_, why)| *why);
    let is_backup = name.contains(".json.bak") || name.contains(".json.last-good");
    known.unwrap_or(if is_backup { "a backup of another program" } else { "not known" })
}

fn is_transcript(name: &str) -> bool {
    let is_archive = name.contains(".jsonl.reset.") || name.contains(".jsonl.deleted.");
    name.ends_with(".jsonl") || (is_archive && !name.ends_with(".lock") && !name.ends_with(".zst"))
}

/// Whether a transcript begins as one does.
fn first_line(path: &Path) -> Result<(), String> {
    use std::io::{BufRead as _, BufReader, Read as _};
    /// Longest first line that is looked at, in bytes.
    const MAX_FIRST: u64 = 64 * 1024;
    let file = opened(path).map_err(|error| format!("it cannot be read: {error}"))?;
    let mut line = String::new();
    let read = BufReader::new(file.take(MAX_FIRST)).read_line(&mut line);
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    let header: Value =
        serde_json::from_str(&line).map_err(|_odd| "it does not begin as a transcript does".to_owned())?;
    if header.get("type").and_then(Value::as_str) == Some("session") {
        Ok(())
    } else {
        Err("it does not begin as a transcript does".to_owned())
    }
}

fn read_json(path: &Path) -> Result<Value, String> {
    use std::io::Read as _;
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    let file = opened(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_JSON + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_JSON {
        return Err(format!("it is larger than {} MB", MAX_JSON / 1024 / 1024));
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("it is not readable JSON: {error}"))
}

/// Opens a file; whatever else has its name (a pipe that nobody writes to, a device without an end) is not waited for.
pub(crate) fn opened(path: &Path) -> io::Result<std::fs::File> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::File::open(path)
    } else {
        Err(io::Error::other("it is no file"))
    }
}

/// How many files and links a folder holds, and what else lies in it.
fn files_in(dir: &Path) -> (usize, Vec<PathBuf>) {
    let (mut count, mut odd) = (0, Vec::new());
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let (inside, others) = files_in(&entry.path());
                count += inside;
                odd.extend(others);
            }
            Ok(kind) if kind.is_file() || kind.is_symlink() => count += 1,
            Ok(_) => odd.push(entry.path()),
            // Told when it is copied.
            Err(_) => count += 1,
        }
    }
    (count, odd)
}
