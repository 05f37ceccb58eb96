//! Approvals: what waits for a yes, and the rules for commands.

pub(crate) mod exec;
pub(crate) mod exec_policy;
pub(crate) mod unified;

use homard_protocol::methods::approvals::exec_policy::{ExecApprovalsGet, ExecApprovalsSet};
use homard_protocol::methods::approvals::unified::{
    ApprovalGet, ApprovalHistory, ApprovalResolve, ExecApprovalGrantsList,
};
use homard_protocol::methods::approvals::{
    ExecApprovalGet, ExecApprovalList, ExecApprovalRequest, ExecApprovalResolve, ExecApprovalWaitDecision,
    PluginApprovalList, PluginApprovalResolve,
};

use crate::table::MethodTable;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<ApprovalGet, _, _>(unified::get)
        .on::<ApprovalHistory, _, _>(unified::history)
        .on::<ApprovalResolve, _, _>(unified::resolve)
        .on::<ExecApprovalGet, _, _>(exec::get)
        .on::<ExecApprovalGrantsList, _, _>(unified::grants)
        .on::<ExecApprovalList, _, _>(exec::list)
        .on::<ExecApprovalRequest, _, _>(exec::request)
        .on::<ExecApprovalResolve, _, _>(exec::resolve)
        .on::<ExecApprovalWaitDecision, _, _>(exec::wait_decision)
        .on::<ExecApprovalsGet, _, _>(exec_policy::get)
        .on::<ExecApprovalsSet, _, _>(exec_policy::set)
        .on::<PluginApprovalList, _, _>(exec::plugin_list)
        .on::<PluginApprovalResolve, _, _>(exec::plugin_resolve)
}
