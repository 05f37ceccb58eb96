//! Whose a function is.

use super::{FOREIGN, package, table, weights};

#[test]
fn a_function_is_of_the_package_it_was_made_for() {
    for (name, expected) in [
        ("homard_relay::turns::turn::take", "homard_relay"),
        (
            "<homard_protocol::frame::RequestFrame as serde_core::ser::Serialize>::serialize",
            "homard_protocol",
        ),
        ("core::ptr::drop_in_place::<homard_gateway::table::Cx>", "homard_gateway"),
        ("<tokio::runtime::task::core::Core<T,S>>::poll", "tokio"),
        ("serde_json::de::from_str::<&mut homard_llm[8a1f]::wire::Chunk>", "homard_llm"),
        ("alloc::raw_vec::finish_grow", "alloc"),
        ("sqlite3VdbeExec", FOREIGN),
    ] {
        assert_eq!(package(name), expected, "{name}");
    }
}

#[test]
fn only_code_is_weighed_and_the_rows_add_up() {
    let names = "0001 00000000000000002000 t a::b\n0002 00000000000000001000 T c::d\n0003 00000000000000004000 D e::f\n0004 t g\n";
    let table = table(&weights(names));
    assert!(table.ends_with("| a | 2 | 66.7 |\n| c | 1 | 33.3 |\n| together | 3 | 100.0 |\n"), "{table}");
}
