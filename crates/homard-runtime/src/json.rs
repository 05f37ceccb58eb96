//! From a JSON value to a type, with the place of what does not fit.
//!
//! Serde makes the code that reads a type anew for every kind of source it is read from, and for several hundred types
//! that is a good part of the program. So what is read from a whole value is read here, from one kind of source that
//! also knows where it is: parameters of methods, arguments of tools, answers of a gateway, the configuration. Text that
//! is read often (transcripts, streams) is read straight from its bytes.
//!
//! Objects are objects: a list in the place of one is refused, which serde would let pass.

use std::fmt;

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Map, Number, Value};

use crate::OrLog;

/// What stands for the whole value in a path.
const ROOT: &str = ".";

/// Reads a type from a value.
///
/// # Errors
/// When the value does not fit; the error says where.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, ReadError> {
    T::deserialize(Tree(value))
}

/// Reads a struct straight from text, as from a value: a list in its place is refused. The code for lists, which serde
/// makes for every struct, is a second of the size of the first.
///
/// # Errors
/// When the text is not JSON, or the object in it does not fit.
pub fn object_from_text<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mut source = serde_json::Deserializer::from_str(text);
    let object = T::deserialize(AsMap(&mut source))?;
    source.end()?;
    Ok(object)
}

/// Has a struct read as the map it is written as.
struct AsMap<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for AsMap<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Writes a value of ours. That one cannot be written is a bug of ours: it is said in the log, and nothing is written.
pub fn to_text(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).or_log("a value could not be written as JSON").unwrap_or_default()
}

/// A value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError(Box<Fault>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    /// The steps to the place, the last first.
    path: Vec<Step>,
    reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

impl ReadError {
    /// What is wrong there.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Where it is, as in `attachments[0].content`; `.` for the whole.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in self.0.path.iter().rev() {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => path.extend([".", key]),
                Step::Item(at) => path.push_str(&format!("[{at}]")),
            }
        }
        if path.is_empty() { ROOT.to_owned() } else { path }
    }

    /// Where it is, as in `/attachments/0/content`; empty for the whole.
    #[must_use]
    pub fn pointer(&self) -> String {
        let step = |path: String, step: &Step| match step {
            Step::Key(key) => format!("{path}/{key}"),
            Step::Item(at) => format!("{path}/{at}"),
        };
        self.0.path.iter().rev().fold(String::new(), step)
    }

    fn below(mut self, step: Step) -> Self {
        self.0.path.push(step);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    #[cold]
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self(Box::new(Fault { path: Vec::new(), reason: reason.to_string() }))
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid type: {}, expected {expected}", Found(found)))
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid value: {}, expected {expected}", Found(found)))
    }
}

/// What was found, in JSON's words.
struct Found<'a>(Unexpected<'a>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Unit => f.write_str("null"),
            found => found.fmt(f),
        }
    }
}

/// A value to read from.
struct Tree(Value);

impl Tree {
    fn misfit(&self, expected: &dyn Expected) -> ReadError {
        let found = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => found_number(number),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        ReadError::invalid_type(found, expected)
    }
}

fn found_number(number: &Number) -> Unexpected<'static> {
    match (number.as_u64(), number.as_i64()) {
        (Some(value), _) => Unexpected::Unsigned(value),
        (None, Some(value)) => Unexpected::Signed(value),
        (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
    }
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, ReadError> {
    match (number.as_u64(), number.as_i64()) {
        (Some(value), _) => visitor.visit_u64(value),
        (None, Some(value)) => visitor.visit_i64(value),
        (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
    }
}

fn visit_array<'de, V: Visitor<'de>>(items: Vec<Value>, visitor: V) -> Result<V::Value, ReadError> {
    let length = items.len();
    let mut items = Items { rest: items.into_iter(), at: 0 };
    let value = visitor.visit_seq(&mut items)?;
    match items.rest.len() {
        0 => Ok(value),
        _ => Err(ReadError::invalid_length(length, &"fewer elements in array")),
    }
}

fn visit_object<'de, V: Visitor<'de>>(fields: Map<String, Value>, visitor: V) -> Result<V::Value, ReadError> {
    let length = fields.len();
    let mut fields = Fields { rest: fields.into_iter(), open: None };
    let value = visitor.visit_map(&mut fields)?;
    match fields.rest.len() {
        0 => Ok(value),
        _ => Err(ReadError::invalid_length(length, &"fewer elements in map")),
    }
}

/// Methods that take only what is named, and say what they found instead.
macro_rules! only {
    ($($method:ident($kind:pat => $visit:expr))*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self.0 {
                $kind => $visit(visitor),
                other => Err(Tree(other).misfit(&visitor)),
            }
        }
    )*};
}

