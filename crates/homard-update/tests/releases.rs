//! A release is found, checked and put in place, and nothing else is: over a socket and from a folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use homard_testkit::{FakeWeb, ReleaseMaker, TestRelease, WebPage};
use homard_update::{FoundRelease, ReleaseKey, Source, UpdateError, Version, Wanted, find, stage};
use serde_json::json;

const TARGET: &str = "x86_64-unknown-linux-gnu";
/// What a test calls the new program.
const PROGRAM: &str = "#!/bin/sh\necho 'homard 9.9.9 (commit test)'\n";

/// What is no archive, and its SHA-256.
const JUNK: &[u8] = b"not an archive at all";
const JUNK_SUM: &str = "d14d5e23e4fb44b9e3902d8536e4f2cf63b7f8e7bcf12fbd5ccfe027b9104125";

struct World {
    maker: ReleaseMaker,
    web: FakeWeb,
    folder: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let world = Self {
            maker: ReleaseMaker::new().unwrap(),
            web: FakeWeb::start().await.unwrap(),
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(world.program(), "the old one").unwrap();
        world
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("homard")
    }

    fn release(&self) -> TestRelease {
        self.maker.release("9.9.9", "stable", TARGET, PROGRAM.as_bytes()).unwrap()
    }

    fn source(&self) -> Source {
        Source::parse(&self.web.url("/releases")).unwrap()
    }

    fn key(&self) -> ReleaseKey {
        ReleaseKey::parse(&self.maker.public_key()).unwrap()
    }

    async fn find(&self) -> Result<FoundRelease, UpdateError> {
        find(&self.source(), &newest("stable"), Some(&self.key())).await
    }

    /// Everything from finding to putting in place.
    async fn update(&self) -> Result<Option<PathBuf>, UpdateError> {
        let found = self.find().await?;
        let staged = stage(&found, TARGET, &self.program(), &mut |_, _| {}).await?;
        staged.check().await?;
        staged.install(&self.program())
    }

