//! A test message to one person: the shortest way to see that an account works.

use std::time::Duration;

use homard_channel::{AccountParts, Address, ChannelEntry, ChatKind, Content, Ingress, Outbound, RichText};
use homard_config::ConfigHandle;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::Clock;
use serde_json::Value;

use super::accounts::AccountScript;

/// How long a platform may take to take it.
const LIMIT: Duration = Duration::from_secs(15);

/// A test message, and the account it comes from, as it is written.
pub(crate) struct Greeting {
    entry: &'static ChannelEntry,
    channel: ChannelId,
    account: AccountId,
    name: String,
    to: String,
}

impl Greeting {
    /// From the account a conversation connected; nothing where it connected none.
    pub(crate) fn of(script: &AccountScript, to: String) -> Option<Self> {
        let (platform, account) = script.about()?;
        let channel = ChannelId::parse(platform.entry.id).ok()?;
        Some(Self { entry: platform.entry, channel, account: account.clone(), name: script.name(), to })
    }

    /// Sends it. Both how it went and why it did not are for the person.
    pub(crate) async fn send(self, config: &ConfigHandle, clock: &Clock) -> Result<String, String> {
        let person = PeerId::parse(&self.to).map_err(|error| error.to_string())?;
        let current = config.current();
        let section = current.view::<ChannelAccounts>().get(&self.channel, &self.account).section.clone();
        let there = (self.entry.build)(AccountParts {
            channel: self.channel.clone(),
            account: self.account.clone(),
            section: Value::Object(section),
            env: current.env.clone(),
            state_dir: config.source().paths.state_dir.clone(),
            clock: clock.clone(),
            commands: Vec::new(),
            ingress: Ingress::default(),
        })
        .map_err(|error| error.to_string())?;
        let words = format!("Hello from Homard: {} is connected. Write something and it answers.", self.name);
        let outbound = Outbound {
            address: Address {
                channel: self.channel,
                account: self.account,
                chat: ChatKind::Direct,
                to: person,
                thread: None,
            },
            key: uuid::Uuid::new_v4().to_string(),
            reply_to: None,
            silent: false,
            no_previews: true,
            content: Content::Text { words: RichText::plain(words), buttons: Vec::new() },
        };
        match tokio::time::timeout(LIMIT, there.deliver(outbound)).await {
            Ok(Ok(_receipt)) => Ok(format!("The test message to {} was sent.", self.to)),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_late) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        }
    }
}
