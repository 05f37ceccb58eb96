//! Which addresses a gateway listens on.

use std::net::{IpAddr, Ipv4Addr};

use homard_config::config::gateway::BindMode;

use crate::tailscale::is_tailnet;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const EVERYWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Why there is nothing to listen on.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BindError {
    /// `customBindHost` is not an address.
    #[error("gateway.customBindHost `{host}` is not an address")]
    NotAnAddress { host: String },
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// All of them; the first is the one the owner asked for.
    pub addresses: Vec<IpAddr>,
    /// Instead of them, when the first is not to be had.
    pub otherwise: Option<IpAddr>,
    /// Whether a tailnet was asked for and this machine is in none.
    pub no_tailnet: bool,
}

/// Decides where to listen. `own` are the addresses of this machine.
///
/// The tailnet's and a custom address are joined by loopback: commands on this machine are its owner's, and
/// they must not need anybody's approval.
///
/// # Errors
/// When a custom address is no address.
pub fn listen(bind: BindMode, custom: Option<&str>, own: &[IpAddr]) -> Result<Listen, BindError> {
    let only = |address| Listen { addresses: vec![address], otherwise: None, no_tailnet: false };
    Ok(match bind {
        BindMode::Loopback => only(LOOPBACK),
        BindMode::Auto => Listen { otherwise: Some(EVERYWHERE), ..only(LOOPBACK) },
        BindMode::Lan => only(EVERYWHERE),
        BindMode::Tailnet => match own.iter().copied().find(|address| is_tailnet(*address)) {
            Some(address) => Listen { addresses: vec![address, LOOPBACK], ..only(address) },
            None => Listen { no_tailnet: true, ..only(LOOPBACK) },
        },
        BindMode::Custom => {
            let host = custom.unwrap_or_default().trim();
            let address: IpAddr =
                host.parse().map_err(|_not_one| BindError::NotAnAddress { host: host.to_owned() })?;
            // What listens everywhere listens on loopback too.
            if address.is_unspecified() || address == LOOPBACK {
                only(address)
            } else {
                Listen { addresses: vec![address, LOOPBACK], ..only(address) }
            }
        }
    })
}

/// Whether others than this machine can reach any of these addresses.
#[must_use]
pub fn is_exposed(addresses: &[IpAddr]) -> bool {
    addresses.iter().any(|address| !address.to_canonical().is_loopback())
}

/// The addresses of this machine.
#[must_use]
pub fn own_addresses() -> Vec<IpAddr> {
    match if_addrs::get_if_addrs() {
        Ok(interfaces) => interfaces.iter().map(if_addrs::Interface::ip).collect(),
        Err(error) => {
            tracing::warn!(%error, "the addresses of this machine cannot be listed");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests;
