//! Small valid files of each format, to begin from.

use piecework_core::definition::Definition;
use piecework_core::formats::{PACK_MAGIC, tokenizer_json as json};

use crate::formats::BETWEEN;

const JSON: [&str; 6] = [
    include_str!("../seeds/bpe.json"),
    include_str!("../seeds/bytes.json"),
    include_str!("../seeds/clip.json"),
    include_str!("../seeds/unigram.json"),
    include_str!("../seeds/wordpiece.json"),
    include_str!("../seeds/wordlevel.json"),
];

const OPTIONS: &str = r#"{"do_lower_case": true, "unk_token": "[UNK]", "bos_token": "<s>",
    "add_prefix_space": false, "added_tokens_decoder": {"3": {"content": "<s>", "special": true}}}"#;

fn texts(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn joined(parts: &[&str]) -> Vec<u8> {
    parts.iter().map(|part| part.as_bytes()).collect::<Vec<_>>().join(&BETWEEN)
}

/// One for each model, with every normalizer, pre-tokenizer, post-processor and decoder in some.
pub fn tokenizer_json() -> Vec<Vec<u8>> {
    texts(&JSON)
}

/// Ranks with and without a pattern and a control token.
pub fn tiktoken() -> Vec<Vec<u8>> {
    let ranks = "YQ== 0\nYg== 1\nYWI= 2\nYWJh 3\n";
    vec![joined(&[ranks, r"\p{L}+|\s+|\d{1,3}", "<|x|> 4"]), joined(&["YQ== 0\r\nYg== 1\r\n"])]
}

/// Metadata, columns and ranks as [`crate::formats::pack`] puts them together, and a pack less its checksum.
pub fn pack() -> Vec<Vec<u8>> {
    let meta = r#"{"name": "x", "n_vocab": 260, "profile": "tokenizers", "normalizer": "NFC", "pattern": "\\w+|\\W",
        "vocab": {"base": null, "skip": [], "first_id": 256, "n_own": 3}, "merges": "single", "whole_pieces": false,
        "added": [{"id": 259, "content": "<s>", "flags": ["special"]}]}"#;
    // "ab", "aba", "bb" with the ranks 0, 1, 2 in two bits each; then where the merges split them.
    let columns = [0, 2, 0, 2, 1, 2, b'a', b'b', b'a', b'b', b'b', 1, 2, 1];
    let counted = |part: &[u8]| [&(part.len() as u16).to_le_bytes(), part].concat();
    let parts = [counted(meta.as_bytes()), counted(&columns), vec![0b0010_0100]].concat();
    let whole = [PACK_MAGIC, &[2], &[0; 16]].concat();
    vec![parts, whole]
}

/// The canonical forms of the other seeds.
pub fn definition() -> Vec<Vec<u8>> {
    let read = |file: &str| json::read(file.as_bytes()).expect("a seed is valid");
    let mut all: Vec<Definition> = JSON.map(read).to_vec();
    for seed in sentencepiece() {
        let options = piecework_core::formats::sentencepiece::Options::default();
        all.push(piecework_core::formats::sentencepiece::read(&seed, options).expect("a seed is valid"));
    }
    all.iter().map(Definition::to_bytes).collect()
}

/// A field of a protocol buffer: a message or text of fewer than 128 bytes.
fn field(number: u8, body: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, body.len() as u8], body].concat()
}

/// A rule table: its length, the root, the unit of `a`, the value below it, and the text `b` that it names.
fn charsmap() -> Vec<u8> {
    let units = [12, 0x60 << 10, 3 << 10 | 1 << 8 | 0x61, 1 << 31_u32];
    [&units.map(u32::to_le_bytes).concat()[..], b"b\0"].concat()
}

/// A model of each type.
pub fn sentencepiece() -> Vec<Vec<u8>> {
    let piece = |text: &str, score: f32, kind: u8| {
        let body = [&field(1, text.as_bytes())[..], &[0x15], &score.to_le_bytes(), &[0x18, kind]].concat();
        field(1, &body)
    };
    let pieces = [
        ("<unk>", 0.0, 2),
        ("<s>", 0.0, 3),
        ("</s>", 0.0, 3),
        ("<x>", 0.0, 4),
        ("ab", -1.0, 1),
        ("ba", -1.0, 1),
        ("aba", -2.5, 5),
        ("▁a", -2.5, 1),
        ("a", -3.0, 1),
        ("b", -4.0, 1),
    ];
    let pieces: Vec<u8> =
        pieces.into_iter().flat_map(|(text, score, kind)| piece(text, score, kind)).collect();
    let charsmap = charsmap();
    let normalizer = [&field(1, b"x")[..], &field(2, &charsmap), &[0x18, 1, 0x20, 1, 0x28, 1]].concat();
    let plain = field(3, &field(1, b"identity"));
    let model = |kind: u8, normalizer: &[u8]| [&pieces[..], &field(2, &[0x18, kind]), normalizer].concat();
    vec![model(1, &plain), model(2, &plain), model(4, &plain), model(1, &field(3, &normalizer))]
}

