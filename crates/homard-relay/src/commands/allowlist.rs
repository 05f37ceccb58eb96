//! `/allowlist`: who may speak at an account, and changing it.

use futures_util::FutureExt;
use homard_channel::Sender;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::off_thread;
use serde_json::Value;

use super::{Answer, Entry, OpenCommand, words};
use crate::parts::ChatCommands;

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Direct,
    Group,
}

impl List {
    fn key(self) -> &'static str {
        match self {
            Self::Direct => "allowFrom",
            Self::Group => "groupAllowFrom",
        }
    }
}

/// A change somebody asks for.
#[derive(Debug, PartialEq, Eq)]
struct AllowlistArgs<'t> {
    adds: bool,
    lists: Vec<List>,
    id: &'t str,
    /// Whether it is kept beside the configuration, with those who were let in by their code.
    in_store: bool,
}

/// What this family answers.
pub(super) const ENTRIES: &[Entry] =
    &[Entry { name: "allowlist", run: |commands, begun, rest| commands.allowlist(begun, rest).boxed() }];

impl ChatCommands {
    /// `/allowlist [list|add|remove] [dm|group|all] [id] [--store|--config]`.
    pub(super) async fn allowlist(&self, begun: &OpenCommand, rest: &str) -> Answer {
        let message = begun.admitted.message();
        if message.sender == Sender::Operator {
            return Err(
                "this works on chat platforms; here use `homard pairing` and channels.* in the configuration"
                    .to_owned(),
            );
        }
        // The lists name people.
        if !begun.admitted.standing().is_owner {
            return Err("only the owner may do this".to_owned());
        }
        let (channel, account) = (&message.channel, &message.account);
        let verb = rest.split_whitespace().next().unwrap_or("list").to_lowercase();
        if verb == "list" {
            return self.allowed(channel, account).await;
        }
        let config = self.inner().config();
        if !config.commands.config {
            return Err("changing lists by a message is turned off (commands.config)".to_owned());
        }
        let wish = wish(rest)?;
        if wish.in_store {
            self.change_store(channel, account, &wish).await?;
        } else {
            for list in &wish.lists {
                self.change_config(channel, account, *list, &wish).await?;
            }
        }
        let done = if wish.adds { "added to" } else { "removed from" };
        Ok(format!("⚙️ {} {done} the list.", wish.id))
    }

    async fn allowed(&self, channel: &ChannelId, account: &AccountId) -> Answer {
        let accounts = self.inner().accounts();
        let written = accounts.get(channel, account);
        let mut text = format!("{channel} account {account}");
        for list in [List::Direct, List::Group] {
            let ids = written.list(list.key());
            let ids = if ids.is_empty() { "nobody".to_owned() } else { ids.join(", ") };
            text = format!("{text}\n{}: {ids}", list.key());
        }
        let let_in = self.inner().store().pairing().allowed(channel, account).await.map_err(words)?;
        let let_in = if let_in.is_empty() { "nobody".to_owned() } else { let_in.join(", ") };
        Ok(format!("{text}\nlet in by their code: {let_in}"))
    }

    async fn change_store(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        wish: &AllowlistArgs<'_>,
    ) -> Result<(), String> {
        let store = self.inner().store();
        if wish.adds {
            store.pairing().allow(channel, account, wish.id).await.map(drop).map_err(words)
        } else {
            store.pairing().revoke(channel, account, wish.id).await.map(drop).map_err(words)
        }
    }

    async fn change_config(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        list: List,
        wish: &AllowlistArgs<'_>,
    ) -> Result<(), String> {
        let accounts = self.inner().accounts();
        let account = accounts.get(channel, account);
        let mut ids = account.list(list.key());
        ids.retain(|id| !id.eq_ignore_ascii_case(wish.id));
        if wish.adds {
            ids.push(wish.id.to_owned());
        }
        let (path, value) = (account.path(list.key()), ids.into_iter().map(Value::String).collect());
        let handle = self.inner().config_handle().clone();
        let written = off_thread(move || handle.set_path(&path, value)).await.map_err(words)?;
        written.map(drop).map_err(words)
    }
}

fn wish(rest: &str) -> Result<AllowlistArgs<'_>, String> {
    let mut in_store = false;
    let mut parts = Vec::new();
    for word in rest.split_whitespace() {
        match word {
            "--store" => in_store = true,
            "--config" => in_store = false,
            word => parts.push(word),
        }
    }
    let usage = || "write /allowlist add|remove [dm|group|all] <id> [--store|--config]".to_owned();
    let mut parts = parts.into_iter();
    let adds = match parts.next().map(str::to_lowercase).as_deref() {
        Some("add") => true,
        Some("remove" | "rm" | "delete") => false,
        _ => return Err(usage()),
    };
    let first = parts.next().ok_or_else(usage)?;
    let (lists, id) = match first.to_lowercase().as_str() {
        "dm" => (vec![List::Direct], parts.next()),
        "group" => (vec![List::Group], parts.next()),
        "all" => (vec![List::Direct, List::Group], parts.next()),
        _ => (vec![List::Direct], Some(first)),
    };
    let id = id.ok_or_else(usage)?;
    // Everybody is a decision for the file, where one can see what else it opens.
    if id == "*" || parts.next().is_some() {
        return Err(usage());
    }
    if in_store && lists != [List::Direct] {
        return Err("only direct messages have a list beside the configuration".to_owned());
    }
    Ok(AllowlistArgs { adds, lists, id, in_store })
}

#[cfg(test)]
mod tests {
    use super::{List, wish};

    #[test]
    fn wishes_name_a_list_and_somebody() {
        let read = |text| wish(text).map(|wish| (wish.adds, wish.lists, wish.id.to_owned(), wish.in_store));
        let own = str::to_owned;
        assert_eq!(read("add 42").unwrap(), (true, vec![List::Direct], own("42"), false));
        assert_eq!(read("remove group 42 --config").unwrap(), (false, vec![List::Group], own("42"), false));
        assert_eq!(read("add dm 42 --store").unwrap(), (true, vec![List::Direct], own("42"), true));
        assert_eq!(read("add all 42").unwrap().1, [List::Direct, List::Group]);
        for bad in ["", "add", "add group", "add *", "add 1 2", "fly 1", "add all 42 --store"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