    /// The names in the folder of the program.
    fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn newest(channel: &str) -> Wanted {
    Wanted { channel: channel.to_owned(), version: None }
}

fn exactly(version: &str) -> Wanted {
    Wanted { channel: "stable".to_owned(), version: Some(Version::parse(version).unwrap()) }
}

#[tokio::test]
async fn a_release_is_put_in_place_and_the_old_program_kept_beside() {
    let world = World::new().await;
    world.release().serve(&world.web, "/releases/stable/");
    let found = world.find().await.unwrap();
    assert!(found.is_signed && found.place.ends_with("/releases/stable/"), "{found:?}");
    let mut told = Vec::new();
    let staged =
        stage(&found, TARGET, &world.program(), &mut |done, all| told.push((done, all))).await.unwrap();
    let size = found.release.build_for(TARGET).unwrap().size;
    assert_eq!(told.last(), Some(&(size, size)));
    assert_eq!(fs::read_to_string(world.program()).unwrap(), "the old one", "nothing is replaced yet");
    staged.check().await.unwrap();
    let previous = staged.install(&world.program()).unwrap().unwrap();
    assert_eq!(fs::read_to_string(world.program()).unwrap(), PROGRAM);
    assert_eq!(fs::read_to_string(previous).unwrap(), "the old one");
    assert_eq!(fs::metadata(world.program()).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(world.names(), ["homard", "homard.previous"]);
    // A second time, over the one that was kept.
    world.update().await.unwrap();
    assert_eq!(world.names(), ["homard", "homard.previous"]);
}

#[tokio::test]
async fn a_program_that_is_staged_and_not_wanted_is_gone() {
    let world = World::new().await;
    world.release().serve(&world.web, "/releases/");
    let found = world.find().await.unwrap();
    drop(stage(&found, TARGET, &world.program(), &mut |_, _| {}).await.unwrap());
    assert_eq!(world.names(), ["homard"]);
}

#[tokio::test]
async fn a_release_is_looked_for_by_version_by_channel_and_in_the_source_itself() {
    let world = World::new().await;
    let make = |version: &str, channel: &str| {
        world.maker.release(version, channel, TARGET, PROGRAM.as_bytes()).unwrap()
    };
    make("9.9.9", "stable").serve(&world.web, "/releases/");
    make("9.10.0-beta.1", "beta").serve(&world.web, "/releases/beta/");
    make("9.9.8", "stable").serve(&world.web, "/releases/v9.9.8/");
    let key = world.key();
    for (wanted, version) in [
        (newest("stable"), "9.9.9"),
        (newest("beta"), "9.10.0-beta.1"),
        (exactly("9.9.8"), "9.9.8"),
        (exactly("9.9.9"), "9.9.9"),
    ] {
        let found = find(&world.source(), &wanted, Some(&key)).await.unwrap();
        assert_eq!(found.release.version.to_string(), version);
    }
    for wanted in [newest("dev"), exactly("1.0.0")] {
        let error = find(&world.source(), &wanted, Some(&key)).await.unwrap_err();
        assert!(matches!(error, UpdateError::AnotherRelease { .. }), "{error}");
    }
    let nowhere = Source::parse(&world.web.url("/elsewhere")).unwrap();
    let error = find(&nowhere, &newest("stable"), Some(&key)).await.unwrap_err();
    assert!(matches!(error, UpdateError::NoRelease(_)), "{error}");
}

#[tokio::test]
async fn what_is_not_signed_by_the_key_is_not_taken() {
    let world = World::new().await;
    let good = world.release();
    let stranger = ReleaseMaker::new().unwrap();
    let theirs = stranger.release("9.9.9", "stable", TARGET, PROGRAM.as_bytes()).unwrap();
    let mut unsigned = good.clone();
    unsigned.remove("release.json.sig");
    let mut changed = good.clone();
    let text = String::from_utf8(good.file("release.json").to_vec()).unwrap();
    changed.put("release.json", text.replace("9.9.9", "9.9.8").into_bytes());
    for (release, path, why) in [
        (theirs, "/a/", "not signed by the key"),
        (unsigned, "/b/", "is not signed"),
        (changed, "/c/", "by the key"),
    ] {
        release.serve(&world.web, path);
        let source = Source::parse(&world.web.url(path)).unwrap();
        let error = find(&source, &newest("stable"), Some(&world.key())).await.unwrap_err();
        assert!(error.to_string().contains(why) && error.hint().is_some(), "{error}");
    }
    let asked = world.web.asked().len();
    let error = find(&world.source(), &newest("stable"), None).await.unwrap_err();
    assert!(matches!(error, UpdateError::NoKey), "{error}");
    assert_eq!(world.web.asked().len(), asked, "an address is not even asked without a key");
}

#[tokio::test]
async fn a_folder_of_this_machine_is_believed_without_a_key_and_checked_with_one() {
    let world = World::new().await;
    let place = tempfile::tempdir().unwrap();
    let mut release = world.release();
    release.remove("release.json.sig");
    release.write(place.path()).unwrap();
    let source = Source::parse(place.path().to_str().unwrap()).unwrap();
    let found = find(&source, &newest("stable"), None).await.unwrap();
    assert!(!found.is_signed);
    let staged = stage(&found, TARGET, &world.program(), &mut |_, _| {}).await.unwrap();
    staged.check().await.unwrap();
    staged.install(&world.program()).unwrap();
    assert_eq!(fs::read_to_string(world.program()).unwrap(), PROGRAM);
    find(&source, &newest("stable"), Some(&world.key())).await.unwrap_err();
}

#[tokio::test]
async fn what_is_not_what_the_release_says_changes_nothing() {
    let world = World::new().await;
    let good = world.release();
    let archive = good.archive.clone();
    let bytes = good.file(&archive).to_vec();
    let put = |bytes: Vec<u8>| {
        let mut release = good.clone();
        release.put(&archive, bytes);
        release
    };
    let describe = |change: &dyn Fn(&mut serde_json::Value), bytes: Vec<u8>| {
        let mut release = put(bytes);
        let mut manifest = good.manifest().unwrap();
        change(&mut manifest);
        world.maker.describe(&mut release, &manifest).unwrap();
        release
    };
    let mut flipped = bytes.clone();
    flipped[40] ^= 1;
    let nothing = world.maker.release("9.9.9", "stable", TARGET, b"#!/bin/sh\nexit 7\n").unwrap();
    let another = world.maker.release("9.9.9", "stable", TARGET, b"#!/bin/sh\necho homard 9.9.8\n").unwrap();
    let mut missing = good.clone();
    missing.remove(&archive);
    let rows: [(TestRelease, &str); 8] = [
        (put(bytes[..bytes.len() / 2].to_vec()), "bytes came"),
        (put([&bytes[..], b"x"].concat()), "longer than"),
        (put(flipped), "SHA-256"),
        (describe(&|m| m["builds"][0]["size"] = json!(u64::MAX), bytes.clone()), "larger than"),
        (
            describe(
                &|m| {
                    m["builds"][0]["size"] = json!(JUNK.len());
                    m["builds"][0]["sha256"] = json!(JUNK_SUM);
                },
                JUNK.to_vec(),
            ),
            "gzip",
        ),
        (nothing, "does not run on this machine"),
        (another, "says it is `homard 9.9.8`"),
        (missing, "there is no release at"),
    ];
    for (index, (release, why)) in rows.into_iter().enumerate() {
        let path = format!("/row/{index}/");
        release.serve(&world.web, &path);
        let source = Source::parse(&world.web.url(&path)).unwrap();
        let tried = async {
            let found = find(&source, &newest("stable"), Some(&world.key())).await?;
            let staged = stage(&found, TARGET, &world.program(), &mut |_, _| {}).await?;
            staged.check().await?;
            staged.install(&world.program())
        };
        let error = tried.await.unwrap_err();
        assert!(error.to_string().contains(why), "{why}: {error}");
        assert_eq!(fs::read_to_string(world.program()).unwrap(), "the old one", "{why}");
        assert_eq!(world.names(), ["homard"], "{why}");
    }
}

#[tokio::test]
async fn a_download_that_breaks_off_or_is_refused_changes_nothing() {
    let world = World::new().await;
    let release = world.release();
    release.serve(&world.web, "/releases/");
    let archive = format!("/releases/{}", release.archive);
    for (page, why) in [
        (WebPage::Raw { status: 503, kind: "", body: Vec::new() }, "answered 503"),
        (WebPage::Redirect(world.web.url("/elsewhere")), "answered 302"),
        (WebPage::Raw { status: 200, kind: "", body: Vec::new() }, "0 of"),
    ] {
        world.web.page(&archive, page);
        let error = world.update().await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(world.names(), ["homard"], "{why}");
    }
    let gone = Source::parse("http://127.0.0.1:9/releases").unwrap();
    let error = find(&gone, &newest("stable"), Some(&world.key())).await.unwrap_err();
    assert!(matches!(error, UpdateError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn a_folder_that_takes_nothing_is_known_before_anything_is_downloaded() {
    let world = World::new().await;
    world.release().serve(&world.web, "/releases/");
    let found = world.find().await.unwrap();
    let asked = world.web.asked().len();
    let program = Path::new("/proc/homard");
    let error = stage(&found, TARGET, program, &mut |_, _| {}).await.unwrap_err();
    assert!(matches!(error, UpdateError::Write { .. }) && error.hint().is_some(), "{error}");
    assert_eq!(world.web.asked().len(), asked);
}

#[tokio::test]
async fn a_release_for_other_machines_says_which() {
    let world = World::new().await;
    world.release().serve(&world.web, "/releases/");
    let found = world.find().await.unwrap();
    let error =
        stage(&found, "riscv64gc-unknown-linux-gnu", &world.program(), &mut |_, _| {}).await.unwrap_err();
    assert!(error.to_string().ends_with("it has x86_64-unknown-linux-gnu"), "{error}");
}

#[test]
fn a_source_is_a_folder_or_an_address_nobody_can_listen_in_on() {
    for text in
        ["https://example.com/releases", "http://127.0.0.1:8000", "http://localhost/x", "http://[::1]/"]
    {
        let source = Source::parse(text).unwrap();
        assert!(source.to_string().ends_with('/'), "{source}");
    }
    for text in
        ["http://example.com/", "ftp://example.com/", "/no/such/folder", "", "https://example.com/?a=b"]
    {
        assert!(matches!(Source::parse(text), Err(UpdateError::NoSource(_))), "{text}");
    }
}
