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
    /// A `tokenizer_config.json` beside the file names it: as the begin, the end, the padding …
    TokenizerConfig,
    /// A `generation_config.json` beside the file ends or begins or pads texts with it.
    GenerationConfig,
    /// It occurs in a literal of the chat template.
    ChatTemplate,
}

impl ControlReason {
    /// Returns the reason as `info` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Special => "special",
            Self::MarkerShaped => "marker-shaped",
            Self::TokenizerConfig => "tokenizer_config",
            Self::GenerationConfig => "generation_config",
            Self::ChatTemplate => "chat_template",
        }
    }

    /// Returns the reason that [`Self::name`] names.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Special, Self::MarkerShaped, Self::TokenizerConfig, Self::GenerationConfig, Self::ChatTemplate]
            .into_iter()
            .find(|reason| reason.name() == name)
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

/// Returns the control tokens among `added`, in their order: those that the tokens themselves tell, and
/// those in `more`, which only the files around a tokenizer tell. A token in both keeps its own reason, so
/// that a file and its directory differ only where a token does.
pub fn resolve_with(added: &[AddedToken], more: &[Control]) -> Vec<Control> {
    let is_added = |id: TokenId| added.binary_search_by_key(&id, |token| token.id).is_ok();
    let mut controls = resolve(added);
    for control in more.iter().filter(|control| is_added(control.id)) {
        if let Err(at) = controls.binary_search_by_key(&control.id, |known| known.id) {
            controls.insert(at, *control);
        }
    }
    controls
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
    use super::{Control, ControlReason, is_marker, resolve_with};
    use crate::definition::AddedToken;
    use crate::id::TokenId;

    #[test]
    fn what_the_files_around_tell_comes_on_top() {
        let token = |id, content: &str, special| AddedToken::verbatim(TokenId(id), content, special);
        let added = [token(1, "<s>", true), token(3, "[INST]", false), token(4, "<think>", false)];
        let more = [4, 3, 1, 9, 3].map(|id| Control { id: TokenId(id), reason: ControlReason::ChatTemplate });
        let found: Vec<_> =
            resolve_with(&added, &more).iter().map(|control| (control.id.0, control.reason.name())).collect();
        assert_eq!(found, [(1, "special"), (3, "chat_template"), (4, "marker-shaped")]);
    }

    #[test]
    fn a_reason_is_found_by_its_name() {
        assert_eq!(ControlReason::named("generation_config"), Some(ControlReason::GenerationConfig));
        assert_eq!(ControlReason::named("special"), Some(ControlReason::Special));
        assert_eq!(ControlReason::named("other"), None);
    }

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
