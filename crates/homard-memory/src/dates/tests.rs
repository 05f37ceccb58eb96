//! Dates in many spellings.

use jiff::civil::date;

use super::*;

fn moments(text: &str, reading: Reading) -> Vec<Moment> {
    scan(text, Some(date(2026, 11, 18)), reading).into_iter().map(|found| found.moment).collect()
}

#[test]
fn days_are_read_in_every_usual_spelling() {
    let day = Moment::Day(date(2023, 5, 8));
    for text in [
        "memory/2023-05-08-trip.md",
        "2023-05-08_trip",
        "1:56 pm on 8 May, 2023",
        "May 8th, 2023",
        "on May 8, 2023 we met",
        "am 8. Mai 2023",
        "8.5.2023",
        "5/8/2023",
        "el 8 de mayo de 2023",
        "le 8 mai 2023",
        "2023年5月8日",
        "8th of May 2023",
    ] {
        assert_eq!(moments(text, Reading::Note).first(), Some(&day), "{text}");
    }
}

#[test]
fn questions_are_read_from_today() {
    let cases = [
        ("what happened last May?", Moment::Month(2026, 5)),
        ("what happened last December", Moment::Month(2025, 12)),
        ("in June 2023", Moment::Month(2023, 6)),
        ("in 2023", Moment::Year(2023)),
        ("in March", Moment::AnyMonth(3)),
        ("on 3 July", Moment::AnyDay(7, 3)),
        ("yesterday", Moment::Day(date(2026, 11, 17))),
        ("was habe ich gestern gesagt", Moment::Day(date(2026, 11, 17))),
        ("two weeks ago", Moment::Days(date(2026, 11, 2), date(2026, 11, 8))),
        ("last week", Moment::Days(date(2026, 11, 9), date(2026, 11, 15))),
        ("last Friday", Moment::Day(date(2026, 11, 13))),
        ("vor drei Tagen", Moment::Day(date(2026, 11, 15))),
        ("la semaine dernière", Moment::Days(date(2026, 11, 9), date(2026, 11, 15))),
        ("the week before 9 June 2023", Moment::Days(date(2023, 6, 2), date(2023, 6, 8))),
        ("the day after 31 December 2023", Moment::Day(date(2024, 1, 1))),
        ("the Friday before 15 July, 2023", Moment::Day(date(2023, 7, 14))),
        ("in summer 2022", Moment::Days(date(2022, 6, 1), date(2022, 8, 31))),
    ];
    for (text, expected) in cases {
        assert_eq!(moments(text, Reading::Question), [expected], "{text}");
    }
}

#[test]
fn words_and_numbers_that_are_no_dates_are_left_alone() {
    for text in ["may I march on?", "it cost 2000 euros", "at 10:45", "version 1.2.3", "room 12.13.14", ""] {
        assert_eq!(moments(text, Reading::Note), [], "{text}");
    }
}

#[test]
fn a_day_marks_its_month_and_year_and_is_wanted_alone() {
    let day = Moment::Day(date(2023, 5, 8));
    assert_eq!(day.marks(), ["§d20230508", "§m202305", "§y2023", "§o05", "§a0508"]);
    assert_eq!(day.wanted(), ["§d20230508"]);
    assert_eq!(
        Moment::Days(date(2022, 6, 1), date(2022, 8, 31)).wanted(),
        ["§m202206", "§m202207", "§m202208"]
    );
    assert_eq!(Moment::Days(date(2023, 1, 1), date(2023, 1, 2)).wanted(), ["§d20230101", "§d20230102"]);
}
