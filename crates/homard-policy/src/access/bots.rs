//! Programs that answer programs: counted, so that two of them do not talk until somebody pays the bill.

use std::collections::{HashMap, VecDeque};

/// Most conversations that are counted; the one longest silent is forgotten.
const MAX_PLACES: usize = 1000;
/// Most moments kept for one conversation, whatever the owner allows.
const MAX_KEPT: usize = 1000;

/// How many messages of programs in a row are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopLimit {
    /// Most in a row.
    pub most: usize,
    /// Within which time, in milliseconds.
    pub within_ms: i64,
}

impl Default for LoopLimit {
    fn default() -> Self {
        Self { most: 8, within_ms: 5 * 60 * 1000 }
    }
}

/// Counts messages of programs by conversation.
#[derive(Debug, Default)]
pub struct BotLoops {
    places: HashMap<String, VecDeque<i64>>,
}

impl BotLoops {
    /// Notes a message in a conversation and tells how many of programs came in a row, this one included. A person's
    /// message starts the count anew; so does a clock that was set back.
    pub fn heard(&mut self, place: &str, is_bot: bool, now_ms: i64, limit: &LoopLimit) -> usize {
        if !is_bot {
            self.places.remove(place);
            return 0;
        }
        if !self.places.contains_key(place) && self.places.len() >= MAX_PLACES {
            self.forget_oldest();
        }
        let moments = self.places.entry(place.to_owned()).or_default();
        moments.retain(|moment| *moment <= now_ms && now_ms.saturating_sub(*moment) < limit.within_ms);
        moments.push_back(now_ms);
        while moments.len() > limit.most.saturating_add(1).min(MAX_KEPT) {
            moments.pop_front();
        }
        moments.len()
    }

    fn forget_oldest(&mut self) {
        let oldest = self.places.iter().min_by_key(|(_, moments)| moments.back().copied());
        if let Some(place) = oldest.map(|(place, _)| place.clone()) {
            self.places.remove(&place);
        }
    }
}

#[cfg(test)]
mod tests;
