//! Who may use which tool, and which rule says so.

use super::groups::NATIVE;
use super::layers::glob;
use super::{DecidedBy, GROUPS, Layer, LayerName, Profile, ToolPolicy, Unmatched, decision_of, known_names};

fn lists(name: LayerName, allow: &[&str], deny: &[&str]) -> Layer {
    Layer::new(name, allow, deny)
}

fn profile(profile: Profile, also: &[&str]) -> Layer {
    Layer::profile(LayerName::Profile, profile, also)
}

#[test]
fn the_rule_that_decides_is_named() {
    use LayerName::{Agent, Global, Group, Subagent};
    let rows: Vec<(Vec<Layer>, &str, bool, &str)> = vec![
        (vec![], "read", true, "no list mentions it"),
        (vec![lists(Global, &[], &["exec"])], "exec", false, "tools: deny has `exec`"),
        (vec![lists(Global, &[], &["exec"])], "bash", false, "tools: deny has `exec`"),
        (vec![lists(Global, &[], &["Bash "])], "exec", false, "tools: deny has `exec`"),
        (vec![lists(Global, &[], &["exec"])], "read", true, "no list mentions it"),
        (vec![lists(Global, &["read"], &[])], "read", true, "tools: allow has `read`"),
        (vec![lists(Global, &["read"], &[])], "exec", false, "tools: allow does not list it"),
        (vec![lists(Global, &["*"], &["exec"])], "exec", false, "tools: deny has `exec`"),
        (vec![lists(Global, &["exec"], &["*"])], "exec", false, "tools: deny has `*`"),
        (vec![lists(Global, &["group:fs"], &[])], "edit", true, "tools: allow has `group:fs`"),
        (vec![lists(Global, &["group:fs"], &[])], "exec", false, "tools: allow does not list it"),
        (vec![lists(Global, &[], &["group:runtime"])], "process", false, "tools: deny has `group:runtime`"),
        (vec![lists(Global, &["group:nothing"], &[])], "read", false, "tools: allow does not list it"),
        (vec![lists(Global, &["sessions_*"], &[])], "sessions_send", true, "tools: allow has `sessions_*`"),
        (vec![lists(Global, &["exec"], &[])], "apply_patch", true, "tools: allow has `exec`"),
        (
            vec![lists(Global, &["exec"], &["apply-patch"])],
            "apply_patch",
            false,
            "tools: deny has `apply_patch`",
        ),
        (
            vec![lists(Global, &["group:openclaw"], &[])],
            "web_fetch",
            true,
            "tools: allow has `group:openclaw`",
        ),
        (vec![lists(Global, &["group:homard"], &[])], "exec", false, "tools: allow does not list it"),
        (
            vec![profile(Profile::Minimal, &[])],
            "session_status",
            true,
            "tools.profile: allow has `session_status`",
        ),
        (vec![profile(Profile::Minimal, &[])], "read", false, "tools.profile: allow does not list it"),
        (vec![profile(Profile::Minimal, &["read"])], "read", true, "tools.profile: allow has `read`"),
        (vec![profile(Profile::Coding, &[])], "exec", true, "tools.profile: allow has `group:runtime`"),
        (vec![profile(Profile::Coding, &[])], "message", false, "tools.profile: allow does not list it"),
        (
            vec![profile(Profile::Messaging, &[])],
            "message",
            true,
            "tools.profile: allow has `group:messaging`",
        ),
        (vec![profile(Profile::Messaging, &[])], "exec", false, "tools.profile: allow does not list it"),
        (vec![profile(Profile::Full, &[])], "anything", true, "no list mentions it"),
        (vec![profile(Profile::Full, &["read"])], "exec", true, "no list mentions it"),
        (
            vec![lists(Agent, &["exec"], &[]), lists(Global, &[], &["exec"])],
            "exec",
            false,
            "tools: deny has `exec`",
        ),
        (
            vec![lists(Group, &["read"], &[]), profile(Profile::Coding, &[])],
            "write",
            false,
            "the group's tools: allow does not list it",
        ),
        (
            vec![lists(Group, &["re*"], &[]), profile(Profile::Coding, &[])],
            "read",
            true,
            "the group's tools: allow has `re*`",
        ),
        (
            vec![lists(Subagent, &[], &["cron"]), lists(Global, &["*"], &[])],
            "cron",
            false,
            "subagent tools: deny has `cron`",
        ),
    ];
    for (layers, tool, allowed, by) in rows {
        let decision = ToolPolicy::new(layers.clone()).decide(tool);
        assert_eq!(
            (decision.allowed, decision.by.to_string().as_str()),
            (allowed, by),
            "{tool} under {layers:?}"
        );
        let explained = decision_of(&ToolPolicy::new(layers).explain(tool));
        assert_eq!(explained, decision, "the explanation of {tool} comes to the same");
    }
}

