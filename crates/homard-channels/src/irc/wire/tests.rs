//! Lines, whole and broken.

use proptest::prelude::{any, prop, proptest};

use super::{Incoming, IrcReply, Lines, MAX_LINE, Mask};

async fn read_all(bytes: &[u8]) -> Vec<Incoming> {
    let mut lines = Lines::new(bytes);
    let mut read = Vec::new();
    while let Some(line) = lines.next().await.unwrap() {
        read.push(line);
    }
    read
}

fn privmsg(to: &str, text: &str) -> IrcReply {
    IrcReply::Privmsg { to: to.into(), text: text.into() }
}

#[test]
fn lines_are_read_as_they_mean() {
    let rows = [
        (":mia!~m@host PRIVMSG #a :hi there", privmsg("#a", "hi there")),
        ("PRIVMSG #a hi", privmsg("#a", "hi")),
        (":mia!~m@host PRIVMSG #a hi there", privmsg("#a", "hi there")),
        (":mia!~m@host PRIVMSG homard ::)", privmsg("homard", ":)")),
        (":irc.test PING :abc", IrcReply::Ping("abc".into())),
        ("PING abc", IrcReply::Ping("abc".into())),
        (":irc.test PONG irc.test :homard-1", IrcReply::Pong("homard-1".into())),
        ("PONG homard-1", IrcReply::Pong("homard-1".into())),
        (":irc.test 001 homard :Welcome", IrcReply::Welcome("homard".into())),
        (":irc.test 433 * homard :in use", IrcReply::Number(433, vec!["homard".into(), "in use".into()])),
        (
            ":irc.test 908 * PLAIN :are available",
            IrcReply::Number(908, vec!["PLAIN".into(), "are available".into()]),
        ),
        ("ERROR :Closing Link: (Excess Flood)", IrcReply::Error("Closing Link: (Excess Flood)".into())),
        ("AUTHENTICATE +", IrcReply::Authenticate("+".into())),
        (":s CAP * LS :a b=c", IrcReply::Cap { verb: "LS", list: "a b=c".into(), more: false }),
        (":s CAP * LS * :a b", IrcReply::Cap { verb: "LS", list: "a b".into(), more: true }),
        (":s CAP homard ACK :a", IrcReply::Cap { verb: "ACK", list: "a".into(), more: false }),
        (":s CAP * NAK :sasl", IrcReply::Cap { verb: "NAK", list: "sasl".into(), more: false }),
        (":homard!h@h JOIN :#a", IrcReply::Join("#a".into())),
        (":homard!h@h JOIN #a acc :Real", IrcReply::Join("#a".into())),
        (
            ":mia!m@h KICK #a homard :out",
            IrcReply::Kick { channel: "#a".into(), who: "homard".into(), reason: "out".into() },
        ),
        (":homard!h@h NICK homard2", IrcReply::Nick("homard2".into())),
        ("", IrcReply::Other),
        (":", IrcReply::Other),
        (":only", IrcReply::Other),
        ("@tag", IrcReply::Other),
        ("PRIVMSG", IrcReply::Other),
        ("PRIVMSG #a", IrcReply::Other),
        (":mia MODE #a +", IrcReply::Other),
        (" :x", IrcReply::Other),
        ("99999999 a b", IrcReply::Other),
    ];
    for (line, said) in rows {
        assert_eq!(Incoming::read(line).said, said, "{line}");
    }
}

#[test]
fn who_sent_a_line_and_what_the_server_adds_is_read() {
    let line = Incoming::read(
        "@time=2026-11-16T10:00:00.123Z;msgid=ab\\sc;account=mia;bot;x :Mia!~m@a.host PRIVMSG #a :hi",
    );
    assert_eq!(line.from, Some(Mask { nick: "Mia".into(), user: "~m".into(), host: "a.host".into() }));
    assert_eq!(line.tags.msgid.as_deref(), Some("ab c"));
    assert_eq!(line.tags.time, Some(1_794_823_200_123));
    assert_eq!(line.tags.account.as_deref(), Some("mia"));
    assert!(line.tags.bot);
    assert_eq!(Incoming::read(":irc.test NOTICE * :hi").from, None);
    assert_eq!(Incoming::read("@time=never;msgid= :m!m@m PRIVMSG a :b").tags, super::Tags::default());
}

#[tokio::test]
async fn a_line_that_is_too_long_is_passed_over_and_the_next_is_read() {
    let mut bytes = vec![b'x'; MAX_LINE * 3];
    bytes.extend_from_slice(b"\r\nPING :a\r\n");
    assert_eq!(
        read_all(&bytes).await.into_iter().map(|l| l.said).collect::<Vec<_>>(),
        [IrcReply::Ping("a".into())]
    );
}

#[tokio::test]
async fn text_that_is_not_utf8_is_read_as_latin_1() {
    let read = read_all(b":m!m@m PRIVMSG #a :gr\xfc\xdfe\n").await;
    assert_eq!(read[0].said, privmsg("#a", "grüße"));
}

#[tokio::test]
async fn ends_of_lines_may_be_of_any_kind_and_empty_lines_are_none() {
    let read = read_all(b"\r\n\nPING :a\nPING :b\r\r\n\nPING :cut off").await;
    let said: Vec<IrcReply> = read.into_iter().map(|line| line.said).collect();
    assert_eq!(said, [IrcReply::Ping("a".into()), IrcReply::Ping("b".into())]);
}

proptest! {
    #[test]
    fn no_bytes_make_reading_fail(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(read_all(&bytes));
    }

    #[test]
    fn no_line_of_known_words_makes_reading_fail(
        line in "(@[a-z;=\\\\]{0,8} )?(:[a-z!@.]{0,8} )?(PRIVMSG|CAP|MODE|BATCH|KICK|JOIN|0[0-9]{2}|4[0-9]{2}|AUTHENTICATE|METADATA|MONITOR)( [#a-z*:+-]{0,4}){0,6}( :.{0,8})?"
    ) {
        Incoming::read(&line);
    }
}
