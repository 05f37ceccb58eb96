//! How many sockets of one address may be unauthenticated at a time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use homard_protocol::limits::MAX_PREAUTH_PER_IP;

/// Counts sockets that have not finished `connect`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preauth {
    waiting: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A place among the unauthenticated; given back when dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    ip: IpAddr,
    waiting: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Preauth {
    /// A place for `ip`, if it has one left.
    pub(crate) fn enter(&self, ip: IpAddr) -> Option<Ticket> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = waiting.entry(ip).or_default();
        if *count >= MAX_PREAUTH_PER_IP {
            return None;
        }
        *count += 1;
        Some(Ticket { ip, waiting: Arc::clone(&self.waiting) })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = waiting.get_mut(&self.ip) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                waiting.remove(&self.ip);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Preauth;
    use homard_protocol::limits::MAX_PREAUTH_PER_IP;
    use std::net::{IpAddr, Ipv4Addr};

    #[test]
    fn each_address_has_its_own_places_and_gets_them_back() {
        let preauth = Preauth::default();
        let a = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let b = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let mut tickets: Vec<_> = (0..MAX_PREAUTH_PER_IP).map(|_| preauth.enter(a).unwrap()).collect();
        assert!(preauth.enter(a).is_none());
        assert!(preauth.enter(b).is_some());
        tickets.pop();
        assert!(preauth.enter(a).is_some());
        drop(tickets);
        assert!(preauth.waiting.lock().unwrap().is_empty());
    }
}
