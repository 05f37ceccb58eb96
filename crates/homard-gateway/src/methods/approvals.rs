//! Approvals: what waits for a yes, and the rules for commands.

pub(crate) mod exec;
pub(crate) mod exec_policy;

use homard_protocol::methods::approvals::exec_policy::{ExecApprovalsGet, ExecApprovalsSet};
use homard_protocol::methods::approvals::{
    ExecApprovalGet, ExecApprovalList, ExecApprovalRequest, ExecApprovalResolve, ExecApprovalWaitDecision,
    PluginApprovalList, PluginApprovalResolve,
};

use crate::table::MethodTable;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<ExecApprovalGet, _, _>(exec::get)
        .on::<ExecApprovalList, _, _>(exec::list)
        .on::<ExecApprovalRequest, _, _>(exec::request)
        .on::<ExecApprovalResolve, _, _>(exec::resolve)
        .on::<ExecApprovalWaitDecision, _, _>(exec::wait_decision)
        .on::<ExecApprovalsGet, _, _>(exec_policy::get)
        .on::<ExecApprovalsSet, _, _>(exec_policy::set)
        .on::<PluginApprovalList, _, _>(exec::plugin_list)
        .on::<PluginApprovalResolve, _, _>(exec::plugin_resolve)
}
