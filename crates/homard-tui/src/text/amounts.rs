//! Numbers as people read them in a status line.

/// Tokens, short.
pub(crate) fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..100_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        100_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// Dollars with as many digits as tell something.
pub(crate) fn money(dollars: f64) -> String {
    if dollars < 0.0001 {
        return if dollars > 0.0 { "<$0.0001".to_owned() } else { "$0".to_owned() };
    }
    let digits = if dollars < 0.01 {
        4
    } else if dollars < 1.0 {
        3
    } else {
        2
    };
    format!("${dollars:.digits$}")
}

/// How long something took.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{}s", ms / 1_000, ms % 1_000 / 100),
        10_000..60_000 => format!("{}s", ms / 1_000),
        60_000..3_600_000 => format!("{}m{:02}s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{}h{:02}m", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

/// How long something goes on, in whole seconds.
pub(crate) fn elapsed(ms: u64) -> String {
    if ms < 60_000 { format!("{}s", ms / 1_000) } else { duration(ms) }
}

/// How large a file is.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KB", bytes / 1_024),
        _ => format!("{}.{} MB", bytes / 1_048_576, bytes % 1_048_576 * 10 / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, elapsed, money, size, tokens};

    #[test]
    fn amounts_are_short() {
        for (count, shown) in [(7, "7"), (1_234, "1.2k"), (128_000, "128k"), (1_250_000, "1.2M")] {
            assert_eq!(tokens(count), shown);
        }
        for (dollars, shown) in
            [(0.0, "$0"), (0.00001, "<$0.0001"), (0.0042, "$0.0042"), (0.25, "$0.250"), (12.0, "$12.00")]
        {
            assert_eq!(money(dollars), shown);
        }
        for (ms, shown) in [(340, "0.3s"), (12_000, "12s"), (75_000, "1m15s"), (3_700_000, "1h01m")] {
            assert_eq!(duration(ms), shown);
        }
        assert_eq!((elapsed(3_400), elapsed(75_000)), ("3s".to_owned(), "1m15s".to_owned()));
        for (bytes, shown) in [(12, "12 B"), (2_048, "2 KB"), (1_572_864, "1.5 MB")] {
            assert_eq!(size(bytes), shown);
        }
    }
}
