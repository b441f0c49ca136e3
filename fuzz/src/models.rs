//! The quick models against their naive twins, on small vocabularies and texts that the bytes pick.

use std::collections::HashSet;

use arbitrary::{Result, Unstructured};
use piecework_core::definition::{
    Behavior, Bpe, Characters, Definition, Model, PreTokenizer, Precision, Unigram, WordPiece,
};
use piecework_core::error::Error;
use piecework_core::id::TokenId;
use piecework_core::interrupt::Ctl;
use piecework_core::merges::{Merges, NO_RANK, Pair};
use piecework_core::model::{Engine, Scratch, Tokens};
use piecework_core::tokenizer::{Options, Tokenizer};
use piecework_core::vocab::{Entry, Vocab};
use piecework_oracle as oracle;

/// The letters of tokens; texts have one more, which no vocabulary spells.
const LETTERS: [&str; 5] = ["a", "b", "▁", "é", "?"];

fn string(u: &mut Unstructured<'_>, letters: &[&str], max: usize) -> Result<String> {
    (0..u.int_in_range(0..=max)?).map(|_| Ok(*u.choose(letters)?)).collect()
}

/// Distinct tokens with ids in order; the first `n_hidden` are not found by their texts.
fn vocab(tokens: &[Vec<u8>], n_hidden: usize) -> Vocab {
    let entries = tokens.iter().enumerate().map(|(id, bytes)| Entry {
        id: TokenId(id as u32),
        bytes,
        indexed: id >= n_hidden,
    });
    Vocab::new(entries).expect("distinct tokens")
}

/// `<unk>`, perhaps the bytes' tokens, and strings of letters; the number that come before the strings.
fn texts(u: &mut Unstructured<'_>, prefix: &str) -> Result<(Vec<Vec<u8>>, usize)> {
    let mut tokens = vec!["<unk>".to_owned()];
    if u.arbitrary()? {
        tokens.extend((0..=u8::MAX).map(|byte| format!("<0x{byte:02X}>")));
    }
    let n_before = tokens.len();
    let mut seen: HashSet<String> = tokens.iter().cloned().collect();
    for _ in 0..u.int_in_range(0..=24)? {
        let prefix = if u.arbitrary()? { prefix } else { "" };
        let token = format!("{prefix}{}", string(u, &LETTERS[..4], 5)?);
        if !token.is_empty() && seen.insert(token.clone()) {
            tokens.push(token);
        }
    }
    Ok((tokens.into_iter().map(String::into_bytes).collect(), n_before))
}

fn pieces(u: &mut Unstructured<'_>, max: usize) -> Result<Vec<String>> {
    (0..8).map(|_| string(u, &LETTERS, max)).collect()
}

/// Runs a model on one piece.
fn encode(
    engine: &Engine,
    definition: &Definition,
    piece: &str,
) -> std::result::Result<Vec<(u32, usize)>, Error> {
    let (ctl, mut tokens) = (Ctl::new(), Tokens::default());
    engine.encode(definition, &mut Scratch::default(), piece, &mut tokens, &mut ctl.ticker())?;
    Ok(tokens.ids.into_iter().zip(tokens.lengths.into_iter().map(|n| n as usize)).collect())
}

/// Byte-level BPE: the fused engine, the plain one and the blackboard's.
pub fn bytes(data: &[u8]) {
    let _ = try_bytes(&mut Unstructured::new(data));
}

fn try_bytes(u: &mut Unstructured<'_>) -> Result<()> {
    let mut tokens: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    let (mut seen, mut pairs) = (HashSet::new(), Vec::new());
    let is_listed = u.arbitrary()?;
    let letters = ["a", "b", "é", "c"];
    for _ in 0..u.int_in_range(0..=40)? {
        let [left, right] = [side(u, tokens.len())?, side(u, tokens.len())?];
        let token = if is_listed {
            [&tokens[left][..], &tokens[right]].concat()
        } else {
            string(u, &letters, 7)?.into_bytes()
        };
        if token.len() > 1 && token.len() < 60 && seen.insert(token.clone()) {
            let [left, right, product] = [left, right, tokens.len()].map(|id| TokenId(id as u32));
            pairs.push(Pair { left, right, product });
            tokens.push(token);
        }
    }
    let vocab = vocab(&tokens, 0);
    if u.arbitrary()? {
        pairs.reverse();
    }
    let merges =
        if is_listed { Merges::from_pairs(pairs, &vocab).expect("few pairs") } else { Merges::Concat };
    let pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+".to_owned();
    let split = PreTokenizer::Split { pattern, behavior: Behavior::Isolated, invert: false };
    let model = Model::Bpe(Bpe::bytes(merges, u.arbitrary()?));
    let definition = Definition { pre_tokenizers: vec![split], ..Definition::new(vocab, model) };
    let fast = Tokenizer::new(definition.clone()).expect("it is well made");
    let plain = Tokenizer::generic(definition.clone()).expect("it is well made");
    let (options, ctl) = (Options::default(), Ctl::new());
    for _ in 0..8 {
        let text = string(u, &letters, 120)?;
        let naive = oracle::bpe::encode(&definition, text.as_bytes());
        assert_eq!(fast.ids(&text, &options, &ctl).as_ref(), Ok(&naive), "{text:?} {tokens:?}");
        assert_eq!(plain.ids(&text, &options, &ctl), Ok(naive), "{text:?} {tokens:?}");
    }
    Ok(())
}

