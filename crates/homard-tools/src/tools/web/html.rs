//! A page as a row of tags and texts.
//!
//! Only the tokenizer of a real HTML parser is used and no tree is built: a page of two million open tags costs
//! no more than any other, and nothing here calls itself.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// A piece of a page.
pub(crate) enum Piece<'a> {
    Open(&'a Opened<'a>),
    /// An element ends, or would if it had begun.
    Close(&'a str),
    Text(&'a str),
}

/// An element that begins.
pub(crate) struct Opened<'a> {
    tag: &'a Tag,
}

impl Opened<'_> {
    /// Its name, in small letters.
    pub(crate) fn name(&self) -> &str {
        &self.tag.name
    }

    /// What an attribute says.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
        found.map(|attribute| &*attribute.value)
    }

    /// Whether it is one of a class.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|classes| classes.split_whitespace().any(|one| one == class))
    }
}

/// Calls `on` with every piece of a page, in order.
pub(crate) fn walk(page: &str, on: impl FnMut(Piece<'_>)) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(page));
    let tokenizer = Tokenizer::new(Sink { on: RefCell::new(on) }, TokenizerOpts::default());
    // The sink never asks to stop, so one feeding is the whole page.
    drop(tokenizer.feed(&input));
    tokenizer.end();
}

struct Sink<F> {
    on: RefCell<F>,
}

impl<F: FnMut(Piece<'_>)> TokenSink for Sink<F> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut on = self.on.borrow_mut();
        match token {
            Token::CharacterTokens(text) => on(Piece::Text(&text)),
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => on(Piece::Close(&tag.name)),
            Token::TagToken(tag) => {
                on(Piece::Open(&Opened { tag: &tag }));
                return inside(&tag);
            }
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// How what follows a tag is read; a tree builder would say so.
fn inside(tag: &Tag) -> TokenSinkResult<()> {
    match &*tag.name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}
