//! A release is made, installed and refused, with a script in the place of the program.

mod packaging;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use super::manifest::{self, Description};
use super::manpages;
use super::{Release, deb, filled_in, sha256};
use crate::sh::Cmd;
use crate::workspace::{root, scratch};

/// What a test calls the program: it knows its version and completions, like the real one.
const PROGRAM: &str = "#!/bin/sh\ncase $1 in --version) echo 'homard 9.9.9 (commit abc)' ;; completion) echo \"for $3\" ;; *) exit 2 ;; esac\n";
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A folder of the test's own, which ends with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = scratch().unwrap().join(format!("dist-test-{name}-{}", std::process::id()));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn release() -> Release {
    Release {
        version: "9.9.9".to_owned(),
        commit: "abc".to_owned(),
        epoch: "1700000000".to_owned(),
        target: TARGET.to_owned(),
        pressure: "-1",
    }
}

fn program(folder: &Folder, script: &str) -> PathBuf {
    let program = folder.0.join("program");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn the_same_program_makes_the_same_release() {
    let folder = Folder::new("same");
    let program = program(&folder, PROGRAM);
    let sums = ["one", "two"].map(|name| {
        let out = folder.0.join(name);
        release().make(&program, &out).unwrap();
        assert!(!out.join("stage").exists());
        fs::read_to_string(out.join("SHA256SUMS")).unwrap()
    });
    assert_eq!(sums[0], sums[1]);
    let out = folder.0.join("one");
    let archive = format!("homard-{TARGET}.tar.gz");
    let listed: Vec<(&str, &str)> = sums[0].lines().filter_map(|line| line.split_once("  ")).collect();
    let names: Vec<&str> = listed.iter().map(|(_, name)| *name).collect();
    assert!(names.contains(&archive.as_str()) && names.contains(&"install.sh"), "{names:?}");
    for (sum, name) in listed {
        assert_eq!(sha256(&out.join(name)).unwrap(), sum);
    }
    let inside = Cmd::new("tar", &["-tzf", &out.join(&archive).to_string_lossy()]).read().unwrap();
    for file in ["homard", "completions/_homard", "man/homard.1", "man/homard-gateway.1", "LICENSE-MIT"] {
        assert!(
            inside.lines().any(|line| line == format!("homard-9.9.9-{TARGET}/{file}")),
            "{file}: {inside}"
        );
    }
    let bill = fs::read_to_string(out.join(format!("homard-{TARGET}.cdx.json"))).unwrap();
    let bill: serde_json::Value = serde_json::from_str(&bill).unwrap();
    let components = bill["components"].as_array().unwrap();
    let tokio = components.iter().find(|component| component["name"] == "tokio").unwrap();
    assert_eq!(tokio["licenses"][0]["expression"], "MIT");
    assert_eq!(tokio["hashes"][0]["content"].as_str().unwrap().len(), 64);
    assert!(
        components.iter().all(|component| component["name"] != "insta"),
        "what only tests use is not in it"
    );
}

/// Serves the files of a folder on this machine; its address.
fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_path_buf();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &folder);
        }
    });
    address
}

fn answer(mut stream: TcpStream, folder: &Path) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let name = request.split_whitespace().nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
    let (status, body) = match fs::read(folder.join(name)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).ok();
}

/// Runs the installer against a release; whether it worked, what it said, and what it left.
fn install(release: &Path, home: &Path, shell: &str) -> (bool, String, Option<String>) {
    let script = root().join("packaging/install.sh");
    let ran = Cmd::new(shell, &[&script.to_string_lossy()])
        .bare_env()
        .env("HOME", home)
        .env("HOMARD_TARGET", TARGET)
        .env("HOMARD_DOWNLOAD_URL", serve(release))
        .quiet()
        .unwrap();
    (ran.ok, ran.text, fs::read_to_string(home.join(".local/bin/homard")).ok())
}

#[test]
fn the_installer_takes_what_the_checksums_name_and_nothing_else() {
    let folder = Folder::new("installer");
    let out = folder.0.join("out");
    release().make(&program(&folder, PROGRAM), &out).unwrap();
    for shell in ["sh", "bash"] {
        let home = folder.0.join(format!("home of {shell}"));
        fs::create_dir_all(&home).unwrap();
        let (ok, said, left) = install(&out, &home, shell);
        assert!(ok && said.contains("Installed homard 9.9.9"), "{said}");
        assert_eq!(left.as_deref(), Some(PROGRAM));
        let names = fs::read_dir(home.join(".local/bin")).unwrap().count();
        assert_eq!(names, 1, "no draft is left");
    }
    let home = folder.0.join("another home");
    fs::create_dir_all(home.join(".local/bin")).unwrap();
    fs::write(home.join(".local/bin/homard"), "the old one").unwrap();
    let sums = fs::read_to_string(out.join("SHA256SUMS")).unwrap();
    let archive = out.join(format!("homard-{TARGET}.tar.gz"));
    let good = fs::read(&archive).unwrap();
    let other: String =
        sums.lines().filter(|line| !line.contains(".tar.gz")).map(|line| format!("{line}\n")).collect();
    for (sums, archive_bytes, why) in [
        (Some(sums.clone()), [&good[..], b"x"].concat(), "is not what the release says"),
        (Some(sums.clone()), good[..good.len() / 2].to_vec(), "is not what the release says"),
        (Some(other), good.clone(), "the release has no checksum"),
        (Some(format!("not-a-sum  homard-{TARGET}.tar.gz\n")), good.clone(), "the release has no checksum"),
        (None, good.clone(), "could not download"),
    ] {
        match sums {
            Some(sums) => fs::write(out.join("SHA256SUMS"), sums).unwrap(),
            None => fs::remove_file(out.join("SHA256SUMS")).unwrap(),
        }
        fs::write(&archive, archive_bytes).unwrap();
        let (ok, said, left) = install(&out, &home, "sh");
        assert!(!ok && said.contains(why), "{why}: {said}");
        assert_eq!(left.as_deref(), Some("the old one"), "{why}");
    }
}

