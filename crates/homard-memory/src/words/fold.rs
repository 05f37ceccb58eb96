//! Letters without case, accents and width, so that `Zoë`, `ZOE` and `ｚｏｅ` are one name. A table of the letters people
//! write, not of all of Unicode: that would weigh more than the rest of the room.

/// Each letter and those that are read as it.
const PLAIN: [(char, &str); 31] = [
    ('a', "àáâãäåāăąǎǟǡǻȁȃȧạảấầẩẫậắằẳẵặάἀἁ"),
    ('c', "çćĉċč"),
    ('d', "ďđ"),
    ('e', "èéêëēĕėęěȅȇȩẹẻẽếềểễệ"),
    ('g', "ĝğġģǧǥ"),
    ('h', "ĥħ"),
    ('i', "ìíîïĩīĭįıǐȉȋỉị"),
    ('j', "ĵǰ"),
    ('k', "ķǩ"),
    ('l', "ĺļľŀł"),
    ('n', "ñńņňŉŋǹ"),
    ('o', "òóôõöøōŏőơǒǫǭȍȏȫȭȯȱọỏốồổỗộớờởỡợ"),
    ('r', "ŕŗřȑȓ"),
    ('s', "śŝşšșſ"),
    ('t', "ţťŧț"),
    ('u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗụủứừửữự"),
    ('w', "ŵẁẃẅ"),
    ('y', "ýÿŷȳẏỳỵỷỹ"),
    ('z', "źżžƶ"),
    ('α', "ά"),
    ('ε', "έ"),
    ('η', "ή"),
    ('ι', "ίϊΐ"),
    ('ο', "ό"),
    ('υ', "ύϋΰ"),
    ('ω', "ώ"),
    ('σ', "ς"),
    ('е', "ёѐ"),
    ('и', "ѝ"),
    ('і', "ї"),
    ('г', "ґ"),
];

/// A word without case, accents, marks and width.
pub(crate) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(word.len());
    for c in word.chars().flat_map(narrow).flat_map(char::to_lowercase) {
        match c {
            '\u{300}'..='\u{36f}' => {}
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            _ if c.is_ascii() => folded.push(c),
            _ => folded.push(PLAIN.iter().find(|(_, like)| like.contains(c)).map_or(c, |(plain, _)| *plain)),
        }
    }
    folded
}

/// Letters of [`PLAIN`] that are not another one with a mark on it.
const WHOLE: &str = "øłđħŧǥƶŀſŉςґ";
/// Kana that stand one, or two, after the ones they are with a mark.
const VOICED: &str = "がぎぐげござじずぜぞだぢづでどばびぶべぼガギグゲゴザジズゼゾダヂヅデドバビブベボ";
const HALF_VOICED: &str = "ぱぴぷぺぽパピプペポ";

/// A text without case and marks as models read it that know no case: `é` is `e`, but `ø` and `ß` stay, a Korean syllable
/// is its letters, and characters nobody sees are left out.
pub(crate) fn unmarked(text: &str) -> String {
    if text.is_ascii() && !text.contains(|c: char| c.is_ascii_control() && !c.is_ascii_whitespace()) {
        return text.to_ascii_lowercase();
    }
    let mut read = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase).filter(|c| !is_unseen(*c)) {
        match c {
            _ if c.is_ascii() || WHOLE.contains(c) => read.push(c),
            'й' => read.push('и'),
            '\u{3041}'..='\u{30ff}' => read.push(unvoiced(c)),
            '\u{ac00}'..='\u{d7a3}' => read.extend(letters_of(c)),
            _ => read.push(PLAIN.iter().find(|(_, like)| like.contains(c)).map_or(c, |(plain, _)| *plain)),
        }
    }
    read
}

/// Marks that stand by themselves, and characters that only say how others are set.
fn is_unseen(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(u32::from(c),
            0x00ad | 0x0300..=0x036f | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064
            | 0x3099 | 0x309a | 0xfe00..=0xfe0f | 0xfeff)
}

fn unvoiced(c: char) -> char {
    let back = match () {
        () if VOICED.contains(c) => 1,
        () if HALF_VOICED.contains(c) => 2,
        () => 0,
    };
    char::from_u32(u32::from(c) - back).unwrap_or(c)
}

/// The two or three letters of a Korean syllable.
fn letters_of(syllable: char) -> impl Iterator<Item = char> {
    let place = u32::from(syllable).saturating_sub(0xac00);
    let last = Some(0x11a7 + place % 28).filter(|last| *last > 0x11a7);
    let letters = [0x1100 + place / 588, 0x1161 + place % 588 / 28].into_iter().chain(last);
    letters.filter_map(char::from_u32)
}

/// Full-width letters as ordinary ones.
fn narrow(c: char) -> Option<char> {
    match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0),
        _ => Some(c),
    }
}
