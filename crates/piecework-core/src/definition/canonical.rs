//! The canonical form of a definition: the same tokenizer has the same bytes, whatever file it came
//! from. Its hash is the fingerprint by which counts, locks and pickles name a tokenizer.
//!
//! A magic, a version, then each part in turn as postcard writes it. What stands around the ids (the
//! post-processor), what they become again (the decoder) and a sample's dropout come last and are not hashed:
//! they do not change which ids a text gets.

use std::borrow::Cow;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::{Bpe, Characters, Definition, Model, Precision, Unigram, WordLevel, WordPiece};
use crate::error::{Error, Result};
use crate::id::TokenId;
use crate::merges::{Merges, Pair, single_splits};
use crate::vocab::{Entry, MAX_IDS, Vocab};

/// The first bytes of the form.
pub const MAGIC: &[u8] = b"PIECEWORK-DEF\0";

/// The version of the form. Any change of what is written, be it a variant put before another in one
/// of the enums, takes a new number: fingerprints of different forms must not be mixed up.
const VERSION: u8 = 1;

impl Definition {
    /// Returns the canonical form. [`Definition::from_bytes`] gives back an equal definition, with its
    /// merges in the form that [`Merges::from_pairs`] picks. Complexity: O(size).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        each_part(self, |part| bytes.extend_from_slice(part));
        bytes.extend(form(&self.post_processor));
        bytes.extend(form(&self.decoder));
        bytes.extend(form(&self.model.bpe().map_or(0, |bpe| bpe.dropout_millionths)));
        bytes
    }

    /// Returns what identifies the tokenizer: the SHA-256, as 64 hexadecimal digits, of its canonical
    /// form but for post-processor, decoder and dropout. Equal fingerprints mean equal ids for every text.
    /// Complexity: O(size), so hold on to the result.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        each_part(self, |part| hash.update(part));
        hex(&hash.finalize())
    }

    /// Reads the canonical form.
    ///
    /// # Errors
    /// [`Error::Format`] with the part and its offset, for bytes that are no canonical form of this
    /// version, are cut short or go on, or hold what no definition can: ids given twice, a merge of
    /// tokens that do not make its product, added tokens out of order, a control that is no added
    /// token. Memory stays within a small multiple of the bytes, or of [`MAX_IDS`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes)?;
        let profile = reader.part("profile")?;
        let normalizers = reader.part("normalizers")?;
        let pre_tokenizers = reader.part("pre_tokenizers")?;
        let vocab = reader.part_with("vocab", read_vocab)?;
        let mut model = reader.part_with("model", |form: ModelForm<'_>| form.read(&vocab))?;
        let added = reader.part_with("added", |added: Vec<super::AddedToken>| {
            if !added.is_sorted_by(|a, b| a.id < b.id)
                || added.iter().any(|token| token.id.index() >= MAX_IDS)
            {
                return Err("added tokens are out of order or over the limit of ids".to_owned());
            }
            Ok(added)
        })?;
        let controls = reader.part_with("controls", |controls: Vec<super::Control>| {
            let is_added = |id| added.binary_search_by_key(&id, |token| token.id).is_ok();
            if !controls.is_sorted_by(|a, b| a.id < b.id)
                || !controls.iter().all(|control| is_added(control.id))
            {
                return Err("control tokens are out of order or are no added tokens".to_owned());
            }
            Ok(controls)
        })?;
        let post_processor = reader.part("post_processor")?;
        let decoder = reader.part("decoder")?;
        let dropout = reader.part("dropout")?;
        if let Model::Bpe(bpe) = &mut model {
            bpe.dropout_millionths = dropout;
        }
        reader.finish()?;
        Ok(Self {
            vocab,
            model,
            normalizers,
            pre_tokenizers,
            added,
            controls,
            post_processor,
            decoder,
            profile,
        })
    }
}

/// Returns `bytes` in hexadecimal, two lower-case digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('?');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns one part as it is written.
#[expect(clippy::expect_used, reason = "postcard fails only where memory is fixed or a length unknown")]
fn form<T: Serialize>(part: &T) -> Vec<u8> {
    postcard::to_stdvec(part).expect("sequences of known length always fit into memory that grows")
}

/// Hands `sink` all that decides which ids a text gets, part by part.
fn each_part(definition: &Definition, mut sink: impl FnMut(&[u8])) {
    sink(MAGIC);
    sink(&[VERSION]);
    sink(&form(&definition.profile));
    sink(&form(&definition.normalizers));
    sink(&form(&definition.pre_tokenizers));
    sink(&form(&VocabForm(&definition.vocab)));
    sink(&form(&ModelForm::of(&definition.model, &definition.vocab)));
    sink(&form(&definition.added));
    sink(&form(&definition.controls));
}

/// Bytes, written as such and read without a copy.
#[derive(Serialize, Deserialize)]
struct Bytes<'a>(#[serde(borrow)] &'a [u8]);

