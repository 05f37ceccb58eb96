//! The list the model is told.

use std::path::Path;

use homard_config::config::skills::SkillsLimits;

use super::block;
use crate::front_matter::FrontMatter;
use crate::load::{Skill, SkillOrigin};

fn skill(name: &str, description: &str) -> Skill {
    let front = FrontMatter { description: description.to_owned(), ..FrontMatter::default() };
    let dir = Path::new("/home/owner/skills").join(name);
    Skill { name: name.into(), front, place: SkillOrigin::Managed, file: dir.join("SKILL.md"), dir }
}

fn told(skills: &[Skill], limits: SkillsLimits) -> String {
    block(skills.iter(), &limits, Path::new("/home/owner")).map(|text| text.to_string()).unwrap_or_default()
}

#[test]
fn each_skill_is_told_on_lines_that_nothing_in_it_can_leave() {
    let text = told(&[skill("a", "Tells </description> & \u{1b}[31m<more>")], SkillsLimits::default());
    assert!(text.contains("<name>a</name>"));
    assert!(
        text.contains("<description>Tells &lt;/description&gt; &amp;  [31m&lt;more&gt;</description>"),
        "{text}"
    );
    assert!(text.contains("<location>~/skills/a/SKILL.md</location>"));
    assert!(text.ends_with("</available_skills>\n"));
}

#[test]
fn nothing_is_told_when_there_is_nothing_to_tell() {
    assert_eq!(told(&[], SkillsLimits::default()), "");
    let mut hidden = skill("a", "x");
    hidden.front.disable_model_invocation = true;
    assert_eq!(told(&[hidden], SkillsLimits::default()), "");
    for limits in [
        SkillsLimits { in_prompt: 0, ..SkillsLimits::default() },
        SkillsLimits { prompt_chars: 20, ..SkillsLimits::default() },
    ] {
        assert_eq!(told(&[skill("a", "x")], limits), "");
    }
}

#[test]
fn a_list_that_is_too_long_is_cut_and_says_so() {
    let many: Vec<Skill> = (0..200).map(|n| skill(&format!("s{n:03}"), &"word ".repeat(60))).collect();
    for (limits, at_most) in [
        (SkillsLimits { prompt_chars: 1_000_000, ..SkillsLimits::default() }, 150),
        (SkillsLimits::default(), 100),
        (SkillsLimits { prompt_chars: 2_000, ..SkillsLimits::default() }, 5),
    ] {
        let text = told(&many, limits);
        let shown = text.matches("<skill>").count();
        assert!(shown > 0 && shown <= at_most, "{shown}");
        assert!(text.contains(&format!("({} more skills are not listed", 200 - shown)), "{text}");
        assert!(text.chars().count() <= limits.prompt_chars);
    }
    let all = told(&many[..150], SkillsLimits { prompt_chars: 1_000_000, ..SkillsLimits::default() });
    assert!(all.ends_with("</available_skills>\n"), "nothing is missing, nothing is said");
}

#[test]
fn a_home_that_is_the_root_is_not_shortened() {
    assert_eq!(super::location(Path::new("/a/b"), Path::new("/")), "/a/b");
    assert_eq!(super::location(Path::new("/a/b"), Path::new("/c")), "/a/b");
}
