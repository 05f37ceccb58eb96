//! The protocol as the web page's TypeScript, made from the same types that read and write it: `cargo xtask types` runs
//! this before the page is built. Writes into the file that is named, unless that is what it says already.

mod text;

use std::collections::BTreeMap;

use homard_protocol::connect::HelloOk;
use homard_protocol::{Event as _, Method, events};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::Value;

use text::{Row, Shapes};

fn main() -> std::io::Result<()> {
    let file = std::env::args_os().nth(1).ok_or_else(|| std::io::Error::other("name the file to write"))?;
    let made = protocol();
    if std::fs::read_to_string(&file).is_ok_and(|found| found == made) {
        return Ok(());
    }
    std::fs::write(file, made)
}

/// The whole file.
fn protocol() -> String {
    let mut written = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut read = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let methods = methods(&mut read, &mut written);
    let events = events(&mut written);
    text::file(&defs(written), &defs(read), &methods, &events)
}

fn defs(mut generator: SchemaGenerator) -> Shapes {
    generator.take_definitions(true).into_iter().collect()
}

/// In the order of their names, so that a shape is called the same however the list is sorted.
fn methods(read: &mut SchemaGenerator, written: &mut SchemaGenerator) -> Vec<Row> {
    fn row<M: Method>(read: &mut SchemaGenerator, written: &mut SchemaGenerator) -> Row {
        let params = read.subschema_for::<M::Params>().into();
        Row { name: M::NAME, family: "", params, result: written.subschema_for::<M::Result>().into() }
    }
    type MakeRow = fn(&mut SchemaGenerator, &mut SchemaGenerator) -> Row;
    let mut all: BTreeMap<&str, (&'static str, MakeRow)> = BTreeMap::new();
    macro_rules! list {
        ($([$($module:ident)::+ $($method:ident)+])+) => {$({
            use homard_protocol::methods::$($module)::+ as family;
            let module = stringify!($($module)::+);
            $(all.insert(<family::$method as Method>::NAME, (module, row::<family::$method>));)+
        })+};
    }
    homard_protocol::every_method!(list);
    all.into_values().map(|(family, make)| Row { family, ..make(read, written) }).collect()
}

/// The events, and what a connection begins with.
fn events(written: &mut SchemaGenerator) -> Vec<Row> {
    fn row<E: JsonSchema>(name: &'static str, written: &mut SchemaGenerator) -> Row {
        Row { name, family: "events", params: Value::Null, result: written.subschema_for::<E>().into() }
    }
    macro_rules! rows {
        ($($event:ident)+) => { vec![$(row::<events::$event>(events::$event::NAME, written)),+] };
    }
    let mut rows = homard_protocol::every_event!(rows);
    rows.push(row::<HelloOk>("hello-ok", written));
    rows
}

#[cfg(test)]
mod tests;
