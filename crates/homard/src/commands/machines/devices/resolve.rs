//! Which request or device a person means, and how it is called.

use homard_protocol::methods::devices::{PairedDeviceRow, PendingDeviceRow};
use homard_protocol::{Role, Scope};

use crate::commands::machines::only;
use crate::commands::words;
use crate::report::Advice;

/// The request whose id this is, or begins like this.
///
/// # Errors
/// When none or several do.
pub(super) fn request<'a>(pending: &'a [PendingDeviceRow], id: &str) -> anyhow::Result<&'a PendingDeviceRow> {
    let exact = pending.iter().filter(|asks| asks.request_id == id);
    let begins = pending.iter().filter(|asks| !id.is_empty() && asks.request_id.starts_with(id));
    only(&exact.collect::<Vec<_>>(), &begins.collect::<Vec<_>>(), || {
        Advice::error(
            format!("no device waits with the request `{id}`"),
            "`homard devices` lists what waits; a request is forgotten after five minutes unless the device asks again",
        )
    })
}

/// The device whose id this is, begins like this, or whose name it is.
///
/// # Errors
/// When none or several are.
pub(super) fn device<'a>(paired: &'a [PairedDeviceRow], id: &str) -> anyhow::Result<&'a PairedDeviceRow> {
    let is_called = |name: &Option<String>| name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(id));
    let exact = paired.iter().filter(|device| {
        device.device_id.as_str() == id
            || is_called(&device.operator_label)
            || is_called(&device.display_name)
    });
    let begins = paired.iter().filter(|device| !id.is_empty() && device.device_id.as_str().starts_with(id));
    only(&exact.collect::<Vec<_>>(), &begins.collect::<Vec<_>>(), || {
        Advice::error(format!("no device is called `{id}`"), "`homard devices` lists those that are paired")
    })
}

/// The request that came last, if the person said that it is meant.
///
/// # Errors
/// When nothing waits, or nobody said which.
pub(super) fn latest(pending: &[PendingDeviceRow], said: bool) -> anyhow::Result<&PendingDeviceRow> {
    let Some(asks) = pending.iter().max_by_key(|asks| asks.ts) else {
        return Err(Advice::error(
            "no device waits for approval",
            "let the device connect; its request waits for five minutes after each attempt",
        ));
    };
    if said {
        return Ok(asks);
    }
    // Somebody who just types `approve` has not seen who asks.
    let (id, who, place) = (words::short(&asks.request_id), who(asks), place(asks));
    let wants = wants(asks.role.as_str(), &asks.scopes);
    Err(Advice::error(
        format!("say which one; the last to ask is {who} from {place}, which wants {wants}"),
        format!("`homard devices approve {id}` lets it in, `homard devices` lists all"),
    ))
}

/// What a device that waits calls itself.
pub(super) fn who(asks: &PendingDeviceRow) -> String {
    let program = asks.client_id.as_deref().unwrap_or("a program");
    let on = asks.platform.as_deref().map(|platform| format!(" on {platform}")).unwrap_or_default();
    match &asks.display_name {
        Some(name) => format!("{name} ({program}{on})"),
        None => format!("{program}{on}"),
    }
}

/// Where it asks from.
pub(super) fn place(asks: &PendingDeviceRow) -> String {
    let address = asks.remote_ip.clone().unwrap_or_else(|| "somewhere".to_owned());
    match &asks.browser_origin {
        Some(page) => format!("{address} ({page})"),
        None => address,
    }
}

/// What it wants to be allowed.
pub(super) fn wants(role: &str, granted: &[String]) -> String {
    if role == Role::Operator.as_str() { scopes(granted) } else { format!("to be a {role}") }
}

/// Scopes without the word they all begin with; admin is all of them.
pub(super) fn scopes(names: &[String]) -> String {
    if names.iter().any(|name| name == Scope::Admin.as_str()) {
        return "everything (admin)".to_owned();
    }
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.iter().map(|name| name.trim_start_matches("operator.")).collect::<Vec<_>>().join(", ")
}

/// The owner's name for a device, or its own.
pub(super) fn name_of(device: &PairedDeviceRow) -> String {
    let own = device.operator_label.as_ref().or(device.display_name.as_ref()).or(device.client_id.as_ref());
    own.cloned().unwrap_or_else(|| words::short(device.device_id.as_str()))
}

#[cfg(test)]
mod tests;
