//! Talking with people on a real server.

use anyhow::Result;
use homard_channel::{ChannelError, Conversation, Receipt, Sender};
use homard_testkit::{IrcSetup, Ngircd};
use serde_json::json;

use super::bot::Bot;

#[tokio::test]
async fn people_are_heard_and_answered_in_private_and_in_a_channel() -> Result<()> {
    let server = Ngircd::start().await?;
    let (mut bot, _listening) = Bot::at(&server).await?;
    let mut mia = server.peer("Mia").await?;
    mia.join("#den").await?;

    mia.say("homard", "hello there").await?;
    let heard = bot.hears().await?;
    assert_eq!(heard.text, "hello there");
    let Conversation::Direct { peer, .. } = &heard.conversation else { panic!("{heard:?}") };
    assert_eq!(peer.as_str(), "mia");
    assert_eq!(heard.details.also_known_as, ["mia!~mia", "mia!~mia@127.0.0.1"]);
    assert_eq!(bot.says("mia", "hello Mia").await, Ok(Receipt::default()));
    assert_eq!(mia.hears("homard", "Mia").await?, "hello Mia");

    mia.say("#den", "Homard: what is up?").await?;
    let heard = bot.hears().await?;
    assert_eq!((heard.text.as_str(), heard.details.mentions_us), ("what is up?", Some(true)));
    let Conversation::Group { id, .. } = &heard.conversation else { panic!("{heard:?}") };
    assert_eq!(id.as_str(), "#den");
    let Sender::Peer { id, name } = &heard.sender else { panic!("{heard:?}") };
    assert_eq!((id.as_str(), name.as_deref()), ("mia", Some("Mia")));
    mia.say("#den", "nobody in particular").await?;
    assert_eq!(bot.hears().await?.details.mentions_us, Some(false));
    bot.says("#den", "not much").await?;
    assert_eq!(mia.hears("homard", "#den").await?, "not much");
    Ok(())
}

#[tokio::test]
async fn a_long_answer_arrives_whole_in_lines_the_server_does_not_cut() -> Result<()> {
    let server = Ngircd::start().await?;
    let (bot, _listening) = Bot::at(&server).await?;
    let mut mia = server.peer("mia").await?;
    let words: Vec<String> = (0..300).map(|n| format!("wörd{n}")).collect();
    let text = words.join(" ");
    bot.says("mia", &format!("{text}\nsecond\n\nthird")).await?;
    let mut heard = Vec::new();
    loop {
        let line = mia.hears("homard", "mia").await?;
        assert!(line.len() <= 350);
        heard.push(line);
        if heard.last().is_some_and(|line| line == "third") {
            break;
        }
    }
    assert_eq!(heard[heard.len() - 2..], ["second", "third"]);
    assert_eq!(heard[..heard.len() - 2].join(" "), text);
    Ok(())
}

#[tokio::test]
async fn forty_lines_arrive_in_order_at_the_pace_we_set_and_none_is_lost() -> Result<()> {
    let server = Ngircd::start().await?;
    lines_arrive(&server, 40).await
}

#[tokio::test]
async fn a_server_that_reads_us_slowly_loses_nothing() -> Result<()> {
    let server = Ngircd::start_with(IrcSetup::default().throttling()).await?;
    lines_arrive(&server, 12).await
}

async fn lines_arrive(server: &Ngircd, count: usize) -> Result<()> {
    let bot = Bot::on(server.port(), &json!({"flood": {"burst": 4, "intervalMs": 20}}))?;
    let _listening = bot.listen();
    bot.is_in("#den").await?;
    let mut mia = server.peer("mia").await?;
    mia.join("#den").await?;
    let lines: Vec<String> = (0..count).map(|n| format!("line {n}")).collect();
    let (said, heard) = tokio::join!(bot_says(&bot, &lines), async {
        let mut heard = Vec::new();
        while heard.len() < lines.len() {
            heard.push(mia.hears("homard", "#den").await?);
        }
        anyhow::Ok(heard)
    });
    said?;
    assert_eq!(heard?, lines);
    Ok(())
}

