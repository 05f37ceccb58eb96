//! `homard onboard --reset`: what there is goes aside with the person's last yes, and not before.
//!
//! Until then the questions are asked as if it were gone already. Who leaves has lost nothing.

use homard_backup::{Erase, EraseScope};
use homard_config::ConfigSource;

use super::args::{OnboardArgs, ResetScope};
use super::prompt::Prompt;
use crate::commands::Cx;
use crate::commands::service::backup;

/// What is still to be put aside, if anything.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartOver(Option<EraseScope>);

impl StartOver {
    /// What the options ask for.
    ///
    /// # Errors
    /// When a gateway runs on the files: nobody should answer all questions first to be told so.
    pub(super) fn wanted(cx: &Cx, prompt: &Prompt, args: &OnboardArgs) -> anyhow::Result<Self> {
        if !args.reset.reset {
            return Ok(Self(None));
        }
        backup::refuse_while_running(cx)?;
        if !args.is_silent() {
            prompt
                .say("Begin anew", "With your last yes what there is here is put aside; nothing is deleted.");
        }
        Ok(Self(Some(match args.reset.reset_scope {
            ResetScope::Config => EraseScope::Config,
            ResetScope::ConfigCredsSessions => EraseScope::ConfigCredsSessions,
            ResetScope::Full => EraseScope::Full,
        })))
    }

    /// Whether stored keys are about to go, too.
    pub(super) fn takes_keys(self) -> bool {
        self.0.is_some_and(|scope| scope != EraseScope::Config)
    }

    /// The machine as it will be: without the settings that are about to go, and the keys beside them.
    pub(super) fn seen(self, cx: &Cx) -> Cx {
        let paths = &cx.source.paths;
        let paths = if self.0.is_some() { paths.without_settings() } else { paths.clone() };
        Cx {
            source: ConfigSource { paths, ..cx.source.clone() },
            global: cx.global.clone(),
            console: cx.console,
        }
    }

    /// Puts it aside, once; whether it did so now.
    ///
    /// # Errors
    /// When a gateway was started meanwhile, or something cannot be moved; everything is in its place then.
    pub(super) fn begin(&mut self, cx: &Cx, prompt: &Prompt) -> anyhow::Result<bool> {
        let Some(scope) = self.0.take() else { return Ok(false) };
        backup::refuse_while_running(cx)?;
        let plan = Erase::of(&cx.source, &cx.snapshot(), scope);
        let lock = backup::hold(cx)?;
        let places = plan.put_aside(&cx.source, &cx.source.clock.now_ms().to_string());
        if let Some(lock) = lock {
            lock.release();
        }
        let places: Vec<String> = places?.iter().map(|place| place.display().to_string()).collect();
        match places.as_slice() {
            [] => prompt.say("Begin anew", "There was nothing to put aside."),
            places => {
                prompt.say("Begin anew", &format!("What there was is in {} now.", places.join(" and ")));
            }
        }
        Ok(true)
    }
}
