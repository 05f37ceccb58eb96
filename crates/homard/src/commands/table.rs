//! Columns that line up.

/// Space between columns.
const GAP: usize = 2;

/// Lays rows out under a heading; columns are as wide as their widest cell, numbers of characters being what counts.
pub(crate) fn table(heading: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let heading: Vec<String> = heading.iter().map(|&cell| cell.to_owned()).collect();
    let columns = heading.len();
    let mut widths = vec![0; columns];
    for row in std::iter::once(&heading).chain(rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    std::iter::once(&heading).chain(rows).map(|row| line(row, &widths)).collect()
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut out = String::new();
    for (cell, width) in row.iter().zip(widths) {
        out.push_str(cell);
        out.extend(std::iter::repeat_n(' ', width + GAP - cell.chars().count()));
    }
    out.trim_end().to_owned()
}

/// Names and values, one pair a line.
pub(crate) fn pairs(rows: &[(&str, String)]) -> Vec<String> {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| {
            let pad = width - name.chars().count() + GAP;
            format!("{name}{}{value}", " ".repeat(pad)).trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{pairs, table};

    #[test]
    fn columns_line_up_by_characters_not_bytes() {
        let rows = vec![vec!["ä".to_owned(), "1".to_owned()], vec!["bbb".to_owned(), String::new()]];
        assert_eq!(table(&["A", "NUMBER"], &rows), ["A    NUMBER", "ä    1", "bbb"]);
    }

    #[test]
    fn pairs_line_up() {
        assert_eq!(pairs(&[("a", "1".into()), ("long", "2".into())]), ["a     1", "long  2"]);
    }
}
