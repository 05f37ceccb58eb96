//! `DuckDuckGo`'s page for browsers without scripts. It is a page and not an interface: it may change, and it
//! asks for proof of being human when it is asked often.

use homard_config::config::tools::web as config;
use url::Url;

use super::query::{Freshness, Query};
use super::{Asking, Found, Hit, SearchEngine, SearchError, address};
use crate::tools::web::html::{Opened, Piece, walk};

const BASE: &str = "https://html.duckduckgo.com";
const NAME: &str = "duckduckgo";
/// What the page with the puzzle holds.
const PUZZLE: &str = "anomaly-modal";
/// What every page with results, or without any, holds.
const RESULTS: &str = "result";

pub(super) struct DuckDuckGo {
    base: String,
}

impl DuckDuckGo {
    pub(super) fn new(chosen: &config::SearchEngine) -> Self {
        Self { base: chosen.base_url.clone().unwrap_or_else(|| BASE.to_owned()) }
    }
}

impl SearchEngine for DuckDuckGo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, query: &Query) -> Result<Asking, SearchError> {
        let mut url = address(NAME, &self.base, "/html/")?;
        let region = query.country.as_ref().map(|country| {
            let lang = query.lang.as_deref().unwrap_or("en");
            format!("{}-{lang}", country.to_lowercase())
        });
        let fresh = query.freshness.as_ref().map(|freshness| match freshness {
            Freshness::Day => "d".to_owned(),
            Freshness::Week => "w".to_owned(),
            Freshness::Month => "m".to_owned(),
            Freshness::Year => "y".to_owned(),
            Freshness::Between(from, to) => format!("{from}..{to}"),
        });
        let optional = [("kl", region.as_deref()), ("df", fresh.as_deref())];
        let written = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
        url.query_pairs_mut().append_pair("q", &query.text).extend_pairs(written);
        Ok(Asking { url, key: None, accept: "text/html", body: None })
    }

    fn read(&self, answer: &[u8]) -> Option<Found> {
        let page = String::from_utf8_lossy(answer);
        if page.contains(PUZZLE) || !page.contains(RESULTS) {
            return None;
        }
        let mut reader = Reader::default();
        walk(&page, |piece| reader.piece(&piece));
        reader.hits.retain(|hit| !hit.url.is_empty());
        Some(Found { written: None, hits: reader.hits })
    }

    fn hint(&self, status: u16) -> Option<&'static str> {
        matches!(status, 202 | 403)
            .then_some("it wants proof that a person is asking; search less often or tell the owner to choose another provider")
    }
}

/// Which part of a result is being read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    None,
    Title,
    Snippet,
}

#[derive(Default)]
struct Reader {
    hits: Vec<Hit>,
    part: Part,
}

impl Reader {
    fn piece(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Open(element) if element.name() == "a" => self.open(element),
            Piece::Close("a") => self.part = Part::None,
            Piece::Text(text) => self.text(text),
            Piece::Open(_) | Piece::Close(_) => {}
        }
    }

    fn open(&mut self, element: &Opened<'_>) {
        self.part = if element.has_class("result__a") {
            let url = element.attribute("href").and_then(target).unwrap_or_default();
            self.hits.push(Hit { url, ..Hit::default() });
            Part::Title
        } else if element.has_class("result__snippet") {
            Part::Snippet
        } else {
            Part::None
        };
    }

    fn text(&mut self, text: &str) {
        let Some(hit) = self.hits.last_mut() else { return };
        match self.part {
            Part::Title => hit.title.push_str(text),
            Part::Snippet => hit.snippet.push_str(text),
            Part::None => {}
        }
    }
}

/// Where a result leads: its links go through a page that notes the click. Advertisements lead nowhere.
fn target(href: &str) -> Option<String> {
    let base = Url::parse(BASE).ok()?;
    let url = base.join(href).ok()?;
    if url.host_str().is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com")) {
        let real = url.query_pairs().find(|(name, _)| name == "uddg")?.1.into_owned();
        let is_page = real.starts_with("https://") || real.starts_with("http://");
        return (is_page && !real.contains("duckduckgo.com/y.js")).then_some(real);
    }
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}
