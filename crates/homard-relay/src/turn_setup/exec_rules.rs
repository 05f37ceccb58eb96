//! Which commands a turn may run, from what the owner configured and what the session asks for. The owner's file of
//! command rules has its say later, for each command.

use std::str::FromStr;
use std::sync::Arc;

use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_config::config::tools::{Exec, ExecAsk, ExecSecurity};
use homard_exec::approvals::{ExecRules, PolicyStore};
use homard_protocol::Word;
use homard_protocol::session_words::ExecHost;
use homard_store::SessionEntry;

/// The rules of a turn. An agent's own settings replace the general ones; a session can only be stricter.
pub(crate) fn exec_rules(
    config: &Config,
    agent: &Agent,
    session: Option<&SessionEntry>,
    store: PolicyStore,
) -> ExecRules {
    let (security, ask) = limits(&config.tools.exec, agent, session);
    let safe_bins = agent.tools.exec.safe_bins.as_ref().unwrap_or(&config.tools.exec.safe_bins);
    ExecRules {
        agent: agent.id.to_string(),
        security,
        ask,
        host: host(&config.tools.exec, agent, session),
        node: session.and_then(|entry| entry.exec_node.clone()),
        safe_bins: Arc::from(safe_bins.as_slice()),
        store: Some(store),
        ..ExecRules::default()
    }
}

/// Whether commands are offered at all.
pub(crate) fn may_run_commands(exec: &Exec, agent: &Agent, session: Option<&SessionEntry>) -> bool {
    let (security, _) = limits(exec, agent, session);
    let in_sandbox = host(exec, agent, session) == Some(ExecHost::Sandbox.into());
    // Where there should be a sandbox and is none, nothing runs.
    security != Some(ExecSecurity::Deny) && !in_sandbox
}

fn limits(
    exec: &Exec,
    agent: &Agent,
    session: Option<&SessionEntry>,
) -> (Option<ExecSecurity>, Option<ExecAsk>) {
    let own = &agent.tools.exec;
    let written = own.security.or(exec.security);
    // Who names this machine as the place means that commands there are looked at.
    let named = own.host.as_deref().or(exec.host.as_deref()) == Some("gateway");
    let configured = written.or_else(|| named.then_some(ExecSecurity::Allowlist));
    let asked = own.ask.or(exec.ask);
    let wish = session.map(|entry| {
        let security = strict(entry.exec_security.as_ref(), ExecSecurity::Deny);
        (security, strict(entry.exec_ask.as_ref(), ExecAsk::Always))
    });
    let (security, ask) = wish.unwrap_or_default();
    let strictest = [configured, security].into_iter().flatten().min();
    (strictest, [asked, ask].into_iter().flatten().max())
}

/// Where commands run: what is elsewhere wins over what is here.
fn host(exec: &Exec, agent: &Agent, session: Option<&SessionEntry>) -> Option<Word<ExecHost>> {
    let written = |host: &str| (!host.trim().is_empty()).then(|| Word::of(host.trim()));
    let configured = agent.tools.exec.host.as_deref().or(exec.host.as_deref()).and_then(written);
    let asked = session.and_then(|entry| written(entry.exec_host.as_ref()?.as_str()));
    let is_here = |host: &Word<ExecHost>| matches!(host.known(), Some(ExecHost::Auto | ExecHost::Gateway));
    match (configured, asked) {
        (Some(configured), Some(asked)) if is_here(&configured) && !is_here(&asked) => Some(asked),
        (configured, asked) => configured.or(asked),
    }
}

/// A word of a session; one that is not known counts as the strictest.
fn strict<W: Copy + FromStr>(word: Option<&Word<W>>, strictest: W) -> Option<W> {
    match word? {
        Word::Known(word) => Some(*word),
        Word::Other(text) if text.trim().is_empty() => None,
        Word::Other(text) => Some(text.trim().parse().unwrap_or(strictest)),
    }
}
