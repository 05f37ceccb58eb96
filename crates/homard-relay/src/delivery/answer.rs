//! From a reply to messages in the outbox: taken apart by the rules of `homard-policy`, written in the platform's dialect, cut to its
//! size, with its files.

use homard_agent::Directive;
use homard_channel::{Act, Content, File, MediaKind, Outbound, RichText, shape_text};
use homard_policy::reply::{
    PrefixFacts, ReplyText, ReplyTo, ReplyToMode, Threader, normalise, was_said, with_prefix,
};
use homard_protocol::RunId;
use homard_runtime::OrLog;
use homard_store::NewOutbound;
use homard_tools::{Caller, HookAbout};

use crate::delivery::media::{self, NotSendable};
use crate::delivery::outbox::{receipt_of, row_of};
use crate::delivery::reply_style::ReplyStyle;
use crate::delivery::run_delivery::ReplyRoute;
use crate::hook_points::message_out_or_nothing;
use crate::parts::Outgoing;
use crate::relay::Inner;
use crate::sessions::access::{agent_of, is_read_by_others};
use crate::turn_setup::sandbox;
use crate::turns::runs::Run;

/// What is sent, and how it is known again.
pub(crate) struct FinalReply<'a> {
    pub(crate) outgoing: &'a Outgoing,
    pub(crate) run: &'a Run,
    pub(crate) route: &'a ReplyRoute,
    pub(crate) style: &'a ReplyStyle,
    /// How the model wishes it to be delivered.
    pub(crate) wishes: &'a [Directive],
    /// What a prefix may tell.
    pub(crate) facts: PrefixFacts,
    /// How many pieces of the same answer went before.
    pub(crate) before: usize,
}

