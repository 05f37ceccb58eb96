//! The parts of the relay: each a folder with its own methods, what it has, and a list of the others it may ask.
//!
//! What every part needs (settings, store, clock, tasks, events) is in [`Inner`]. What one part keeps is its own state,
//! in its own folder; here it is lent to the parts whose line names it. Nothing else compiles.

use std::sync::{Arc, Weak};

use homard_agent::Prompt;
use homard_exec::Processes;
use homard_memory::{Memories, Writers};
use homard_skills::Skills;
use homard_tools::{Approvals, Undo};

use crate::delivery::outbox::Outbox;
use crate::intake::IntakeState;
use crate::intake::call_quota::CallQuota;
use crate::message_actions::Names;
use crate::platforms::PlatformsState;
use crate::platforms::channels::Channels;
use crate::recall::{NoteWatch, SessionLooks, VectorWork, WrittenByAgents};
use crate::relay::Inner;
use crate::sessions::subagents::Family;
use crate::turn_setup::SetupState;
use crate::turns::TurnsState;
use crate::turns::lane::Lanes;
use crate::turns::places::Places;
use crate::turns::runs::Runs;
use crate::turns::wake::Wakes;

/// What the parts keep.
pub(crate) struct Parts {
    inner: Arc<Inner>,
    intake: IntakeState,
    turns: TurnsState,
    setup: SetupState,
    outbox: Outbox,
    platforms: PlatformsState,
    family: Family,
    memories: Memories,
    written: Arc<WrittenByAgents>,
    session_looks: SessionLooks,
    vector_work: VectorWork,
    keeping: NoteWatch,
}

