//! What the gateway's answers change.

use homard_protocol::RunAnswer;
use homard_protocol::methods::chat::ChatHistoryResult;
use homard_protocol::methods::chat::agent::{AgentsListResult, ModelSummary};
use homard_protocol::session_row::SessionRow;
use homard_runtime::brief;

use super::{App, CallFailure, Effect, Loading, Overlay, Reply};
use crate::chat::item::ItemBody;
use crate::input::complete::known;
use crate::input::picker::{Choice, PickerKind};
use crate::text::amounts;
use crate::text::clean::clean_line;

const ABOUT_CHARS: usize = 80;

pub(super) fn take(app: &mut App, reply: Reply, now: i64) -> Vec<Effect> {
    match reply {
        Reply::History { session, limit, offset, page } => {
            if session != app.place.session {
                return Vec::new();
            }
            return match (offset, page) {
                (None, page) => newest(app, limit, page, now),
                (Some(_), Ok(page)) => {
                    app.chat.adopt_older(&page);
                    app.screen.rows_above_grow();
                    Vec::new()
                }
                (Some(_), Err(failure)) => {
                    app.chat.older.loading = false;
                    failed(app, &failure);
                    Vec::new()
                }
            };
        }
        Reply::Sent { run, answer } => return sent(app, &run, answer),
        Reply::Aborted(Ok(true)) => {}
        // Nothing was running after all: its end was missed, so look.
        Reply::Aborted(Ok(false)) => return app.refresh(),
        Reply::TakenBack { run, text, done } => return taken_back(app, &run, text, done),
        Reply::Sessions(Ok(rows)) => {
            let here = app.place.session.clone();
            fill(app, PickerKind::Sessions, rows.iter().map(|row| session_choice(row, &here)).collect());
        }
        Reply::Agents(Ok(list)) => {
            let choices = agent_choices(&list, &app.place.session);
            fill(app, PickerKind::Agents, choices);
        }
        Reply::Models(Ok(models)) => {
            let facts = app.chat.facts.clone();
            let present = |model: &ModelSummary| model.id == facts.model && model.provider == facts.provider;
            let choices = models.iter().filter(|model| model.available);
            fill(app, PickerKind::Models, choices.map(|model| model_choice(model, present(model))).collect());
        }
        Reply::Commands(Ok(commands)) => app.composer.commands = known(&commands),
        Reply::Patched(Ok(())) => return app.refresh(),
        Reply::Questions(Ok(all)) => app.questions.replace(all),
        Reply::Decided { id, done } => match done {
            Ok(()) => app.questions.forget(id.as_str()),
            Err(failure) => {
                failed(app, &failure);
                // Somebody was faster, or its time was up: what waits is asked for again.
                return vec![Effect::Ask(super::Request::Questions)];
            }
        },
        // What the gateway does not know is done without: older ones lack some of these.
        Reply::Watching | Reply::Commands(Err(_)) | Reply::Questions(Err(_)) => {}
        Reply::Aborted(Err(failure))
        | Reply::Sessions(Err(failure))
        | Reply::Agents(Err(failure))
        | Reply::Models(Err(failure))
        | Reply::Patched(Err(failure)) => failed(app, &failure),
    }
    Vec::new()
}

fn failed(app: &mut App, failure: &CallFailure) {
    // The status line tells of a lost connection already.
    if !failure.is_lost {
        app.complain(clean_line(&failure.words));
    }
}

fn newest(
    app: &mut App,
    limit: u32,
    page: Result<Box<ChatHistoryResult>, CallFailure>,
    now: i64,
) -> Vec<Effect> {
    let again = std::mem::take(&mut app.place.loading) == Loading::Again;
    match page {
        Ok(page) => {
            if app.chat.leaves_hole(&page) && limit < app.wishes.history_limit {
                return app.read_history(app.wishes.history_limit);
            }
            let is_first = !app.chat.loaded;
            app.place.session = page.session_key.to_string();
            app.chat.adopt(&page, now);
            if is_first {
                remember_texts(app);
            }
        }
        Err(failure) => failed(app, &failure),
    }
    if again { app.refresh() } else { Vec::new() }
}

/// What was said in this conversation before can be called up with the arrow keys.
fn remember_texts(app: &mut App) {
    for item in app.chat.items() {
        if let ItemBody::User { text, sender: None, .. } = &item.body {
            app.composer.editor.remember(text);
        }
    }
}

fn sent(app: &mut App, run: &str, answer: Result<RunAnswer, CallFailure>) -> Vec<Effect> {
    match answer {
        Ok(answer) => {
            let still_runs = matches!(answer, RunAnswer::Started | RunAnswer::InFlight | RunAnswer::Accepted);
            if app.chat.sent(run, still_runs) { app.refresh() } else { Vec::new() }
        }
        Err(failure) => {
            app.chat.not_sent(run, (!failure.is_lost).then(|| clean_line(&failure.words)));
            Vec::new()
        }
    }
}

fn taken_back(app: &mut App, run: &str, text: String, done: Result<bool, CallFailure>) -> Vec<Effect> {
    match done {
        Ok(true) => {
            // Its end may have been told before this answer came.
            app.chat.unqueue(run);
            let draft = app.composer.editor.text().to_owned();
            let joined = if draft.trim().is_empty() { text } else { format!("{text}\n\n{draft}") };
            app.composer.editor.set(joined);
            Vec::new()
        }
        Ok(false) => {
            app.tell("it was begun already");
            app.refresh()
        }
        Err(failure) => {
            failed(app, &failure);
            Vec::new()
        }
    }
}

fn fill(app: &mut App, kind: PickerKind, choices: Vec<Choice>) {
    if let Some(Overlay::Picker(picker)) = &mut app.overlay
        && picker.kind == kind
    {
        picker.fill(choices);
    }
}

fn session_choice(row: &SessionRow, here: &str) -> Choice {
    let key = row.key.to_string();
    let title =
        [&row.label, &row.display_name, &row.derived_title, &row.auto_label].into_iter().flatten().next();
    // A key is made of names of others' groups and threads.
    let shown = clean_line(&key);
    let label = title.map_or_else(|| shown.clone(), |title| brief(&clean_line(title), ABOUT_CHARS));
    let running = if row.has_active_run { "running · " } else { "" };
    let preview = row.last_message_preview.as_deref().map(clean_line).unwrap_or_default();
    let about = brief(&format!("{running}{shown} {preview}"), ABOUT_CHARS);
    Choice { is_present: key == here, label, about, id: key }
}

fn agent_choices(list: &AgentsListResult, here: &str) -> Vec<Choice> {
    let present = here.strip_prefix("agent:").and_then(|rest| rest.split(':').next()).unwrap_or_default();
    let choice = |agent: &homard_protocol::methods::chat::agent::AgentSummary| Choice {
        id: agent.id.to_string(),
        label: clean_line(agent.name.as_deref().unwrap_or(agent.id.as_str())),
        about: clean_line(&format!("{} · {}", agent.id, agent.model.primary)),
        is_present: agent.id.as_str() == present,
    };
    list.agents.iter().map(choice).collect()
}

fn model_choice(model: &ModelSummary, is_present: bool) -> Choice {
    let window =
        model.context_window.map(|window| format!(" · {}", amounts::tokens(window))).unwrap_or_default();
    let thinks = if model.reasoning { " · thinks" } else { "" };
    let id = format!("{}/{}", model.provider, model.id);
    Choice {
        label: clean_line(&model.name),
        about: clean_line(&format!("{id}{window}{thinks}")),
        id,
        is_present,
    }
}
