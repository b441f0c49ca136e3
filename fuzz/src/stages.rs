//! Definitions that no file writer would make, put together from bytes: every stage with odd options must be refused
//! with its place, or run.

use arbitrary::{Result, Unstructured};
use piecework_core::definition::{
    AddedToken, Behavior, Bpe, Characters, Charsmap, DecodeStep, Decoder, Definition, Model, Needle,
    Normalizer, PostProcessor, PreTokenizer, Precision, Prepend, Profile, TemplateItem, Unigram, WordLevel,
    WordPiece, control,
};
use piecework_core::id::TokenId;
use piecework_core::merges::{Merges, NO_RANK, Pair};
use piecework_core::vocab::{Entry, Vocab};

use crate::holds;

/// Texts that stages are made of: empty, blank, parts of each other, marks alone, what a regex is thrown by.
const TEXTS: [&str; 24] = [
    "",
    " ",
    "  ",
    "a",
    "b",
    "ab",
    "aa",
    "▁",
    "##",
    "</w>",
    "\n",
    "\u{301}",
    "e\u{301}",
    "é",
    "漢",
    "<s>",
    "[X]",
    "<0x41>",
    "\u{0}",
    "\r\n",
    "ss",
    "ß",
    "🏳️‍🌈",
    "aaaaaaaaaaaaaaaaaaaa",
];

/// Patterns that match nothing, the empty string, a great deal, or are none.
const PATTERNS: [&str; 20] = [
    "",
    "a*",
    "(?:)",
    "$",
    "^",
    r"\b",
    "(?=a)",
    "(?!a)",
    "(?<=a)",
    r"(a)\1",
    "(a+)+b",
    "(?:a|aa)+$",
    "a{0,1000}",
    r"\s+(?!\S)|\s+",
    r"\p{L}+|\d",
    "(",
    r"[^\s\p{L}]+",
    r"\G",
    "(?i)ss",
    "a{1000}{1000}",
];

/// What bytes make of a definition is no definition, or is refused with a place, or runs. (Readers make only
/// definitions whose canonical form is read: the formats' targets hold them to that.)
pub fn stages(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok((made, text)) = definition(&mut u).and_then(|made| Ok((made, text(&mut u)?))) else { return };
    let bytes = made.to_bytes();
    if let Ok(definition) = Definition::from_bytes(&bytes) {
        assert!(definition.to_bytes() == bytes, "the canonical form is one form: {made:?}");
        holds::runs(definition, &[&text, "ab  aé\u{301} <s>\n漢x", "aaaaaaaaaaaaaaaaaaaaaaab"]);
    }
}

fn text(u: &mut Unstructured<'_>) -> Result<String> {
    (0..u.int_in_range(0..=6)?).map(|_| some(u)).collect()
}

fn some(u: &mut Unstructured<'_>) -> Result<String> {
    Ok((*u.choose(&TEXTS)?).to_owned())
}

fn needle(u: &mut Unstructured<'_>) -> Result<Needle> {
    Ok(if u.arbitrary()? {
        Needle::Text(some(u)?)
    } else {
        Needle::Pattern((*u.choose(&PATTERNS)?).to_owned())
    })
}

fn several<T>(
    u: &mut Unstructured<'_>,
    max: usize,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=max)?).map(|_| one(u)).collect()
}

fn number(u: &mut Unstructured<'_>) -> Result<usize> {
    Ok(*u.choose(&[0, 1, 2, 3, 100, u32::MAX as usize, u32::MAX as usize + 1, usize::MAX])?)
}

fn definition(u: &mut Unstructured<'_>) -> Result<Definition> {
    let (vocab, tokens) = vocab(u)?;
    let model = model(u, &vocab, tokens)?;
    let mut added = several(u, 3, added)?;
    added.sort_by_key(|token| token.id);
    added.dedup_by_key(|token| token.id);
    Ok(Definition {
        vocab,
        model,
        normalizers: several(u, 3, normalizer)?,
        pre_tokenizers: several(u, 3, pre_tokenizer)?,
        controls: control::resolve(&added),
        added,
        post_processor: PostProcessor {
            single: several(u, 3, item)?,
            pair: several(u, 3, item)?,
            trim_offsets: u.arbitrary()?,
            add_prefix_space: u.arbitrary()?,
        },
        decoder: decoder(u)?,
        profile: *u.choose(&[
            Profile::Tiktoken,
            Profile::Tokenizers,
            Profile::SentencePiece,
            Profile::LlamaCpp,
        ])?,
    })
}

/// Distinct texts, perhaps an empty one, perhaps the bytes, perhaps some that are not found.
fn vocab(u: &mut Unstructured<'_>) -> Result<(Vocab, u32)> {
    let mut tokens: Vec<Vec<u8>> = several(u, 12, some)?.into_iter().map(String::into_bytes).collect();
    if u.arbitrary()? {
        tokens.extend((0..=u8::MAX).map(|byte| vec![byte]));
    }
    if u.ratio(1, 3)? {
        tokens.extend((0..=u8::MAX).map(|byte| format!("<0x{byte:02X}>").into_bytes()));
    }
    let mut seen = std::collections::HashSet::new();
    tokens.retain(|token| seen.insert(token.clone()));
    let holes = u.int_in_range(1..=2)?;
    let hidden: u8 = u.arbitrary()?;
    let entries = tokens.iter().zip(0..).map(|(bytes, id)| Entry {
        id: TokenId(id * holes),
        bytes,
        indexed: id % 16 != u32::from(hidden),
    });
    Ok((Vocab::new(entries).expect("distinct tokens"), tokens.len() as u32 * holes + 2))
}

