//! Spans without the white space at a token's ends, where the tokenizer's post-processor asks for it
//! (`trim_offsets`, GPT-2 and `RoBERTa`). It moves the spans in characters and such; byte spans stay whole.

use crate::decode::spelling;
use crate::id::TokenId;
use crate::span::Span;
use crate::tokenizer::Tokenizer;

impl Tokenizer {
    /// Returns whether spans are trimmed.
    pub fn trims(&self) -> bool {
        self.definition().post_processor.trim_offsets
    }

    /// Returns the span, in any unit, of the token `id` at `index` of its encoding without the white space at the
    /// ends of its spelling. A prefix space that the pre-tokenizer put in front of the first token is none of the
    /// span, and is not taken off twice.
    ///
    /// Source: `process_offsets` of tokenizers 0.23.3.
    pub fn trimmed(&self, index: usize, id: TokenId, span: Span) -> Span {
        let Some(spelled) = spelling(self.definition(), id) else { return span };
        let is_space = |c: &char| *c == 'Ġ' || c.is_whitespace();
        let mut before = spelled.chars().take_while(is_space).count();
        let after = spelled.chars().rev().take_while(is_space).count();
        let is_first = index == 0 || span.start == 0;
        if is_first && self.definition().post_processor.add_prefix_space {
            before = before.saturating_sub(1);
        }
        let start = (span.start + before).min(span.end);
        let end = if span.end >= after { (span.end - after).max(start) } else { span.end };
        Span::new(start, end)
    }
}
