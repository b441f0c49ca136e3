//! What a file is, by its content. Files that are no tokenizer, or none that is read here, are told
//! apart as well: "a Git LFS pointer" helps where "bad JSON" does not.

mod fields;

use super::base64;
use crate::definition::canonical;

/// The first bytes of a pack of a bundled tokenizer.
pub const PACK_MAGIC: &[u8] = b"PIECEWORK-PACK\0";

/// How much of a text is looked at: enough for a license at its top.
const HEAD: usize = 1 << 16;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A `tokenizer.json` of Hugging Face tokenizers.
    TokenizerJson,
    /// A `.tiktoken` file.
    Tiktoken,
    /// A pack of a bundled tokenizer.
    Pack,
    /// A definition in its canonical form.
    Definition,
    /// A GGUF model file.
    Gguf,
    /// A SentencePiece model.
    SentencePiece,
    /// A `vocab.json`: an object of tokens and ids.
    VocabJson,
    /// A `merges.txt`.
    MergesTxt,
    /// A `tekken.json` of Mistral.
    Tekken,
    /// A `vocab.txt` of WordPiece.
    VocabTxt,
    /// A `tokenizer_config.json`.
    TokenizerConfig,
    /// Another JSON file of a model directory: its config, its special tokens, the index of its weights.
    ModelConfig,
    /// Some other JSON.
    Json,
    /// A pointer that Git LFS leaves where it has not fetched the file.
    GitLfsPointer,
    /// A web page.
    Html,
    /// Something compressed with gzip.
    Gzip,
    /// Something compressed with zstd, xz, bzip2 or 7-Zip.
    Compressed,
    /// A zip archive; `PyTorch`'s checkpoints are such.
    Zip,
    /// A tar archive.
    Tar,
    /// Weights in the safetensors format.
    Safetensors,
    /// A Python pickle.
    Pickle,
    /// An array of `NumPy`.
    Numpy,
    /// A table in the Parquet or Arrow format.
    Table,
    /// A picture.
    Image,
    /// A PDF document.
    Pdf,
    /// A program or a library.
    Program,
    /// Text in UTF-16.
    Utf16,
    /// Some other text.
    Text,
    /// Nothing.
    Empty,
    /// Something else.
    Binary,
}

impl Kind {
    /// Returns the kind's short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::TokenizerJson => "tokenizer-json",
            Self::Tiktoken => "tiktoken",
            Self::Pack => "pack",
            Self::Definition => "definition",
            Self::Gguf => "gguf",
            Self::SentencePiece => "sentencepiece",
            Self::VocabJson => "vocab-json",
            Self::MergesTxt => "merges-txt",
            Self::Tekken => "tekken",
            Self::VocabTxt => "vocab-txt",
            Self::TokenizerConfig => "tokenizer-config",
            Self::ModelConfig => "model-config",
            Self::Json => "json",
            Self::GitLfsPointer => "git-lfs-pointer",
            Self::Html => "html",
            Self::Gzip => "gzip",
            Self::Compressed => "compressed",
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Safetensors => "safetensors",
            Self::Pickle => "pickle",
            Self::Numpy => "numpy",
            Self::Table => "table",
            Self::Image => "image",
            Self::Pdf => "pdf",
            Self::Program => "program",
            Self::Utf16 => "utf-16",
            Self::Text => "text",
            Self::Empty => "empty",
            Self::Binary => "binary",
        }
    }

    /// Returns what such a file looks like, to put behind "this looks like".
    pub fn phrase(self) -> &'static str {
        match self {
            Self::TokenizerJson => "a tokenizer.json",
            Self::Tiktoken => "a .tiktoken file",
            Self::Pack => "a piecework pack",
            Self::Definition => "a piecework definition",
            Self::Gguf => "a GGUF model file",
            Self::SentencePiece => "a SentencePiece model",
            Self::VocabJson => "a vocab.json (half of a tokenizer; merges.txt is the other)",
            Self::MergesTxt => "a merges.txt (half of a tokenizer; vocab.json is the other)",
            Self::Tekken => "a tekken.json",
            Self::VocabTxt => "a WordPiece vocab.txt",
            Self::TokenizerConfig => "a tokenizer_config.json (the tokenizer is in tokenizer.json beside it)",
            Self::ModelConfig => "a config of a model (the tokenizer is in tokenizer.json beside it)",
            Self::Json => "JSON that is no tokenizer",
            Self::GitLfsPointer => "a Git LFS pointer: the file itself is not here (run `git lfs pull`)",
            Self::Html => "a web page: perhaps an error or a login page was saved instead of the file",
            Self::Gzip => "a gzip archive (decompress it first)",
            Self::Compressed => "compressed data (decompress it first)",
            Self::Zip => "a zip archive or a PyTorch checkpoint",
            Self::Tar => "a tar archive (unpack it first)",
            Self::Safetensors => "safetensors weights",
            Self::Pickle => "a Python pickle, which is not opened: it can run code",
            Self::Numpy => "a NumPy array",
            Self::Table => "a Parquet or Arrow table",
            Self::Image => "a picture",
            Self::Pdf => "a PDF document",
            Self::Program => "a program or a library",
            Self::Utf16 => "text in UTF-16 (save it as UTF-8)",
            Self::Text => "text that is no tokenizer",
            Self::Empty => "an empty file",
            Self::Binary => "binary data of an unknown format",
        }
    }
}