/// One of the letters' bytes or of the tokens made so far.
fn side(u: &mut Unstructured<'_>, n: usize) -> Result<usize> {
    Ok(if n > 256 && u.arbitrary()? {
        u.int_in_range(256..=n - 1)?
    } else {
        usize::from(*u.choose(b"aabc\xc3\xa9")?)
    })
}

/// Character-level BPE, in both its ways.
pub fn characters(data: &[u8]) {
    let _ = try_characters(&mut Unstructured::new(data));
}

fn try_characters(u: &mut Unstructured<'_>) -> Result<()> {
    let is_ranked = u.arbitrary()?;
    let (tokens, n_before) = texts(u, "")?;
    let n_hidden = if is_ranked { n_before } else { 0 };
    let vocab = vocab(&tokens, n_hidden);
    let own = |u: &mut Unstructured<'_>| -> Result<Vec<TokenId>> {
        let ids = (n_before..tokens.len()).map(|id| Ok((id, u.ratio(1, 6)?))).collect::<Result<Vec<_>>>()?;
        Ok(ids.into_iter().filter(|&(_, is_in)| is_in).map(|(id, _)| TokenId(id as u32)).collect())
    };
    let mut characters = Characters {
        unk: if is_ranked || u.arbitrary()? { Some(TokenId(0)) } else { None },
        fuse_unk: is_ranked || u.arbitrary()?,
        byte_fallback: n_before > 1 && u.arbitrary()?,
        ..Characters::default()
    };
    let merges = if is_ranked {
        characters.unused = own(u)?;
        characters.user_defined = own(u)?;
        let unused = characters.unused.clone();
        characters.user_defined.retain(|id| !unused.contains(id));
        let rank = |id| Ok(if id < n_hidden { NO_RANK } else { u.int_in_range(0..=9)? });
        Merges::Ranked((0..tokens.len()).map(rank).collect::<Result<_>>()?)
    } else {
        let mut pairs = Merges::all_pairs(&vocab);
        pairs.retain(|_| u.ratio(3, 4).unwrap_or(true));
        if u.arbitrary()? {
            pairs.reverse();
        }
        Merges::from_pairs(pairs, &vocab).expect("few pairs")
    };
    let model = Bpe { characters: Some(characters), ..Bpe::bytes(merges, !is_ranked && u.arbitrary()?) };
    let definition = Definition::new(vocab, Model::Bpe(model));
    let engine = Engine::new(&definition).expect("it is well made");
    for piece in pieces(u, 40)? {
        match (encode(&engine, &definition, &piece), oracle::characters::encode(&definition, &piece)) {
            (Err(Error::Unencodable { .. }), None) => {}
            (found, wanted) => assert_eq!(found.ok(), wanted, "{piece:?} {definition:?}"),
        }
    }
    Ok(())
}

/// Unigram, in both precisions, with scores that are often equal.
pub fn unigram(data: &[u8]) {
    let _ = try_unigram(&mut Unstructured::new(data));
}

fn try_unigram(u: &mut Unstructured<'_>) -> Result<()> {
    let precision = *u.choose(&[Precision::F32, Precision::F64])?;
    let (tokens, n_before) = texts(u, "▁")?;
    let n_hidden = if precision == Precision::F32 { n_before } else { 0 };
    let score = |_: &Vec<u8>| Ok((-f64::from(u.int_in_range(0..=9_u8)?) * 0.5).to_bits());
    let score_bits = tokens.iter().map(score).collect::<Result<_>>()?;
    let model = Unigram {
        score_bits,
        unk: Some(TokenId(0)),
        byte_fallback: n_before > 1 && u.arbitrary()?,
        precision,
        user_defined: Vec::new(),
        unused: Vec::new(),
    };
    let definition = Definition::new(vocab(&tokens, n_hidden), Model::Unigram(model));
    let engine = Engine::new(&definition).expect("it is well made");
    for piece in pieces(u, 40)? {
        let wanted = oracle::unigram::encode(&definition, &piece);
        assert_eq!(encode(&engine, &definition, &piece), Ok(wanted), "{piece:?} {definition:?}");
    }
    Ok(())
}

/// `WordPiece`, with and without a prefix.
pub fn word_piece(data: &[u8]) {
    let _ = try_word_piece(&mut Unstructured::new(data));
}

fn try_word_piece(u: &mut Unstructured<'_>) -> Result<()> {
    let prefix = *u.choose(&["##", "", "▁", "a"])?;
    let (tokens, _) = texts(u, prefix)?;
    let model = WordPiece {
        unk: TokenId(0),
        continuing_subword_prefix: prefix.to_owned(),
        max_input_chars_per_word: *u.choose(&[0, 5, 100])?,
    };
    let definition = Definition::new(vocab(&tokens, 0), Model::WordPiece(model));
    let engine = Engine::new(&definition).expect("it is well made");
    for piece in pieces(u, 20)?.into_iter().filter(|piece| !piece.is_empty()) {
        let wanted = oracle::word_piece::encode(&definition, &piece);
        assert_eq!(encode(&engine, &definition, &piece), Ok(wanted), "{piece:?} {definition:?}");
    }
    Ok(())
}
