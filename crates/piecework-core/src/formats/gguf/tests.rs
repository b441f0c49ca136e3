use super::*;
use crate::definition::{Bpe, TemplateItem};
use crate::merges::{Merges, NO_RANK};

/// Writes files of either byte order.
struct Writer {
    bytes: Vec<u8>,
    n: u64,
    big: bool,
}

impl Writer {
    fn new(big: bool) -> Self {
        Self { bytes: Vec::new(), n: 0, big }
    }

    fn number(&mut self, value: u64, n_bytes: usize) {
        let little = value.to_le_bytes();
        let bytes = &little[..n_bytes];
        if self.big {
            self.bytes.extend(bytes.iter().rev());
        } else {
            self.bytes.extend(bytes);
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64, 8);
        self.bytes.extend(text.as_bytes());
    }

    fn key(&mut self, key: &str, kind: u64) {
        self.n += 1;
        self.text(key);
        self.number(kind, 4);
    }

    fn with_text(mut self, key: &str, text: &str) -> Self {
        self.key(key, 8);
        self.text(text);
        self
    }

    fn with_texts(mut self, key: &str, texts: &[&str]) -> Self {
        self.key(key, 9);
        self.number(8, 4);
        self.number(texts.len() as u64, 8);
        for text in texts {
            self.text(text);
        }
        self
    }

    fn with_types(mut self, types: &[u64]) -> Self {
        self.key("tokenizer.ggml.token_type", 9);
        self.number(5, 4);
        self.number(types.len() as u64, 8);
        for &kind in types {
            self.number(kind, 4);
        }
        self
    }

    fn with_scores(mut self, scores: &[f32]) -> Self {
        self.key("tokenizer.ggml.scores", 9);
        self.number(6, 4);
        self.number(scores.len() as u64, 8);
        for score in scores {
            self.number(u64::from(score.to_bits()), 4);
        }
        self
    }

    fn with_number(mut self, key: &str, number: u64) -> Self {
        self.key(key, 4);
        self.number(number, 4);
        self
    }

    fn done(self, version: u64) -> Vec<u8> {
        let mut head = Self::new(self.big);
        head.bytes.extend(b"GGUF");
        head.number(version, 4);
        head.number(0, 8);
        head.number(self.n, 8);
        [head.bytes, self.bytes].concat()
    }
}

fn spm(big: bool) -> Writer {
    Writer::new(big)
        .with_text("tokenizer.ggml.model", "llama")
        .with_texts("tokenizer.ggml.tokens", &["<unk>", "<s>", "</s>", "<0x0A>", "▁a", "a", "▁", "<|user|>"])
        .with_scores(&[0.0, 0.0, 0.0, 0.0, -1.0, -3.0, -2.0, 0.0])
        .with_types(&[2, 3, 3, 6, 1, 1, 1, 4])
        .with_text("tokenizer.chat_template", "{{ messages }}")
}

fn gpt2() -> Writer {
    Writer::new(false)
        .with_text("tokenizer.ggml.model", "gpt2")
        .with_text("tokenizer.ggml.pre", "llama-bpe")
        .with_texts("tokenizer.ggml.tokens", &["a", "b", "Ġ", "ab", "Ġab", "<|eot_id|>"])
        .with_types(&[1, 1, 1, 1, 1, 1])
        .with_texts("tokenizer.ggml.merges", &["a b", "Ġ ab"])
        .with_number("tokenizer.ggml.bos_token_id", 5)
}

fn refusal(data: &[u8]) -> String {
    read(data).unwrap_err().to_string()
}

fn template(definition: &Definition) -> Vec<i64> {
    let items = definition.post_processor.single.iter();
    items
        .map(|item| match item {
            TemplateItem::Special { ids, .. } => i64::from(ids[0].0),
            TemplateItem::Sequence { .. } => -1,
        })
        .collect()
}

#[test]
fn scores_are_ranks_in_both_byte_orders() {
    for big in [false, true] {
        let contents = read(&spm(big).done(3)).unwrap();
        let definition = &contents.definition;
        let Some(Bpe { merges: Merges::Ranked(ranks), characters: Some(characters), .. }) =
            definition.model.bpe()
        else {
            panic!("not ranked characters");
        };
        assert_eq!(*ranks, [NO_RANK, NO_RANK, NO_RANK, NO_RANK, 1, 3, 2, 0]);
        assert!(characters.byte_fallback && characters.unk.is_none());
        assert_eq!(template(definition), [1, -1]);
        let added: Vec<_> = definition.added.iter().map(|token| (token.id.0, token.special)).collect();
        assert_eq!(added, [(0, true), (1, true), (2, true), (7, false)]);
        assert_eq!(contents.chat_template.as_deref(), Some("{{ messages }}"));
        assert_eq!(definition.profile, Profile::LlamaCpp);
    }
}

