//! The entries before the first merge, special tokens and alphabet, and the words as symbols of it.

use std::collections::HashMap;

use super::options::{Base, BpeOptions, Layout};
use super::word_counts::WordCounts;
use crate::byte_alphabet;
use crate::error::{Error, Result};
use crate::interrupt::Ctl;

/// Ids of special tokens from here on, until the end, in a layout that puts them last.
pub(super) const LATE: u32 = 1 << 31;

/// Texts and their ids.
#[derive(Debug, Default)]
pub(super) struct Entries {
    texts: Vec<String>,
    ids: HashMap<String, u32>,
    /// Special tokens that come last.
    late: Vec<String>,
}

impl Entries {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the number of special tokens that come last.
    pub fn n_late(&self) -> usize {
        self.late.len()
    }

    /// Returns the text of an entry.
    pub fn text(&self, id: u32) -> &str {
        match id.checked_sub(LATE) {
            None => &self.texts[id as usize],
            Some(late) => &self.late[late as usize],
        }
    }

    /// Returns the id of `text`, a new one where it has none.
    pub fn id(&mut self, text: String) -> u32 {
        let next = self.texts.len() as u32;
        let Self { texts, ids, .. } = self;
        *ids.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            next
        })
    }

    fn add_late(&mut self, text: &str) {
        let id = LATE + self.late.len() as u32;
        self.ids.insert(text.to_owned(), id);
        self.late.push(text.to_owned());
    }

    /// Returns the id that `id` has once all entries are there.
    pub fn last_id(&self, id: u32) -> u32 {
        id.checked_sub(LATE).map_or(id, |late| self.texts.len() as u32 + late)
    }

    /// Returns every text by its last id.
    pub fn into_texts(mut self) -> Vec<String> {
        self.texts.append(&mut self.late);
        self.texts
    }
}

/// What the first merge finds.
pub(super) struct Start<'o> {
    pub entries: Entries,
    pub dropped: Vec<char>,
    pub n_alphabet: usize,
    symbols: Symbols<'o>,
}

impl Start<'_> {
    /// Calls `each` with the symbols and the count of every word, in order, and returns the number of symbols, each
    /// word as often as it occurs.
    ///
    /// # Errors
    /// [`Error::TooMany`] where no signed 64-bit number holds that number, and so no pair's count might be held
    /// either; [`Error::NotUnicode`] as [`start`]; [`Error::Interrupted`]; those of `each`.
    pub fn words(
        &mut self,
        counts: &WordCounts,
        ctl: &Ctl<'_>,
        mut each: impl FnMut(&[u32], i64) -> Result<()>,
    ) -> Result<u64> {
        let (mut ticker, mut word_symbols, mut total) = (ctl.ticker(), Vec::new(), 0_i64);
        for (word, count) in counts.iter() {
            ticker.tick(word.len())?;
            word_symbols.clear();
            self.symbols.of(word, &mut self.entries, &mut word_symbols)?;
            let signed = i64::try_from(count).ok();
            let more = signed.and_then(|count| count.checked_mul(word_symbols.len() as i64));
            let Some((count, sum)) = signed.zip(more.and_then(|more| total.checked_add(more))) else {
                return Err(Error::TooMany { what: "symbols", n: usize::MAX, max: i64::MAX as usize });
            };
            total = sum;
            each(&word_symbols, count)?;
        }
        Ok(total as u64)
    }
}

/// Returns the entries, and what makes symbols of the words of `counts`.
///
/// # Errors
/// [`Error::NotUnicode`] for words that are no text where the base is characters; [`Error::TooMany`];
/// [`Error::Interrupted`].
pub(super) fn start<'o>(counts: &WordCounts, options: &'o BpeOptions, ctl: &Ctl<'_>) -> Result<Start<'o>> {
    let mut entries = Entries::default();
    if options.layout == Layout::Bytes {
        for byte in 0..=u8::MAX {
            entries.id(byte_alphabet::byte_to_char(byte).to_string());
        }
        for token in &options.special_tokens {
            if !entries.ids.contains_key(token) {
                entries.add_late(token);
            }
        }
    } else {
        for token in &options.special_tokens {
            entries.id(token.clone());
        }
    }
    let n_before = if options.layout == Layout::Bytes { 0 } else { entries.len() };
    let (kept, dropped) = alphabet(counts, options, ctl)?;
    for character in kept {
        entries.id(character.to_string());
    }
    let marker = options.end_of_word.clone().map(|marker| entries.id(marker));
    let mut symbols = Symbols { options, marker, bytes: None };
    let affixed = options.continuing_subword_prefix.is_some() || options.end_of_word_suffix.is_some();
    if affixed {
        // New forms get their ids as they are met, so that the order must be the words' own.
        let mut words: Vec<&[u8]> = counts.iter().map(|(word, _)| word).collect();
        words.sort_unstable();
        for word in words {
            symbols.of(word, &mut entries, &mut Vec::new())?;
        }
    }
    if options.base == Base::Bytes && !affixed {
        let id = |byte| entries.ids.get(byte_alphabet::byte_to_char(byte).encode_utf8(&mut [0; 4])).copied();
        symbols.bytes = Some((0..=u8::MAX).map(id).collect());
    }
    let n_alphabet = entries.len() - n_before - entries.n_late();
    Ok(Start { entries, dropped, n_alphabet, symbols })
}

