//! JSON5 text with the place of every value in it.
//!
//! One parser for reading and for editing: what the loader understood and what the writer changes cannot
//! differ. A tree of [`Node`]s keeps byte ranges so that [`crate::syntax::splice`] replaces one value and leaves the
//! owner's comments alone. Integral floats (`4e6`) become integers; `NaN` and infinities are refused.

use std::ops::Range;

use serde_json::{Map, Number, Value};

mod scan;

use scan::Scanner;

/// Deepest nesting accepted; deeper text is an accident or an attack.
pub(crate) const MAX_DEPTH: usize = 100;

/// Where and why a text is not JSON5.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct SyntaxError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    pub what: String,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Bytes of the value in the text.
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Text, number, truth value or null.
    Scalar(Value),
    Array(Vec<Node>),
    /// Members in order; a name may come twice, the last counts.
    Object(Vec<Member>),
}

/// One `name: value` of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// The name, unquoted and unescaped.
    pub(crate) key: String,
    /// Bytes of the name as written.
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
    /// Bytes of the comma after it, if there is one.
    pub(crate) comma: Option<Range<usize>>,
}

impl Node {
    /// The plain value.
    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Object(members) => {
                let mut map = Map::new();
                for member in members {
                    map.insert(member.key.clone(), member.value.to_value());
                }
                Value::Object(map)
            }
        }
    }

    /// The member that counts under a name.
    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|m| m.key == key),
            Kind::Scalar(_) | Kind::Array(_) => None,
        }
    }
}

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let mut scanner = Scanner::new(text);
    let read = (|| {
        scanner.skip_trivia()?;
        let node = value(&mut scanner, 0)?;
        scanner.skip_trivia()?;
        match scanner.peek() {
            None => Ok(node),
            Some(c) => Err(format!("unexpected {c:?} after the end of the configuration")),
        }
    })();
    read.map_err(|what| {
        let (line, column) = scanner.line_and_column();
        SyntaxError { line, column, what }
    })
}

type Read<T> = Result<T, String>;

fn value(s: &mut Scanner<'_>, depth: usize) -> Read<Node> {
    if depth > MAX_DEPTH {
        return Err(format!("nested more than {MAX_DEPTH} levels deep"));
    }
    let start = s.at();
    let kind = match s.peek() {
        Some('{') => object(s, depth)?,
        Some('[') => array(s, depth)?,
        Some('"' | '\'') => Kind::Scalar(Value::String(s.string()?)),
        Some('+' | '-' | '.' | '0'..='9') => Kind::Scalar(Value::Number(number(s)?)),
        Some(c) if scan::starts_name(c) => Kind::Scalar(word(s)?),
        Some(c) => return Err(format!("expected a value, found {c:?}")),
        None => return Err("expected a value, found the end of the file".to_owned()),
    };
    Ok(Node { span: start..s.at(), kind })
}

fn word(s: &mut Scanner<'_>) -> Read<Value> {
    let word = s.name()?;
    match word.as_str() {
        "true" => Ok(Value::Bool(true)),
        "false" => Ok(Value::Bool(false)),
        "null" => Ok(Value::Null),
        "NaN" | "Infinity" => Err(format!("`{word}` cannot be used as a setting")),
        _ => Err(format!("expected a value, found `{word}`; put quotes around texts")),
    }
}

fn object(s: &mut Scanner<'_>, depth: usize) -> Read<Kind> {
    s.bump();
    let mut members: Vec<Member> = Vec::new();
    loop {
        s.skip_trivia()?;
        if s.take('}') {
            return Ok(Kind::Object(members));
        }
        if members.last().is_some_and(|m| m.comma.is_none()) {
            return Err(expected("`,` or `}`", s.peek()));
        }
        let start = s.at();
        let key = match s.peek() {
            Some('"' | '\'') => s.string()?,
            Some(c) if scan::starts_name(c) => s.name()?,
            other => return Err(expected("a key or `}`", other)),
        };
        let key_span = start..s.at();
        s.skip_trivia()?;
        if !s.take(':') {
            return Err(expected(&format!("`:` after the key `{key}`"), s.peek()));
        }
        s.skip_trivia()?;
        let value = value(s, depth + 1)?;
        s.skip_trivia()?;
        let comma = comma(s);
        members.push(Member { key, key_span, value, comma });
    }
}

fn array(s: &mut Scanner<'_>, depth: usize) -> Read<Kind> {
    s.bump();
    let mut items = Vec::new();
    let mut separated = true;
    loop {
        s.skip_trivia()?;
        if s.take(']') {
            return Ok(Kind::Array(items));
        }
        if !separated {
            return Err(expected("`,` or `]`", s.peek()));
        }
        items.push(value(s, depth + 1)?);
        s.skip_trivia()?;
        separated = comma(s).is_some();
    }
}

fn comma(s: &mut Scanner<'_>) -> Option<Range<usize>> {
    let at = s.at();
    s.take(',').then(|| at..s.at())
}

fn expected(what: &str, found: Option<char>) -> String {
    match found {
        Some(c) => format!("expected {what}, found {c:?}"),
        None => format!("expected {what}, found the end of the file"),
    }
}

fn number(s: &mut Scanner<'_>) -> Read<Number> {
    let negative = match s.peek() {
        Some('-') => s.take('-'),
        _ => {
            s.take('+');
            false
        }
    };
    let digits = s.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_' | '$'));
    let bad = || format!("`{digits}` is not a number");
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let magnitude = u64::from_str_radix(hex, 16).ok().ok_or_else(bad)?;
        return integer(negative, magnitude).ok_or_else(bad);
    }
    let leading_zero =
        digits.len() > 1 && digits.starts_with('0') && digits.chars().all(|c| c.is_ascii_digit());
    if leading_zero || !is_decimal(digits) {
        return Err(bad());
    }
    if let Some(whole) = digits.parse::<u64>().ok().and_then(|magnitude| integer(negative, magnitude)) {
        return Ok(whole);
    }
    let float: f64 = digits.parse().ok().ok_or_else(bad)?;
    let float = if negative { -float } else { float };
    whole_number(float).or_else(|| Number::from_f64(float)).ok_or_else(bad)
}

/// Digits with at most one dot and one exponent; Rust's own parser would also take `inf` and the like.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |t: &str| t.chars().all(|c| c.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && !(whole.len() > 1 && whole.starts_with('0'))
        && exponent.is_none_or(|e| {
            let e = e.strip_prefix(['+', '-']).unwrap_or(e);
            !e.is_empty() && digits(e)
        })
}

fn integer(negative: bool, magnitude: u64) -> Option<Number> {
    if !negative {
        return Some(magnitude.into());
    }
    let value = i128::from(magnitude).checked_neg()?;
    i64::try_from(value).ok().map(Number::from)
}

/// A float without a fraction as the integer it is, as far as floats count exactly.
fn whole_number(float: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (float.fract() == 0.0 && float.abs() <= EXACT)
        .then(|| format!("{float:.0}").parse::<i64>().ok())?
        .map(Number::from)
}

#[cfg(test)]
pub(crate) mod tests;
