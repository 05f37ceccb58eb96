//! Which file a log line goes to: one a day, none too large, none too old.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use homard_runtime::create_private_dir;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Days a log file is kept.
const KEEP_DAYS: i64 = 7;
/// A day in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Largest file unless the owner says otherwise.
pub(crate) const DEFAULT_MAX_BYTES: u64 = 50 * 1024 * 1024;
/// Full files of one day that are kept beside the current one.
const KEEP_FULL: u32 = 4;
/// How long to leave a file alone that could not be written, in milliseconds.
const RETRY_AFTER_MS: i64 = 10_000;
const PREFIX: &str = "homard-";
const SUFFIX: &str = ".log";

/// The log files.
pub(crate) struct LogFiles {
    place: Place,
    max_bytes: u64,
    zone: Option<TimeZone>,
    open: Option<Open>,
    not_before_ms: i64,
}

enum Place {
    /// `homard-YYYY-MM-DD.log` in this folder.
    Daily(PathBuf),
    Fixed(PathBuf),
}

struct Open {
    date: Date,
    path: PathBuf,
    size: u64,
    file: BufWriter<File>,
}

impl LogFiles {
    /// One file a day in `folder`.
    pub(crate) fn daily(folder: PathBuf, max_bytes: Option<u64>) -> Self {
        Self::new(Place::Daily(folder), max_bytes)
    }

    /// One file, wherever the owner wants it.
    pub(crate) fn fixed(path: PathBuf, max_bytes: Option<u64>) -> Self {
        Self::new(Place::Fixed(path), max_bytes)
    }

    fn new(place: Place, max_bytes: Option<u64>) -> Self {
        let max_bytes = max_bytes.unwrap_or(DEFAULT_MAX_BYTES);
        Self { place, max_bytes, zone: None, open: None, not_before_ms: i64::MIN }
    }

    /// Days in another time zone than the machine's.
    #[cfg(test)]
    fn in_zone(mut self, zone: TimeZone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// The file of the day of `ms`.
    pub(crate) fn path_at(&self, ms: i64) -> PathBuf {
        let zone = self.zone.clone().unwrap_or_else(TimeZone::system);
        self.path_of(date_of(ms, zone))
    }

    /// The newest file there is on the day of `ms`; the file of that day where there is none.
    pub(crate) fn newest_at(&self, ms: i64) -> PathBuf {
        let mut days = (0..=KEEP_DAYS).map(|days| self.path_at(ms - days * DAY_MS));
        days.find(|path| path.is_file()).unwrap_or_else(|| self.path_at(ms))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When the file cannot be written; the next lines are let go for a while then.
    pub(crate) fn write(&mut self, ms: i64, line: &str) -> io::Result<()> {
        if ms < self.not_before_ms {
            return Ok(());
        }
        let written = self.append(ms, line);
        if written.is_err() {
            self.open = None;
            self.not_before_ms = ms.saturating_add(RETRY_AFTER_MS);
        }
        written
    }

    /// Hands everything to the system.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.open {
            Some(open) => open.file.flush(),
            None => Ok(()),
        }
    }

    fn append(&mut self, ms: i64, line: &str) -> io::Result<()> {
        let zone = self.zone.get_or_insert_with(TimeZone::system).clone();
        let date = date_of(ms, zone);
        let fits = |open: &Open| open.size == 0 || open.size.saturating_add(bytes(line)) <= self.max_bytes;
        match self.open.take() {
            Some(open) if open.date == date && fits(&open) => self.open = Some(open),
            Some(mut open) if open.date == date => {
                open.file.flush()?;
                set_aside(&open.path)?;
                self.open = Some(self.open_at(date)?);
            }
            Some(_) | None => {
                let open = self.open_at(date)?;
                if !fits(&open) {
                    set_aside(&open.path)?;
                }
                self.open = Some(self.open_at(date)?);
                self.prune(date);
            }
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        open.file.write_all(line.as_bytes())?;
        open.file.write_all(b"\n")?;
        open.size += bytes(line);
        Ok(())
    }

    fn path_of(&self, date: Date) -> PathBuf {
        match &self.place {
            Place::Daily(folder) => folder.join(format!("{PREFIX}{date}{SUFFIX}")),
            Place::Fixed(path) => path.clone(),
        }
    }

    fn open_at(&self, date: Date) -> io::Result<Open> {
        let path = self.path_of(date);
        if let Some(folder) = path.parent() {
            create_private_dir(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        let size = file.metadata()?.len();
        Ok(Open { date, path, size, file: BufWriter::new(file) })
    }

    /// Deletes files of days long gone. Losing this race or failing at it costs nothing but space.
    fn prune(&self, today: Date) {
        let Place::Daily(folder) = &self.place else { return };
        let Ok(oldest) = today.checked_sub(KEEP_DAYS.days()) else { return };
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_str().and_then(date_in_name).is_some_and(|date| date < oldest) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

fn bytes(line: &str) -> u64 {
    u64::try_from(line.len()).unwrap_or(u64::MAX).saturating_add(1)
}

fn date_of(ms: i64, zone: TimeZone) -> Date {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(zone).date()
}

/// The day of `homard-YYYY-MM-DD.log` and `homard-YYYY-MM-DD.N.log`.
fn date_in_name(name: &str) -> Option<Date> {
    let (date, _number) =
        name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_at_checked("YYYY-MM-DD".len())?;
    date.parse().ok()
}

/// `x.log` becomes `x.1.log`, `x.1.log` becomes `x.2.log` …; the last one goes.
#[expect(clippy::disallowed_methods, reason = "moves full files; nothing is written")]
fn set_aside(path: &Path) -> io::Result<()> {
    let numbered = |number: u32| path.with_extension(format!("{number}.log"));
    for number in (1..KEEP_FULL).rev() {
        match fs::rename(numbered(number), numbered(number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    fs::rename(path, numbered(1))
}

#[cfg(test)]
mod tests;
