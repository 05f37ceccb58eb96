//! Who is under way, by name and by session.

use std::sync::Arc;

use homard_protocol::{AgentId, RunId, SessionKey};
use homard_runtime::Clock;
use tokio_util::sync::CancellationToken;

use super::{Run, Runs};
use crate::bus::Bus;
use crate::turns::narrate::{Narrator, Subject};

fn run(name: &str, key: &SessionKey) -> Arc<Run> {
    let id = RunId::parse(name).unwrap();
    let subject = Subject {
        run: id.clone(),
        run_text: name.into(),
        session_key: key.to_string().into(),
        agent: None,
        is_heartbeat: false,
    };
    let narrator = Narrator::new(subject, Bus::default(), Clock::fixed(0));
    Arc::new(Run::new(id, key.clone(), "hello".to_owned(), narrator, CancellationToken::new()))
}

#[test]
fn runs_are_found_by_their_session_and_nothing_is_kept_of_those_that_ended() {
    let (here, there) = (SessionKey::main(AgentId::main()), SessionKey::Global);
    let [one, two, other] = [run("one", &here), run("two", &here), run("other", &there)];
    let runs = Runs::default();
    assert!(runs.reserve(&one) && runs.reserve(&two) && runs.reserve(&other));
    assert!(!runs.reserve(&run("two", &there)), "a name is taken once, wherever");
    assert_eq!(runs.active_ids(&here), [one.id.clone(), two.id.clone()]);
    // Another of the same name goes away; the one that is known stays.
    runs.remove(&run("one", &here));
    assert_eq!(runs.active_ids(&here).len(), 2);
    for run in [&one, &other, &two] {
        runs.remove(run);
        assert!(runs.get(&run.id).is_none());
    }
    assert!(runs.all().is_empty() && runs.active_ids(&here).is_empty());
    assert!(runs.known.lock().by_session.is_empty());
}
