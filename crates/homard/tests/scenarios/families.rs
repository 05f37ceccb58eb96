//! Families of commands, typed as people type them: what works, and what is said to what cannot.

mod agents;
mod config;
mod jobs;
mod machines;
mod people;
mod rooms;
mod sessions;

use homard_testkit::{TestHome, WAIT_CAP};
use serde_json::Value;
use tokio::process::Command;

use crate::scenarios::world::{World, as_owner};

/// What a command said: its exit code, its result, its remarks.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    /// The result of a command that went well.
    #[track_caller]
    fn well(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }

    /// The same, read as JSON.
    #[track_caller]
    fn json(self) -> Value {
        let text = self.well();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// That it failed so, with these words.
    #[track_caller]
    fn badly(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for word in words {
            assert!(
                self.err.contains(word) || self.out.contains(word),
                "no `{word}` in {}{}",
                self.out,
                self.err
            );
        }
    }
}

/// Runs a command of a home's owner.
async fn at_home(home: &TestHome, words: &[&str]) -> Said {
    let mut command = Command::new(crate::homard());
    command.args(words);
    outcome(as_owner(command, home)).await
}

/// Runs a command of the owner's against this world's gateway.
async fn typed(world: &World, words: &[&str]) -> Said {
    let mut command = Command::new(crate::homard());
    command.args(words);
    let mut command = as_owner(command, world.gateway.home());
    command.env("HOMARD_GATEWAY_PORT", world.gateway.port().to_string());
    outcome(command).await
}

async fn outcome(mut command: Command) -> Said {
    let output = tokio::time::timeout(WAIT_CAP, command.output()).await.unwrap().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}
