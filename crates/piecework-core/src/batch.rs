//! Many texts in one call: the same ids as one by one, in one flat list.

use crate::error::Error;
use crate::executor;
use crate::interrupt::Ctl;
use crate::observe::Nobody;

use crate::tokenizer::{Options, Tokenizer};

/// The ids of many texts: text `i` has `ids[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// All ids, text after text.
    pub ids: Vec<u32>,
    /// Where each text's ids begin, and the end: one more than there are texts.
    pub offsets: Vec<i64>,
}

/// Why a batch was not encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The index of the text that is at fault; `None` where none is.
    pub text: Option<usize>,
    /// What is wrong with it.
    pub error: Error,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { text: None, error }
    }
}

impl Failed {
    pub(crate) fn at(text: usize) -> impl FnOnce(Error) -> Self {
        move |error| Self { text: (error != Error::Interrupted).then_some(text), error }
    }
}

impl Tokenizer {
    /// Returns the ids of every text, on `n_threads` threads (`None`: as many as there are processors).
    ///
    /// # Errors
    /// The error of the first text that has one, with its index; as [`Tokenizer::ids`].
    pub fn batch(
        &self,
        texts: &[&str],
        options: &Options,
        n_threads: Option<usize>,
        ctl: &Ctl<'_>,
    ) -> Result<Batch, Failed> {
        let blocks = executor::run(&sizes(texts), n_threads, ctl, |range| {
            let mut ids = Vec::new();
            let ends = range.map(|at| {
                self.encode(texts[at], options, ctl, &mut ids, &mut Nobody).map_err(Failed::at(at))?;
                Ok(ids.len())
            });
            let ends: Vec<usize> = ends.collect::<Result<_, Failed>>()?;
            Ok::<_, Failed>((ids, ends))
        })?;
        let n_ids = blocks.iter().map(|(ids, _)| ids.len()).sum();
        let mut batch =
            Batch { ids: Vec::with_capacity(n_ids), offsets: Vec::with_capacity(texts.len() + 1) };
        batch.offsets.push(0);
        for (ids, ends) in blocks {
            let start = batch.ids.len();
            batch.ids.extend_from_slice(&ids);
            batch.offsets.extend(ends.into_iter().map(|end| (start + end) as i64));
        }
        Ok(batch)
    }

    /// Returns the number of ids of every text.
    ///
    /// # Errors
    /// As [`Tokenizer::batch`].
    pub fn count_batch(
        &self,
        texts: &[&str],
        options: &Options,
        n_threads: Option<usize>,
        ctl: &Ctl<'_>,
    ) -> Result<Vec<i64>, Failed> {
        let blocks = executor::run(&sizes(texts), n_threads, ctl, |range| {
            let counts = range.map(|at| {
                let n = self.count(texts[at], options, ctl).map_err(Failed::at(at))?;
                Ok(n as i64)
            });
            counts.collect::<Result<Vec<i64>, Failed>>()
        })?;
        Ok(blocks.concat())
    }
}

fn sizes(texts: &[&str]) -> Vec<usize> {
    texts.iter().map(|text| text.len()).collect()
}