#[test]
fn merges_are_those_of_the_file_and_the_name_says_the_rest() {
    let contents = read(&gpt2().done(2)).unwrap();
    let definition = &contents.definition;
    assert!(definition.model.bpe().is_some_and(|bpe| bpe.whole_pieces && bpe.merges.n_listed() == Some(2)));
    assert_eq!(definition.vocab.get(b" ab"), Some(TokenId(4)));
    assert_eq!(template(definition), [5, -1]);
    assert_eq!((definition.controls.len(), definition.vocab.get(b"<|eot_id|>")), (1, None));
    assert!(contents.notes.iter().any(|note| note.remark.contains("taken for a control token")));
}

#[test]
fn words_are_spelled_as_wordpiece_spells_them() {
    let file = Writer::new(true)
        .with_text("tokenizer.ggml.model", "bert")
        .with_texts("tokenizer.ggml.tokens", &["[UNK]", "[CLS]", "[SEP]", "▁the", "s"])
        .with_types(&[3, 3, 3, 1, 1])
        .with_number("tokenizer.ggml.unknown_token_id", 0)
        .with_number("tokenizer.ggml.bos_token_id", 1)
        .with_number("tokenizer.ggml.seperator_token_id", 2);
    let definition = read(&file.done(3)).unwrap().definition;
    assert_eq!(definition.vocab.get(b"the"), Some(TokenId(3)));
    assert_eq!(definition.vocab.get(b"##s"), Some(TokenId(4)));
    assert_eq!(template(&definition), [1, -1, 2]);
}

#[test]
fn every_name_has_patterns_that_can_be_run() {
    for name in ["default", "gpt-2", "qwen35", "tekken", "gpt-4o", "deepseek-v3", "deepseek-llm", "kimi-k2"] {
        let pre = pre::pre(name).unwrap();
        for pattern in pre.patterns {
            crate::split::pattern::Pattern::new(pattern, Profile::LlamaCpp).unwrap();
        }
    }
    assert!(pre::pre("superbpe").is_none() && pre::refusal("superbpe").is_some());
}

#[test]
fn refusals_name_the_place() {
    let changed = |from: &str, to: &str| {
        let file = gpt2().done(3);
        let at = file.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat()
    };
    let number = |at: usize, number: u64| {
        let mut file = gpt2().done(3);
        file[at..at + 8].copy_from_slice(&number.to_le_bytes());
        file
    };
    for (data, expected) in [
        (b"GGML".to_vec(), "byte 0: expected a GGUF file"),
        (gpt2().done(1), "byte 4: version 1 is neither"),
        (number(16, 1 << 63), "byte 24: metadata of 9223372036854775808 elements does not fit"),
        (number(24, 1 << 63), "byte 32: a key takes 9223372036854775808 bytes"),
        (changed("gpt2", "rwkv"), "tokenizer.ggml.model (byte 56): the tokenizer \"rwkv\" is not supported"),
        (changed("llama-bpe", "llama-xyz"), "tokenizer.ggml.pre (byte "),
        (changed("a b", "a c"), "tokenizer.ggml.merges[0]: the merge joins \"a\" and \"c\""),
        (changed("a b", "abc"), "tokenizer.ggml.merges[0]: the merge is \"abc\""),
        (changed("Ġab", "ab\u{61}\u{61}"), "tokenizer.ggml.merges[1]"),
        (changed("tokenizer.ggml.pre", "general.archxxxxxx"), ""),
        (Writer::new(false).done(3), "tokenizer.ggml.model: the file holds no tokenizer"),
        (gpt2().with_texts("tokenizer.ggml.tokens", &[]).done(3), "byte "),
    ] {
        if let Err(found) = read(&data) {
            assert!(found.to_string().starts_with(expected), "{found} for {expected:?}");
        } else {
            assert!(expected.is_empty(), "{expected:?} was read");
        }
    }
    let twice = Writer::new(false)
        .with_text("tokenizer.ggml.model", "llama")
        .with_texts("tokenizer.ggml.tokens", &["a", "a"]);
    assert_eq!(refusal(&twice.done(3)), "tokenizer.ggml.tokens[1]: token 0 is \"a\" too");
}

#[test]
fn cut_and_corrupted_files_are_refused_or_read() {
    let file = spm(false).done(3);
    for end in 0..file.len() {
        assert!(read(&file[..end]).is_err());
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut data = file.clone();
            data[end] = byte;
            let _ = read(&data);
        }
    }
}

#[test]
fn the_front_is_known_to_be_all_there() {
    for file in [spm(false).done(3), spm(true).done(3), gpt2().done(2)] {
        for end in 4..file.len() {
            assert_eq!(n_front_bytes(&file[..end]).unwrap(), None, "{end}");
        }
        assert_eq!(n_front_bytes(&file).unwrap(), Some(file.len()));
        let with_tensors = [&file[..], &[7; 100]].concat();
        assert_eq!(n_front_bytes(&with_tensors).unwrap(), Some(file.len()));
        assert_eq!(read(&with_tensors[..file.len()]).unwrap(), read(&with_tensors).unwrap());
    }
    // No more bytes would help these.
    for data in [&b"GGML"[..], &spm(false).done(1)] {
        assert!(n_front_bytes(data).is_err());
    }
}
