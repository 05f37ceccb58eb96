//! What is hidden, in which spellings, and that cutting a text in pieces changes nothing.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::{Just, Strategy, proptest};
use proptest::prop_assert_eq;

use super::{HIDDEN, Redactor};

const SECRET: &str = "s3cret/with \"odd\" parts+";

fn knowing(secrets: &[&str]) -> Redactor {
    let redactor = Redactor::default();
    redactor.keep(secrets);
    redactor
}

#[test]
fn a_secret_is_hidden_in_every_spelling() {
    let redactor = knowing(&[SECRET]);
    let spellings = [
        SECRET.to_owned(),
        STANDARD.encode(SECRET),
        STANDARD.encode(format!("user:{SECRET}")),
        STANDARD.encode(format!("a user:{SECRET} and more")),
        URL_SAFE_NO_PAD.encode(format!("?{SECRET}")),
        "s3cret%2Fwith%20%22odd%22%20parts%2B".to_owned(),
        "s3cret%2fwith%20%22odd%22%20parts%2b".to_owned(),
        "s3cret%2Fwith+%22odd%22+parts%2B".to_owned(),
        "s3cret/with \\\"odd\\\" parts+".to_owned(),
        SECRET.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ];
    for spelling in spellings {
        let hidden = redactor.hide(&spelling).into_owned();
        assert!(hidden.contains(HIDDEN), "{spelling}: {hidden}");
        assert!(!hidden.contains("odd"), "{spelling}: {hidden}");
    }
}

#[test]
fn short_words_and_placeholders_are_left_alone() {
    let redactor = knowing(&["secret", "not-needed", "       x       ", ""]);
    let text = "the secret is not-needed x";
    assert!(matches!(redactor.hide(text), std::borrow::Cow::Borrowed(same) if same == text));
}

#[test]
fn a_secret_inside_another_does_not_leave_its_rest_behind() {
    let redactor = knowing(&["swordfish", "swordfish-and-more"]);
    assert_eq!(redactor.hide("say swordfish-and-more"), format!("say {HIDDEN}"));
    assert_eq!(redactor.hide("say swordfish-and"), format!("say {HIDDEN}-and"));
}

#[test]
fn text_that_cannot_be_a_beginning_is_not_held_back() {
    let mut stream = knowing(&["swordfish"]).stream();
    assert_eq!(stream.push("line one\nsw"), "line one\n");
    assert_eq!(stream.push("im"), "swim");
    assert_eq!(stream.push(" swordfi"), " ");
    assert_eq!(stream.finish(), "swordfi");
}

proptest! {
    #[test]
    fn pieces_are_hidden_like_the_whole(
        parts in proptest::collection::vec(
            proptest::strategy::Union::new([
                "[a-c é]{0,6}".boxed(),
                Just("swordfish".to_owned()).boxed(),
                Just("swordfish-and-more".to_owned()).boxed(),
                Just("sword".to_owned()).boxed(),
            ]),
            0..8,
        ),
        cuts in proptest::collection::vec(0..64_usize, 0..8),
    ) {
        let redactor = knowing(&["swordfish", "swordfish-and-more", "abcabcabc"]);
        let whole = parts.concat();
        let mut stream = redactor.stream();
        let mut told = String::new();
        let mut at = 0;
        let mut cuts = cuts;
        cuts.sort_unstable();
        for cut in cuts {
            let cut = (at..=whole.len().min(cut.max(at))).rev().find(|cut| whole.is_char_boundary(*cut)).unwrap();
            told.push_str(&stream.push(&whole[at..cut]));
            at = cut;
        }
        told.push_str(&stream.push(&whole[at..]));
        told.push_str(&stream.finish());
        prop_assert_eq!(told, redactor.hide(&whole).into_owned());
    }
}
