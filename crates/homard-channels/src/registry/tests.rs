//! What holds for every platform of the table.

use serde_json::Value;

use super::ENTRIES;

/// What an `x-form` may say about a platform, and about one of its keys.
const OF_PLATFORM: &[&str] = &["steps", "people", "handle", "named", "refused", "servers"];
const OF_KEY: &[&str] =
    &["needed", "more", "narrow", "help", "example", "initial", "pattern", "problem", "instead"];

#[test]
fn forms_say_only_what_they_understand_about_keys_that_exist() {
    for entry in ENTRIES {
        let schema = (entry.keys.own)();
        let keys = schema["properties"].as_object().unwrap();
        let about = schema["x-form"].as_object().unwrap();
        assert!(about.keys().all(|word| OF_PLATFORM.contains(&word.as_str())), "{}: {about:?}", entry.id);
        let named = about.get("named").and_then(Value::as_str);
        assert!(named.is_none_or(|key| keys.contains_key(key)), "{}: {named:?}", entry.id);
        let groups = schema["$defs"].as_object().into_iter().flat_map(|groups| groups.values());
        let places = std::iter::once(keys).chain(groups.filter_map(|group| group["properties"].as_object()));
        let mut asked = 0;
        for (key, hint, beside) in places.flat_map(|keys| {
            keys.iter().filter_map(move |(key, shape)| Some((key, shape.get("x-form")?.as_object()?, keys)))
        }) {
            asked += 1;
            assert!(hint.keys().all(|word| OF_KEY.contains(&word.as_str())), "{} {key}: {hint:?}", entry.id);
            let pattern = hint.get("pattern").and_then(Value::as_str);
            let is_read = pattern.is_none_or(|pattern| regex_lite::Regex::new(pattern).is_ok());
            assert!(is_read, "{} {key}: browsers and we must both understand {pattern:?}", entry.id);
            let instead = hint.get("instead").and_then(Value::as_array).into_iter().flatten();
            for other in instead.filter_map(Value::as_str) {
                assert!(beside.contains_key(other), "{} {key}: there is no `{other}`", entry.id);
            }
        }
        assert!(asked > 0, "{} asks for nothing", entry.id);
    }
}

#[test]
fn details_need_nothing_to_be_written() {
    for entry in ENTRIES {
        (entry.details)(&Value::Null);
    }
}
