//! The envelope: there and back, whatever the length; every change and every cut is noticed.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Closed, Opener, PIECE, Sealer, TAG};

/// Little work, so that tests are quick.
const WORK: u8 = 4;

/// Made by another implementation with the passphrase `correct horse` and little work, in base64; the `age` program (1.1.1)
/// opens it, too.
const ELSEWHERE: &str = "\
    YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBEb2tuTW50YzdvVWh4b0VSRXIzREdBIDgKbThtZUhNN2lRWFVOMU9y\
    dzZYTG80UXZERzdOdHdzZlhTbWZ1dmVudWtTRQotLS0gWkg0WUE2U3M3V2VWQ1BXc2tkUUlGYzJtUTJ2NzdxK3lNNEphZ21N\
    cDJzcwpF2Bq9gHKhJBf/VfwzlxVWG4T1K+S+evpKCz+GimbuHf4VyhGTx7WCi9Tz2dvfzg==";

fn sealed(plain: &[u8]) -> Vec<u8> {
    let mut sealer = Sealer::new(Vec::new(), "tea", WORK).unwrap();
    sealer.write_all(plain).unwrap();
    sealer.finish().unwrap()
}

fn opened(sealed: &[u8], passphrase: &str) -> Result<Vec<u8>, Closed> {
    let mut plain = Vec::new();
    Opener::new(sealed, passphrase)?.read_to_end(&mut plain)?;
    Ok(plain)
}

#[test]
fn what_is_sealed_can_be_opened_whatever_its_length() {
    for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 7] {
        let plain: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
        assert_eq!(opened(&sealed(&plain), "tea").unwrap(), plain, "{len}");
    }
}

#[test]
fn another_passphrase_opens_nothing() {
    assert_eq!(opened(&sealed(b"secret"), "coffee").unwrap_err(), Closed::WrongPassphrase);
}

#[test]
fn a_cut_is_noticed_wherever_it_is() {
    let whole = sealed(&vec![7; 2 * PIECE]);
    let header = whole.len() - 2 * (PIECE + TAG);
    for end in [0, 10, 60, header - 1, header + 5, header + PIECE + TAG, whole.len() - 1] {
        assert!(opened(&whole[..end], "tea").is_err(), "{end}");
    }
}

#[test]
fn a_change_is_noticed_wherever_it_is() {
    let whole = sealed(b"some words");
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x01;
        assert!(opened(&changed, "tea").is_err(), "{at}");
    }
}

#[test]
fn what_another_implementation_sealed_is_opened() {
    let sealed = STANDARD.decode(ELSEWHERE).unwrap();
    assert_eq!(opened(&sealed, "correct horse").unwrap(), b"made elsewhere\n");
}
