//! What is to be kept running, and as whom.

use std::path::{Path, PathBuf};

/// Folders an account of its own cannot see into.
const HOMES: [&str; 3] = ["/home", "/root", "/run/user"];

/// As whom the gateway runs, and from when on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Account {
    /// The owner, while there is a session, or always with lingering.
    Owner,
    /// This account, from the start of the machine on.
    Named(String),
    /// An account the supervisor makes for it, with no home but its state folder. Choose this for a machine that does
    /// nothing else.
    OfItsOwn,
}

/// Which of the program's two lasting parts it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Gateway,
    /// This machine, lent to a gateway somewhere else.
    Node,
}

impl Role {
    /// In a word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Node => "node",
        }
    }
}

/// What is to be kept running. Nothing secret belongs into it: definitions can be read by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    pub role: Role,
    /// Which set of files it works with; the usual one when there is none.
    pub profile: Option<String>,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// What its environment has beyond what the supervisor gives.
    pub variables: Vec<(String, String)>,
    pub account: Account,
}

impl Charge {
    /// `homard`, or `homard-work` for a profile; a node is `homard-node`, or `homard-node-work`.
    #[must_use]
    pub fn name(&self) -> String {
        let name = match self.role {
            Role::Gateway => "homard",
            Role::Node => "homard-node",
        };
        self.profile.as_deref().map_or_else(|| name.to_owned(), |profile| format!("{name}-{profile}"))
    }

    /// Whether it runs for the whole machine.
    #[must_use]
    pub fn is_of_the_machine(&self) -> bool {
        self.account != Account::Owner
    }

    /// Whether the program lies where the account cannot reach it.
    #[must_use]
    pub fn is_out_of_reach(&self) -> bool {
        self.account == Account::OfItsOwn
            && HOMES.iter().any(|home| self.program.starts_with(Path::new(home)))
    }
}