impl Parts {
    pub(crate) fn new(inner: Inner, setup: SetupState, names: Names) -> Self {
        let written = Arc::new(WrittenByAgents::new(setup.undo.clone()));
        let knows: Arc<dyn Writers> = Arc::<WrittenByAgents>::clone(&written);
        Self {
            memories: Memories::knowing(knows),
            written,
            intake: IntakeState::new(inner.tasks().clone()),
            turns: TurnsState::new(&inner),
            setup,
            outbox: Outbox::default(),
            platforms: PlatformsState::new(names),
            family: Family::default(),
            session_looks: SessionLooks::default(),
            vector_work: VectorWork::default(),
            keeping: NoteWatch::default(),
            inner: Arc::new(inner),
        }
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    pub(crate) fn approvals(&self) -> &Approvals {
        &self.setup.approvals
    }

    pub(crate) fn skills(&self) -> &Skills {
        &self.setup.skills
    }
}

/// Makes a part, the ways to what it has, and to those it may ask.
macro_rules! part {
    (
        $(#[$about:meta])* $seen:vis $name:ident
        has { $($thing:ident: $type:ty = $($path:ident).+),* $(,)? }
        asks { $($way:ident => $other:ident),* $(,)? }
    ) => {
        $(#[$about])*
        #[derive(Clone)]
        $seen struct $name {
            parts: Arc<Parts>,
        }

        impl $name {
            pub(crate) fn of(parts: Arc<Parts>) -> Self {
                Self { parts }
            }

            pub(crate) fn inner(&self) -> &Arc<Inner> {
                &self.parts.inner
            }

            $(
                pub(crate) fn $thing(&self) -> &$type {
                    &self.parts.$($path).+
                }
            )*

            $(
                pub(crate) fn $way(&self) -> $other {
                    $other::of(Arc::clone(&self.parts))
                }
            )*
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

part! {
    /// What is heard on chat platforms: kept, gathered, routed, judged.
    pub(crate) Intake
    has { state: IntakeState = intake, channels: Channels = platforms.channels, runs: Runs = turns.runs }
    asks { chat_approvals => ChatApprovals, dispatch => Dispatch, outgoing => Outgoing }
}
part! {
    /// What is done about a message whose sender may speak: stop, begin anew, obey, or ask the model.
    pub(crate) Dispatch
    has {
        state: IntakeState = intake, runs: Runs = turns.runs, call_quota: CallQuota = turns.call_quota,
    }
    asks {
        commands => ChatCommands, outgoing => Outgoing, sessions => Sessions, setup => TurnSetup, turns => Turns,
    }
}
part! {
    /// Commands in chats.
    pub(crate) ChatCommands
    has { runs: Runs = turns.runs, approvals: Approvals = setup.approvals }
    asks {
        chat_approvals => ChatApprovals, dispatch => Dispatch, outgoing => Outgoing, sessions => Sessions,
        setup => TurnSetup, subagent_commands => SubagentCommands, turns => Turns,
    }
}
part! {
    /// Commands about subagents.
    pub(crate) SubagentCommands
    has {}
    asks { sessions => Sessions, subagents => Subagents }
}
part! {
    /// Turns: accepted, waiting, under way, stopped, begun again after a restart.
    pub Turns
    has {
        runs: Runs = turns.runs, lanes: Lanes = turns.lanes, places: Places = turns.places, wakes: Wakes = turns.wakes,
        call_quota: CallQuota = turns.call_quota,
    }
    asks {
        chat_approvals => ChatApprovals, commands => ChatCommands, messages => MessageActions, outgoing => Outgoing,
        recall => Recall, setup => TurnSetup, subagents => Subagents,
    }
}
part! {
    /// What a turn is made of: tools and policy, skills, prompt, programs' wishes.
    pub TurnSetup
    has { approvals: Approvals = setup.approvals, prompt: Arc<Prompt> = setup.prompt, skills: Skills = setup.skills, undo: Undo = setup.undo }
    asks {}
}
part! {
    /// Conversations: looking at them, writing between them, beginning them anew, undoing what was done in them.
    pub Sessions
    has { runs: Runs = turns.runs, prompt: Arc<Prompt> = setup.prompt, replaced_files: Undo = setup.undo, processes: Processes = setup.processes }
    asks { setup => TurnSetup, subagents => Subagents, turns => Turns }
}
part! {
    /// What agents wrote down, found again.
    pub Recall
    has {
        memories: Memories = memories, written: WrittenByAgents = written, session_looks: SessionLooks = session_looks,
        vector_work: VectorWork = vector_work, keeping: NoteWatch = keeping,
    }
    asks { setup => TurnSetup, sessions => Sessions }
}
part! {
    /// Agents that work for another.
    pub(crate) Subagents
    has { family: Family = family, runs: Runs = turns.runs }
    asks {
        chat_approvals => ChatApprovals, messages => MessageActions, sessions => Sessions, setup => TurnSetup,
        turns => Turns,
    }
}
part! {
    /// What goes out to chat platforms, kept until it has arrived.
    pub(crate) Outgoing
    has {
        outbox: Outbox = outbox, channels: Channels = platforms.channels, replaced_files: Undo = setup.undo,
        runs: Runs = turns.runs,
    }
    asks {}
}
part! {
    /// Acts on a chat platform that somebody asks for: sending, reacting, editing, finding the place.
    pub MessageActions
    has {
        runs: Runs = turns.runs, channels: Channels = platforms.channels, channel_names: Names = platforms.names,
        replaced_files: Undo = setup.undo,
    }
    asks { outgoing => Outgoing, sessions => Sessions }
}
part! {
    /// The accounts that are connected, and the strangers who write to them.
    pub Platforms
    has { channels: Channels = platforms.channels }
    asks { chat_approvals => ChatApprovals, intake => Intake, outgoing => Outgoing }
}
part! {
    /// Questions to the owner, shown and answered on chat platforms.
    pub(crate) ChatApprovals
    has { approvals: Approvals = setup.approvals }
    asks { messages => MessageActions, outgoing => Outgoing }
}

impl TurnSetup {
    pub(crate) fn downgrade(&self) -> Weak<Parts> {
        Arc::downgrade(&self.parts)
    }
}

impl Turns {
    pub(crate) fn downgrade(&self) -> Weak<Parts> {
        Arc::downgrade(&self.parts)
    }
}

impl Sessions {
    pub(crate) fn downgrade(&self) -> Weak<Parts> {
        Arc::downgrade(&self.parts)
    }
}
