//! `.tiktoken` files: a line a token, its bytes in base64, a space, its rank. The rank is the id. The
//! file has neither the pattern nor the special tokens; whoever reads it says them.
//!
//! Source: the files that tiktoken 0.14 loads, and its `load_tiktoken_bpe`.

mod ranks;

use std::collections::HashMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::base64;
use crate::definition::canonical::hex;
use crate::definition::{
    AddedToken, Behavior, Bpe, Decoder, Definition, Model, PostProcessor, PreTokenizer, Profile, control,
};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::merges::Merges;
use crate::vocab::{Entry, MAX_IDS, Vocab};

pub use ranks::write_definition;

/// SHA-256 of what [`write()`] makes of published ranks: those of OpenAI's encodings, and Llama 3's `tokenizer.model`.
/// `p50k_edit` and `o200k_harmony` have the ranks of `p50k_base` and `o200k_base`.
const KNOWN: [(&str, &str); 5] = [
    ("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
    ("p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
    ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    ("llama3", "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"),
];

/// One line of a file.
struct Line {
    /// Its number, from 1.
    number: usize,
    /// Where its token begins and ends among all tokens' bytes.
    token: std::ops::Range<usize>,
    rank: u32,
}

/// Reads the ranks of a `.tiktoken` file into a vocabulary whose ids are the ranks. Lines may end in
/// CRLF, the last one may lack its end, and empty lines count for nothing. Ranks may have holes and
/// come in any order.
///
/// # Errors
/// [`Error::Format`] with the line's number: no or bad base64, no rank or no number, a rank over the
/// limit, a token or a rank that another line has, a byte order mark; and for a file without tokens.
pub fn read(data: &[u8]) -> Result<Vocab> {
    if data.starts_with(b"\xef\xbb\xbf") {
        return Err(Error::format("line 1", "the file begins with a byte order mark; save it without one"));
    }
    let mut tokens = Vec::with_capacity(data.len());
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(data.split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            lines.push(read_line(number, line, &mut tokens)?);
        }
    }
    if lines.is_empty() {
        return Err(Error::format("line 1", "the file holds no token"));
    }
    let entries = lines.iter().map(|line| Entry {
        id: TokenId(line.rank),
        bytes: tokens.get(line.token.clone()).unwrap_or_default(),
        indexed: true,
    });
    Vocab::new(entries).map_err(|error| name_the_lines(&lines, &tokens).unwrap_or(error))
}

fn read_line(number: usize, line: &[u8], tokens: &mut Vec<u8>) -> Result<Line> {
    let refuse = |reason: String| Error::format(format!("line {number}"), reason);
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let (Some(token), Some(rank)) = (fields.next(), fields.next()) else {
        return Err(refuse("expected a token in base64, a space and a rank".to_owned()));
    };
    if fields.next().is_some() {
        return Err(refuse("more than a token and its rank".to_owned()));
    }
    let start = tokens.len();
    base64::decode_into(token, tokens).map_err(|why| refuse(format!("the token is not base64: {why}")))?;
    if !rank.iter().all(u8::is_ascii_digit) {
        return Err(refuse(format!("the rank {:?} is not a number", String::from_utf8_lossy(rank))));
    }
    let rank = std::str::from_utf8(rank)
        .ok()
        .and_then(|digits| digits.parse::<u32>().ok())
        .filter(|&rank| (rank as usize) < MAX_IDS)
        .ok_or_else(|| refuse(format!("the rank is over the limit of {MAX_IDS} ids")))?;
    Ok(Line { number, token: start..tokens.len(), rank })
}

/// Returns the error for two lines with one rank or one token. Asked only once something is wrong.
fn name_the_lines(lines: &[Line], tokens: &[u8]) -> Option<Error> {
    let mut ranks = HashMap::new();
    let mut seen = HashMap::new();
    for line in lines {
        let place = format!("line {}", line.number);
        if let Some(other) = ranks.insert(line.rank, line.number) {
            return Some(Error::format(place, format!("line {other} has the rank {} too", line.rank)));
        }
        let token = tokens.get(line.token.clone()).unwrap_or_default();
        if let Some(other) = seen.insert(token, line.number) {
            let shown = String::from_utf8_lossy(token);
            return Some(Error::format(place, format!("line {other} has the token {shown:?} too")));
        }
    }
    None
}

/// Reads a `.tiktoken` file into a definition, as tiktoken has it: a text's matches of `pattern` are
/// the pretokens and what it does not match is dropped; `special` holds the special tokens' texts and
/// ids.
///
/// # Errors
/// As [`read`] and [`assemble`].
pub fn definition(data: &[u8], pattern: &str, special: &[(String, u32)]) -> Result<Definition> {
    assemble(read(data)?, pattern, special)
}

/// Returns the definition that tiktoken makes of ranks, a pattern and special tokens.
///
/// # Errors
/// [`Error::Format`] for a special token that is empty, is given twice, has the id of another token,
/// or has an id over the limit.
pub fn assemble(vocab: Vocab, pattern: &str, special: &[(String, u32)]) -> Result<Definition> {
    let mut added: Vec<AddedToken> = special
        .iter()
        .map(|(content, id)| AddedToken::verbatim(TokenId(*id), content.clone(), true))
        .collect();
    added.sort_by(|a, b| (a.id, &a.content).cmp(&(b.id, &b.content)));
    check_special(&added, &vocab)?;
    let controls = control::resolve(&added);
    Ok(Definition {
        vocab,
        model: Model::Bpe(Bpe::bytes(Merges::Concat, true)),
        normalizers: Vec::new(),
        pre_tokenizers: vec![PreTokenizer::Split {
            pattern: pattern.to_owned(),
            behavior: Behavior::Removed,
            invert: true,
        }],
        added,
        controls,
        post_processor: PostProcessor::default(),
        decoder: Decoder::Bytes,
        profile: Profile::Tiktoken,
    })
}

/// Checks special tokens in id order: ids and texts are one-to-one.
fn check_special(added: &[AddedToken], vocab: &Vocab) -> Result<()> {
    let mut ids = HashMap::new();
    let mut texts = HashMap::new();
    for AddedToken { id, content, .. } in added {
        let refuse = |reason: String| Err(Error::format(format!("special token {content:?}"), reason));
        if content.is_empty() {
            return refuse("it is empty, so it would match everywhere".to_owned());
        }
        if id.index() >= MAX_IDS {
            return refuse(format!("its id {} is over the limit of {MAX_IDS} ids", id.0));
        }
        if vocab.contains(*id) {
            return refuse(format!("its id {} is the rank of an ordinary token", id.0));
        }
        if let Some(other) = ids.insert(id, content) {
            return refuse(format!("its id {} is that of {other:?} too", id.0));
        }
        if let Some(other) = texts.insert(content, id) {
            return refuse(format!("it has two ids, {} and {}", other.0, id.0));
        }
    }
    Ok(())
}

/// Returns the ranks as a `.tiktoken` file: lines in rank order, each ended by a line feed. The
/// published files have this very form.
///
/// # Errors
/// [`Error::Format`] for a token that is empty or that no text can spell: the format has no place
/// for either.
pub fn write(vocab: &Vocab) -> Result<String> {
    let mut out = String::new();
    for entry in vocab.iter() {
        if entry.bytes.is_empty() || !entry.indexed {
            let place = format!("token {}", entry.id.0);
            return Err(Error::format(place, "a .tiktoken file cannot hold an empty or unspellable token"));
        }
        base64::encode_into(entry.bytes, &mut out);
        // Writing into a String cannot fail.
        let _ = writeln!(out, " {}", entry.id.0);
    }
    Ok(out)
}

/// Returns the name of the published encoding or model that has exactly these ranks, whatever the line ends of
/// the file they came from; `None` for any other.
pub fn known_encoding(vocab: &Vocab) -> Option<&'static str> {
    let hash = hex(&Sha256::digest(write(vocab).ok()?));
    KNOWN.iter().find(|(_, known)| *known == hash).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a, b, ab, and a hole before the byte ff.
    const SMALL: &str = "YQ== 0\nYg== 1\nYWI= 2\n/w== 4\n";

    fn reason(data: &[u8]) -> String {
        read(data).unwrap_err().to_string()
    }

    #[test]
    fn ranks_are_ids() {
        let vocab = read(SMALL.as_bytes()).unwrap();
        assert_eq!((vocab.n_ids(), vocab.n_tokens()), (5, 4));
        assert_eq!(vocab.bytes(TokenId(2)), Some(&b"ab"[..]));
        assert_eq!(vocab.bytes(TokenId(4)), Some(&b"\xff"[..]));
        assert_eq!(vocab.bytes(TokenId(3)), None);
        assert_eq!(write(&vocab).unwrap(), SMALL);
    }

    #[test]
    fn line_ends_blank_lines_and_order_do_not_matter() {
        let vocab = read(SMALL.as_bytes()).unwrap();
        for same in [
            SMALL.replace('\n', "\r\n"),
            SMALL.trim_end().to_owned(),
            SMALL.replace('\n', "\r\n").trim_end().to_owned(),
            SMALL.replace('\n', "\n\n"),
            SMALL.lines().rev().collect::<Vec<_>>().join("\n"),
        ] {
            assert_eq!(read(same.as_bytes()), Ok(vocab.clone()), "{same:?}");
        }
    }

    #[test]
    fn refusals_name_the_line_and_the_reason() {
        for (data, expected) in [
            (&b""[..], "line 1: the file holds no token"),
            (b"\r\n\n", "line 1: the file holds no token"),
            (b"\xef\xbb\xbfYQ== 0\n", "line 1: the file begins with a byte order mark"),
            (b"YQ== 0\nYg==\n", "line 2: expected a token in base64, a space and a rank"),
            (b"YQ== 0 1\n", "line 1: more than a token and its rank"),
            (b"YQ== 0\nYg= 1\n", "line 2: the token is not base64: its length 3"),
            (b"YQ== 0\nY!== 1\n", "line 2: the token is not base64: '!'"),
            (b"YQ== -1\n", "line 1: the rank \"-1\" is not a number"),
            (b"YQ== 1.5\n", "line 1: the rank \"1.5\" is not a number"),
            (b"YQ== 99999999999999999999\n", "line 1: the rank is over the limit"),
            (b"YQ== 16777216\n", "line 1: the rank is over the limit"),
            (b"YQ== 0\nYg== 1\nYw== 0\n", "line 3: line 1 has the rank 0 too"),
            (b"YQ== 0\nYg== 1\nYQ== 2\n", "line 3: line 1 has the token \"a\" too"),
            (b"{\"version\": 1}\n", "line 1: the token is not base64"),
            (b"\0\0\0\0 \xff\n", "line 1: the token is not base64"),
        ] {
            let found = reason(data);
            assert!(found.starts_with(expected), "{found:?} for {expected:?}");
        }
    }

    #[test]
    fn a_definition_is_what_tiktoken_makes_of_it() {
        let special = [("<|b|>".to_owned(), 6), ("<|a|>".to_owned(), 3)];
        let definition = definition(SMALL.as_bytes(), r"\w+", &special).unwrap();
        assert_eq!((definition.vocab_size(), definition.n_base(), definition.n_tokens()), (7, 4, 6));
        assert_eq!(definition.bytes(TokenId(3)), Some(&b"<|a|>"[..]));
        assert_eq!(definition.controls.len(), 2);
        let bpe = definition.model.bpe().unwrap_or(Bpe::NONE);
        assert!(bpe.whole_pieces && bpe.merges == Merges::Concat);
    }

    #[test]
    fn special_tokens_are_one_to_one() {
        for (special, expected) in [
            ([("<a>", 5), ("<b>", 5)], "its id 5 is that of \"<a>\" too"),
            ([("<a>", 5), ("<a>", 6)], "it has two ids, 5 and 6"),
            ([("<a>", 5), ("<b>", 1)], "its id 1 is the rank of an ordinary token"),
            ([("<a>", 5), ("", 6)], "it is empty"),
            ([("<a>", 5), ("<b>", u32::MAX)], "is over the limit"),
        ] {
            let special = special.map(|(content, id)| (content.to_owned(), id));
            let error = definition(SMALL.as_bytes(), "", &special).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn ranks_of_nobody_have_no_name() {
        assert_eq!(known_encoding(&read(SMALL.as_bytes()).unwrap()), None);
    }

    #[test]
    fn cut_and_corrupted_files_are_refused_or_read() {
        for end in 0..SMALL.len() {
            let _ = read(&SMALL.as_bytes()[..end]);
            for byte in 0..=255 {
                let mut data = SMALL.as_bytes().to_vec();
                data[end] = byte;
                let _ = read(&data);
            }
        }
    }
}
