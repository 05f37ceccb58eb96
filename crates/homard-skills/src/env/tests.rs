//! Who is given which variable.

use homard_config::config::skills::{SkillEntry, Skills as Settings};
use homard_config::{Environment, Secret};

use super::{gather, notes};
use crate::front_matter::parse;
use crate::load::{Skill, SkillOrigin};

fn skill(place: SkillOrigin) -> Skill {
    let head = "---\nname: s\ndescription: d\nmetadata: {\"homard\": {\"primaryEnv\": \"KEY\", \"requires\": {\"env\": [\"NEEDED\", \"HOMARD_GATEWAY_TOKEN\"]}}}\n---\n";
    Skill {
        name: "s".into(),
        front: parse(head).unwrap(),
        place,
        dir: "/s".into(),
        file: "/s/SKILL.md".into(),
    }
}

fn given(place: SkillOrigin, entry: SkillEntry, env: &[(&str, &str)]) -> Vec<(String, String)> {
    let settings = Settings { entries: [("s".to_owned(), entry)].into(), ..Settings::default() };
    let env = Environment::from_pairs(env.iter().copied());
    gather(std::iter::once(&skill(place)), &settings, &env).into_iter().collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn entry(key: Option<&str>, env: &[(&str, &str)]) -> SkillEntry {
    SkillEntry {
        enabled: None,
        api_key: key.map(Secret::new),
        env: env.iter().map(|&(name, value)| (name.to_owned(), Secret::new(value))).collect(),
    }
}

#[test]
fn what_the_owner_wrote_is_given_and_the_environment_wins_over_it() {
    let own = entry(Some("k"), &[("A", "1"), ("B", "2")]);
    let all = [pair("A", "1"), pair("B", "from outside"), pair("KEY", "k")];
    assert_eq!(given(SkillOrigin::Workspace, own.clone(), &[("B", "from outside")]), all);
    let named = entry(Some("k"), &[("KEY", "explicit")]);
    assert_eq!(given(SkillOrigin::Workspace, named, &[]), [pair("KEY", "explicit")]);
}

#[test]
fn a_skill_of_the_workspace_is_given_nothing_because_it_asks() {
    let env = [("NEEDED", "n"), ("KEY", "outer"), ("HOMARD_GATEWAY_TOKEN", "never")];
    assert_eq!(
        given(SkillOrigin::Managed, SkillEntry::default(), &env),
        [pair("KEY", "outer"), pair("NEEDED", "n")]
    );
    for place in [SkillOrigin::Workspace, SkillOrigin::Project] {
        assert_eq!(given(place, SkillEntry::default(), &env), []);
        assert_eq!(
            given(place, entry(Some("k"), &[]), &env),
            [pair("KEY", "k")],
            "its own key, not another's"
        );
    }
    let told = notes(&skill(SkillOrigin::Workspace), None, &Environment::from_pairs([("NEEDED", "n")]));
    assert!(told.len() == 1 && told[0].contains("skills.entries.s.env"), "{told:?}");
}

#[test]
fn what_steers_programs_is_never_given() {
    let own = entry(
        None,
        &[("LD_PRELOAD", "/x.so"), ("PATH", "/evil"), ("HOME", "/evil"), ("bad name", "x"), ("OK", "1")],
    );
    assert_eq!(given(SkillOrigin::Managed, own.clone(), &[]), [pair("OK", "1")]);
    let told = notes(&skill(SkillOrigin::Managed), Some(&own), &Environment::default());
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(
        told.iter().all(|words| !words.contains("evil") && !words.contains("/x.so")),
        "names only: {told:?}"
    );
}
