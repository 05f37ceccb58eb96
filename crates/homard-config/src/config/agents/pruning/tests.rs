//! How the times are written.

use std::time::Duration;

use super::duration;

#[test]
fn times_have_units_and_bare_numbers_are_minutes() {
    let rows = [
        ("500ms", Some(500)),
        ("30s", Some(30_000)),
        ("5m", Some(300_000)),
        (" 5 m ", Some(300_000)),
        ("1H", Some(3_600_000)),
        ("2d", Some(172_800_000)),
        ("7", Some(420_000)),
        ("", None),
        ("soon", None),
        ("5 years", None),
        ("99999999999999999999h", None),
        ("9999999999999999999h", None),
    ];
    for (text, millis) in rows {
        assert_eq!(duration(text), millis.map(Duration::from_millis), "{text}");
    }
}
