//! An index that two find to be of another version.

use super::{Index, PASSAGE_CHARS, VERSION};

#[test]
fn of_two_who_find_another_version_one_makes_it_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    let (one, other) = (Index::open(&path).unwrap(), Index::open(&path).unwrap());
    one.cut_by(50).unwrap();
    one.set_meta("version", "0").unwrap();
    one.begin_anew().unwrap();
    let kept = || (one.meta("version").unwrap(), one.meta(PASSAGE_CHARS).unwrap());
    assert_eq!(kept(), (Some(VERSION.to_owned()), None));
    one.cut_by(100).unwrap();
    other.begin_anew().unwrap();
    assert_eq!(kept(), (Some(VERSION.to_owned()), Some("100".to_owned())), "what was filled since stays");
}
