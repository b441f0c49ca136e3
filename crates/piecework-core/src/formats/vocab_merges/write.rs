//! Writes a `vocab.json` and a `merges.txt`, byte for byte in the form that published ones have: the JSON
//! compact with other scripts as they are, in the order of ids; the merges after a line with the version.

use std::borrow::Cow;
use std::fmt::Write;

use crate::definition::{Bpe, Definition, Profile};
use crate::error::{Error, Result};
use crate::formats::spelling;
use crate::id::TokenId;
use crate::merges::Merges;

const VERSION: &str = "#version: 0.2\n";

/// Returns the contents of the two files: the learned tokens with their ids, and a line a merge. Neither says how
/// a text is cut, what is added or what is put around it.
///
/// # Errors
/// [`Error::Format`] for a tokenizer that is no BPE of listed merges, takes whole pieces without asking them, or
/// has a token that a line cannot hold.
///
/// Complexity: O(size).
pub fn write(definition: &Definition) -> Result<(String, String)> {
    let bpe = listed(definition)?;
    let mut vocab = String::from("{");
    for (at, entry) in definition.vocab.iter().enumerate() {
        let spelled = spelling::of(definition, entry.id)?;
        let spelled = serde_json::to_string(&spelled)
            .map_err(|error| refuse("vocab.json", &format!("it cannot be written: {error}")))?;
        let comma = if at == 0 { "" } else { "," };
        // Writing into a String cannot fail.
        let _ = write!(vocab, "{comma}{spelled}:{}", entry.id.0);
    }
    vocab.push('}');
    Ok((vocab, merges(definition, bpe)?))
}

fn listed(definition: &Definition) -> Result<&Bpe> {
    let Some(bpe) = definition.model.bpe() else {
        return Err(refuse("model", &format!("a {} has no merges", definition.model.name())));
    };
    if definition.profile != Profile::Tokenizers {
        let profile = definition.profile.name();
        return Err(refuse(
            "profile",
            &format!("the two files are read as tokenizers reads them, not as {profile}"),
        ));
    }
    if bpe.whole_pieces {
        return Err(refuse(
            "model.ignore_merges",
            "a text that is a token is taken whole without asking the merges, which the two files cannot say",
        ));
    }
    Ok(bpe)
}

fn merges(definition: &Definition, bpe: &Bpe) -> Result<String> {
    let Some(pairs) = bpe.merges.pairs(&definition.vocab) else {
        let reason = match bpe.merges {
            Merges::Concat | Merges::Ranked(_) => {
                "any pair whose join is a token merges, and no list says which"
            }
            Merges::Single { .. } | Merges::Listed(_) => "a merge has a part that is no token",
        };
        return Err(refuse("model.merges", reason));
    };
    let mut lines = VERSION.to_owned();
    for pair in pairs {
        for (id, end) in [(pair.left, ' '), (pair.right, '\n')] {
            lines.push_str(&part(definition, id)?);
            lines.push(end);
        }
    }
    Ok(lines)
}

fn part(definition: &Definition, id: TokenId) -> Result<Cow<'_, str>> {
    let spelled = spelling::of(definition, id)?;
    if spelled.is_empty() || spelled.contains([' ', '\n', '\r']) {
        let reason = format!("a merge has the part {spelled:?}, which a line of merges.txt cannot hold");
        return Err(refuse("model.merges", &reason));
    }
    Ok(spelled)
}

fn refuse(place: &str, reason: &str) -> Error {
    Error::format(place, reason)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::formats::tokenizer_json;

    const VOCAB: &str = r#"{"l":0,"o":1,"é":2,"lo":3,"\"":4,"<|endoftext|>":5}"#;

    #[test]
    fn the_files_come_back_byte_for_byte() {
        let merges = "#version: 0.2\nl o\n";
        let (definition, _) = read(VOCAB.as_bytes(), merges.as_bytes(), "").unwrap();
        assert_eq!(write(&definition).unwrap(), (VOCAB.to_owned(), merges.to_owned()));
    }

    #[test]
    fn words_with_an_end_come_back_too() {
        let vocab = r#"{"l":0,"o":1,"o</w>":2,"lo</w>":3,"<unk>":4}"#;
        let (merges, options) = ("#version: 0.2\nl o</w>\n", r#"{"tokenizer_class": "OpenAIGPTTokenizer"}"#);
        let (definition, _) = read(vocab.as_bytes(), merges.as_bytes(), options).unwrap();
        assert_eq!(write(&definition).unwrap(), (vocab.to_owned(), merges.to_owned()));
    }

    #[test]
    fn what_the_files_cannot_say_is_refused() {
        let file = |model: &str| {
            let json = format!(r#"{{"version": "1.0", "model": {model}}}"#);
            write(&tokenizer_json::read(json.as_bytes()).unwrap()).unwrap_err().to_string()
        };
        let whole = file(r#"{"type": "BPE", "vocab": {"a": 0}, "merges": [], "ignore_merges": true}"#);
        assert!(whole.starts_with("model.ignore_merges: "), "{whole}");
        let words = file(r#"{"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}"#);
        assert_eq!(words, "model: a WordLevel has no merges");
        let space = file(r#"{"type": "BPE", "vocab": {"a": 0, " ": 1, "a ": 2}, "merges": [["a", " "]]}"#);
        assert!(space.contains("the part \" \""), "{space}");
    }

    #[test]
    fn ranks_are_no_list_of_merges() {
        let ranks = crate::formats::tiktoken::definition(b"YQ== 0\nYg== 1\nYWI= 2\n", ".", &[]).unwrap();
        let refused = write(&ranks).unwrap_err().to_string();
        assert!(refused.starts_with("profile: ") && refused.contains("tiktoken"), "{refused}");
    }
}