/// Returns what `data` holds. A file of a known format that is cut short or damaged later on is still
/// of that format, so that its reader can say where it breaks. Complexity: O(1) for a file of any size,
/// but for JSON whose first fields are long.
pub fn detect(data: &[u8]) -> Kind {
    if data.is_empty() {
        return Kind::Empty;
    }
    if let Some(kind) = by_magic(data) {
        return kind;
    }
    let head = data.get(..HEAD).unwrap_or(data);
    let head = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A character that the cut goes through is no fault.
        Err(error) if error.error_len().is_none() => head
            .get(..error.valid_up_to())
            .and_then(|valid| std::str::from_utf8(valid).ok())
            .unwrap_or_default(),
        Err(_) => return by_shape(data).unwrap_or(Kind::Binary),
    };
    if let Some(kind) = by_shape(data) {
        return kind;
    }
    if head.contains('\0') {
        return Kind::Binary;
    }
    let text = head.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') {
        return fields::by_fields(data);
    }
    match by_lines(text) {
        // A vocab.txt often begins with the line [PAD], which no list of JSON does.
        Kind::Text if is_json_list(text) => Kind::Json,
        kind => kind,
    }
}

fn by_magic(data: &[u8]) -> Option<Kind> {
    let magics: [(&[u8], Kind); 30] = [
        (PACK_MAGIC, Kind::Pack),
        (canonical::MAGIC, Kind::Definition),
        (b"GGUF", Kind::Gguf),
        (b"version https://git-lfs.github.com/spec/", Kind::GitLfsPointer),
        (b"\x1f\x8b", Kind::Gzip),
        (b"PK\x03\x04", Kind::Zip),
        (b"\x28\xb5\x2f\xfd", Kind::Compressed),
        (b"\xfd7zXZ\0", Kind::Compressed),
        (b"BZh", Kind::Compressed),
        (b"7z\xbc\xaf\x27\x1c", Kind::Compressed),
        (b"\x80\x02", Kind::Pickle),
        (b"\x80\x03", Kind::Pickle),
        (b"\x80\x04", Kind::Pickle),
        (b"\x80\x05", Kind::Pickle),
        (b"\x93NUMPY", Kind::Numpy),
        (b"PAR1", Kind::Table),
        (b"ARROW1", Kind::Table),
        (b"\x89PNG\r\n\x1a\n", Kind::Image),
        (b"\xff\xd8\xff", Kind::Image),
        (b"GIF87a", Kind::Image),
        (b"GIF89a", Kind::Image),
        (b"%PDF-", Kind::Pdf),
        (b"\x7fELF", Kind::Program),
        (b"\xcf\xfa\xed\xfe", Kind::Program),
        (b"MZ\x90\0", Kind::Program),
        (b"\xca\xfe\xba\xbe", Kind::Program),
        (b"MZ\x78\0", Kind::Program),
        (b"\xff\xfe", Kind::Utf16),
        (b"\xfe\xff", Kind::Utf16),
        (b"\0\0\0\0", Kind::Binary),
    ];
    magics.iter().find(|(magic, _)| data.starts_with(magic)).map(|(_, kind)| *kind)
}

/// Tells the formats without a magic at their start apart by how they begin.
fn by_shape(data: &[u8]) -> Option<Kind> {
    if is_sentencepiece(data) {
        return Some(Kind::SentencePiece);
    }
    if data.get(257..262) == Some(b"ustar") {
        return Some(Kind::Tar);
    }
    // safetensors: the length of the header, 8 bytes, then the header, which is JSON.
    let (length, header) = data.split_at_checked(8)?;
    let length = u64::from_le_bytes(length.try_into().ok()?);
    (header.starts_with(b"{\"") && length < 1 << 32).then_some(Kind::Safetensors)
}