fn model(u: &mut Unstructured<'_>, vocab: &Vocab, n: u32) -> Result<Model> {
    let id = |u: &mut Unstructured<'_>| Ok(TokenId(u.int_in_range(0..=n)?));
    let ids = |u: &mut Unstructured<'_>| {
        let mut ids = several(u, 3, id)?;
        ids.sort();
        ids.dedup();
        Ok(ids)
    };
    let unk = if u.arbitrary()? { Some(id(u)?) } else { None };
    Ok(match u.int_in_range(0..=4)? {
        0 => {
            let merges = merges(u, vocab, n)?;
            Model::Bpe(Bpe { dropout_millionths: u.arbitrary()?, ..Bpe::bytes(merges, u.arbitrary()?) })
        }
        1 => {
            let characters = Characters {
                unk,
                fuse_unk: u.arbitrary()?,
                byte_fallback: u.arbitrary()?,
                continuing_subword_prefix: some(u)?,
                end_of_word_suffix: some(u)?,
                user_defined: ids(u)?,
                unused: ids(u)?,
            };
            let merges = merges(u, vocab, n)?;
            Model::Bpe(Bpe { characters: Some(characters), ..Bpe::bytes(merges, u.arbitrary()?) })
        }
        2 => Model::Unigram(Unigram {
            score_bits: (0..vocab.n_ids()).map(|_| score(u)).collect::<Result<_>>()?,
            unk,
            byte_fallback: u.arbitrary()?,
            precision: *u.choose(&[Precision::F32, Precision::F64])?,
            user_defined: ids(u)?,
            unused: ids(u)?,
        }),
        3 => Model::WordPiece(WordPiece {
            unk: id(u)?,
            continuing_subword_prefix: some(u)?,
            max_input_chars_per_word: number(u)?,
        }),
        _ => Model::WordLevel(WordLevel { unk, ..WordLevel::default() }),
    })
}

fn score(u: &mut Unstructured<'_>) -> Result<u64> {
    let all =
        [0.0, -0.0, -1.0, -1.0, -2.5, 7.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324];
    Ok(u.choose(&all)?.to_bits())
}

fn merges(u: &mut Unstructured<'_>, vocab: &Vocab, n: u32) -> Result<Merges> {
    Ok(match u.int_in_range(0..=3)? {
        0 => Merges::Concat,
        1 => Merges::Single {
            first: TokenId(u.int_in_range(0..=n)?),
            splits: several(u, 8, |u| u.int_in_range(0..=4))?,
        },
        2 => Merges::Ranked(several(u, 300, |u| Ok(*u.choose(&[0, 1, 1, 2, NO_RANK, NO_RANK - 1])?))?),
        _ => {
            let id = |u: &mut Unstructured<'_>| Ok(TokenId(u.int_in_range(0..=n)?));
            let pairs = several(u, 12, |u| Ok(Pair { left: id(u)?, right: id(u)?, product: id(u)? }))?;
            // Any pairs, a cycle among them perhaps; and pairs that fit.
            if u.arbitrary()? {
                Merges::listed(pairs).expect("few pairs")
            } else {
                Merges::from_pairs(Merges::all_pairs(vocab), vocab).expect("few pairs")
            }
        }
    })
}

fn added(u: &mut Unstructured<'_>) -> Result<AddedToken> {
    Ok(AddedToken {
        id: TokenId(u.int_in_range(0..=600)?),
        content: some(u)?,
        special: u.arbitrary()?,
        normalized: u.arbitrary()?,
        single_word: u.arbitrary()?,
        lstrip: u.arbitrary()?,
        rstrip: u.arbitrary()?,
    })
}

fn item(u: &mut Unstructured<'_>) -> Result<TemplateItem> {
    let type_id = u.arbitrary()?;
    Ok(if u.arbitrary()? {
        TemplateItem::Sequence { index: u.int_in_range(0..=3)?, type_id }
    } else {
        TemplateItem::Special { ids: several(u, 3, |u| Ok(TokenId(u.int_in_range(0..=600)?)))?, type_id }
    })
}

