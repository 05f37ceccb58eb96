//! `tools.message`: where an agent may send messages beside the conversation it is in.

use serde_json::Value;

use crate::raw::tools as raw;

/// What stands before a text that comes from another conversation, unless the owner says otherwise.
const DEFAULT_PREFIX: &str = "[from {channel}] ";
/// Stands for the platform the text comes from.
const CHANNEL: &str = "{channel}";

/// Decided `tools.message`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageTool {
    /// Whether an agent may write to other conversations of the platform it is on.
    pub within_platform: bool,
    /// Whether it may write to conversations on other platforms.
    pub across_platforms: bool,
    /// What marks a text that comes from another conversation.
    pub marker: Option<Marker>,
    /// Whether it may write to several at once.
    pub broadcast: bool,
}

/// What is put around a text that comes from another conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    prefix: String,
    suffix: String,
}

impl Default for MessageTool {
    fn default() -> Self {
        Self {
            within_platform: true,
            across_platforms: false,
            marker: Some(Marker { prefix: DEFAULT_PREFIX.to_owned(), suffix: String::new() }),
            broadcast: true,
        }
    }
}

impl MessageTool {
    pub(in crate::config) fn resolve(raw: &raw::MessageTool) -> Self {
        let usual = Self::default();
        let cross = raw.cross_context.as_ref();
        let flag = |value: Option<&Value>, key: &str| {
            value.and_then(|value| value.get(key)).and_then(Value::as_bool)
        };
        let marker = cross.and_then(|cross| cross.get("marker"));
        let text = |key: &str| marker.and_then(|marker| marker.get(key)).and_then(Value::as_str);
        let is_marked = flag(marker, "enabled").unwrap_or(true);
        let everywhere = raw.allow_cross_context_send == Some(true);
        Self {
            within_platform: flag(cross, "allowWithinProvider").unwrap_or(usual.within_platform),
            across_platforms: flag(cross, "allowAcrossProviders").unwrap_or(everywhere),
            marker: is_marked.then(|| Marker {
                prefix: text("prefix").unwrap_or(DEFAULT_PREFIX).to_owned(),
                suffix: text("suffix").unwrap_or_default().to_owned(),
            }),
            broadcast: raw.broadcast.as_ref().and_then(|toggle| toggle.enabled).unwrap_or(usual.broadcast),
        }
    }
}

impl Marker {
    /// A text with its mark.
    #[must_use]
    pub fn around(&self, text: &str, channel: &str) -> String {
        let [before, after] = [&self.prefix, &self.suffix].map(|part| part.replace(CHANNEL, channel));
        format!("{before}{text}{after}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::MessageTool;

    #[test]
    fn what_is_left_out_is_as_usual_and_the_older_spelling_counts() {
        let rows = [
            (json!({}), (true, false, Some("[from Telegram] hi"), true)),
            (json!({"allowCrossContextSend": true}), (true, true, Some("[from Telegram] hi"), true)),
            (
                json!({"crossContext": {"allowWithinProvider": false, "marker": {"enabled": false}}}),
                (false, false, None, true),
            ),
            (
                json!({"crossContext": {"allowAcrossProviders": true, "marker": {"prefix": "", "suffix": " ({channel})"}}, "broadcast": {"enabled": false}}),
                (true, true, Some("hi (Telegram)"), false),
            ),
        ];
        for (raw, (within, across, marked, broadcast)) in rows {
            let tool = MessageTool::resolve(&serde_json::from_value(raw.clone()).unwrap());
            let shown = tool.marker.as_ref().map(|marker| marker.around("hi", "Telegram"));
            assert_eq!(
                (tool.within_platform, tool.across_platforms, shown.as_deref(), tool.broadcast),
                (within, across, marked, broadcast),
                "{raw}"
            );
        }
    }
}
