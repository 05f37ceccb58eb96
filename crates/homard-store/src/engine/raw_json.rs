//! JSON inside a row that is carried along and seldom looked at.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON as it was written. Rows are read at every turn and by the hundred for a list; what nobody looks at there
/// costs no more than its bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Arc<RawValue>);

impl RawJson {
    /// Writes a value; `None` when it cannot be JSON.
    #[must_use]
    pub fn of(value: &impl Serialize) -> Option<Self> {
        serde_json::value::to_raw_value(value).ok().map(|raw| Self(raw.into()))
    }

    /// Reads it; `None` when it is something else.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.0.get()).ok()
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RawJson;
    use crate::SessionEntry;

    #[test]
    fn it_is_carried_through_text_and_values_alike() {
        let report = json!({"generatedAt": 7, "sections": [{"name": "x", "chars": 3}]});
        let row = json!({"updatedAt": 1, "systemPromptReport": report});
        let from_text: SessionEntry = serde_json::from_str(&row.to_string()).unwrap();
        let from_value: SessionEntry = serde_json::from_value(row).unwrap();
        assert_eq!(from_text, from_value);
        let raw = from_text.system_prompt_report.clone().unwrap();
        assert_eq!(raw.read::<serde_json::Value>().unwrap(), report);
        assert_eq!(raw, RawJson::of(&report).unwrap());
        assert_eq!(serde_json::to_value(&from_text).unwrap()["systemPromptReport"], report);
        assert!(raw.read::<u8>().is_none());
    }
}
