//! `tekken.json` of Mistral: the ranks and the pattern of a tiktoken encoding, whose ids come after those
//! of the special tokens. Files up to version 7 may leave the special tokens out; then they have the
//! twenty of that time.
//!
//! Source: `Tekkenizer` of `mistral_common` 1.13.1, asked case by case.

use std::borrow::Cow;

use serde::Deserialize;

use super::json::{as_text, syntax_error};
use super::{base64, sentencepiece, tiktoken};
use crate::definition::{AddedToken, Definition, control};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::vocab::{Entry, MAX_IDS, Vocab};

/// The special tokens of a file that lists none, by id.
const UNLISTED: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// The versions whose files may list no special tokens, and those whose files must.
const UNLISTED_VERSIONS: [&str; 4] = ["v1", "v2", "v3", "v7"];
const LISTED_VERSIONS: [&str; 3] = ["v11", "v13", "v15"];

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    config: Config<'a>,
    #[serde(borrow)]
    vocab: Vec<Token<'a>>,
    #[serde(borrow, default)]
    special_tokens: Option<Vec<Special<'a>>>,
}

#[derive(Deserialize)]
struct Config<'a> {
    #[serde(borrow)]
    pattern: Cow<'a, str>,
    default_vocab_size: usize,
    default_num_special_tokens: usize,
    #[serde(borrow)]
    version: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Token<'a> {
    rank: u64,
    #[serde(borrow)]
    token_bytes: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Special<'a> {
    rank: u32,
    #[serde(borrow)]
    token_str: Cow<'a, str>,
    #[serde(default = "is_control")]
    is_control: bool,
}

const fn is_control() -> bool {
    true
}

/// Reads a `tekken.json`. The begin token stands before a text where the caller asks for special tokens.
///
/// # Errors
/// [`Error::Format`] with a line and column for what is no JSON or has the wrong shape, and with the
/// place for a rank that is not its token's place, a token that is not base64 or is given twice, a first
/// 256 that are not the bytes, sizes that do not fit, a version that is none, and special tokens that are
/// missing, too many, or of one id or text.
///
/// Complexity: O(file).
pub fn read(data: &[u8]) -> Result<Definition> {
    let text = as_text(data)?;
    if !text.trim_start().starts_with('{') {
        return Err(Error::format("line 1 column 1", "expected a tekken.json, which is a JSON object"));
    }
    let file: File<'_> = serde_json::from_str(text).map_err(|error| syntax_error(&error))?;
    let n_special = check_sizes(&file)?;
    let n_learned = file.config.default_vocab_size - n_special;
    let vocab = vocab(file.vocab.get(..n_learned).unwrap_or(&file.vocab), n_special)?;
    let mut added = special_tokens(&file, n_special)?;
    added.sort_by_key(|token| token.id);
    let mut definition = tiktoken::assemble(vocab, &file.config.pattern, &[])?;
    definition.controls = control::resolve(&added);
    definition.added = added;
    let bos = definition.added.iter().find(|token| token.content == "<s>").map(|token| token.id);
    definition.post_processor = sentencepiece::around(bos, None);
    Ok(definition)
}

/// Returns the number of special tokens, once it and the number of all fit each other and the vocabulary.
fn check_sizes(file: &File<'_>) -> Result<usize> {
    let (n_all, n_special) = (file.config.default_vocab_size, file.config.default_num_special_tokens);
    let refuse = |field: &str, reason: String| Err(Error::format(format!("config.{field}"), reason));
    if n_all > MAX_IDS {
        return refuse("default_vocab_size", format!("{n_all} is over the limit of {MAX_IDS} ids"));
    }
    let Some(n_learned) = n_all.checked_sub(n_special) else {
        return refuse(
            "default_num_special_tokens",
            format!("{n_special} is more than the {n_all} of all tokens"),
        );
    };
    if n_learned > file.vocab.len() {
        return refuse(
            "default_vocab_size",
            format!(
                "{n_all} tokens with {n_special} special ones need {n_learned} others; the vocab holds {}",
                file.vocab.len()
            ),
        );
    }
    Ok(n_special)
}

