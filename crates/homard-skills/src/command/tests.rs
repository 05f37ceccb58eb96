//! How skills are called.

use std::path::Path;
use std::sync::Arc;

use super::{SkillCommand, invoke, named};
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
    named(&skills)
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
        let call = invoke(&commands, text, Path::new("/h"));
        let found = call.as_ref().map(|call| (call.skill.name.as_str(), call.args.as_str()));
        assert_eq!(found, expected, "{text}");
    }
    let call = invoke(&commands, "/gh list", Path::new("/h")).unwrap();
    assert_eq!(call.message, "Use the skill \"gh\": read ~/gh/SKILL.md and follow it.\n\nlist");
    assert_eq!(call.tool, None);
}