#[test]
fn a_star_stands_for_any_characters() {
    let rows = [
        ("*", "", true),
        ("*", "read", true),
        ("r*d", "read", true),
        ("r*d", "reads", false),
        ("*e*a*", "read", true),
        ("*a*e*", "read", false),
        ("ab*ba", "aba", false),
        ("ab*ba", "abba", true),
        ("**", "x", true),
        ("read", "read", true),
        ("read", "read2", false),
        ("", "", true),
        ("", "x", false),
    ];
    for (pattern, name, expected) in rows {
        assert_eq!(glob(pattern, name), expected, "{pattern} on {name}");
    }
}

#[test]
fn groups_and_their_members_are_alphabetical() {
    assert!(GROUPS.is_sorted_by_key(|group| group.name));
    assert!(GROUPS.iter().all(|group| group.members.is_sorted()) && NATIVE.is_sorted());
}

#[test]
fn profiles_are_read_from_the_configurations_words() {
    assert_eq!(Profile::parse(" Coding"), Some(Profile::Coding));
    assert_eq!(Profile::parse("everything"), None);
}

#[test]
fn an_explanation_goes_through_every_layer_and_says_what_to_change() {
    let policy = ToolPolicy::new(vec![
        profile(Profile::Coding, &[]).at("tools.profile"),
        lists(LayerName::Global, &[], &["group:runtime"]).at("tools"),
        lists(LayerName::Agent, &["read"], &[]).at("agents.list[main].tools"),
        lists(LayerName::Owner, &[], &["cron"]).at("built in").remedy("only the owner may"),
    ]);
    let advice = |tool: &str| -> Vec<String> {
        policy.explain(tool).into_iter().filter_map(|verdict| verdict.advice).collect()
    };
    let layers: Vec<LayerName> = policy.explain("exec").iter().map(|verdict| verdict.layer).collect();
    assert_eq!(layers, LayerName::ALL);
    let exec = ["take `group:runtime` out of tools.deny", "add `exec` to agents.list[main].tools.allow"];
    assert_eq!(advice("exec"), exec);
    let cron = [
        "add `cron` to tools.alsoAllow, or choose another tools.profile",
        "add `cron` to agents.list[main].tools.allow",
        "only the owner may",
    ];
    assert_eq!(advice("cron"), cron);
    assert_eq!(advice("read"), Vec::<String>::new());
    assert!(policy.explain("read").iter().all(|verdict| !verdict.by.refuses()));
    let silent = &policy.explain("read")[3];
    assert_eq!(
        (&silent.place, &silent.by),
        (&None, &DecidedBy::Nothing),
        "a layer without lists is shown too"
    );
}

#[test]
fn entries_that_name_nothing_are_found() {
    let known: Vec<&str> = known_names().collect();
    let policy = ToolPolicy::new(vec![
        profile(Profile::Coding, &["raed"]).at("tools.profile"),
        lists(LayerName::Global, &["read", "wriet", "group:files", "web_*", "*"], &["exce", "cron"])
            .at("tools"),
    ]);
    let entry =
        |place: &str, pattern: &str| Unmatched { place: place.to_owned(), pattern: pattern.to_owned() };
    let expected = [
        entry("tools.allow", "group:files"),
        entry("tools.allow", "wriet"),
        entry("tools.alsoAllow", "raed"),
        entry("tools.deny", "exce"),
    ];
    assert_eq!(policy.unmatched(&known), expected);
}

#[test]
fn a_profile_widened_by_nothing_built_in_is_still_the_profile() {
    let full = ToolPolicy::new(vec![profile(Profile::Full, &["read"])]);
    assert_eq!(full, ToolPolicy::default(), "everything is everything");
}
