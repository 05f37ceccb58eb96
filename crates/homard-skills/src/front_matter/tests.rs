//! Heads of all kinds: good, odd and broken.

use proptest::prelude::{ProptestConfig, any, proptest};

use super::{FrontMatter, FrontMatterError, parse};

fn head(lines: &str) -> Result<FrontMatter, FrontMatterError> {
    parse(&format!("---\n{lines}\n---\n# Body\n"))
}

#[test]
fn what_a_skill_says_is_read_from_yaml_and_from_json() {
    let yaml = "name: gh\ndescription: Talk to GitHub\nmetadata:\n  homard:\n    emoji: \"🐙\"\n    primaryEnv: GH_TOKEN\n    os: [linux, darwin]\n    requires:\n      bins: [gh]\n      anyBins: [a, b]\n      env: [GH_TOKEN]\n      config: [tools.web.search.enabled]\n    install:\n      - {id: brew, kind: brew, formula: gh, bins: [gh], label: Install gh}\n      - kind: node\n        package: gh-cli";
    let found = head(yaml).unwrap();
    let about = &found.about;
    assert_eq!((found.name.as_deref(), found.description.as_str()), (Some("gh"), "Talk to GitHub"));
    assert_eq!((about.os.len(), about.bins.as_slice(), about.any_bins.len()), (2, &["gh".to_owned()][..], 2));
    assert_eq!(about.install[1].id, "node-1");
    let json = "name: gh\ndescription: Talk to GitHub\nmetadata: {\"openclaw\":{\"emoji\":\"🐙\",\"primaryEnv\":\"GH_TOKEN\",\"os\":[\"linux\",\"darwin\"],\"requires\":{\"bins\":[\"gh\"],\"anyBins\":[\"a\",\"b\"],\"env\":[\"GH_TOKEN\"],\"config\":[\"tools.web.search.enabled\"]},\"install\":[{\"id\":\"brew\",\"kind\":\"brew\",\"formula\":\"gh\",\"bins\":[\"gh\"],\"label\":\"Install gh\"},{\"kind\":\"node\",\"package\":\"gh-cli\"}]}}";
    assert_eq!(head(json).unwrap(), found);
    let text = "name: gh\ndescription: Talk to GitHub\nmetadata: '{\"clawdbot\": {\"requires\": {\"bins\": [\"gh\"],}}}'";
    assert_eq!(head(text).unwrap().about.bins, ["gh"]);
    let over_lines = "name: gh\ndescription: x\nmetadata:\n  {\n    \"openclaw\": { \"requires\": { \"bins\": [\"gh\"], }, },\n  }";
    assert_eq!(head(over_lines).unwrap().about.bins, ["gh"]);
}

#[test]
fn our_own_name_in_the_metadata_comes_first() {
    let both = "description: x\nmetadata: {\"openclaw\": {\"emoji\": \"b\"}, \"homard\": {\"emoji\": \"a\"}}";
    assert_eq!(head(both).unwrap().about.emoji.as_deref(), Some("a"));
}

#[test]
fn switches_are_read_as_people_spell_them() {
    let rows = [
        ("", (true, false)),
        ("user-invocable: false", (false, false)),
        ("user-invocable: \"no\"", (false, false)),
        ("disable-model-invocation: yes", (true, true)),
        ("disable-model-invocation: 1", (true, true)),
    ];
    for (line, expected) in rows {
        let found = head(&format!("description: x\n{line}")).unwrap();
        assert_eq!((found.user_invocable, found.disable_model_invocation), expected, "{line}");
    }
    let to_tool = head("description: x\ncommand-dispatch: tool\ncommand-tool: exec").unwrap();
    assert_eq!(to_tool.command_tool.as_deref(), Some("exec"));
    assert_eq!(head("description: x\ncommand-tool: exec").unwrap().command_tool, None);
}

#[test]
fn a_colon_in_an_unquoted_description_is_forgiven() {
    let found = head("name: notes\ndescription: Use this when: somebody wants notes").unwrap();
    assert_eq!(found.description, "Use this when: somebody wants notes");
    let gated =
        head("name: n\ndescription: a: b\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"gh\"]}}}");
    assert_eq!(gated.unwrap().about.bins, ["gh"], "what it needs is not lost on the way");
}

#[test]
fn a_folded_description_becomes_one_line_and_a_long_one_is_cut() {
    assert_eq!(head("description: >\n  one\n  two\n\n  three").unwrap().description, "one two three");
    let long = head(&format!("description: {}", "word ".repeat(500))).unwrap().description;
    assert!(long.chars().count() == 1_024 && long.ends_with('…'));
}

#[test]
fn line_ends_and_marks_of_other_systems_are_taken() {
    let text = "\u{feff}---\r\nname: a\r\ndescription: b\r\n---\r\nbody";
    assert_eq!(parse(text).unwrap().name.as_deref(), Some("a"));
    assert_eq!(parse("---\ndescription: b\n---").unwrap().description, "b");
}

#[test]
fn what_is_broken_says_how() {
    let rows = [
        ("", "has no front matter"),
        ("# Only a title\n", "has no front matter"),
        ("---\nname: a\ndescription: b\n", "without an end"),
        ("---\nname: a\n---\n", "no `description`"),
        ("---\ndescription: \"  \"\n---\n", "no `description`"),
        ("---\n- a\n- b\n---\n", "not a list of `key: value` lines"),
        ("---\njust words\n---\n", "not a list of `key: value` lines"),
        ("---\n---\n", "front matter"),
        ("---\nname: [a\ndescription: |\n  b\n---\n", "not YAML"),
        ("---\nname: a\n\tdescription: b\n---\n", "not YAML"),
        ("---\nname: {a: 1}\ndescription: b\n---\n", "wrong `name`"),
        ("---\ndescription: [b]\n---\n", "wrong `description`"),
        ("---\ndescription: b\nuser-invocable: maybe\n---\n", "wrong `user-invocable`"),
        ("---\ndescription: b\nmetadata: '{not json'\n---\n", "wrong `metadata`"),
        ("---\ndescription: b\nmetadata: [1]\n---\n", "wrong `metadata`"),
        ("---\ndescription: b\nmetadata: {openclaw: [1]}\n---\n", "wrong `metadata`"),
        ("---\ndescription: b\nmetadata: {openclaw: {requires: 1}}\n---\n", "wrong `requires`"),
        ("---\ndescription: b\nmetadata: {openclaw: {requires: {bins: {a: 1}}}}\n---\n", "wrong `bins`"),
        ("---\ndescription: b\nmetadata: {openclaw: {requires: {env: [1]}}}\n---\n", "wrong `env`"),
    ];
    for (text, words) in rows {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text:?}: {error}");
        assert!(!error.contains('\n'), "{text:?}: {error}");
    }
}

#[test]
fn a_head_that_grows_when_it_is_read_is_refused() {
    let mut lines = String::from("description: b\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let before = n - 1;
        lines.push_str(&format!(
            "a{n}: &a{n} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"
        ));
    }
    assert!(matches!(head(&lines), Err(FrontMatterError::Yaml(_))));
    assert!(matches!(head(&format!("description: {}", "[".repeat(100_000))), Err(FrontMatterError::TooLong)));
    assert!(head(&format!("description: x\nmetadata:\n  a: {}", "[".repeat(1_000))).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_that_is_written_breaks_the_reader(text in any::<String>(), lines in "[a-z:\\- \\[\\]{}\"'|>&*#\\n\\t]{0,120}") {
        drop(parse(&text));
        drop(head(&text));
        drop(head(&lines));
    }
}