/// Returns whether `data` begins with a `ModelProto` whose first field is a piece: field 1, a message,
/// that begins with the piece's text (field 1) and goes on with its score (field 2, a float) or its type
/// (field 3); a score of nothing may be left out.
fn is_sentencepiece(data: &[u8]) -> bool {
    let [0x0a, n_message, 0x0a, n_text, rest @ ..] = data else {
        return false;
    };
    let (n_message, n_text) = (usize::from(*n_message), usize::from(*n_text));
    let after = rest.get(n_text);
    let in_message = n_text + 2 < n_message && matches!(after, Some(0x15 | 0x18));
    let next_piece = n_text + 2 == n_message && after == Some(&0x0a);
    n_text < 0x80 && n_message < 0x80 && (in_message || next_piece)
}

/// Tells text that is no JSON by its first lines.
fn by_lines(text: &str) -> Kind {
    let lower = text.get(..15).unwrap_or(text).to_ascii_lowercase();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        return Kind::Html;
    }
    let mut lines = text.lines().filter(|line| !line.is_empty());
    if has_ranks(lines.clone()) {
        return Kind::Tiktoken;
    }
    let first = lines.next().unwrap_or_default();
    if first.starts_with("#version") {
        return Kind::MergesTxt;
    }
    let head: Vec<&str> = std::iter::once(first).chain(lines.take(2000)).collect();
    if is_word_pieces(&head) {
        return Kind::VocabTxt;
    }
    // Without its first line, a merges.txt is lines of two parts; a few of these can be chance.
    let is_merge = |line: &&str| line.split(' ').filter(|part| !part.is_empty()).count() == 2;
    if head.len() >= 8 && head.iter().take(100).all(is_merge) {
        return Kind::MergesTxt;
    }
    Kind::Text
}

/// Returns whether these are lines of a `vocab.txt`: BERT's special tokens, or one token a line of which some
/// continue a word or one is the unknown token.
fn is_word_pieces(lines: &[&str]) -> bool {
    let has_unknown = lines.contains(&"[UNK]");
    let is_small_list = || {
        (has_unknown || lines.iter().any(|line| line.len() > 2 && line.starts_with("##")))
            && !lines.iter().any(|line| line.contains([' ', '\t', '\r']))
    };
    has_unknown && lines.contains(&"[CLS]") || is_small_list()
}

/// Returns whether `text` begins as a list of JSON does.
fn is_json_list(text: &str) -> bool {
    text.strip_prefix('[').is_some_and(|rest| {
        let first = rest.trim_start().chars().next();
        first.is_none_or(|char| matches!(char, ']' | '[' | '{' | '"' | '-' | '0'..='9' | 't' | 'f' | 'n'))
    })
}

/// Returns whether the first line is one of ranks, or most of the first ones are: the one that is not can be named.
fn has_ranks<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let are_ranks: Vec<bool> = lines.take(20).map(is_rank_line).collect();
    let n_ranks = are_ranks.iter().filter(|&&is_rank| is_rank).count();
    are_ranks.first() == Some(&true) || n_ranks > are_ranks.len() / 2
}