/// Ranks of bytes and special tokens.
pub fn tekken() -> Vec<Vec<u8>> {
    texts(&[include_str!("../seeds/tekken.json")])
}

/// One value of a GGUF file's metadata: its key, its type and its bytes.
fn entry(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [&text(key)[..], &kind.to_le_bytes(), value].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn list(kind: u32, items: &[Vec<u8>]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(items.len() as u64).to_le_bytes(), &items.concat()].concat()
}

/// Each of llama.cpp's tokenizers.
pub fn gguf() -> Vec<Vec<u8>> {
    let file = |model: &str, tokens: &[&str], types: &[u32], more: &[Vec<u8>]| {
        let scores: Vec<_> =
            (0..tokens.len() as u16).map(|n| (-f32::from(n)).to_le_bytes().to_vec()).collect();
        let types: Vec<_> = types.iter().map(|kind| kind.to_le_bytes().to_vec()).collect();
        let tokens: Vec<_> = tokens.iter().map(|token| text(token)).collect();
        let mut entries = vec![
            entry("tokenizer.ggml.model", 8, &text(model)),
            entry("tokenizer.ggml.tokens", 9, &list(8, &tokens)),
            entry("tokenizer.ggml.token_type", 9, &list(5, &types)),
            entry("tokenizer.ggml.scores", 9, &list(6, &scores)),
            entry("tokenizer.ggml.bos_token_id", 4, &1_u32.to_le_bytes()),
            entry("tokenizer.ggml.add_bos_token", 7, &[1]),
        ];
        entries.extend_from_slice(more);
        let head =
            [b"GGUF", &3_u32.to_le_bytes()[..], &[0; 8], &(entries.len() as u64).to_le_bytes()].concat();
        [head, entries.concat()].concat()
    };
    let merges = |all: &[Vec<u8>]| entry("tokenizer.ggml.merges", 9, &list(8, all));
    let named = |name: &str, id: u32| entry(&format!("tokenizer.ggml.{name}_token_id"), 4, &id.to_le_bytes());
    let pre = entry("tokenizer.ggml.pre", 8, &text("llama-bpe"));
    let charsmap: Vec<_> = charsmap().into_iter().map(|byte| vec![byte]).collect();
    let charsmap = entry("tokenizer.ggml.precompiled_charsmap", 9, &list(0, &charsmap));
    let pieces = ["<unk>", "<s>", "</s>", "<0x0A>", "▁a", "a", "▁", "<|user|>"];
    let types = [2, 3, 3, 6, 1, 1, 1, 4];
    vec![
        file("llama", &pieces, &types, &[]),
        file("t5", &pieces, &types, &[charsmap]),
        file(
            "bert",
            &["[UNK]", "[CLS]", "[SEP]", "▁a", "b"],
            &[2, 3, 3, 1, 1],
            &[named("unknown", 0), named("seperator", 2)],
        ),
        file(
            "gpt2",
            &["a", "<s>", "b", "Ġ", "ab", "Ġa"],
            &[1, 3, 1, 1, 1, 1],
            &[merges(&[text("a b"), text("Ġ a")]), pre],
        ),
        file("gemma4", &["a", "<bos>", "b", "▁", "ab"], &[1, 3, 1, 1, 1], &[merges(&[text("a b")])]),
    ]
}

/// A vocabulary alone, and one with options.
pub fn wordpiece() -> Vec<Vec<u8>> {
    let vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nab\n漢\n";
    vec![joined(&[vocab]), joined(&[vocab, OPTIONS]), joined(&["[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n", "{}"])]
}

/// Byte-level, and by characters with a suffix.
pub fn vocab_merges() -> Vec<Vec<u8>> {
    vec![
        joined(&[
            r#"{"a": 0, "b": 1, "ab": 2, "<s>": 3, "Ġ": 4, "Ġa": 5}"#,
            "#version: 0.2\na b\nĠ a\n",
            OPTIONS,
        ]),
        joined(&[
            r#"{"a": 0, "b</w>": 1, "ab</w>": 2, "a</w>": 3, "<unk>": 4}"#,
            "#version: 0.2\na b</w>\n",
            r#"{"tokenizer_class": "CLIPTokenizer", "unk_token": "<unk>"}"#,
        ]),
    ]
}

/// A file of each kind.
pub fn detect() -> Vec<Vec<u8>> {
    let all =
        [tokenizer_json, tiktoken, pack, definition, sentencepiece, tekken, gguf, wordpiece, vocab_merges];
    all.iter().flat_map(|seeds| seeds()).collect()
}

/// Bytes to make anything from.
pub fn noise() -> Vec<Vec<u8>> {
    let noise = |seed: u32| {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..2048).map(|_| next()).collect()
    };
    (1..32).map(noise).collect()
}
