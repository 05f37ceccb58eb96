//! Whose the program is: something that installed it and would put its own back, or nobody's.

use std::fs;
use std::path::Path;

/// Who installed the program and brings newer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    Dpkg,
    Homebrew,
    Nix,
    Cargo,
    /// The image of a container.
    Image,
    /// The clone it was built in.
    Clone,
}

impl Keeper {
    /// Who keeps the program at this path of the system that begins at `root`. `None`: it may replace itself.
    #[must_use]
    pub fn of(program: &Path, root: &Path) -> Option<Self> {
        let has = |name: &str| program.components().any(|part| part.as_os_str() == name);
        let parent = program.parent().and_then(Path::file_name);
        let is_in = |name: &str| parent.is_some_and(|parent| parent == name);
        if program.starts_with("/nix/store") {
            return Some(Self::Nix);
        }
        if has("Cellar") {
            return Some(Self::Homebrew);
        }
        if has(".cargo") && is_in("bin") {
            return Some(Self::Cargo);
        }
        if has("target") && ["debug", "release", "release-dev"].iter().any(|profile| is_in(profile)) {
            return Some(Self::Clone);
        }
        if program == Path::new("/homard") {
            return Some(Self::Image);
        }
        is_dpkgs(program, root).then_some(Self::Dpkg)
    }

    /// Its name, for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dpkg => "dpkg",
            Self::Homebrew => "homebrew",
            Self::Nix => "nix",
            Self::Cargo => "cargo",
            Self::Image => "container",
            Self::Clone => "source",
        }
    }

    /// How a newer program is had from it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Dpkg => {
                "install the newer package: sudo apt install ./homard_VERSION_ARCH.deb, then `homard gateway handover`"
            }
            Self::Homebrew => "brew upgrade homard, then `homard gateway handover`",
            Self::Nix => "update the flake's input and build again, then `homard gateway handover`",
            Self::Cargo => {
                "in the clone: git pull, cargo install --locked --path crates/homard, then `homard gateway handover`"
            }
            Self::Image => "build the newer image, and start the container anew",
            Self::Clone => "in the clone: git pull, build again, then `homard gateway handover`",
        }
    }
}

/// Whether one of our packages lists this very file.
fn is_dpkgs(program: &Path, root: &Path) -> bool {
    let lists = fs::read_dir(root.join("var/lib/dpkg/info"));
    lists.into_iter().flatten().flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with("homard") && name.ends_with(".list");
        is_ours
            && fs::read_to_string(entry.path())
                .is_ok_and(|files| files.lines().any(|file| Path::new(file) == program))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Keeper;

    #[test]
    fn a_program_says_by_its_place_who_brings_newer_ones() {
        let root = tempfile::tempdir().unwrap();
        let info = root.path().join("var/lib/dpkg/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("homard.list"), "/.\n/usr/bin\n/usr/bin/homard\n").unwrap();
        fs::write(info.join("other.list"), "/usr/local/bin/homard\n").unwrap();
        for (program, keeper) in [
            ("/usr/bin/homard", Some(Keeper::Dpkg)),
            ("/usr/local/bin/homard", None),
            ("/home/ann/.local/bin/homard", None),
            ("/home/ann/.cargo/bin/homard", Some(Keeper::Cargo)),
            ("/opt/homebrew/Cellar/homard/0.2.0/bin/homard", Some(Keeper::Homebrew)),
            ("/nix/store/abc-homard/bin/homard", Some(Keeper::Nix)),
            ("/src/homard/target/debug/homard", Some(Keeper::Clone)),
            ("/src/homard/target/x86_64-unknown-linux-musl/release/homard", Some(Keeper::Clone)),
            ("/homard", Some(Keeper::Image)),
            ("/opt/target/homard", None),
        ] {
            assert_eq!(Keeper::of(Path::new(program), root.path()), keeper, "{program}");
        }
        assert_eq!(Keeper::of(Path::new("/usr/bin/homard"), Path::new("/nowhere")), None);
    }
}
