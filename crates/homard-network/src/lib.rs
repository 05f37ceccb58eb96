//! How a gateway is reached: which addresses it listens on, its certificate, being found on the local network,
//! being shown on a tailnet, and tunnels to gateways elsewhere.
//!
//! It owns no protocol and no policy about who may come in; the gateway does. Nothing here runs or allocates
//! before it is asked for: a gateway that only serves its own machine pays for none of it.

mod bind;
mod certificate;
mod mdns;
mod tailscale;
mod tls;
mod tunnel;

pub use bind::{BindError, Listen, is_exposed, listen, own_addresses};
pub use certificate::{CertificateError, CertificateFiles, fingerprint_of_file};
pub use mdns::{Advert, Beacon, Facts, MdnsError, SERVICE, browse};
pub use tailscale::{Identity, Tailscale, TailscaleError, is_tailnet};
pub use tls::{TlsConfig, TlsError};
pub use tunnel::{SshTarget, Tunnel, TunnelError};
