//! What is counted: tokens and money, in whole numbers.
//!
//! Money is millionths of a dollar inside. Adding ten thousand floating-point prices drifts; adding whole
//! numbers does not, and a limit is then either reached or not.

use std::fmt;

use homard_protocol::{Cost, Usage};

/// Millionths in one.
const MICRO: f64 = 1_000_000.0;

/// Tokens and money of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub micro_usd: u64,
}

/// What a limit is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Tokens,
    Usd,
}

impl Unit {
    /// The word configuration uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Usd => "usd",
        }
    }

    /// A count in this unit as programs are told it: tokens, or dollars.
    #[must_use]
    pub fn shown(self, count: u64) -> f64 {
        // Halves of 32 bits each are exact; beyond 2^53 nobody counts single tokens.
        let low = f64::from(u32::try_from(count & u64::from(u32::MAX)).unwrap_or(0));
        let high = f64::from(u32::try_from(count >> 32).unwrap_or(0));
        let whole = high * 4_294_967_296.0 + low;
        match self {
            Self::Tokens => whole,
            Self::Usd => whole / MICRO,
        }
    }

    /// A count in this unit, for people.
    #[must_use]
    pub fn show(self, count: u64) -> String {
        match self {
            Self::Tokens => format!("{count} tokens"),
            Self::Usd => {
                let (dollars, micro) = (count / 1_000_000, count % 1_000_000);
                // Cents are enough until somebody's limit or spending is finer than that.
                if micro.is_multiple_of(10_000) {
                    format!("${dollars}.{:02}", micro / 10_000)
                } else {
                    format!("${dollars}.{:04}", micro / 100)
                }
            }
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Amount {
    /// What a finished call used, as its provider counted and the price list priced it.
    #[must_use]
    pub fn of(usage: &Usage) -> Self {
        let sum = usage.prompt_tokens().saturating_add(usage.output);
        Self { tokens: sum.max(usage.total_tokens), micro_usd: micro_usd(usage.cost.total) }
    }

    /// The same as the usage of a call, in which only the sums are known.
    #[must_use]
    pub fn as_usage(self) -> Usage {
        let total = self.micro_usd as f64 / MICRO;
        Usage { total_tokens: self.tokens, cost: Cost { total, ..Cost::default() }, ..Usage::default() }
    }

    /// The count in one unit.
    #[must_use]
    pub fn in_unit(self, unit: Unit) -> u64 {
        match unit {
            Unit::Tokens => self.tokens,
            Unit::Usd => self.micro_usd,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }

    pub(super) fn at_least(self, other: Self) -> Self {
        Self { tokens: self.tokens.max(other.tokens), micro_usd: self.micro_usd.max(other.micro_usd) }
    }
}

/// Dollars as millionths, to the nearest; nonsense counts as nothing and too much as the most there is.
#[must_use]
pub fn micro_usd(dollars: f64) -> u64 {
    // A float's conversion saturates and turns what is not a number into zero.
    (dollars * MICRO).round() as u64
}