async fn bot_says(bot: &Bot, lines: &[String]) -> Result<(), ChannelError> {
    // As one message and as many: both keep their order.
    let (first, second) = lines.split_at(lines.len() / 2);
    bot.says("#den", &first.join("\n")).await?;
    for line in second {
        bot.says("#den", line).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_long_answer_to_one_does_not_keep_others_waiting() -> Result<()> {
    let server = Ngircd::start().await?;
    let bot = Bot::on(server.port(), &json!({"flood": {"burst": 1, "intervalMs": 50}}))?;
    let _listening = bot.listen();
    bot.is_in("#den").await?;
    let mut mia = server.peer("mia").await?;
    mia.join("#den").await?;
    let long = "x\n".repeat(60);
    let mut long_first = Box::pin(bot.says("#den", &long));
    tokio::select! {
        said = &mut long_first => panic!("the long answer was done first: {said:?}"),
        said = bot.says("mia", "short") => { said?; }
    }
    mia.hears("homard", "mia").await?;
    Ok(())
}

#[tokio::test]
async fn encryption_is_checked_against_the_pinned_certificate() -> Result<()> {
    let server = Ngircd::start().await?;
    let port = server.tls_port();
    let pinned = json!({"tls": true, "tlsFingerprint": server.fingerprint()});
    let mut bot = Bot::on(port, &pinned)?;
    let _listening = bot.listen();
    bot.is_in("#den").await?;
    let mut mia = server.peer("mia").await?;
    mia.say("homard", "secret").await?;
    assert_eq!(bot.hears().await?.text, "secret");
    bot.says("mia", "yes").await?;
    assert_eq!(mia.hears("homard", "mia").await?, "yes");

    for distrusted in [json!({"tls": true}), json!({"tls": true, "tlsFingerprint": "00".repeat(32)})] {
        let end = Bot::on(port, &distrusted)?.listen().end().await?;
        assert!(
            matches!(&end, Err(ChannelError::Unreachable(why)) if why.contains("certificate")),
            "{end:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn control_codes_and_actions_come_as_text_and_programs_are_answered() -> Result<()> {
    let server = Ngircd::start().await?;
    let (mut bot, _listening) = Bot::at(&server).await?;
    let mut mia = server.peer("mia").await?;
    mia.say("homard", "\u{1}VERSION\u{1}").await?;
    mia.until("NOTICE mia :\u{1}VERSION Homard").await?;
    mia.say("homard", "\u{2}\u{3}04,01bold red\u{f} text").await?;
    assert_eq!(bot.hears().await?.text, "bold red text");
    mia.say("homard", "\u{1}ACTION waves\u{1}").await?;
    assert_eq!(bot.hears().await?.text, "* mia waves");
    mia.send_bytes(b"PRIVMSG homard :gr\xfc\xdfe\r\n").await?;
    assert_eq!(bot.hears().await?.text, "grüße");
    Ok(())
}

#[tokio::test]
async fn a_probe_says_who_and_where_we_are() -> Result<()> {
    let server = Ngircd::start_with(IrcSetup::default().channel("#locked", "+k sesame")).await?;
    let bot = Bot::on(server.port(), &json!({"channels": ["#den", "#locked"]}))?;
    let before = bot.channel.probe().await?;
    assert_eq!((before.username.as_deref(), &before.facts["connected"]), (Some("homard"), &json!(false)));
    let listening = bot.listen();
    bot.is_in("#den").await?;
    let probe = bot.channel.probe().await?;
    assert_eq!(probe.username.as_deref(), Some("homard"));
    assert_eq!(probe.facts["channels"], json!(["#den"]));
    assert_eq!(probe.advice.len(), 1);
    assert!(
        probe.advice[0].contains("#locked") && probe.advice[0].contains("#name key"),
        "{:?}",
        probe.advice
    );
    assert_eq!(listening.stop().await?, Ok(()));
    Ok(())
}
