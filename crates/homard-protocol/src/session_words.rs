//! Words in which a conversation is set: how hard to think, what is shown, how messages wait, which commands run. They
//! are the same on the wire, in kept sessions, in chats and in the configuration. `parse` also reads what people write.

pub mod run_source;
pub mod run_status;

use crate::word::words;

words! {
    /// How hard a reasoning model should think before it answers.
    #[derive(Default, PartialOrd, Ord)]
    ThinkingLevel {
        #[default]
        Off = "off",
        Minimal = "minimal",
        Low = "low",
        Medium = "medium",
        High = "high",
        /// As hard as the few models that offer it can.
        XHigh = "xhigh",
    }
}

impl ThinkingLevel {
    /// Reads a level or one of the words people use for it; `None` when it is neither.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let word: String =
            text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        Some(match word.as_str() {
            "off" | "none" => Self::Off,
            "minimal" | "min" | "think" => Self::Minimal,
            "low" | "on" | "enable" | "enabled" | "thinkhard" => Self::Low,
            "medium" | "mid" | "med" | "thinkharder" | "harder" => Self::Medium,
            "high" | "ultra" | "ultrathink" | "thinkhardest" | "highest" | "max" => Self::High,
            "xhigh" | "extrahigh" => Self::XHigh,
            _ => return None,
        })
    }
}

words! {
    /// How much is told of tools.
    Verbosity {
        Off = "off",
        /// That they are used.
        On = "on",
        /// What they answered as well.
        Full = "full",
    }
}

impl Verbosity {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "off" | "false" | "no" | "0" => Self::Off,
            "on" | "true" | "yes" | "1" | "minimal" => Self::On,
            "full" | "all" | "everything" => Self::Full,
            _ => return None,
        })
    }
}

words! {
    /// What is shown of the model's thoughts. Who says nothing sees them as they come.
    #[derive(Default)]
    Thoughts {
        Off = "off",
        /// All, before the answer.
        On = "on",
        /// All, while it thinks.
        #[default]
        Stream = "stream",
    }
}

impl Thoughts {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "off" | "false" | "no" | "0" | "hide" | "hidden" => Self::Off,
            "on" | "true" | "yes" | "1" | "show" | "visible" => Self::On,
            "stream" | "streaming" | "draft" | "live" => Self::Stream,
            _ => return None,
        })
    }
}

words! {
    /// Whether commands leave the sandbox.
    Elevation {
        Off = "off",
        /// They do, and the usual questions are asked.
        On = "on",
        /// They do, and every one is asked about.
        Ask = "ask",
        /// They do, and nothing is asked.
        Full = "full",
    }
}

impl Elevation {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "off" | "false" | "no" | "0" => Self::Off,
            "on" | "true" | "yes" | "1" => Self::On,
            "ask" | "prompt" | "approval" | "approve" => Self::Ask,
            "full" | "auto" | "auto-approve" | "autoapprove" => Self::Full,
            _ => return None,
        })
    }
}

words! {
    /// What happens to a message that arrives while a turn is under way.
    #[derive(Default)]
    QueueMode {
        /// It goes to the turn under way.
        Steer = "steer",
        /// It waits, and gets a turn of its own.
        Followup = "followup",
        /// It waits, and all that wait get one turn together.
        #[default]
        Collect = "collect",
        /// It goes to the turn under way and gets a turn of its own as well.
        SteerBacklog = "steer-backlog",
        /// The turn under way is stopped, and the newest message gets one.
        Interrupt = "interrupt",
    }
}

impl QueueMode {
    /// Reads the word people write, in every spelling there ever was.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "steer" | "steering" | "queue" | "queued" => Self::Steer,
            "followup" | "follow-up" | "followups" | "follow-ups" => Self::Followup,
            "collect" | "coalesce" => Self::Collect,
            "steer-backlog" | "steer+backlog" | "steer_backlog" | "steerbacklog" => Self::SteerBacklog,
            "interrupt" | "interrupts" | "abort" => Self::Interrupt,
            _ => return None,
        })
    }
}

words! {
    /// What is given up when more messages wait than may.
    #[derive(Default)]
    QueueDrop {
        Old = "old",
        New = "new",
        /// The oldest, of which one line each is kept.
        #[default]
        Summarize = "summarize",
    }
}

impl QueueDrop {
    /// Reads the word people write.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "old" | "oldest" => Self::Old,
            "new" | "newest" => Self::New,
            "summarize" | "summary" | "summarise" => Self::Summarize,
            _ => return None,
        })
    }
}

words! {
    /// Whether answers may be sent.
    #[derive(Default)]
    SendAction {
        #[default]
        Allow = "allow",
        Deny = "deny",
    }
}

impl SendAction {
    /// Reads the word of the file, or of `/send`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "allow" | "on" => Some(Self::Allow),
            "deny" | "off" => Some(Self::Deny),
            _ => None,
        }
    }
}

words! {
    /// What a command runs on.
    #[derive(Default)]
    ExecHost {
        Auto = "auto",
        Sandbox = "sandbox",
        #[default]
        Gateway = "gateway",
        Node = "node",
    }
}

words! {
    /// When a group is answered.
    GroupActivation {
        /// When we are meant.
        Mention = "mention",
        Always = "always",
    }
}

words! {
    /// What is said about costs below answers.
    #[derive(Default)]
    ResponseUsage {
        #[default]
        Off = "off",
        Tokens = "tokens",
        /// Tokens, money and whose conversation it is.
        Full = "full",
    }
}

impl ResponseUsage {
    /// Reads one of the words people use.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "on" => Some(Self::Tokens),
            word => word.parse().ok(),
        }
    }
}

words! {
    /// With how many people one talks.
    ChatKind {
        Direct = "direct",
        Group = "group",
        /// A room or broadcast channel.
        Channel = "channel",
    }
}

words! {
    /// Who chose something a conversation keeps to.
    ChoiceSource {
        /// Somebody, who said which.
        User = "user",
        /// Homard, because it worked.
        Auto = "auto",
    }
}

words! {
    /// Which commands may run.
    #[derive(PartialOrd, Ord)]
    ExecSecurity {
        /// None.
        Deny = "deny",
        /// Those on the owner's list.
        Allowlist = "allowlist",
        /// All.
        Full = "full",
    }
}

words! {
    /// When the owner is asked about a command.
    #[derive(Default, PartialOrd, Ord)]
    ExecAsk {
        /// Never.
        Off = "off",
        /// When it is not on the list.
        #[default]
        OnMiss = "on-miss",
        /// Always.
        Always = "always",
    }
}

#[cfg(test)]
mod tests;
