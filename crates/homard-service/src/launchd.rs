//! launchd: an agent of the owner's, or a daemon of the machine's.

use std::path::{Path, PathBuf};

use crate::charge::{Account, Charge};
use crate::words::{Activity, Ask, Dialect, Places, State, Step, xml};

/// Before the name of a service, as launchd's are called.
const LABEL: &str = "io.github.homard";

/// How launchd is spoken to.
#[derive(Debug)]
pub(crate) struct Launchd;

impl Launchd {
    /// Which of launchd's services are meant.
    fn domain(charge: &Charge, places: &Places) -> String {
        if charge.is_of_the_machine() { "system".to_owned() } else { format!("gui/{}", places.user) }
    }

    fn target(&self, charge: &Charge, places: &Places) -> String {
        format!("{}/{}", Self::domain(charge, places), self.label(charge))
    }

    fn out(&self, charge: &Charge, places: &Places) -> PathBuf {
        let folder = if charge.is_of_the_machine() {
            places.of_the_machine("/Library/Logs")
        } else {
            places.home.join("Library/Logs")
        };
        folder.join(format!("{}.log", charge.name()))
    }
}

impl Dialect for Launchd {
    fn called(&self) -> &'static str {
        "launchd"
    }

    fn label(&self, charge: &Charge) -> String {
        let label = format!("{LABEL}.{}", charge.role.as_str());
        charge.profile.as_ref().map_or_else(|| label.clone(), |profile| format!("{label}.{profile}"))
    }

    fn path(&self, charge: &Charge, places: &Places) -> PathBuf {
        let folder = if charge.is_of_the_machine() {
            places.of_the_machine("/Library/LaunchDaemons")
        } else {
            places.home.join("Library/LaunchAgents")
        };
        folder.join(format!("{}.plist", self.label(charge)))
    }

    fn definition(&self, charge: &Charge, places: &Places) -> Vec<u8> {
        let words = std::iter::once(charge.program.display().to_string()).chain(charge.arguments.clone());
        let words: String = words.map(|word| format!("    <string>{}</string>\n", xml(&word))).collect();
        let variables = charge.variables.iter().map(|(name, value)| {
            format!("    <key>{}</key>\n    <string>{}</string>\n", xml(name), xml(value))
        });
        let variables: String = variables.collect();
        let account = match &charge.account {
            Account::Named(name) => format!("  <key>UserName</key>\n  <string>{}</string>\n", xml(name)),
            Account::Owner | Account::OfItsOwn => String::new(),
        };
        let label = xml(&self.label(charge));
        let out = xml(&self.out(charge, places).display().to_string());
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n\
             <dict>\n  \
               <key>Label</key>\n  <string>{label}</string>\n  \
               <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n\
             {account}  \
               <key>EnvironmentVariables</key>\n  <dict>\n{variables}  </dict>\n  \
               <key>RunAtLoad</key>\n  <true/>\n  \
               <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n  \
               <key>ThrottleInterval</key>\n  <integer>5</integer>\n  \
               <key>ExitTimeOut</key>\n  <integer>45</integer>\n  \
               <key>Umask</key>\n  <integer>63</integer>\n  \
               <key>ProcessType</key>\n  <string>Interactive</string>\n  \
               <key>StandardOutPath</key>\n  <string>{out}</string>\n  \
               <key>StandardErrorPath</key>\n  <string>{out}</string>\n\
             </dict>\n\
             </plist>\n"
        )
        .into_bytes()
    }

    fn presence(&self, _: &Charge) -> Option<Ask> {
        Some(Ask::new("launchctl", &["version"]))
    }

    fn take_up(&self, charge: &Charge, path: &Path, places: &Places) -> Vec<Step> {
        let target = self.target(charge, places);
        vec![
            // A service that was ever disabled by hand is not loaded without a word about it.
            Step { change: Ask::new("launchctl", &["enable", &target]), undo: None },
            Step {
                change: self.start(charge, path, places),
                undo: Some(Ask::new("launchctl", &["bootout", &target])),
            },
        ]
    }

    fn renew(&self, charge: &Charge, path: &Path, places: &Places) -> Vec<Ask> {
        vec![self.stop(charge, places), self.start(charge, path, places)]
    }

    fn give_up(&self, charge: &Charge, places: &Places) -> Vec<Ask> {
        vec![self.stop(charge, places)]
    }

    fn forget(&self, _: &Charge) -> Vec<Ask> {
        Vec::new()
    }

    fn start(&self, charge: &Charge, path: &Path, places: &Places) -> Ask {
        let path = path.display().to_string();
        Ask::new("launchctl", &["bootstrap", &Self::domain(charge, places), &path])
    }

    fn wake(&self, charge: &Charge, _: &Path, places: &Places) -> Ask {
        Ask::new("launchctl", &["kickstart", &self.target(charge, places)])
    }

    fn stop(&self, charge: &Charge, places: &Places) -> Ask {
        Ask::new("launchctl", &["bootout", &self.target(charge, places)])
    }

    fn restart(&self, charge: &Charge, places: &Places) -> Ask {
        Ask::new("launchctl", &["kickstart", "-k", &self.target(charge, places)])
    }

    fn look(&self, charge: &Charge, places: &Places) -> Ask {
        Ask::new("launchctl", &["print", &self.target(charge, places)])
    }

    fn read(&self, is_success: bool, answer: &str) -> State {
        if !is_success {
            return State::UNKNOWN;
        }
        // The first line of a name is the service's own; what it nests comes later.
        let value = |name: &str| {
            let mut pairs = answer.lines().filter_map(|line| line.trim().split_once(" = "));
            pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
        };
        let activity = match (value("state"), value("last exit code")) {
            (Some("running"), _) => Activity::Running,
            (Some("spawn scheduled" | "spawning" | "exiting"), _) => Activity::Changing,
            (_, None | Some("0" | "(never exited)")) => Activity::Stopped,
            (_, Some(_)) => Activity::Failed,
        };
        let pid = value("pid").and_then(|pid| pid.parse().ok());
        // What is disabled cannot be loaded, and only what is loaded is printed.
        State { is_known: true, is_enabled: true, activity, pid }
    }

    fn log(&self, charge: &Charge, places: &Places, lines: u32, is_followed: bool) -> Option<Ask> {
        let (lines, out) = (lines.to_string(), self.out(charge, places).display().to_string());
        let mut ask = Ask::new("tail", &["-n", &lines]);
        ask.words.extend(is_followed.then(|| "-F".to_owned()));
        ask.words.push(out);
        Some(ask)
    }
}

#[cfg(test)]
mod tests;
