//! Which added tokens steer the model. A person's text must never become one unless the caller says
//! so; so the set errs on the side of more, and each member carries the reason it is in.

use serde::{Deserialize, Serialize};

use super::AddedToken;
use crate::id::TokenId;

/// An added token that steers the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// The token.
    pub id: TokenId,
    /// Why it counts as one.
    pub reason: ControlReason,
}

/// Why an added token counts as a control token; the first that holds, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ControlReason {
    /// The file marks it `special`.
    Special,
    /// It has the shape of a marker: `<|…|>`, `<｜…｜>`, or a thinking, tool or turn tag.
    MarkerShaped,
}

impl ControlReason {
    /// Returns the reason as `info` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Special => "special",
            Self::MarkerShaped => "marker-shaped",
        }
    }
}

/// Names of the tags that open or close thinking, tools and turns in published chat templates.
const TAGS: [&str; 17] = [
    "think",
    "thinking",
    "thought",
    "tool",
    "tools",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tool_result",
    "tool_results",
    "tool_declare",
    "start_of_turn",
    "end_of_turn",
    "turn",
    "start_of_role",
    "end_of_role",
    "function_call",
];

/// Returns the control tokens among `added`, in their order.
pub fn resolve(added: &[AddedToken]) -> Vec<Control> {
    added
        .iter()
        .filter_map(|token| {
            let reason = if token.special {
                ControlReason::Special
            } else if is_marker(&token.content) {
                ControlReason::MarkerShaped
            } else {
                return None;
            };
            Some(Control { id: token.id, reason })
        })
        .collect()
}

/// Returns whether `content` looks like a marker of a chat template.
fn is_marker(content: &str) -> bool {
    let Some(inner) = content.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else {
        return false;
    };
    for bar in ['|', '｜'] {
        if inner.len() > 2 * bar.len_utf8() && inner.starts_with(bar) && inner.ends_with(bar) {
            return true;
        }
    }
    let name = inner.strip_prefix('/').unwrap_or(inner);
    TAGS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::is_marker;

    #[test]
    fn markers_and_what_only_looks_a_little_like_one() {
        for yes in [
            "<|im_start|>",
            "<｜tool▁calls▁begin｜>",
            "<think>",
            "</think>",
            "</tool_response>",
            "<end_of_turn>",
        ] {
            assert!(is_marker(yes), "{yes}");
        }
        for no in ["<unused99>", "<b>", "|x|", "<||>", "<>", "<|", "▁▁", "\n\n", "<|x>"] {
            assert!(!is_marker(no), "{no}");
        }
    }
}
