//! What the owner says about credentials.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::Auth;
use crate::config::Resolve;
use crate::env::Environment;
use crate::paths::Paths;

#[test]
fn hours_become_durations_and_bad_ones_the_default() {
    let (paths, env) = (Paths::under(Path::new("/nowhere")), Environment::default());
    let mut cx = Resolve::new(&paths, &env);
    let written = json!({
        "profiles": { "OpenAI:work": {}, "x": { "provider": "z.ai" }, "y": {} },
        "order": { "OpenAI": ["OpenAI:work"] },
        "cooldowns": { "billingBackoffHours": 0.5, "billingMaxHours": -1, "billingBackoffHoursByProvider": { "zai": 2 } },
    });
    let auth = Auth::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    assert_eq!(auth.profiles["OpenAI:work"].provider.as_str(), "openai");
    assert_eq!(auth.profiles["x"].provider.as_str(), "z.ai");
    assert_eq!(auth.order["openai"], ["OpenAI:work"]);
    let rest = &auth.cooldowns;
    assert_eq!(rest.billing_backoff, Duration::from_secs(1_800));
    assert_eq!(rest.billing_max, Duration::from_secs(24 * 3_600));
    assert_eq!(rest.billing_backoff_by_provider["zai"], Duration::from_secs(7_200));
    assert_eq!(cx.issues.len(), 1, "a profile that names no provider is told about");
}
