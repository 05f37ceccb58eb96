//! The same for tools: of the agent whose turn it is, in words a model reads.

use homard_protocol::AgentId;
use homard_tools::{NoteLines, Passage, PortError, Recollection, ToolCx};

use super::{NotRecalled, RecalledPassage, blocking, picking};
use crate::parts::Recall;
use crate::sessions::access::agent_of;

/// Most characters of lines that are told at once.
const MAX_CHARS: usize = 12_000;

impl Recall {
    pub(crate) async fn search_for_tool(
        &self,
        cx: &ToolCx,
        query: String,
        most: Option<usize>,
        least: Option<f64>,
    ) -> Result<Recollection, PortError> {
        let agent = self.agent(Some(&self.agent_in(cx))).map_err(told)?;
        let sessions = self.sessions_seen(cx, &agent).await?;
        let (picking, cites) = (picking(&agent, most, least), agent.memory_search.query.cites);
        let found = self.search_in(agent, sessions, query, picking).await.map_err(told)?;
        let (provider, model) = match found.model.as_deref().map(|model| model.split_once('/')) {
            Some(Some((provider, model))) => (provider.to_owned(), Some(model.to_owned())),
            Some(None) | None => ("none".to_owned(), None),
        };
        let results = found.passages.into_iter().map(|found| passage(found, cites)).collect();
        Ok(Recollection { results, provider, model, note: found.note })
    }

    pub(crate) async fn lines_for_tool(
        &self,
        cx: &ToolCx,
        path: String,
        from: usize,
        lines: usize,
    ) -> Result<NoteLines, PortError> {
        let (_, place) = self.place_of(Some(&self.agent_in(cx))).map_err(told)?;
        let read = blocking(move || (place.memory().read(&path), path)).await.map_err(told)?;
        let (file, path) = read;
        let text = file.map_err(|error| PortError::Failed(error.to_string()))?.content.unwrap_or_default();
        let total_lines = text.lines().count();
        let mut chars = 0;
        let wanted = text.lines().skip(from - 1).take(lines).take_while(|line| {
            chars += line.chars().count() + 1;
            chars <= MAX_CHARS
        });
        let wanted: Vec<&str> = wanted.collect();
        Ok(NoteLines { path, from, lines: wanted.len(), text: wanted.join("\n"), total_lines })
    }

    fn agent_in(&self, cx: &ToolCx) -> AgentId {
        agent_of(&self.inner().config(), &cx.session_key).clone()
    }
}

fn passage(passage: RecalledPassage, is_cited: bool) -> Passage {
    let (source, by) = (passage.source(), passage.by());
    let RecalledPassage { found, from_others, session_key, .. } = passage;
    Passage {
        by,
        session_key,
        citation: is_cited.then(|| format!("{}#L{}-L{}", found.path, found.start_line, found.end_line)),
        path: found.path,
        start_line: found.start_line,
        end_line: found.end_line,
        score: found.score,
        snippet: found.snippet,
        source,
        date: found.day.map(|day| day.to_string()),
        heading: found.heading,
        from_others,
    }
}

/// Why not, as a model reads it.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands errors over by value")]
fn told(error: NotRecalled) -> PortError {
    match &error {
        NotRecalled::Off(_) | NotRecalled::UnknownAgent(_) => PortError::NotAllowed(error.to_string()),
        NotRecalled::Stopped => PortError::Stopped,
        NotRecalled::File(_) | NotRecalled::Index(_) | NotRecalled::Store(_) => {
            tracing::warn!(%error, "a memory could not be searched");
            PortError::Failed(error.to_string())
        }
    }
}
