//! Commands that list things: `/commands`, `/models`, `/skill`.

use futures_util::FutureExt;
use homard_policy::words::table;
use homard_runtime::Arrange as _;

use super::{Answer, Entry};
use crate::intake::admit::Admitted;
use crate::parts::ChatCommands;

/// Models on one page.
const MODELS_PER_PAGE: usize = 20;

/// What this family answers.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "commands",
        run: |commands, begun, rest| {
            async move { Ok(commands.commands_page(&begun.admitted, rest).await) }.boxed()
        },
    },
    Entry { name: "help", run: |commands, begun, _| commands.help(&begun.admitted).boxed() },
    Entry {
        name: "models",
        run: |commands, _, rest| std::future::ready(Ok(commands.models_page(rest))).boxed(),
    },
    Entry {
        name: "skill",
        run: |commands, begun, _| async move { Ok(commands.skills_page(&begun.admitted).await) }.boxed(),
    },
];

impl ChatCommands {
    /// `/help`.
    async fn help(&self, admitted: &Admitted) -> Answer {
        let config = self.inner().config();
        let lines = table::available(&config.commands).map(table::line);
        let commands = std::iter::once("Commands:".to_owned()).chain(lines).collect::<Vec<_>>().join("\n");
        Ok(commands + &self.setup().skill_commands(admitted).await)
    }

    /// `/commands [page]`.
    pub(super) async fn commands_page(&self, admitted: &Admitted, wanted: &str) -> String {
        let config = self.inner().config();
        let mut lines: Vec<String> = table::available(&config.commands).map(table::line).collect();
        let skills = self.setup().skill_commands(admitted).await;
        lines.extend(skills.lines().filter(|line| !line.is_empty()).map(str::to_owned));
        table::page(&lines, wanted.parse().unwrap_or(1))
    }

    /// `/skill` without a name.
    pub(super) async fn skills_page(&self, admitted: &Admitted) -> String {
        let skills = self.setup().skill_commands(admitted).await;
        if skills.trim().is_empty() {
            "There are no skills to call by name.".to_owned()
        } else {
            format!("Skills:{skills}")
        }
    }

    /// `/models [provider] [page]`.
    pub(super) fn models_page(&self, wanted: &str) -> String {
        let mut words = wanted.split_whitespace().peekable();
        let provider = words.next_if(|word| word.parse::<usize>().is_err()).map(str::to_lowercase);
        let page: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
        let router = self.inner().router();
        let models = router.models();
        let mut names: Vec<String> =
            models.list().map(|model| format!("{}/{}", model.provider, model.id)).collect();
        names.retain(|name| provider.as_ref().is_none_or(|wanted| name.starts_with(&format!("{wanted}/"))));
        names.arrange();
        names.dedup();
        if names.is_empty() {
            return "There are no such models.".to_owned();
        }
        let pages = names.len().div_ceil(MODELS_PER_PAGE);
        let page = page.clamp(1, pages);
        let shown = names.iter().skip((page - 1).saturating_mul(MODELS_PER_PAGE)).take(MODELS_PER_PAGE);
        let mut text = format!("Models, page {page} of {pages}:");
        for name in shown {
            text.push('\n');
            text.push_str(name);
        }
        text
    }
}
