//! `system.which`: which programs there are.

use std::collections::BTreeMap;

use homard_runtime::CollectOrdered as _;
use serde::Deserialize;
use serde_json::json;

use super::{CommandCall, Failure, Reply, read};

/// Most programs asked about at once.
const MAX_BINS: usize = 500;

#[derive(Deserialize)]
struct Params {
    bins: Vec<String>,
}

/// Where each of the programs is; those that are not here are left out.
pub(super) async fn which(call: CommandCall) -> Reply {
    let Params { bins } = read(call.params)?;
    if bins.len() > MAX_BINS {
        return Err(Failure::invalid(format!("at most {MAX_BINS} programs can be asked about at once")));
    }
    let found: BTreeMap<&str, String> = bins
        .iter()
        .filter_map(|name| Some((name.as_str(), call.machine.which(name.trim())?.display().to_string())))
        .collect_map();
    Ok(json!({"bins": found}))
}
