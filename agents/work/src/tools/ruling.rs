//! A tool call as the rules see it, and why they stop one: the same on a call and for programs over MCP.

use serde_json::Value;

use super::Asked;
use governance::rules::{Destination, ProposedTool, Violation};
use models::conversation::ToolCall;

/// What the rules are told of a call. Whatever is filed goes into the tenant's store. Its entry is made with it: in the
/// ledger, in the same transaction, on a call; on the audit, before the answer, over MCP.
pub fn proposed<'a>(call: &'a ToolCall, asked: &Asked) -> ProposedTool<'a> {
    let arguments = Some(&call.input).filter(|input: &&Value| input.is_object());
    let reading = ProposedTool { arguments, ..ProposedTool::reading(&call.name) };
    match asked {
        Asked::File(_) => ProposedTool {
            involves_pii: true,
            destination: Destination::EncryptedStorage,
            is_decision: true,
            audit_entry_created: true,
            ..reading
        },
        Asked::MarkUrgent { .. } | Asked::PutThrough { .. } | Asked::AskStaff { .. } => ProposedTool {
            destination: Destination::EncryptedStorage,
            is_decision: true,
            audit_entry_created: true,
            ..reading
        },
        Asked::Claim { .. } => ProposedTool { involves_pii: true, ..reading },
        Asked::Outside => ProposedTool {
            involves_pii: governance::pii::has_token(&call.input.to_string()),
            destination: Destination::External,
            audit_entry_created: true,
            ..reading
        },
        Asked::Search { .. }
        | Asked::FreeTimes { .. }
        | Asked::PauseRecording { .. }
        | Asked::Speak(_)
        | Asked::EndCall => reading,
    }
}

/// Rules by their names, each with its reason. For whoever proposed the call: it may hold words of it.
pub fn why(stops: &[&Violation]) -> String {
    let each: Vec<String> = stops.iter().map(|v| format!("{}: {}", v.rule.id, v.reason)).collect();
    each.join(" ")
}
