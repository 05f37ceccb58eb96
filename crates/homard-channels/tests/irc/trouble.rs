//! When a real server, or somebody on it, is not kind.

use anyhow::Result;
use homard_channel::ChannelError;
use homard_testkit::{IrcPeer, IrcSetup, Ngircd};
use serde_json::json;

use super::bot::Bot;

#[tokio::test]
async fn a_taken_nick_is_replaced_and_taken_back_when_it_is_free() -> Result<()> {
    let server = Ngircd::start().await?;
    let squatter = server.peer("homard").await?;
    let (mut bot, listening) = Bot::at(&server).await?;
    let probe = bot.channel.probe().await?;
    assert_eq!(probe.username.as_deref(), Some("homard_"));
    assert!(probe.advice[0].contains("`homard` is taken"));
    let mut mia = server.peer("mia").await?;
    mia.join("#den").await?;
    mia.say("#den", "homard_: hi").await?;
    assert_eq!(bot.hears().await?.details.mentions_us, Some(true));
    drop(squatter);
    listening.stop().await??;
    mia.until(" QUIT ").await?;
    let _listening = bot.listen();
    mia.sees_join("homard", "#den").await
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_the_right_one_lets_us_in() -> Result<()> {
    let server = Ngircd::start_with(IrcSetup::default().password("sesame")).await?;
    for wrong in [json!({}), json!({"password": "other"})] {
        let bot = Bot::on(server.port(), &wrong)?;
        let end = bot.listen().end().await?;
        assert!(matches!(&end, Err(ChannelError::Refused(why)) if why.contains("password")), "{end:?}");
        assert!(matches!(bot.channel.probe().await, Err(ChannelError::Refused(_))));
    }
    let bot = Bot::on(server.port(), &json!({"password": "sesame"}))?;
    let _listening = bot.listen();
    bot.is_in("#den").await
}

#[tokio::test]
async fn after_the_server_was_away_we_come_back_and_talk() -> Result<()> {
    let mut server = Ngircd::start().await?;
    let (mut bot, listening) = Bot::at(&server).await?;
    server.stop().await?;
    assert!(matches!(listening.end().await?, Err(ChannelError::Unreachable(_))));
    assert!(matches!(bot.says("#den", "lost?").await, Err(ChannelError::Unreachable(_))));
    assert!(matches!(bot.listen().end().await?, Err(ChannelError::Unreachable(_))));
    server.restart().await?;
    let _listening = bot.listen();
    bot.is_in("#den").await?;
    let mut mia = server.peer("mia").await?;
    mia.say("homard", "back?").await?;
    assert_eq!(bot.hears().await?.text, "back?");
    bot.says("mia", "back").await?;
    assert_eq!(mia.hears("homard", "mia").await?, "back");
    Ok(())
}

#[tokio::test]
async fn who_is_not_there_cannot_be_told_anything() -> Result<()> {
    let server = Ngircd::start_with(IrcSetup::default().channel("#quiet", "+m")).await?;
    let (bot, _listening) = Bot::at(&server).await?;
    let nobody = bot.says("nobody", "one\ntwo\nthree").await;
    assert!(matches!(&nobody, Err(ChannelError::Permanent(why)) if why.contains("nobody")), "{nobody:?}");
    let quiet = bot.says("#quiet", "psst").await;
    assert!(matches!(quiet, Err(ChannelError::Permanent(_))), "{quiet:?}");
    let nonsense = bot.says("#a,#b", "x").await;
    assert!(matches!(nonsense, Err(ChannelError::Permanent(_))));
    // The next message is judged by its own fate.
    bot.says("#den", "still here").await?;
    Ok(())
}

#[tokio::test]
async fn a_channel_we_are_not_in_is_joined_to_speak() -> Result<()> {
    let server = Ngircd::start().await?;
    let (bot, _listening) = Bot::at(&server).await?;
    let mut mia = server.peer("mia").await?;
    mia.join("#other").await?;
    mia.send("MODE #other +n").await?;
    mia.settle().await?;
    bot.says("#other", "may I?").await?;
    assert_eq!(mia.hears("homard", "#other").await?, "may I?");
    Ok(())
}

#[tokio::test]
async fn after_a_kick_we_are_out_and_come_back() -> Result<()> {
    let server = Ngircd::start().await?;
    let mut mia = server.peer("mia").await?;
    mia.join("#den").await?;
    let (bot, _listening) = Bot::at(&server).await?;
    mia.sees_join("homard", "#den").await?;
    mia.send("KICK #den homard :out").await?;
    bot.until(|facts| facts["channels"] == json!([])).await?;
    // Five seconds, by our clock and the server's.
    mia.sees_join("homard", "#den").await?;
    mia.send("KICK #den homard :really").await?;
    bot.until(|facts| facts["channels"] == json!([])).await?;
    let advice = bot.channel.probe().await?.advice;
    assert!(advice.iter().any(|advice| advice.contains("really")), "{advice:?}");
    Ok(())
}

#[tokio::test]
async fn a_kill_by_an_operator_ends_the_connection_and_not_the_program() -> Result<()> {
    let server = Ngircd::start().await?;
    let (bot, listening) = Bot::at(&server).await?;
    let mut oper = server.operator("oper").await?;
    oper.send("KILL homard :go").await?;
    assert!(matches!(listening.end().await?, Err(ChannelError::Unreachable(_))));
    let _listening = bot.listen();
    bot.is_in("#den").await
}

#[tokio::test]
async fn a_stop_lets_what_is_under_way_end_and_says_good_bye() -> Result<()> {
    let server = Ngircd::start().await?;
    let (bot, listening) = Bot::at(&server).await?;
    let mut mia: IrcPeer = server.peer("mia").await?;
    mia.join("#den").await?;
    let (said, stopped) = tokio::join!(bot.says("#den", "last words"), listening.stop());
    said?;
    assert_eq!(stopped?, Ok(()));
    assert_eq!(mia.hears("homard", "#den").await?, "last words");
    mia.until(" QUIT ").await?;
    assert!(matches!(bot.says("#den", "x").await, Err(ChannelError::Unreachable(_))));
    Ok(())
}
