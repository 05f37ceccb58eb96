//! Places, precedence, limits and links.

use std::os::unix::fs::symlink;
use std::path::Path;

use homard_config::Paths;
use homard_config::config::skills::{Skills as Settings, SkillsLimits};

use super::{Loaded, SkillOrigin, load, roots};

/// Writes a skill whose description says where it is.
fn write(dir: &Path, name: &str, description: &str) {
    let dir = dir.join(name);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\n"))
        .unwrap();
}

fn found(home: &Path, limits: &SkillsLimits) -> Loaded {
    let settings = Settings { extra_dirs: vec![home.join("extra")], ..Settings::default() };
    let all = roots(&Paths::under(home), &settings, &home.join("ws"), Some(&home.join("bundled")));
    load(&all, limits)
}

#[test]
fn the_strongest_place_wins_and_every_place_counts() {
    let home = tempfile::tempdir().unwrap();
    let places = [
        ("extra", SkillOrigin::Extra),
        ("bundled", SkillOrigin::Bundled),
        (".homard/skills", SkillOrigin::Managed),
        (".agents/skills", SkillOrigin::Personal),
        ("ws/.agents/skills", SkillOrigin::Project),
        ("ws/skills", SkillOrigin::Workspace),
    ];
    for (dir, place) in places {
        write(&home.path().join(dir), "same", dir);
        write(&home.path().join(dir), &format!("only-{}", place.wire()), dir);
        let loaded = found(home.path(), &SkillsLimits::default());
        assert_eq!(
            (loaded.skills["same"].place, loaded.skills["same"].front.description.as_str()),
            (place, dir)
        );
    }
    assert_eq!(found(home.path(), &SkillsLimits::default()).skills.len(), 7);
}

#[test]
fn a_broken_skill_is_listed_and_neither_hides_nor_harms_others() {
    let home = tempfile::tempdir().unwrap();
    write(&home.path().join("bundled"), "weather", "good");
    write(&home.path().join("ws/skills"), "notes", "good");
    for (name, text) in [("weather", "no head"), ("torn", "---\nname: torn"), ("empty", "")] {
        let dir = home.path().join("ws/skills").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("SKILL.md"), text).unwrap();
    }
    let binary = home.path().join("ws/skills/binary");
    std::fs::create_dir_all(&binary).unwrap();
    std::fs::write(binary.join("SKILL.md"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::create_dir_all(home.path().join("ws/skills/folder/SKILL.md")).unwrap();
    let loaded = found(home.path(), &SkillsLimits::default());
    assert_eq!(loaded.skills.keys().collect::<Vec<_>>(), ["notes", "weather"]);
    assert_eq!(loaded.skills["weather"].place, SkillOrigin::Bundled);
    let reasons: Vec<(&str, &str)> =
        loaded.broken.iter().map(|b| (b.name.as_str(), b.reason.as_str())).collect();
    let expected = [
        ("binary", "not UTF-8"),
        ("empty", "no front matter"),
        ("folder", "is not a file"),
        ("torn", "without an end"),
        ("weather", "no front matter"),
    ];
    assert_eq!(reasons.len(), expected.len(), "{reasons:?}");
    for ((name, reason), (wanted, words)) in reasons.iter().zip(expected) {
        assert!(*name == wanted && reason.contains(words), "{name}: {reason}");
    }
}

#[test]
fn links_may_stay_inside_their_place_and_not_lead_out_of_it() {
    let home = tempfile::tempdir().unwrap();
    let skills = home.path().join("ws/skills");
    write(&skills, "real", "good");
    write(&home.path().join("outside"), "secret", "elsewhere");
    symlink(skills.join("real"), skills.join("inside")).unwrap();
    symlink(home.path().join("outside/secret"), skills.join("folder-out")).unwrap();
    std::fs::create_dir_all(skills.join("file-out")).unwrap();
    symlink(home.path().join("outside/secret/SKILL.md"), skills.join("file-out/SKILL.md")).unwrap();
    std::fs::create_dir_all(skills.join("nowhere")).unwrap();
    symlink("/no/such/file", skills.join("nowhere/SKILL.md")).unwrap();
    symlink("loop", skills.join("loop")).unwrap();
    let loaded = found(home.path(), &SkillsLimits::default());
    assert_eq!(loaded.skills.keys().collect::<Vec<_>>(), ["real"]);
    let broken: Vec<&str> = loaded.broken.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(broken, ["file-out", "folder-out", "nowhere"]);
    assert!(loaded.broken[0].reason.contains("symbolic link"), "{}", loaded.broken[0].reason);

    // A place that is itself a link is the owner's choice.
    let other = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(other.path().join("ws")).unwrap();
    symlink(home.path().join("outside"), other.path().join("ws/skills")).unwrap();
    assert_eq!(found(other.path(), &SkillsLimits::default()).skills.len(), 1);
}

#[test]
fn limits_hold_and_are_told() {
    let home = tempfile::tempdir().unwrap();
    for n in 0..6 {
        write(&home.path().join("ws/skills"), &format!("s{n}"), "x");
    }
    let defaults = SkillsLimits::default();
    let few = found(home.path(), &SkillsLimits { candidates_per_root: 4, ..defaults });
    assert_eq!((few.skills.len(), few.left_out.len()), (4, 1));
    let few = found(home.path(), &SkillsLimits { per_source: 2, ..defaults });
    assert_eq!(
        (few.skills.keys().map(String::as_str).collect::<Vec<_>>(), few.left_out.len()),
        (vec!["s0", "s1"], 1)
    );
    let none = found(home.path(), &SkillsLimits { file_bytes: 10, ..defaults });
    assert_eq!((none.skills.len(), none.broken.len()), (0, 6));
    assert!(none.broken[0].reason.contains("larger than 10 bytes"));
}

#[test]
fn what_is_no_skill_is_not_looked_at() {
    let home = tempfile::tempdir().unwrap();
    let skills = home.path().join("ws/skills");
    write(&skills, ".hidden", "x");
    write(&skills, "node_modules", "x");
    std::fs::create_dir_all(skills.join("just-a-folder")).unwrap();
    std::fs::write(skills.join("README.md"), "x").unwrap();
    let loaded = found(home.path(), &SkillsLimits::default());
    assert_eq!((loaded.skills.len(), loaded.broken.len()), (0, 0));
    assert!(loaded.stamps.are_current());
    write(&skills, "just-a-folder", "now it is one");
    assert!(!loaded.stamps.are_current());
}

#[test]
fn a_place_may_be_a_skill_itself() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "extra", "alone");
    write(&home.path().join("extra"), "inner", "not looked for");
    assert_eq!(found(home.path(), &SkillsLimits::default()).skills.keys().collect::<Vec<_>>(), ["extra"]);
}

#[test]
fn of_two_places_that_are_one_folder_the_stronger_counts() {
    let settings = Settings { extra_dirs: vec!["/h/.agents/skills".into()], ..Settings::default() };
    let all = roots(&Paths::under(Path::new("/h")), &settings, Path::new("/h"), None);
    let kinds: Vec<SkillOrigin> = all.iter().map(|root| root.place).collect();
    assert_eq!(kinds, [SkillOrigin::Managed, SkillOrigin::Project, SkillOrigin::Workspace]);
}