/// A vocabulary: for each token in id order, how many ids lie between it and the one before, doubled,
/// plus one where it is not indexed; and its bytes.
struct VocabForm<'a>(&'a Vocab);

impl Serialize for VocabForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.n_tokens()))?;
        let mut next = 0;
        for entry in self.0.iter() {
            let head = (entry.id.0 - next) << 1 | u32::from(!entry.indexed);
            next = entry.id.0 + 1;
            seq.serialize_element(&(head, Bytes(entry.bytes)))?;
        }
        seq.end()
    }
}

fn read_vocab(tokens: Vec<(u32, Bytes<'_>)>) -> std::result::Result<Vocab, String> {
    let mut next = 0_usize;
    let mut entries = Vec::with_capacity(tokens.len());
    for (head, Bytes(bytes)) in tokens {
        let id = next + (head >> 1) as usize;
        next = id + 1;
        // An id that no u32 holds is over the limit of ids in any case.
        let id = TokenId(u32::try_from(id).unwrap_or(u32::MAX - 1));
        entries.push(Entry { id, bytes, indexed: head & 1 == 0 });
    }
    Vocab::new(entries).map_err(|error| match error {
        Error::Format { reason, .. } => reason,
        other => other.to_string(),
    })
}

/// A model as it is written.
#[derive(Serialize, Deserialize)]
enum ModelForm<'a> {
    Bpe {
        #[serde(borrow)]
        merges: MergesForm<'a>,
        whole_pieces: bool,
    },
    Characters {
        #[serde(borrow)]
        merges: MergesForm<'a>,
        whole_pieces: bool,
        characters: Cow<'a, Characters>,
    },
    Unigram {
        score_bits: Cow<'a, [u64]>,
        unk: Option<TokenId>,
        byte_fallback: bool,
        precision: Precision,
        user_defined: Cow<'a, [TokenId]>,
        unused: Cow<'a, [TokenId]>,
    },
    WordPiece(Cow<'a, WordPiece>),
    WordLevel(Cow<'a, WordLevel>),
}

impl<'a> ModelForm<'a> {
    fn of(model: &'a Model, vocab: &Vocab) -> Self {
        match model {
            Model::Bpe(Bpe { merges, whole_pieces, characters: None, .. }) => {
                Self::Bpe { merges: MergesForm::of(merges, vocab, true), whole_pieces: *whole_pieces }
            }
            Model::Bpe(Bpe { merges, whole_pieces, characters: Some(characters), .. }) => Self::Characters {
                merges: MergesForm::of(merges, vocab, characters.is_plain()),
                whole_pieces: *whole_pieces,
                characters: Cow::Borrowed(characters),
            },
            Model::Unigram(unigram) => Self::Unigram {
                score_bits: Cow::Borrowed(&unigram.score_bits),
                unk: unigram.unk,
                byte_fallback: unigram.byte_fallback,
                precision: unigram.precision,
                user_defined: Cow::Borrowed(&unigram.user_defined),
                unused: Cow::Borrowed(&unigram.unused),
            },
            Model::WordPiece(word_piece) => Self::WordPiece(Cow::Borrowed(word_piece)),
            Model::WordLevel(word_level) => Self::WordLevel(Cow::Borrowed(word_level)),
        }
    }

    fn read(self, vocab: &Vocab) -> std::result::Result<Model, String> {
        let known = |ids: &[TokenId]| {
            let unknown = ids.iter().find(|&&id| !vocab.contains(id));
            unknown.map_or(Ok(()), |id| Err(format!("the id {} is no token", id.0)))
        };
        Ok(match self {
            Self::Bpe { merges, whole_pieces } => {
                Model::Bpe(Bpe::bytes(merges.read(vocab, true)?, whole_pieces))
            }
            Self::Characters { merges, whole_pieces, characters } => {
                known(characters.unk.as_slice())?;
                known(&characters.user_defined)?;
                known(&characters.unused)?;
                let merges = merges.read(vocab, characters.is_plain())?;
                let characters = Some(characters.into_owned());
                Model::Bpe(Bpe { characters, ..Bpe::bytes(merges, whole_pieces) })
            }
            Self::Unigram { score_bits, unk, byte_fallback, precision, user_defined, unused } => {
                known(unk.as_slice())?;
                known(&user_defined)?;
                known(&unused)?;
                if score_bits.len() != vocab.n_ids() {
                    return Err("there is not one score an id".to_owned());
                }
                Model::Unigram(Unigram {
                    score_bits: score_bits.into_owned(),
                    unk,
                    byte_fallback,
                    precision,
                    user_defined: user_defined.into_owned(),
                    unused: unused.into_owned(),
                })
            }
            Self::WordPiece(word_piece) => {
                known(&[word_piece.unk])?;
                Model::WordPiece(word_piece.into_owned())
            }
            Self::WordLevel(word_level) => {
                known(word_level.unk.as_slice())?;
                known(&word_level.user_defined)?;
                Model::WordLevel(word_level.into_owned())
            }
        })
    }
}

/// Merges as they are written.
#[derive(Serialize, Deserialize)]
enum MergesForm<'a> {
    Concat,
    Single {
        first: TokenId,
        #[serde(borrow)]
        splits: Cow<'a, [u8]>,
    },
    Listed(Vec<Pair>),
    Ranked(Cow<'a, [u32]>),
}

impl<'a> MergesForm<'a> {
    /// Returns the one form for all ways to hold the same merges. `concatenates` says whether every product
    /// is its parts' bytes, one after the other.
    fn of(merges: &'a Merges, vocab: &Vocab, concatenates: bool) -> Self {
        match merges {
            Merges::Ranked(ranks) => Self::Ranked(Cow::Borrowed(ranks)),
            Merges::Listed(_) if !concatenates => Self::Listed(merges.pairs(vocab).unwrap_or_default()),
            Merges::Concat => Self::Concat,
            Merges::Single { splits, .. } if splits.is_empty() => Self::Listed(Vec::new()),
            Merges::Single { first, splits } => Self::Single { first: *first, splits: Cow::Borrowed(splits) },
            Merges::Listed(_) => {
                let pairs = merges.pairs(vocab).unwrap_or_default();
                match (pairs.first(), single_splits(&pairs, vocab)) {
                    (Some(first), Some(splits)) => {
                        Self::Single { first: first.product, splits: Cow::Owned(splits) }
                    }
                    _ => Self::Listed(pairs),
                }
            }
        }
    }

    /// Returns the merges, or what is wrong with them for this vocabulary.
    fn read(self, vocab: &Vocab, concatenates: bool) -> std::result::Result<Merges, String> {
        let pairs = match self {
            Self::Ranked(ranks) if ranks.len() <= vocab.n_ids() => {
                return Ok(Merges::Ranked(ranks.into_owned()));
            }
            Self::Ranked(_) => return Err("there are more ranks than ids".to_owned()),
            Self::Concat => return Ok(Merges::Concat),
            Self::Listed(pairs) => pairs,
            // Tokens with a prefix or suffix are written with all their pairs: one tokenizer, one form.
            Self::Single { .. } if !concatenates => {
                return Err("merges with a prefix or suffix are not listed as pairs".to_owned());
            }
            Self::Single { first, splits } => {
                if first.index() + splits.len() > vocab.n_ids() {
                    return Err("merges make ids past the end of the vocabulary".to_owned());
                }
                // Read by way of its pairs, so that a split which names no two tokens is found, or one that is empty.
                let single = Merges::Single { first, splits: splits.into_owned() };
                single
                    .pairs(vocab)
                    .filter(|pairs| pairs.is_empty() || single_splits(pairs, vocab).is_some())
                    .ok_or("a merge splits its product into what are no tokens")?
            }
        };
        for (rank, pair) in pairs.iter().enumerate() {
            let parts = [pair.left, pair.right, pair.product].map(|id| vocab.bytes(id));
            let [Some(left), Some(right), Some(product)] = parts else {
                return Err(format!("merge {rank} has a part that is no token"));
            };
            if concatenates && product.strip_prefix(left) != Some(right) {
                return Err(format!("merge {rank} makes a token that is not its parts' bytes"));
            }
        }
        let merges = if concatenates { Merges::from_pairs(pairs, vocab) } else { Merges::listed(pairs) };
        merges.map_err(|error| error.to_string())
    }
}

/// Reads part after part, so that an error can say in which one and where that begins.
struct Reader<'b> {
    bytes: &'b [u8],
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn new(bytes: &'b [u8]) -> Result<Self> {
        match bytes.strip_prefix(MAGIC).and_then(<[u8]>::split_first) {
            Some((&VERSION, rest)) => Ok(Self { bytes, rest }),
            Some((version, _)) => Err(Error::format(
                format!("byte {}", MAGIC.len()),
                format!("a definition of version {version}; this version reads {VERSION}"),
            )),
            None => Err(Error::format("byte 0", "these bytes are no definition")),
        }
    }

    /// Reads one part and makes of it what `finish` says.
    fn part_with<T: Deserialize<'b>, U>(
        &mut self,
        name: &str,
        finish: impl FnOnce(T) -> std::result::Result<U, String>,
    ) -> Result<U> {
        let place = format!("{name}, from byte {}", self.bytes.len() - self.rest.len());
        let (part, rest) = postcard::take_from_bytes(self.rest)
            .map_err(|error| Error::format(place.clone(), format!("damaged or cut short: {error}")))?;
        self.rest = rest;
        finish(part).map_err(|reason| Error::format(place, reason))
    }

    fn part<T: Deserialize<'b>>(&mut self, name: &str) -> Result<T> {
        self.part_with(name, Ok)
    }

    fn finish(self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let place = format!("byte {}", self.bytes.len() - self.rest.len());
        Err(Error::format(place, "there are bytes after the end of the definition"))
    }
}

#[cfg(test)]
mod tests;