impl FinalReply<'_> {
    /// The messages a text in Markdown becomes. `preview` is a message that shows a part of it already. Keys are the
    /// run's id, `mark` and a number.
    pub(crate) async fn rows(&self, text: &str, preview: Option<&str>, mark: &str) -> Vec<NewOutbound> {
        let subject = Some(self.route.address.channel.as_str());
        let about = HookAbout { session: Some(&self.run.session_key), run: Some(&self.run.id), subject };
        let text = message_out_or_nothing(self.outgoing.inner(), about, text.to_owned()).await;
        let Some(said) = normalise(&text) else {
            return self.number(self.taken_back(preview), mark);
        };
        let (said, files) = self.with_files(said).await;
        let parts = self.parts(&said, files);
        let mut contents = Vec::with_capacity(parts.len() + 1);
        match (preview, parts.as_slice()) {
            (Some(message_id), [(_, Content::Text { words, .. })]) => {
                let (message_id, words) = (message_id.to_owned(), words.clone());
                contents.push((None, Content::Edit { message_id, words, buttons: Vec::new() }));
            }
            _ => {
                contents.extend(self.taken_back(preview));
                contents.extend(parts);
            }
        }
        self.number(contents, mark)
    }

    fn taken_back(&self, preview: Option<&str>) -> Vec<(Option<String>, Content)> {
        let gone = preview.filter(|_| self.style.can(Act::Delete));
        gone.map(|id| (None, Content::Delete { message_id: id.to_owned() })).into_iter().collect()
    }

    fn number(&self, contents: Vec<(Option<String>, Content)>, mark: &str) -> Vec<NewOutbound> {
        let numbered = contents.into_iter().enumerate();
        let row = |(part, (reply_to, content)): (usize, (Option<String>, Content))| {
            let key = format!("{}:{mark}{}", self.run.id, self.before + part);
            self.row(key, reply_to, content)
        };
        numbered.map(row).collect()
    }

    /// One row.
    pub(crate) fn row(&self, key: String, reply_to: Option<String>, content: Content) -> NewOutbound {
        let address = self.route.address.clone();
        let no_previews = self.run.has_words_of_others();
        let outbound = Outbound { address, key, reply_to, silent: false, no_previews, content };
        row_of(self.outgoing, &outbound, Some(self.run.session_key.clone()), Some(self.run.id.clone()))
    }

    /// The model's wishes laid over the text, what tools said taken out, its files looked for.
    async fn with_files(&self, mut said: ReplyText) -> (ReplyText, Vec<File>) {
        let inner = self.outgoing.inner();
        for wish in self.wishes {
            match wish {
                Directive::ReplyToCurrent => said.reply_to = ReplyTo::Current,
                Directive::ReplyTo(id) => said.reply_to = ReplyTo::Id(id.clone()),
                Directive::AudioAsVoice => said.as_voice = true,
                Directive::Tts(_) | Directive::TtsText(_) => {}
            }
        }
        if was_said(&self.run.delivery.said_to(&self.route.address), &said.text) {
            said.text.clear();
        }
        if let Some(template) = self.style.prefix.as_deref().filter(|_| self.before == 0) {
            said.text = with_prefix(template, &self.facts, &said.text);
        }
        let config = inner.config();
        let agent = config.agents.agent(agent_of(&config, &self.run.session_key));
        let agent = agent.unwrap_or(config.agents.default_agent());
        let workspace = sandbox::folder(agent, &self.run.session_key);
        let is_owners = self.route.is_owner && !is_read_by_others(&self.run.session_key);
        let caller = if is_owners { Caller::Owner } else { Caller::Guest };
        let mut files = Vec::new();
        for named in std::mem::take(&mut said.media) {
            match media::take(self.outgoing, &self.run.session_key, &workspace, caller, &named).await {
                Ok(file) => match self.as_sendable(file, said.as_voice) {
                    Ok(file) => files.push(file),
                    Err(name) => add_line(&mut said.text, &format!("Attachment: {name}")),
                },
                Err(NotSendable::Address) => add_line(&mut said.text, &named),
                Err(why) => {
                    tracing::warn!(run = %self.run.id, file = named, %why, "a file was not sent");
                    let name = named.rsplit('/').next().unwrap_or(&named);
                    add_line(&mut said.text, &format!("(`{name}` was not sent: {why})"));
                }
            }
        }
        (said, files)
    }

    /// The file as the platform takes it; its name when it takes none such.
    fn as_sendable(&self, mut file: File, as_voice: bool) -> Result<File, String> {
        let takes = |kind: MediaKind| self.style.abilities.is_some_and(|a| a.media.contains(&kind));
        if as_voice && file.kind == MediaKind::Audio && takes(MediaKind::Voice) {
            file.kind = MediaKind::Voice;
        }
        if takes(file.kind) {
            return Ok(file);
        }
        file.kind = MediaKind::Document;
        if takes(MediaKind::Document) { Ok(file) } else { Err(file.name) }
    }

    /// The messages, each with what it replies to. A short text stands beside the first file; a long one follows.
    fn parts(&self, said: &ReplyText, files: Vec<File>) -> Vec<(Option<String>, Content)> {
        let mode = match self.style.reply_mode {
            ReplyToMode::First | ReplyToMode::Batched if self.before > 0 => ReplyToMode::Off,
            mode => mode,
        };
        let current = self.route.message_id.clone().filter(|_| self.style.can(Act::Reply));
        let mut threader = Threader::new(mode, current, self.run.delivery.answered());
        let mut wish = said.reply_to.clone();
        if !self.style.can(Act::Reply) {
            wish = ReplyTo::None;
        }
        let texts = shape_text(&said.text, self.style.shape);
        let caption = self.caption(&said.text, files.is_empty());
        let mut contents: Vec<Content> = Vec::with_capacity(texts.len() + files.len());
        let mut captions = caption.clone().into_iter();
        for file in files {
            contents.push(Content::Media { file, caption: captions.next().unwrap_or_default() });
        }
        if caption.is_none() {
            contents.extend(texts.into_iter().map(|words| Content::Text { words, buttons: Vec::new() }));
        }
        let numbered = contents.into_iter().enumerate();
        numbered.map(|(part, content)| (threader.reply_to(&wish, part), content)).collect()
    }

    /// The text as it stands beside a file; `None` when there is no file or the text is too long.
    fn caption(&self, text: &str, no_files: bool) -> Option<RichText> {
        let limit = self.style.abilities.and_then(|abilities| abilities.caption_limit)?;
        if no_files {
            return None;
        }
        let shape = homard_channel::Shape { limit, ..self.style.shape };
        match shape_text(text, shape).as_slice() {
            [] => Some(RichText::default()),
            [words] => Some(words.clone()),
            _ => None,
        }
    }
}

fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(line);
}

/// The key of the message that shows an answer while it is made.
pub(crate) fn preview_key(run: &RunId) -> String {
    format!("{run}:preview")
}

/// The message that shows a part of a run's answer, if there is one. One that may be there, nobody knows where, is noted.
pub(crate) async fn preview_of(outgoing: &Outgoing, run: &RunId) -> Option<String> {
    let row = outgoing.inner().store().outbox().get(&preview_key(run)).await;
    let row = row.or_log("a preview could not be looked for").flatten()?;
    if row.failed_at.is_some() && row.sent_at.is_none() && row.ambiguous > 0 {
        outgoing.outbox().note_stray_preview(run);
    }
    row.sent_at.map(|_| receipt_of(&row).message_id).filter(|id| !id.is_empty())
}

/// The reaction that says a message was seen.
pub(crate) fn ack_of(inner: &Inner, run: &Run, style: &ReplyStyle) -> Option<String> {
    /// The sign of those who have none of their own.
    const SEEN: &str = "👀";
    let config = inner.config();
    let agent = config.agents.agent(agent_of(&config, &run.session_key));
    let own = || agent.and_then(|agent| agent.identity.emoji.clone()).unwrap_or_else(|| SEEN.to_owned());
    let sign = style.ack.clone().unwrap_or_else(own);
    Some(sign.trim().to_owned()).filter(|sign| !sign.is_empty() && style.can(Act::React))
}
