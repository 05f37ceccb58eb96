//! What people write into `.env` files.

use super::parse;

#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let found = parse(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn dotenv_files_read_as_people_expect() {
    check("", &[]);
    check("A=1", &[("A", "1")]);
    check("\u{feff}A=1\nB = two words \n", &[("A", "1"), ("B", "two words")]);
    check("# note\n\nexport A=1\r\n", &[("A", "1")]);
    check("A=x # note", &[("A", "x")]);
    check("A=x#y", &[("A", "x#y")]);
    check("A=#y", &[("A", "")]);
    check("A=\"a # b\\n\\\"c\\\"\" # note\nB=2", &[("A", "a # b\n\"c\""), ("B", "2")]);
    check("A='raw \\n $B'", &[("A", "raw \\n $B")]);
    check("A=\"one\ntwo\"\nB=3", &[("A", "one\ntwo"), ("B", "3")]);
    check("A=\"never closed\nB=3", &[("A", "\"never closed"), ("B", "3")]);
    check("nonsense\n1A=x\n=y\nA B=z", &[]);
    check("A=b=c", &[("A", "b=c")]);
}