#[test]
fn a_program_that_does_not_run_here_is_not_installed() {
    let folder = Folder::new("broken");
    let out = folder.0.join("out");
    release().make(&program(&folder, PROGRAM), &out).unwrap();
    let unpacked = folder.0.join(format!("homard-9.9.9-{TARGET}"));
    fs::create_dir_all(&unpacked).unwrap();
    fs::write(unpacked.join("homard"), "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(unpacked.join("homard"), fs::Permissions::from_mode(0o755)).unwrap();
    let archive = out.join(format!("homard-{TARGET}.tar.gz"));
    release().pack(&folder.0, &format!("homard-9.9.9-{TARGET}"), &archive).unwrap();
    super::checksums(&out, &[archive]).unwrap();
    let home = folder.0.join("home");
    fs::create_dir_all(&home).unwrap();
    let (ok, said, left) = install(&out, &home, "sh");
    assert!(!ok && said.contains("does not run on this machine"), "{said}");
    assert_eq!(left, None);
}

#[test]
fn manual_pages_say_what_the_reference_says() {
    let reference = "# Commands\n\nEvery command.\n\n## homard cron\n\nJobs by the clock\n\n    homard cron [OPTIONS]\n\n| | |\n|---|---|\n| `--all` | Those that are off, too \\| x |\n\n```text\n.Examples:\n  homard cron list\n```\n\n### homard cron list\n\nWhat there is\n\nBeside these, the [connection options](#connection-options).\n";
    let pages = manpages::pages(reference, "9.9.9");
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["homard.1", "homard-cron.1"]);
    assert!(pages[0].1.ends_with(".SH SEE ALSO\n.BR homard\\-cron (1)\n"), "{}", pages[0].1);
    let cron = &pages[1].1;
    for part in [
        ".TH HOMARD-CRON 1 \"\" \"homard 9.9.9\"\n.SH NAME\nhomard\\-cron \\- Jobs by the clock\n",
        ".TP\n.B \\-\\-all\nThose that are off, too | x\n",
        ".nf\n\\&.Examples:\n  homard cron list\n.fi\n",
        ".SH HOMARD CRON LIST\n",
        "Beside these, the connection options in homard(1).\n",
    ] {
        assert!(cron.contains(part), "{part:?} is not in {cron}");
    }
}

#[test]
fn a_program_says_which_library_it_needs() {
    assert_eq!(deb::glibc(b"..GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0"), Some(34));
    assert_eq!(deb::glibc(b"nothing of the kind"), None);
}

#[test]
fn the_formula_has_a_checksum_for_every_archive() {
    let formula = fs::read_to_string(root().join(super::FORMULA)).unwrap();
    let targets = [
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "aarch64-unknown-linux-musl",
        "x86_64-unknown-linux-musl",
    ];
    let sums: String =
        targets.map(|target| format!("{}  homard-{target}.tar.gz\n", "ab".repeat(32))).concat();
    let filled = filled_in(&formula, "9.9.9", &sums).unwrap();
    assert!(
        !filled.contains('@') && filled.contains("v9.9.9/homard-aarch64-apple-darwin.tar.gz"),
        "{filled}"
    );
    assert!(filled_in(&formula, "9.9.9", "").is_err());
}

#[test]
fn a_release_is_described_and_signed_for_those_who_update() {
    let folder = Folder::new("manifest");
    let out = folder.0.join("out");
    release().make(&program(&folder, PROGRAM), &out).unwrap();
    let key = folder.0.join("key.pem");
    let key_name = key.to_string_lossy().into_owned();
    Cmd::new("openssl", &["genpkey", "-algorithm", "ed25519", "-out", &key_name]).read().unwrap();
    let signed = Description { channel: Some("beta".to_owned()), key: Some(key) };
    let made = manifest::write(&release(), &out, &signed).unwrap();
    let names: Vec<_> =
        made.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["release.json", "release.json.sig"]);
    let text = fs::read_to_string(&made[0]).unwrap();
    let told: serde_json::Value = serde_json::from_str(&text).unwrap();
    let archive = out.join(format!("homard-{TARGET}.tar.gz"));
    assert_eq!(
        told,
        serde_json::json!({
            "format": 1, "version": "9.9.9", "commit": "abc", "channel": "beta", "date": "2023-11-14T22:13:20Z",
            "builds": [{
                "target": TARGET, "name": format!("homard-{TARGET}.tar.gz"),
                "size": fs::metadata(&archive).unwrap().len(), "sha256": sha256(&archive).unwrap(),
            }],
        })
    );
    let signature = fs::read_to_string(&made[1]).unwrap();
    assert_eq!(signature.trim().len(), 88, "64 bytes in base64: {signature}");
    let left: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".raw")), "{left:?}");
    // Without a key an old signature does not stay beside a new manifest.
    manifest::write(&release(), &out, &Description::default()).unwrap();
    assert!(!made[1].exists());
    let unknown = Description { channel: Some("nightly".to_owned()), key: None };
    assert!(manifest::write(&release(), &out, &unknown).is_err());
    let no_key = Description { channel: None, key: Some(archive) };
    assert!(manifest::write(&release(), &out, &no_key).is_err());
    assert!(!made[1].exists(), "what could not be signed has no signature");
}
