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

/// Full-width letters as ordinary ones.
fn narrow(c: char) -> Option<char> {
    match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0),
        _ => Some(c),
    }
}
