//! Writes a definition's ranks as a `.tiktoken` file, where ranks are all that its merges are.

use super::write;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::merges::Merges;

/// Returns the ranks of a definition as a `.tiktoken` file. Pattern and special tokens are not in it.
///
/// # Errors
/// [`Error::Format`] for what is no byte-level BPE in which any pair whose join is a token merges, at that
/// token's id; and as [`write()`].
pub fn write_definition(definition: &Definition) -> Result<String> {
    let refuse = |place: &str, reason: &str| Err(Error::format(place, reason));
    let Some(bpe) = definition.model.bpe().filter(|_| definition.model.is_byte_level()) else {
        let reason = format!("ranks are of bytes, and a {} has none", definition.model.name());
        return refuse("model", &reason);
    };
    if !definition.normalizers.is_empty() {
        return refuse("normalizer", "ranks are of the text as it is, and this tokenizer rewrites it first");
    }
    match bpe.merges {
        Merges::Concat if bpe.whole_pieces => write(&definition.vocab),
        _ => refuse(
            "model.merges",
            "its merges are listed pairs; by ranks any pair whose join is a token would merge, and that this \
             gives the same ids is not proven",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::write_definition;
    use crate::formats::{tiktoken, tokenizer_json};

    #[test]
    fn ranks_come_back() {
        let file = "YQ== 0\nYg== 1\nYWI= 3\n";
        let definition = tiktoken::definition(file.as_bytes(), ".", &[("<x>".to_owned(), 9)]).unwrap();
        assert_eq!(write_definition(&definition).unwrap(), file);
    }

    #[test]
    fn what_ranks_cannot_say_is_refused() {
        let refused = |parts: &str| {
            let json = format!(r#"{{"version": "1.0", {parts}}}"#);
            write_definition(&tokenizer_json::read(json.as_bytes()).unwrap()).unwrap_err().to_string()
        };
        let bytes = r#""pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
            "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}"#;
        assert!(refused(bytes).starts_with("model.merges: its merges are listed pairs"));
        assert!(refused(&format!(r#""normalizer": {{"type": "NFC"}}, {bytes}"#)).starts_with("normalizer: "));
        let words = r#""model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}"#;
        assert_eq!(refused(words), "model: ranks are of bytes, and a WordLevel has none");
    }
}