/// Returns whether `line` is a token in base64, a space and a number.
fn is_rank_line(line: &str) -> bool {
    let mut fields = line.split_ascii_whitespace();
    let (Some(token), Some(rank), None) = (fields.next(), fields.next(), fields.next()) else {
        return false;
    };
    rank.bytes().all(|byte| byte.is_ascii_digit())
        && base64::decode_into(token.as_bytes(), &mut Vec::new()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_what_they_hold() {
        let vocab_txt = "[PAD]\n[unused0]\n[UNK]\n[CLS]\n[SEP]\nthe\n";
        let merges = "Ġ t\nĠ a\nh e\ni n\nr e\no n\nĠt he\ne r\n";
        for (data, kind) in [
            (&b""[..], Kind::Empty),
            (br#"{"version": "1.0", "truncation": null, "added_tokens": [{"id": 1"#, Kind::TokenizerJson),
            (br#"{"model": {"type": "BPE", "vocab": {"a"#, Kind::TokenizerJson),
            (br#"{"model": "gpt-4o", "messages": []}"#, Kind::Json),
            (br#"{"config": {"pattern": ".", "version": "v3"}, "vocab": [{"rank": 0"#, Kind::Tekken),
            (br#"{"add_bos_token": false, "added_tokens_decoder": {"0": {}}}"#, Kind::TokenizerConfig),
            ("{\"!\": 0, \"Ġt\": 1}".as_bytes(), Kind::VocabJson),
            (br#"{"a": 0, "b": -1}"#, Kind::Json),
            (br#"{"a": 0, "b": "#, Kind::Json),
            (b"[1, 2]", Kind::Json),
            (b"{}", Kind::Json),
            (b"IQ== 0\r\nIg== 1\r\n", Kind::Tiktoken),
            (b"\n/w== 4", Kind::Tiktoken),
            (b"I!== 0\nIg== 1\nIw== 2\n", Kind::Tiktoken),
            (b"I!== 0\nI!== 1\nIw== 2\n", Kind::Text),
            (b"\xef\xbb\xbfI!== 0\nIg== 1\nIw== 2\n", Kind::Tiktoken),
            (b"#version: 0.2\nh e\n", Kind::MergesTxt),
            (merges.as_bytes(), Kind::MergesTxt),
            (vocab_txt.as_bytes(), Kind::VocabTxt),
            (b"[UNK]\r\nred\r\n##dish\r\nfish\r\n", Kind::VocabTxt),
            (b"red\nfish\n##es\n<unk>", Kind::VocabTxt),
            (b"## A heading\n\nand words\n##es\n", Kind::Text),
            (b"[UNK]\rred\rfish", Kind::Text),
            (b"[", Kind::Json),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", Kind::GitLfsPointer),
            (b"<!DOCTYPE HTML>\n<html>", Kind::Html),
            (b"\n<html lang=en>", Kind::Html),
            (b"GGUF\x03\0\0\0", Kind::Gguf),
            (b"\x0a\x0e\x0a\x05<unk>\x15\0\0\0\0\x18\x02\x0a", Kind::SentencePiece),
            (b"\x0a\x09\x0a\x05<unk>\x18\x02\x0a\x07\x0a\x03<s>\x18\x03", Kind::SentencePiece),
            (b"\x0a\x03\x0a\x01a\x0a\x03\x0a\x01b", Kind::SentencePiece),
            (b"\x20\0\0\0\0\0\0\0{\"a\":{}}", Kind::Safetensors),
            (b"\x1f\x8b\x08", Kind::Gzip),
            (b"PK\x03\x04", Kind::Zip),
            (b"\x28\xb5\x2f\xfd\0", Kind::Compressed),
            (b"\x80\x04\x95", Kind::Pickle),
            (b"\x93NUMPY\x01", Kind::Numpy),
            (b"PAR1\x15", Kind::Table),
            (b"\x89PNG\r\n\x1a\n\0", Kind::Image),
            (b"%PDF-1.7", Kind::Pdf),
            (b"\x7fELF\x02", Kind::Program),
            (br#"{"architectures": ["Qwen3ForCausalLM"], "hidden_size": 4096}"#, Kind::ModelConfig),
            (
                br#"{"bos_token_id": 1, "eos_token_id": [1, 2], "transformers_version": "5"}"#,
                Kind::ModelConfig,
            ),
            (br#"{"bos_token": "<s>", "eos_token": {"content": "</s>"}}"#, Kind::ModelConfig),
            (br#"{"metadata": {"total_size": 9}, "weight_map": {"a": "b"}}"#, Kind::ModelConfig),
            (b"\xff\xfe{\0", Kind::Utf16),
            (b"Not found", Kind::Text),
            (b"a\0b", Kind::Binary),
            (b"\xffabc", Kind::Binary),
            (PACK_MAGIC, Kind::Pack),
            (canonical::MAGIC, Kind::Definition),
        ] {
            assert_eq!(detect(data), kind, "{:?}", String::from_utf8_lossy(data));
        }
    }

    #[test]
    fn a_vocabulary_is_told_without_reading_it_all() {
        let mut vocab: String = (0..1000).fold("{".into(), |text, id| text + &format!("\"t{id}\": {id},"));
        vocab.push_str("what follows is no JSON");
        assert_eq!(detect(vocab.as_bytes()), Kind::VocabJson);
    }

    #[test]
    fn a_cut_through_a_character_is_no_fault() {
        let text = "é".repeat(HEAD);
        assert_eq!(detect(text.as_bytes()), Kind::Text);
        assert_eq!(detect(&[b"a", text.as_bytes()].concat()), Kind::Text);
    }

    #[test]
    fn a_phrase_says_what_to_do() {
        let kind = detect(
            b"version https://git-lfs.github.com/spec/v1
",
        );
        assert_eq!(kind.name(), "git-lfs-pointer");
        assert!(kind.phrase().contains("Git LFS pointer") && kind.phrase().contains("git lfs pull"));
    }
}
