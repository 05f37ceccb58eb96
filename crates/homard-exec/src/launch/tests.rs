//! What is asked of a launcher arrives as it was asked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::{HiddenPaths, HideRecords, LaunchError, Launcher, Order, WORD, become_command, words};
use crate::command::Command;
use crate::env::BuiltEnv;

#[test]
fn an_order_is_read_as_it_was_written() {
    for how in [HideRecords::Never, HideRecords::WhereFree, HideRecords::Always] {
        let hidden = HiddenPaths {
            how,
            places: vec![PathBuf::from("/a b"), "--".into()],
            shown: vec!["/a b/--hide".into()],
        };
        let launcher = Launcher { program: "/proc/self/exe".into(), hidden: hidden.clone() };
        let command =
            Command::direct("echo", &["--", "--must", ""], "/tmp", BuiltEnv::from_base(&BTreeMap::new()))
                .launched_by(Some(launcher.into()));
        for sees in [false, true] {
            let (program, args) =
                words(&if sees { command.clone().seeing_records() } else { command.clone() });
            assert_eq!(program, "/proc/self/exe");
            assert_eq!(args.first(), Some(&OsString::from(WORD)));
            let order = Order::parse(args.into_iter().skip(1)).unwrap();
            let is_hidden = how != HideRecords::Never && !sees;
            let nothing = HiddenPaths { how: HideRecords::Never, ..HiddenPaths::default() };
            assert_eq!(order.hidden, if is_hidden { hidden.clone() } else { nothing });
            assert_eq!((order.cwd, order.program), ("/tmp".into(), "echo".into()));
            assert_eq!((order.args, order.lives_with), (vec!["--".into(), "--must".into(), "".into()], None));
        }
        let (_, args) = words(&command.ending_with_us());
        let order = Order::parse(args.into_iter().skip(1)).unwrap();
        assert_eq!(order.lives_with, i32::try_from(std::process::id()).ok());
    }
}

#[test]
fn other_starts_are_left_alone_and_half_orders_refused() {
    let run = |words: &[&str]| become_command(words.iter().map(OsString::from));
    assert!(run(&["homard"]).is_none());
    assert!(run(&["homard", "status", WORD]).is_none());
    for words in [
        &["homard", WORD][..],
        &["homard", WORD, "/tmp", "--"],
        &["homard", WORD, "/tmp", "--what", "--", "true"],
    ] {
        assert!(matches!(run(words), Some(LaunchError::NotOurs)), "{words:?}");
    }
}
