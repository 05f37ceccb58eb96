//! Which names are told to the linker.

use super::{Beginning, beginnings, functions, ran, script};

const NAMES: &str = "\
0001 0100 t _ZN6homard5start17h0000000000000001E
0002 0100 t _ZN6homard6listen4here17h0000000000000002E
0003 0100 t _ZN6homard6listen5there17h0000000000000003E.llvm.77
0004 9000 t _ZN6homard6wizard17h0000000000000004E
0005 9000 t _ZN4core4sort17h1111111111111111E
0006 9000 t _ZN4core4sort17h2222222222222222E
0007 9000 t _ZN4core4sort17h3333333333333333E
0007 9000 t _ZN4core4sort17h4444444444444444E
0008 9000 t _ZN4core4sort17h5555555555555555E
0009 0100 T sqlite3
0010 0100 T sqlite3_open
0011 0100 D sqlite3_data
";
const PROFILE: &str = "\
fn=(1) _ZN6homard5start17h0000000000000001E
cfn=(2) _ZN6homard6listen4here17h0000000000000002E'2
fn=(2)
fn=(3) _ZN6homard6listen5there17h0000000000000003E
fn=(4) _ZN4core4sort17h3333333333333333E
fn=(5) sqlite3
";

fn found() -> Vec<Beginning> {
    let functions = functions(NAMES);
    beginnings(&functions, &ran(PROFILE, &functions))
}

#[test]
fn what_ran_is_named_under_all_its_names_and_little_else() {
    let functions = functions(NAMES);
    let found = found();
    let named: Vec<&str> = functions
        .iter()
        .filter(|function| found.iter().any(|beginning| beginning.covers(&function.name)))
        .map(|function| function.name.as_str())
        .collect();
    let expected = [
        "_ZN4core4sort17h3333333333333333E",
        "_ZN4core4sort17h4444444444444444E",
        "_ZN6homard5start17h0000000000000001E",
        "_ZN6homard6listen4here17h0000000000000002E",
        "_ZN6homard6listen5there17h0000000000000003E",
        "sqlite3",
    ];
    assert_eq!(named, expected);
}

#[test]
fn functions_of_one_place_are_named_once() {
    assert!(found().contains(&Beginning::Part("_ZN6homard6l".into())), "{:?}", found());
}

#[test]
fn the_linker_is_told_the_groups_in_their_order_and_then_the_rest() {
    let groups = [vec![Beginning::Part("a".into())], vec![Beginning::Whole("b".into())]];
    let script = script(&groups);
    let lines: Vec<&str> = script.lines().map(str::trim).filter(|line| line.contains(".text")).collect();
    assert_eq!(lines, [".text : {", ".text.a*", ".text.b", "*(.text.unlikely.*)", "*(.text .text.*)"]);
}
