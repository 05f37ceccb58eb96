//! The log of a gateway: what its settings and its command line ask for.

use std::io;
use std::path::PathBuf;

use homard_config::config::logging::{ConsoleStyle, LogLevel, Logging, RedactSensitive};
use homard_config::{ConfigHandle, Paths};
use homard_runtime::{Clock, OrCancel};
use tokio_util::sync::CancellationToken;

use super::files::LogFiles;
use super::redact::Redactor;
use super::{Log, LogSetup};
use crate::commands::gateway::{GatewayOptions, GatewayTerminal};
use crate::compose::secrets;

/// What the command line says about levels; it wins over the file as long as the process lives.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LevelChoice {
    pub(crate) level: Option<LogLevel>,
    /// At least `debug` on the terminal.
    pub(crate) verbose: bool,
    /// Nothing on the terminal, which is somebody else's.
    pub(crate) silent: bool,
}

impl LevelChoice {
    /// The levels of file and terminal.
    fn levels(self, settings: &Logging) -> (LogLevel, LogLevel) {
        let console = match self.level {
            _ if self.silent => LogLevel::Silent,
            Some(level) => level,
            None if self.verbose => settings.console_level.max(LogLevel::Debug),
            None => settings.console_level,
        };
        (self.level.unwrap_or(settings.level), console)
    }
}

impl GatewayOptions {
    /// What the command line says about levels.
    pub(crate) fn level_choice(&self) -> LevelChoice {
        let verbose = matches!(self.terminal, GatewayTerminal::Shown { verbose: true, .. });
        LevelChoice { level: self.log_level, verbose, silent: self.terminal == GatewayTerminal::Silent }
    }
}

/// Starts the log of a gateway; every secret of its settings is masked from the first line on.
///
/// # Errors
/// When the system gives no thread, or a log runs already.
pub(crate) fn start(
    options: &GatewayOptions,
    config: &ConfigHandle,
    known: homard_runtime::Redactor,
) -> io::Result<Log> {
    let current = config.current();
    let settings = &current.logging;
    let (file_level, console_level) = options.level_choice().levels(settings);
    let redactor = Redactor::over(known);
    secrets::of(config).iter().for_each(|secret| redactor.keep_secret(secret));
    for secret in options.token.iter().chain(&options.password) {
        redactor.keep_secret(secret.expose());
    }
    let log = Log::start(LogSetup {
        files: Some(files(settings, &options.source.paths)),
        file_level,
        console_level,
        console_style: settings.console_style.unwrap_or(ConsoleStyle::Pretty),
        color: options.terminal.colors(),
        redactor,
        clock: options.source.clock.clone(),
    })?;
    mask(&log, settings);
    Ok(log)
}

fn mask(log: &Log, settings: &Logging) {
    log.set_masking(&settings.redact_patterns, settings.redact != RedactSensitive::Off);
}

/// Takes changed levels, files, looks, patterns and new secrets over as the configuration changes.
pub(crate) async fn follow(log: &Log, handle: &ConfigHandle, choice: LevelChoice, cancel: CancellationToken) {
    let mut news = handle.subscribe();
    let mut before = handle.current().logging.clone();
    while let Ok(Ok(())) = news.changed().or_cancel(&cancel).await {
        let config = handle.current();
        let (file, console) = choice.levels(&config.logging);
        log.set_levels(file, console);
        let settings = &config.logging;
        let arranged = |of: &Logging| (of.file.clone(), of.max_file_bytes, of.console_style);
        if arranged(settings) != arranged(&before) {
            let style = settings.console_style.unwrap_or(ConsoleStyle::Pretty);
            log.rearrange(files(settings, &handle.source().paths), style);
        }
        if (&settings.redact_patterns, settings.redact) != (&before.redact_patterns, before.redact) {
            mask(log, settings);
        }
        before = settings.clone();
        secrets::of(handle).iter().for_each(|secret| log.keep_secret(secret));
    }
}

/// The file that is written today; `logs.tail` reads it.
pub(crate) fn file_of_today(settings: &Logging, paths: &Paths, clock: &Clock) -> PathBuf {
    files(settings, paths).path_at(clock.now_ms())
}

/// The file that was written last; it need not be of today.
pub(crate) fn newest_file(settings: &Logging, paths: &Paths, clock: &Clock) -> PathBuf {
    files(settings, paths).newest_at(clock.now_ms())
}

fn files(settings: &Logging, paths: &Paths) -> LogFiles {
    match &settings.file {
        Some(path) => LogFiles::fixed(path.clone(), settings.max_file_bytes),
        None => LogFiles::daily(paths.logs_dir(), settings.max_file_bytes),
    }
}

#[cfg(test)]
mod tests {
    use homard_config::config::logging::LogLevel;
    use homard_config::{Config, Environment, Paths};

    use super::LevelChoice;

    #[test]
    fn the_command_line_wins_over_the_file() {
        let nothing: [(&str, &str); 0] = [];
        let paths = Paths::under(std::path::Path::new("/nowhere"));
        let mut settings = Config::empty(&paths, &Environment::from_pairs(nothing)).logging;
        let cases = [
            (LevelChoice::default(), (LogLevel::Info, LogLevel::Info)),
            (LevelChoice { verbose: true, ..LevelChoice::default() }, (LogLevel::Info, LogLevel::Debug)),
            (
                LevelChoice { level: Some(LogLevel::Warn), verbose: true, silent: false },
                (LogLevel::Warn, LogLevel::Warn),
            ),
        ];
        for (choice, levels) in cases {
            assert_eq!(choice.levels(&settings), levels, "{choice:?}");
        }
        settings.console_level = LogLevel::Error;
        assert_eq!(LevelChoice::default().levels(&settings), (LogLevel::Info, LogLevel::Error));
    }
}
