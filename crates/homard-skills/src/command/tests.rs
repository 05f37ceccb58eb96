//! How skills are called.

use std::path::Path;
use std::sync::Arc;

use super::{SkillCommand, named, told};
use crate::front_matter::FrontMatter;
use crate::load::{Skill, SkillOrigin};

fn commands(names: &[&str]) -> Vec<SkillCommand> {
    let skills: Vec<Arc<Skill>> = names
        .iter()
        .map(|&name| {
            let front = FrontMatter { user_invocable: true, ..FrontMatter::default() };
            let file = format!("/h/{name}/SKILL.md").into();
            Arc::new(Skill { name: name.into(), front, place: SkillOrigin::Managed, dir: "/h".into(), file })
        })
        .collect();
    named(&skills, |name| name == "help")
}

#[test]
fn names_are_made_fit_for_commands() {
    let long = "a".repeat(40);
    let given = ["My Skill!", "my-skill", "my_skill", "help", "__x__", "日本", &long, &format!("{long}b")];
    let names: Vec<String> = commands(&given).into_iter().map(|command| command.name).collect();
    let cut = "a".repeat(32);
    let numbered = format!("{}_2", "a".repeat(30));
    assert_eq!(names, ["my_skill", "my_skill_2", "my_skill_3", "help_2", "x", &cut, &numbered]);
}

#[test]
fn calls_are_told_from_other_words() {
    let rows = [
        ("/gh list my issues", Some(("gh", "list my issues"))),
        ("  /GH@homard_bot:  two\nlines ", Some(("gh", "two\nlines"))),
        ("/gh", Some(("gh", ""))),
        ("/skill gh now", Some(("gh", "now"))),
        ("/skill Day-Planner tomorrow", Some(("day-planner", "tomorrow"))),
        ("/day_planner x", Some(("day-planner", "x"))),
        ("/skill", None),
        ("/skill nothing", None),
        ("/ghost", None),
        ("gh list", None),
        ("/", None),
        ("", None),
        ("see /gh", None),
    ];
    let commands = commands(&["gh", "day-planner"]);
    for (text, expected) in rows {
        let expected = expected.map(|(skill, asked)| {
            let asked = if asked.is_empty() { "Nothing more was said." } else { asked };
            format!("Use the skill \"{skill}\": read ~/{skill}/SKILL.md and follow it.\n\n{asked}")
        });
        assert_eq!(told(&commands, text, Path::new("/h")), expected, "{text}");
    }
}