fn normalizer(u: &mut Unstructured<'_>) -> Result<Normalizer> {
    Ok(match u.int_in_range(0..=13)? {
        0 => Normalizer::Nfc,
        1 => Normalizer::Nfd,
        2 => Normalizer::Nfkc,
        3 => Normalizer::Nfkd,
        4 => Normalizer::Lowercase,
        5 => Normalizer::StripAccents,
        6 => Normalizer::Strip { left: u.arbitrary()?, right: u.arbitrary()? },
        7 => Normalizer::Bert {
            clean_text: u.arbitrary()?,
            handle_chinese_chars: u.arbitrary()?,
            strip_accents: u.arbitrary()?,
            lowercase: u.arbitrary()?,
        },
        8 => Normalizer::Nmt,
        9 => Normalizer::Replace { pattern: needle(u)?, content: some(u)? },
        10 => Normalizer::Prepend(some(u)?),
        11 => Normalizer::Precompiled(charsmap(u)?),
        12 => Normalizer::ByteLevel,
        _ => Normalizer::SentencePiece {
            charsmap: charsmap(u)?,
            add_dummy_prefix: u.arbitrary()?,
            remove_extra_whitespaces: u.arbitrary()?,
            escape_whitespaces: u.arbitrary()?,
            whitespace_as_suffix: u.arbitrary()?,
        },
    })
}

/// A double array of a few odd units, whose length may lie.
fn charsmap(u: &mut Unstructured<'_>) -> Result<Charsmap> {
    if u.ratio(1, 4)? {
        return Ok(Charsmap(several(u, 8, |u| u.int_in_range(0..=u8::MAX))?));
    }
    let units = several(u, 256, |u| {
        Ok(match u.int_in_range(0..=3)? {
            0 => 1 << 31 | u.int_in_range(0..=3)?,
            1 => u.arbitrary::<u32>()?,
            _ => {
                u.int_in_range(0..=127_u32)? << 10
                    | u32::from(u.arbitrary::<bool>()?) << 8
                    | u.int_in_range(0..=127)?
            }
        })
    })?;
    let units: Vec<u8> = units.into_iter().flat_map(u32::to_le_bytes).collect();
    let texts = [some(u)?, some(u)?].join("\0") + "\0";
    let n = units.len() as u32;
    Ok(Charsmap([&n.to_le_bytes()[..], &units, texts.as_bytes()].concat()))
}

fn character(u: &mut Unstructured<'_>) -> Result<char> {
    Ok(*u.choose(&[' ', '▁', 'a', '\u{301}', '\0', '漢'])?)
}

fn behavior(u: &mut Unstructured<'_>) -> Result<Behavior> {
    Ok(*u.choose(&[
        Behavior::Removed,
        Behavior::Isolated,
        Behavior::MergedWithPrevious,
        Behavior::MergedWithNext,
        Behavior::Contiguous,
    ])?)
}

fn prepend(u: &mut Unstructured<'_>) -> Result<Prepend> {
    Ok(*u.choose(&[Prepend::Always, Prepend::First, Prepend::Never])?)
}

fn pre_tokenizer(u: &mut Unstructured<'_>) -> Result<PreTokenizer> {
    Ok(match u.int_in_range(0..=11)? {
        0 => PreTokenizer::Split {
            pattern: (*u.choose(&PATTERNS)?).to_owned(),
            behavior: behavior(u)?,
            invert: u.arbitrary()?,
        },
        1 => PreTokenizer::PrefixSpace,
        2 => PreTokenizer::Digits { individual: u.arbitrary()? },
        3 => PreTokenizer::ByteAlphabet,
        4 => PreTokenizer::Metaspace {
            replacement: character(u)?,
            prepend: prepend(u)?,
            split: u.arbitrary()?,
        },
        5 => PreTokenizer::Bert,
        6 => PreTokenizer::Whitespace,
        7 => PreTokenizer::WhitespaceSplit,
        8 => PreTokenizer::Punctuation(behavior(u)?),
        9 => PreTokenizer::CharDelimiter(character(u)?),
        10 => PreTokenizer::UnicodeScripts,
        _ => PreTokenizer::FixedLength(number(u)?),
    })
}

fn decoder(u: &mut Unstructured<'_>) -> Result<Decoder> {
    Ok(match u.int_in_range(0..=4)? {
        0 => Decoder::Bytes,
        1 => Decoder::SentencePiece {
            add_dummy_prefix: u.arbitrary()?,
            remove_extra_whitespaces: u.arbitrary()?,
            whitespace_as_suffix: u.arbitrary()?,
            unk_surface: some(u)?,
        },
        _ => Decoder::Steps(several(u, 3, step)?),
    })
}

fn step(u: &mut Unstructured<'_>) -> Result<DecodeStep> {
    Ok(match u.int_in_range(0..=8)? {
        0 => DecodeStep::ByteLevel,
        1 => DecodeStep::WordPiece { prefix: some(u)?, cleanup: u.arbitrary()? },
        2 => DecodeStep::Metaspace { replacement: character(u)?, prepend: prepend(u)? },
        3 => DecodeStep::Bpe { suffix: some(u)? },
        4 => DecodeStep::Ctc { pad_token: some(u)?, word_delimiter_token: some(u)?, cleanup: u.arbitrary()? },
        5 => DecodeStep::Replace { pattern: needle(u)?, content: some(u)? },
        6 => DecodeStep::Fuse,
        7 => DecodeStep::Strip { content: character(u)?, start: number(u)?, stop: number(u)? },
        _ => DecodeStep::ByteFallback,
    })
}
