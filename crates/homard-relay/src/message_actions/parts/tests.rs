//! What one deed sends.

use std::path::PathBuf;
use std::time::Duration;

use homard_channel::{
    Abilities, Ability, Act, Button, ChatKind, Content, Dialect, File, MediaKind, PollLimits, Shape,
    TableMode, TextUnit, Threads,
};

use homard_policy::access::SpeakRules;

use super::{FileFolders, MessageAction, Post, Writing, carried, parts, together, without_tags};
use crate::message_actions::action::{FileWanted, PollDraft};

/// Longer than a text beside a file may be.
const LONG: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen ";

fn abilities() -> Abilities {
    Abilities {
        chats: &[ChatKind::Direct],
        text_limit: 80,
        unit: TextUnit::Chars,
        caption_limit: Some(64),
        dialect: Dialect::Html,
        tables: TableMode::Code,
        threads: Threads::None,
        typing: None,
        media: &[MediaKind::Image, MediaKind::Document],
        media_in_limit: 1,
        polls: Some(PollLimits { options: 10, open_for: Duration::from_secs(600) }),
        native_commands: None,
        acts: &[Act::Reply, Act::Buttons],
        dedupes_sends: Ability::Lacks,
        native_mentions: Ability::Lacks,
        coalesce: None,
        silence_limit: Duration::from_secs(1),
    }
}

fn shape(abilities: &Abilities) -> Shape {
    SpeakRules::default().shape(Some(abilities))
}

fn file(kind: MediaKind) -> File {
    File { kind, path: PathBuf::from("/x"), mime: "image/png".to_owned(), name: "x".to_owned() }
}

fn nowhere() -> FileFolders {
    let [workspace, home, media, state] = ["/x", "/x", "/x", "/y"].map(PathBuf::from);
    FileFolders {
        workspace,
        home,
        media,
        records: homard_config::Records::in_dir(state),
        session: None,
        caller: homard_tools::Caller::Owner,
    }
}

fn kinds(contents: &[Content]) -> Vec<&'static str> {
    let kind = |content: &Content| match content {
        Content::Text { .. } => "text",
        Content::Media { caption, .. } if caption.plain.is_empty() => "file",
        Content::Media { .. } => "file with text",
        _ => "other",
    };
    contents.iter().map(kind).collect()
}

#[test]
fn a_text_stands_beside_a_file_when_it_fits_and_behind_it_when_not() {
    let abilities = abilities();
    let plain = Abilities { caption_limit: None, ..abilities };
    let rows: [(&Abilities, &str, usize, &[&str]); 5] = [
        (&abilities, "hi", 1, &["file with text"]),
        (&abilities, "hi", 2, &["file with text", "file"]),
        (&abilities, LONG, 1, &["file", "text"]),
        (&plain, "hi", 1, &["file", "text"]),
        (&abilities, "", 1, &["file"]),
    ];
    for (abilities, words, files, expected) in rows {
        let files = (0..files).map(|_| file(MediaKind::Image)).collect();
        let contents = together(files, words, Writing::Markdown, abilities, shape(abilities));
        assert_eq!(kinds(&contents), expected, "{words}");
    }
}

#[test]
fn a_file_goes_as_what_the_platform_carries() {
    let with = abilities();
    assert_eq!(carried(file(MediaKind::Image), &with).unwrap().kind, MediaKind::Image);
    assert_eq!(carried(file(MediaKind::Voice), &with).unwrap().kind, MediaKind::Document);
    let without = Abilities { media: &[], ..abilities() };
    assert!(
        carried(file(MediaKind::Image), &without).unwrap_err().to_string().contains("carries no such files")
    );
}

#[tokio::test]
async fn only_the_first_part_answers_and_buttons_hang_below_the_last() {
    let abilities = abilities();
    let button = Button { text: "Yes".to_owned(), value: "y".to_owned() };
    let post =
        Post { buttons: vec![vec![button]], reply_to: Some("7".to_owned()), silent: true, ..Post::default() };
    let words = LONG.repeat(2);
    let made =
        parts(MessageAction::Send(post), words, &abilities, shape(&abilities), &nowhere()).await.unwrap();
    assert!(made.len() > 1);
    let answers: Vec<bool> = made.iter().map(|part| part.reply_to.is_some()).collect();
    assert_eq!(answers.iter().filter(|answers| **answers).count(), 1);
    assert_eq!(answers.first(), Some(&true));
    // This platform cannot be silent, so nothing pretends to be.
    assert!(made.iter().all(|part| !part.silent));
    let mut buttons =
        made.iter().map(|part| matches!(&part.content, Content::Text { buttons, .. } if !buttons.is_empty()));
    assert_eq!(buttons.clone().filter(|has| *has).count(), 1);
    assert_eq!(buttons.next_back(), Some(true));
}

#[tokio::test]
async fn an_address_is_told_where_files_cannot_be_carried() {
    let abilities = Abilities { media: &[], text_limit: 400, ..abilities() };
    let post =
        Post { files: vec![FileWanted::At("https://example.org/a.png".to_owned())], ..Post::default() };
    let shape = shape(&abilities);
    let made =
        parts(MessageAction::Send(post), "see".to_owned(), &abilities, shape, &nowhere()).await.unwrap();
    assert_eq!(made.len(), 1);
    let Content::Text { words, .. } = &made[0].content else { panic!("a text") };
    assert!(words.plain.contains("Attachment: https://example.org/a.png"), "{words:?}");
}

#[test]
fn polls_keep_to_what_the_platform_takes() {
    let ballot = |options: usize, open: Option<u64>| PollDraft {
        question: "?".to_owned(),
        options: (0..options).map(|n| n.to_string()).collect(),
        max_selections: 1,
        open_seconds: open,
        anonymous: true,
        silent: false,
    };
    let abilities = abilities();
    assert!(ballot(2, Some(600)).check(&abilities).is_ok());
    for (ballot, words) in
        [(ballot(1, None), "2 to 10"), (ballot(11, None), "2 to 10"), (ballot(2, Some(601)), "at most 600")]
    {
        assert!(ballot.check(&abilities).unwrap_err().contains(words));
    }
}

#[test]
fn tags_are_taken_out_of_the_plain_form() {
    assert_eq!(without_tags("<b>a</b> &lt;b&gt; &amp;amp;"), "a <b> &amp;");
}