fn vocab(tokens: &[Token<'_>], n_special: usize) -> Result<Vocab> {
    let mut bytes = Vec::new();
    let mut ends = Vec::with_capacity(tokens.len());
    for (rank, token) in tokens.iter().enumerate() {
        let refuse = |field: &str, reason: String| Error::format(format!("vocab[{rank}].{field}"), reason);
        if token.rank != rank as u64 {
            return Err(refuse("rank", format!("expected {rank}, the token's place, found {}", token.rank)));
        }
        let start = bytes.len();
        base64::decode_into(token.token_bytes.as_bytes(), &mut bytes)
            .map_err(|why| refuse("token_bytes", format!("it is not base64: {why}")))?;
        let token = bytes.get(start..).unwrap_or_default();
        if token.is_empty() || u8::try_from(rank).is_ok_and(|byte| token != [byte]) {
            let expected = if rank < 256 { format!("the byte 0x{rank:02x}") } else { "a token".to_owned() };
            return Err(refuse("token_bytes", format!("expected {expected}, found {token:02x?}")));
        }
        ends.push(bytes.len());
    }
    let mut start = 0;
    Vocab::new(ends.iter().enumerate().map(|(rank, &end)| {
        let token = bytes.get(start..end).unwrap_or_default();
        start = end;
        Entry { id: id(rank + n_special), bytes: token, indexed: true }
    }))
}

fn id(number: usize) -> TokenId {
    // Numbers below `MAX_IDS` only; any other is refused as an id.
    TokenId(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns the special tokens: those of the file or of its time, and fillers for the ids they leave.
fn special_tokens(file: &File<'_>, n_special: usize) -> Result<Vec<AddedToken>> {
    let version = file.config.version.as_ref();
    let unlisted = UNLISTED_VERSIONS.contains(&version);
    if !unlisted && !LISTED_VERSIONS.contains(&version) {
        let known = [&UNLISTED_VERSIONS[..], &LISTED_VERSIONS].concat().join(", ");
        return Err(Error::format("config.version", format!("{version:?} is none of {known}")));
    }
    let named: Vec<AddedToken> = match &file.special_tokens {
        Some(listed) => listed
            .iter()
            .map(|token| AddedToken::verbatim(TokenId(token.rank), &*token.token_str, token.is_control))
            .collect(),
        None if unlisted => (0..)
            .zip(UNLISTED)
            .map(|(rank, content)| AddedToken::verbatim(TokenId(rank), content, true))
            .collect(),
        None => {
            let reason = format!("they are missing; a file of version {version} lists them");
            return Err(Error::format("special_tokens", reason));
        }
    };
    if named.len() > n_special {
        let reason = format!("{} tokens, but config.default_num_special_tokens is {n_special}", named.len());
        return Err(Error::format("special_tokens", reason));
    }
    let fillers = (named.len()..n_special)
        .map(|rank| AddedToken::verbatim(id(rank), format!("<SPECIAL_{rank}>"), true));
    let all: Vec<AddedToken> = named.iter().cloned().chain(fillers).collect();
    check_special(&all, n_special)?;
    Ok(all)
}

/// Checks that ids and texts are one-to-one, and that the ids are those before the learned tokens'.
fn check_special(all: &[AddedToken], n_special: usize) -> Result<()> {
    let mut ids = std::collections::HashSet::new();
    let mut texts = std::collections::HashSet::new();
    for (at, AddedToken { id, content, .. }) in all.iter().enumerate() {
        let refuse = |reason: String| Err(Error::format(format!("special_tokens[{at}]"), reason));
        if content.is_empty() {
            return refuse("it is empty, so it would match everywhere".to_owned());
        }
        if id.index() >= n_special {
            return refuse(format!("the rank {} is that of a learned token", id.0));
        }
        if !ids.insert(id) {
            return refuse(format!("the rank {} is another's too", id.0));
        }
        if !texts.insert(content) {
            return refuse(format!("{content:?} is given twice"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// The bytes, `ab`, and one token beyond the size; two of three special tokens have names.
    fn small(change: impl Fn(String) -> String) -> Vec<u8> {
        let mut vocab = String::new();
        for (rank, token) in
            (0..=255_u8).map(|byte| vec![byte]).chain([b"ab".to_vec(), b"abc".to_vec()]).enumerate()
        {
            let mut spelled = String::new();
            base64::encode_into(&token, &mut spelled);
            let comma = if rank == 0 { "" } else { "," };
            let _ =
                write!(vocab, r#"{comma}{{"rank": {rank}, "token_bytes": "{spelled}", "token_str": null}}"#);
        }
        change(format!(
            r#"{{"config": {{"pattern": "\\w+|\\W+", "num_vocab_tokens": 258, "default_vocab_size": 260,
            "default_num_special_tokens": 3, "version": "v11"}}, "vocab": [{vocab}], "version": 1,
            "special_tokens": [{{"rank": 0, "token_str": "<unk>", "is_control": true}},
            {{"rank": 1, "token_str": "<s>", "is_control": true}}]}}"#
        ))
        .into_bytes()
    }

    #[test]
    fn ids_come_after_the_special_tokens() {
        let definition = read(&small(|file| file)).unwrap();
        assert_eq!((definition.vocab_size(), definition.n_base()), (260, 257));
        assert_eq!(definition.bytes(TokenId(259)), Some(&b"ab"[..]));
        assert_eq!(definition.vocab.get(b"a"), Some(TokenId(100)));
        assert_eq!(definition.bytes(TokenId(2)), Some(&b"<SPECIAL_2>"[..]));
        assert_eq!(definition.controls.len(), 3);
        assert_eq!(definition.post_processor.single.len(), 2);
    }

    #[test]
    fn old_files_have_the_tokens_of_their_time() {
        let old = |file: String| {
            file.replace("special_tokens\": [", "other\": [")
                .replace("_special_tokens\": 3", "_special_tokens\": 21")
                .replace("size\": 260", "size\": 278")
                .replace("v11", "v3")
        };
        let definition = read(&small(old)).unwrap();
        assert_eq!(definition.bytes(TokenId(17)), Some(&b"[SYSTEM_PROMPT]"[..]));
        assert_eq!(definition.bytes(TokenId(20)), Some(&b"<SPECIAL_20>"[..]));
        assert_eq!(definition.bytes(TokenId(277)), Some(&b"ab"[..]));
    }

    #[test]
    fn refusals_name_the_place() {
        for (from, to, expected) in [
            ("{\"config", "[{\"config", "line 1 column 1: expected a tekken.json"),
            ("\"rank\": 7,", "\"rank\": 8,", "vocab[7].rank: expected 7"),
            ("\"Bw==\"", "\"Bw=\"", "vocab[7].token_bytes: it is not base64"),
            ("\"Bw==\"", "\"CA==\"", "vocab[7].token_bytes: expected the byte 0x07"),
            ("\"YWI=\"", "\"\"", "vocab[256].token_bytes: expected a token"),
            ("\"YWI=\"", "\"YQ==\"", "vocab: ids 100 and 259"),
            ("size\": 260", "size\": 99999999", "config.default_vocab_size: 99999999 is over"),
            (
                "size\": 260",
                "size\": 9223372036854775808",
                "config.default_vocab_size: 9223372036854775808 is over",
            ),
            ("size\": 260", "size\": 300", "config.default_vocab_size: 300 tokens"),
            ("tokens\": 3", "tokens\": 300", "config.default_num_special_tokens: 300 is more"),
            (
                "260,\n            \"default_num_special_tokens\": 3",
                "259, \"default_num_special_tokens\": 1",
                "special_tokens: 2",
            ),
            ("v11", "v9", "config.version: \"v9\" is none of"),
            ("special_tokens\": [", "other\": [", "special_tokens: they are missing"),
            ("\"<s>\"", "\"<unk>\"", "special_tokens[1]: \"<unk>\" is given twice"),
            ("\"<s>\"", "\"\"", "special_tokens[1]: it is empty"),
            (
                "\"rank\": 1, \"token_str\": \"<",
                "\"rank\": 0, \"token_str\": \"<",
                "special_tokens[1]: the rank 0",
            ),
            (
                "\"rank\": 1, \"token_str\": \"<",
                "\"rank\": 9, \"token_str\": \"<",
                "special_tokens[1]: the rank 9",
            ),
            ("\"pattern\"", "\"other\"", "line 2 column"),
        ] {
            let data = small(|file| file.replacen(from, to, 1));
            let found = read(&data).unwrap_err().to_string();
            assert!(found.starts_with(expected), "{found:?} for {expected:?}");
        }
    }

    #[test]
    fn cut_files_are_refused() {
        let file = small(|file| file);
        for end in (0..file.len()).step_by(7).chain(file.len() - 300..file.len()) {
            assert!(read(&file[..end]).is_err());
        }
    }
}
