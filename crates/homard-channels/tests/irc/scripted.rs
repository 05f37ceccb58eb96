//! Servers that say what the test wants: SASL, nonsense, silence at the wrong moment.

use anyhow::{Context, Result, bail};
use homard_channel::ChannelError;
use homard_testkit::WAIT_CAP;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::bot::Bot;

/// The server's end of one connection.
struct Script {
    stream: BufReader<TcpStream>,
}

impl Script {
    async fn accept(listener: &TcpListener) -> Result<Self> {
        let (stream, _) = timeout(WAIT_CAP, listener.accept()).await.context("nobody came")??;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Reads until a line begins so; returns its rest.
    async fn reads(&mut self, start: &str) -> Result<String> {
        loop {
            let mut line = String::new();
            let read = timeout(WAIT_CAP, self.stream.read_line(&mut line)).await;
            if read.with_context(|| format!("waiting for `{start}`"))?? == 0 {
                bail!("the client went away before `{start}`");
            }
            if let Some(rest) = line.strip_prefix(start) {
                return Ok(rest.trim_end().to_owned());
            }
        }
    }

    async fn says(&mut self, text: &str) -> Result<()> {
        for line in text.lines() {
            self.stream.write_all(format!("{}\r\n", line.trim()).as_bytes()).await?;
        }
        Ok(())
    }

    /// Lets the client in without any capability.
    async fn welcomes(&mut self) -> Result<()> {
        self.reads("USER ").await?;
        self.says(":s 001 homard :Welcome").await?;
        self.reads("JOIN ").await?;
        self.says(":homard!h@h JOIN :#den").await
    }

    /// Confirms the next message.
    async fn confirms(&mut self) -> Result<()> {
        let word = self.reads("PING ").await?;
        self.says(&format!(":s PONG s {word}")).await
    }
}

async fn server() -> Result<(TcpListener, u16)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

#[tokio::test]
async fn an_account_is_proven_over_sasl_and_the_servers_ids_are_used() -> Result<()> {
    let (listener, port) = server().await?;
    let mut bot = Bot::on(port, &json!({"sasl": {"username": "acc", "password": "secret"}}))?;
    let _listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.reads("CAP LS 302").await?;
    script.says(":s CAP * LS * :multi-prefix message-tags\n:s CAP * LS :echo-message sasl=PLAIN").await?;
    assert_eq!(script.reads("CAP REQ ").await?, ":echo-message message-tags sasl");
    script.says(":s CAP * ACK :echo-message message-tags sasl").await?;
    script.reads("AUTHENTICATE PLAIN").await?;
    script.says("AUTHENTICATE +").await?;
    assert_eq!(script.reads("AUTHENTICATE ").await?, "AGFjYwBzZWNyZXQ=");
    script.says(":s 900 homard homard!h@h acc :logged in\n:s 903 homard :SASL ok").await?;
    script.reads("CAP END").await?;
    script.says(":s 001 homard :Welcome").await?;
    script.reads("JOIN ").await?;
    script.says(":homard!h@h JOIN :#den\n@msgid=m1 :mia!m@h PRIVMSG #den :homard: hi").await?;
    assert_eq!(bot.hears().await?.message_id, "m1");
    let (said, served) = tokio::join!(bot.says("#den", "hello"), async {
        script.reads("PRIVMSG #den :hello").await?;
        script.says("@msgid=m2 :homard!h@h PRIVMSG #den :hello").await?;
        script.confirms().await
    });
    served?;
    assert_eq!(said?.message_id, "m2");
    Ok(())
}

#[tokio::test]
async fn an_account_that_is_not_accepted_is_refused() -> Result<()> {
    let (listener, port) = server().await?;
    let bot = Bot::on(port, &json!({"sasl": {"username": "acc", "password": "secret"}}))?;
    let listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.says(":s CAP * LS :sasl").await?;
    script.reads("CAP REQ ").await?;
    script.says(":s CAP * ACK :sasl").await?;
    script.reads("AUTHENTICATE PLAIN").await?;
    script.says("AUTHENTICATE +").await?;
    script.reads("AUTHENTICATE ").await?;
    script.says(":s 904 * :SASL authentication failed").await?;
    let end = listening.end().await?;
    let Err(ChannelError::Refused(words)) = end else { panic!("{end:?}") };
    assert!(words.contains("acc") && !words.contains("secret"), "{words}");
    Ok(())
}

#[tokio::test]
async fn nonsense_between_messages_changes_nothing() -> Result<()> {
    let (listener, port) = server().await?;
    let mut bot = Bot::on(port, &json!({}))?;
    let _listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.welcomes().await?;
    let long = vec![b'x'; 100_000];
    let nonsense: [&[u8]; 12] = [
        b"\r\n\r\n\n",
        b":\r\n",
        b"@\r\n",
        b"@a=b\r\n",
        b":mia\r\n",
        b"\0\x01\x02\xff\xfe\r\n",
        b"PRIVMSG\r\n:mia!m@h PRIVMSG homard\r\n:mia!m@h PRIVMSG\r\n",
        b":mia!m@h MODE #den +\r\n:mia!m@h MODE\r\nBATCH\r\nBATCH +x\r\n",
        b":s 005\r\n:s 005 homard CASEMAPPING= CHANTYPES\r\n",
        b":s 433\r\n:s 401\r\n:s 999999\r\n:s KICK\r\n:s KICK #den\r\nCAP\r\nCAP * LS\r\n",
        &long,
        b"\r\n",
    ];
    for bytes in nonsense {
        script.stream.write_all(bytes).await?;
    }
    script.says(":mia!m@h PRIVMSG homard :still here?").await?;
    assert_eq!(bot.hears().await?.text, "still here?");
    let (said, served) = tokio::join!(bot.says("mia", "yes"), async {
        script.reads("PRIVMSG mia :yes").await?;
        script.confirms().await
    });
    served?;
    said?;
    Ok(())
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_answer_leaves_it_unknown() -> Result<()> {
    let (listener, port) = server().await?;
    let bot = Bot::on(port, &json!({}))?;
    let listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.welcomes().await?;
    let (said, served) = tokio::join!(bot.says("#den", "arrived?"), async {
        script.reads("PRIVMSG ").await?;
        drop(script);
        anyhow::Ok(())
    });
    served?;
    assert!(matches!(said, Err(ChannelError::Unknown(_))), "{said:?}");
    assert!(matches!(listening.end().await?, Err(ChannelError::Unreachable(_))));
    Ok(())
}

#[tokio::test]
async fn a_server_that_says_we_come_too_often_is_left_alone_for_a_while() -> Result<()> {
    let (listener, port) = server().await?;
    let bot = Bot::on(port, &json!({}))?;
    let listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.says("ERROR :Closing Link: (Throttled: Reconnecting too fast)").await?;
    assert!(matches!(listening.end().await?, Err(ChannelError::Wait(_))));
    Ok(())
}

#[tokio::test]
async fn a_server_that_does_not_encrypt_is_told_apart_from_one_that_is_away() -> Result<()> {
    let (listener, port) = server().await?;
    let bot = Bot::on(port, &json!({"tls": true}))?;
    let listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.says(":s NOTICE * :Looking up your hostname").await?;
    let end = listening.end().await?;
    assert!(matches!(&end, Err(ChannelError::Unreachable(why)) if why.contains("TLS")), "{end:?}");
    Ok(())
}

#[tokio::test]
async fn a_message_that_is_not_kept_yet_holds_up_nothing_else() -> Result<()> {
    let (listener, port) = server().await?;
    let mut bot = Bot::on(port, &json!({}))?;
    let _listening = bot.listen();
    let mut script = Script::accept(&listener).await?;
    script.welcomes().await?;
    script.says(":mia!m@h PRIVMSG homard :one\n:mia!m@h PRIVMSG homard :two\nPING :alive?").await?;
    let (_, kept) = bot.next().await?;
    script.reads("PONG :alive?").await?;
    kept.send(()).ok();
    assert_eq!(bot.hears().await?.text, "two");
    Ok(())
}
