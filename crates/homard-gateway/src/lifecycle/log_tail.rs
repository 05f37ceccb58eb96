//! `logs.tail`: the end of the log file, piece by piece.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use homard_protocol::methods::system::{
    DEFAULT_LOG_BYTES, DEFAULT_LOG_LINES, LogsTailParams, LogsTailResult, MAX_LOG_BYTES, MAX_LOG_LINES,
};

/// Longest line that is waited for, in bytes; a longer one is told in pieces.
const MAX_PARTIAL: usize = 64 * 1024;

/// Reads what was written since the caller's cursor, or the end of the file when there is none.
///
/// # Errors
/// When the file exists and cannot be read. A log that does not exist yet is an empty one.
pub(crate) fn tail(path: &Path, params: &LogsTailParams) -> io::Result<LogsTailResult> {
    let shown = path.display().to_string();
    let mut file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(LogsTailResult { file: shown, ..LogsTailResult::default() });
        }
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    let max_bytes = params.max_bytes.unwrap_or(DEFAULT_LOG_BYTES).clamp(1, MAX_LOG_BYTES);
    let limit =
        usize::try_from(params.limit.unwrap_or(DEFAULT_LOG_LINES).clamp(1, MAX_LOG_LINES)).unwrap_or(1);
    // A cursor past the end means that the file was rotated.
    let reset = params.cursor.is_some_and(|cursor| cursor > size);
    let wanted = params.cursor.filter(|_| !reset).unwrap_or_else(|| size.saturating_sub(max_bytes));
    let start = wanted.max(size.saturating_sub(max_bytes));
    let mut truncated = start > wanted || (params.cursor.is_none() && start > 0);

    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(size.saturating_sub(start)).read_to_end(&mut bytes)?;
    // A line that is still being written is told when it is whole.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    if bytes.len() - whole < MAX_PARTIAL {
        bytes.truncate(whole);
    }
    let cursor = start + u64::try_from(bytes.len()).unwrap_or(0);
    let skipped_bytes = start.saturating_sub(params.cursor.filter(|_| !reset).unwrap_or(start));
    let text = String::from_utf8_lossy(&bytes);
    // A start in the middle of a line shows only the whole lines after it.
    let mid_line = start > 0 && params.cursor != Some(start);
    let mut lines: Vec<String> =
        text.lines().skip(usize::from(mid_line)).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if lines.len() > limit {
        truncated = true;
        lines = lines.split_off(lines.len() - limit);
    }
    Ok(LogsTailResult { file: shown, cursor, size, lines, truncated, reset, skipped_bytes })
}

#[cfg(test)]
mod tests {
    use super::tail;
    use homard_protocol::methods::system::LogsTailParams;
    use std::io::Write;

    #[test]
    fn follows_by_cursor_and_notices_rotation() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "one\ntwo").unwrap();
        let first = tail(file.path(), &LogsTailParams::default()).unwrap();
        assert_eq!(
            (first.lines.as_slice(), first.truncated),
            (["one".to_owned(), "two".to_owned()].as_slice(), false)
        );
        writeln!(file, "three").unwrap();
        let next = LogsTailParams { cursor: Some(first.cursor), ..LogsTailParams::default() };
        assert_eq!(tail(file.path(), &next).unwrap().lines, ["three"]);
        file.as_file().set_len(0).unwrap();
        let rotated = tail(file.path(), &next).unwrap();
        assert!(rotated.reset && rotated.lines.is_empty());
    }

    #[test]
    fn limits_cut_at_whole_lines() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for n in 0..100 {
            writeln!(file, "line {n}").unwrap();
        }
        let few = LogsTailParams { limit: Some(2), ..LogsTailParams::default() };
        let got = tail(file.path(), &few).unwrap();
        assert_eq!(
            (got.lines.as_slice(), got.truncated),
            (["line 98".to_owned(), "line 99".into()].as_slice(), true)
        );
        let small = LogsTailParams { max_bytes: Some(20), ..LogsTailParams::default() };
        assert_eq!(tail(file.path(), &small).unwrap().lines, ["line 98", "line 99"]);
    }

    #[test]
    fn a_line_that_is_being_written_is_told_when_it_is_whole() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "one\ntw").unwrap();
        let first = tail(file.path(), &LogsTailParams::default()).unwrap();
        assert_eq!((first.lines.as_slice(), first.cursor), (["one".to_owned()].as_slice(), 4));
        writeln!(file, "o").unwrap();
        let next = LogsTailParams { cursor: Some(first.cursor), ..LogsTailParams::default() };
        assert_eq!(tail(file.path(), &next).unwrap().lines, ["two"]);
    }

    #[test]
    fn who_comes_late_is_told_how_much_was_left_out() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for n in 0..100 {
            writeln!(file, "line {n:02}").unwrap();
        }
        let late = LogsTailParams { cursor: Some(0), max_bytes: Some(16), ..LogsTailParams::default() };
        let got = tail(file.path(), &late).unwrap();
        assert_eq!((got.lines.as_slice(), got.skipped_bytes), (["line 99".to_owned()].as_slice(), 784));
        assert!(got.truncated);
    }

    #[test]
    fn a_missing_log_is_empty() {
        let got = tail(std::path::Path::new("nowhere.log"), &LogsTailParams::default()).unwrap();
        assert_eq!(got.size, 0);
    }
}
