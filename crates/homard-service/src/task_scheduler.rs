//! Task Scheduler of Windows: a task that begins when the owner logs on.

use std::path::{Path, PathBuf};

use crate::charge::{Charge, Role};
use crate::words::{Activity, Ask, Dialect, Places, State, Step, xml};

/// What the definition begins with, so that it is read as UTF-16.
const BYTE_ORDER_MARK: u16 = 0xfeff;

/// How Task Scheduler is spoken to.
#[derive(Debug)]
pub(crate) struct TaskScheduler;

impl Dialect for TaskScheduler {
    fn called(&self) -> &'static str {
        "Task Scheduler"
    }

    fn label(&self, charge: &Charge) -> String {
        let profile = charge.profile.as_ref().map(|profile| format!(" ({profile})"));
        let role = match charge.role {
            Role::Gateway => "Gateway",
            Role::Node => "Node",
        };
        format!("Homard {role}{}", profile.unwrap_or_default())
    }

    fn path(&self, charge: &Charge, places: &Places) -> PathBuf {
        places.config_home.join("Homard").join(format!("{}.task.xml", charge.name()))
    }

    /// Task Scheduler writes and reads UTF-16. A task has no environment of its own: it gets its owner's.
    fn definition(&self, charge: &Charge, _: &Places) -> Vec<u8> {
        let text = task(&self.label(charge), charge);
        std::iter::once(BYTE_ORDER_MARK).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    }

    fn presence(&self, _: &Charge) -> Option<Ask> {
        None
    }

    fn take_up(&self, charge: &Charge, path: &Path, _: &Places) -> Vec<Step> {
        let (label, path) = (self.label(charge), path.display().to_string());
        vec![
            Step {
                change: Ask::new("schtasks", &["/Create", "/TN", &label, "/XML", &path, "/F"]),
                undo: Some(Ask::new("schtasks", &["/Delete", "/TN", &label, "/F"])),
            },
            Step {
                change: Ask::new("schtasks", &["/Run", "/TN", &label]),
                undo: Some(Ask::new("schtasks", &["/End", "/TN", &label])),
            },
        ]
    }

    fn renew(&self, charge: &Charge, path: &Path, places: &Places) -> Vec<Ask> {
        let create = self.take_up(charge, path, places).into_iter().map(|step| step.change).take(1);
        create.chain([self.restart(charge, places)]).collect()
    }

    fn give_up(&self, charge: &Charge, places: &Places) -> Vec<Ask> {
        let delete = Ask::new("schtasks", &["/Delete", "/TN", &self.label(charge), "/F"]);
        vec![self.stop(charge, places), delete]
    }

    fn forget(&self, _: &Charge) -> Vec<Ask> {
        Vec::new()
    }

    fn start(&self, charge: &Charge, _: &Path, _: &Places) -> Ask {
        Ask::new("schtasks", &["/Run", "/TN", &self.label(charge)])
    }

    fn stop(&self, charge: &Charge, _: &Places) -> Ask {
        Ask::new("schtasks", &["/End", "/TN", &self.label(charge)])
    }

    fn restart(&self, charge: &Charge, _: &Places) -> Ask {
        let name = powershell_text(&self.label(charge));
        let line = format!("Stop-ScheduledTask -TaskName {name}; Start-ScheduledTask -TaskName {name}");
        Ask::new("powershell", &["-NoProfile", "-NonInteractive", "-Command", &line])
    }

    /// `schtasks /Query` answers in the language of the machine; this one does not.
    fn look(&self, charge: &Charge, _: &Places) -> Ask {
        let name = powershell_text(&self.label(charge));
        let line = format!("(Get-ScheduledTask -TaskName {name} -ErrorAction Stop).State.ToString()");
        Ask::new("powershell", &["-NoProfile", "-NonInteractive", "-Command", &line])
    }

    fn read(&self, is_success: bool, answer: &str) -> State {
        if !is_success {
            return State::UNKNOWN;
        }
        let answer = answer.trim();
        let activity = match answer {
            "Running" => Activity::Running,
            "Queued" => Activity::Changing,
            _ => Activity::Stopped,
        };
        State { is_known: true, is_enabled: answer != "Disabled", activity, pid: None }
    }

    fn log(&self, _: &Charge, _: &Places, _: u32, _: bool) -> Option<Ask> {
        None
    }
}

fn task(label: &str, charge: &Charge) -> String {
    let words: Vec<String> = charge.arguments.iter().map(|word| argument(word)).collect();
    let (label, command) = (xml(label), xml(&charge.program.display().to_string()));
    let words = xml(&words.join(" "));
    let role = charge.role.as_str();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\r\n\
         <Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\r\n  \
           <RegistrationInfo>\r\n    <Description>Homard {role}</Description>\r\n    <URI>\\{label}</URI>\r\n  </RegistrationInfo>\r\n  \
           <Triggers>\r\n    <LogonTrigger>\r\n      <Enabled>true</Enabled>\r\n    </LogonTrigger>\r\n  </Triggers>\r\n  \
           <Principals>\r\n    <Principal id=\"Owner\">\r\n      <LogonType>InteractiveToken</LogonType>\r\n      <RunLevel>LeastPrivilege</RunLevel>\r\n    </Principal>\r\n  </Principals>\r\n  \
           <Settings>\r\n    \
             <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\r\n    \
             <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\r\n    \
             <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\r\n    \
             <StartWhenAvailable>true</StartWhenAvailable>\r\n    \
             <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\r\n    \
             <RestartOnFailure>\r\n      <Interval>PT1M</Interval>\r\n      <Count>255</Count>\r\n    </RestartOnFailure>\r\n  \
           </Settings>\r\n  \
           <Actions Context=\"Owner\">\r\n    <Exec>\r\n      <Command>{command}</Command>\r\n      <Arguments>{words}</Arguments>\r\n    </Exec>\r\n  </Actions>\r\n\
         </Task>\r\n"
    )
}

/// A word as programs on Windows take their arguments apart: quotes around spaces, and backslashes doubled where a
/// quote follows.
fn argument(word: &str) -> String {
    if !word.is_empty() && !word.contains([' ', '\t', '"']) {
        return word.to_owned();
    }
    let mut written = String::from("\"");
    let mut backslashes = 0;
    for c in word.chars() {
        match c {
            '\\' => backslashes += 1,
            '"' => {
                written.push_str(&"\\".repeat(backslashes + 1));
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
        written.push(c);
    }
    written.push_str(&"\\".repeat(backslashes));
    written.push('"');
    written
}

/// A text PowerShell takes as it is.
fn powershell_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests;