/// Methods for numbers: what fits into which is the visitor's business.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match &self.0 {
                Value::Number(number) => visit_number(number, visitor),
                _ => Err(self.misfit(&visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Tree {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => visit_number(&number, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visit_array(items, visitor),
            Value::Object(fields) => visit_object(fields, visitor),
        }
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    only! {
        deserialize_bool(Value::Bool(value) => |visitor: V| visitor.visit_bool(value))
        deserialize_char(Value::String(text) => |visitor: V| visitor.visit_string(text))
        deserialize_str(Value::String(text) => |visitor: V| visitor.visit_string(text))
        deserialize_string(Value::String(text) => |visitor: V| visitor.visit_string(text))
        deserialize_identifier(Value::String(text) => |visitor: V| visitor.visit_string(text))
        deserialize_unit(Value::Null => |visitor: V| visitor.visit_unit())
        deserialize_seq(Value::Array(items) => |visitor: V| visit_array(items, visitor))
        deserialize_map(Value::Object(fields) => |visitor: V| visit_object(fields, visitor))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visit_array(items, visitor),
            other => Err(Self(other).misfit(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let (variant, value) = match self.0 {
            Value::String(variant) => (variant, None),
            Value::Object(fields) => {
                let mut fields = fields.into_iter();
                match (fields.next(), fields.next()) {
                    (Some((variant, value)), None) => (variant, Some(value)),
                    _ => return Err(ReadError::invalid_value(Unexpected::Map, &"map with a single key")),
                }
            }
            other => return Err(Self(other).misfit(&"string or map")),
        };
        visitor.visit_enum(Chosen { variant, value })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }
}

/// The items of a list that were not read yet.
struct Items {
    rest: std::vec::IntoIter<Value>,
    at: usize,
}

impl<'de> SeqAccess<'de> for &mut Items {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        let at = self.at;
        self.at += 1;
        seed.deserialize(Tree(value)).map(Some).map_err(|error| error.below(Step::Item(at)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The fields of an object that were not read yet.
struct Fields {
    rest: serde_json::map::IntoIter,
    /// The field whose name was read and whose value was not.
    open: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for &mut Fields {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        let (name, _) = self.open.insert((key, value));
        let read = seed.deserialize(Key(name.clone()));
        read.map(Some).map_err(|error| error.below(Step::Key(name.clone())))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let Some((key, value)) = self.open.take() else {
            return Err(ReadError::custom("a value was asked for before its name"));
        };
        seed.deserialize(Tree(value)).map_err(|error| error.below(Step::Key(key)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The name of a field.
struct Key(String);

/// Names that are numbers, for maps whose keys are.
macro_rules! number_keys {
    ($($method:ident => $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self.0.parse() {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(ReadError::custom("invalid value: expected key to be a number in quotes")),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_string(self.0)
    }

    number_keys! {
        deserialize_i32 => visit_i32
        deserialize_i64 => visit_i64
        deserialize_u16 => visit_u16
        deserialize_u32 => visit_u32
        deserialize_u64 => visit_u64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let key: StringDeserializer<ReadError> = self.0.into_deserializer();
        key.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i128 u8 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct identifier ignored_any
    }
}

/// A variant of an enum, with what it holds.
struct Chosen {
    variant: String,
    value: Option<Value>,
}

impl<'de> EnumAccess<'de> for Chosen {
    type Error = ReadError;
    type Variant = Content;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content), ReadError> {
        let variant = seed.deserialize(Key(self.variant.clone()))?;
        Ok((variant, Content { variant: self.variant, value: self.value }))
    }
}

/// What a variant holds.
struct Content {
    variant: String,
    value: Option<Value>,
}

impl Content {
    /// What is in it, for variants that must hold something.
    fn read<T>(
        self,
        expected: &str,
        read: impl FnOnce(Value) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        match self.value {
            Some(value) => read(value).map_err(|error| error.below(Step::Key(self.variant))),
            None => Err(ReadError::invalid_type(Unexpected::UnitVariant, &expected)),
        }
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.value {
            None | Some(Value::Null) => Ok(()),
            Some(value) => Err(Tree(value).misfit(&"unit").below(Step::Key(self.variant))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        self.read("newtype variant", |value| seed.deserialize(Tree(value)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.read("tuple variant", |value| match value {
            Value::Array(items) => visit_array(items, visitor),
            other => Err(Tree(other).misfit(&"tuple variant")),
        })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.read("struct variant", |value| match value {
            Value::Object(fields) => visit_object(fields, visitor),
            other => Err(Tree(other).misfit(&"struct variant")),
        })
    }
}

#[cfg(test)]
mod tests;