/// Calls `each` with every character of a word, bytes in the display alphabet.
fn for_each_char(word: &[u8], base: Base, mut each: impl FnMut(char)) -> Result<()> {
    match base {
        Base::Bytes => word.iter().for_each(|&byte| each(byte_alphabet::byte_to_char(byte))),
        Base::Characters => std::str::from_utf8(word)
            .map_err(|error| Error::NotUnicode { index: error.valid_up_to() })?
            .chars()
            .for_each(each),
    }
    Ok(())
}

/// Returns the characters that are entries, by code point, and those that the limit drops.
fn alphabet(counts: &WordCounts, options: &BpeOptions, ctl: &Ctl<'_>) -> Result<(Vec<char>, Vec<char>)> {
    let mut seen: HashMap<char, u64> = HashMap::new();
    // Characters below U+0400, and so the whole display alphabet, are counted without a look into the map.
    let mut low = [0_u64; 0x400];
    let mut ticker = ctl.ticker();
    for (word, count) in counts.iter() {
        ticker.tick(word.len())?;
        for_each_char(word, options.base, |character| match low.get_mut(character as usize) {
            // A word that never occurs has characters all the same.
            Some(n) if count > 0 => *n = n.saturating_add(count),
            _ => {
                let n = seen.entry(character).or_default();
                *n = n.saturating_add(count);
            }
        })?;
    }
    for (character, &n) in ('\0'..).zip(&low).filter(|&(_, &n)| n > 0) {
        let all = seen.entry(character).or_default();
        *all = all.saturating_add(n);
    }
    for &character in &options.initial_alphabet {
        seen.insert(character, u64::MAX);
    }
    let mut kept: Vec<(char, u64)> = seen.into_iter().collect();
    let n_kept = options.limit_alphabet.unwrap_or(usize::MAX).min(kept.len());
    kept.sort_unstable_by_key(|&(character, n)| (std::cmp::Reverse(n), character));
    let mut dropped: Vec<char> = kept.drain(n_kept..).map(|(character, _)| character).collect();
    let mut kept: Vec<char> = kept.into_iter().map(|(character, _)| character).collect();
    kept.sort_unstable();
    dropped.sort_unstable();
    Ok((kept, dropped))
}

/// How a word becomes symbols.
struct Symbols<'o> {
    options: &'o BpeOptions,
    marker: Option<u32>,
    /// The id of each byte, where every byte is a symbol by itself.
    bytes: Option<Vec<Option<u32>>>,
}

impl Symbols<'_> {
    /// Appends the symbols of `word`. A character that is no entry is passed over: its neighbors then touch.
    fn of(&self, word: &[u8], entries: &mut Entries, out: &mut Vec<u32>) -> Result<()> {
        let (prefix, suffix) = (&self.options.continuing_subword_prefix, &self.options.end_of_word_suffix);
        if let Some(bytes) = &self.bytes {
            out.extend(word.iter().filter_map(|&byte| bytes.get(usize::from(byte)).copied().flatten()));
        } else {
            let mut n_left = 0;
            for_each_char(word, self.options.base, |_| n_left += 1)?;
            let mut is_first = true;
            for_each_char(word, self.options.base, |character| {
                n_left -= 1;
                let is_first = std::mem::replace(&mut is_first, false);
                let mut buffer = [0; 4];
                let text: &str = character.encode_utf8(&mut buffer);
                let Some(&id) = entries.ids.get(text) else { return };
                let prefix = prefix.as_deref().filter(|_| !is_first).unwrap_or("");
                let suffix = suffix.as_deref().filter(|_| n_left == 0).unwrap_or("");
                let is_plain = prefix.is_empty() && suffix.is_empty();
                out.push(if is_plain { id } else { entries.id(format!("{prefix}{text}{suffix}")) });
            })?;
        }
        out.extend(self.marker);
        Ok(())
    }
}
