//! The runs of a counter: where they lie, and how many small ones become a large one, so that open files and buffers
//! stay few. Unnamed runs are files that no folder lists: they vanish with the process, however it ends. Named ones
//! are written whole, so that a checkpoint can list them.

use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Seek, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::count::Progress;
use super::merge::{Merge, Source};
use super::run_file::{Reader, Writer, unreadable, unwritable};
use super::sorted::Sorted;
use crate::error::{Error, Result};
use crate::interrupt::Ctl;

/// Runs of about the same size that become one.
const FAN_IN: usize = 32;
const PREFIX: &str = "run-";
const SUFFIX: &str = ".words";
/// A run that is being written, or that was when its process ended.
const PREFIX_HALF: &str = ".run-";
const SUFFIX_HALF: &str = ".half";

/// Where runs go.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The folder; `None`: the system's for temporary files.
    pub folder: Option<PathBuf>,
    /// Whether the files have names.
    pub is_named: bool,
}

/// All runs of a counter. Threads share it.
#[derive(Debug)]
pub(super) struct Runs {
    folder: PathBuf,
    is_named: bool,
    kept: Mutex<Kept>,
    merging: Mutex<()>,
    progress: Arc<Progress>,
}

#[derive(Debug, Default)]
struct Kept {
    runs: Vec<Run>,
    /// Files whose words others hold now, which a list of [`Runs::names`] may still name.
    stale: Vec<PathBuf>,
    /// Those that the last list did not name.
    condemned: Vec<PathBuf>,
}

#[derive(Debug)]
struct Run {
    file: RunFile,
    n_bytes: u64,
}

#[derive(Debug)]
enum RunFile {
    Unnamed(File),
    Named(String),
}

impl Run {
    /// Runs of one class differ in size by a factor of 32 at most.
    fn class(&self) -> u32 {
        self.n_bytes.max(1).ilog2() / 5
    }
}

impl Runs {
    pub fn new(place: Place, progress: Arc<Progress>) -> Self {
        Self {
            folder: place.folder.unwrap_or_else(std::env::temp_dir),
            is_named: place.is_named,
            kept: Mutex::default(),
            merging: Mutex::default(),
            progress,
        }
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept().runs.is_empty()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a table.
    ///
    /// # Errors
    /// [`Error::Unwritable`], [`Error::Interrupted`]; nothing half-written stays.
    pub fn write_table(&self, table: &Sorted, ctl: &Ctl<'_>) -> Result<()> {
        let merge = Merge::new(Source::of_table(&table).collect())?;
        let run = self.write(merge, ctl)?;
        self.push(run);
        Ok(())
    }

    /// Writes a word that no table has room for.
    ///
    /// # Errors
    /// As [`Self::write_table`].
    pub fn write_word(&self, word: &[u8], count: u64, ctl: &Ctl<'_>) -> Result<()> {
        let run = self.create(|out| out.push(word, count))?;
        self.push(run);
        self.merge_if_many(ctl)
    }

    /// Writes what a merge gives.
    fn write<T: Deref<Target = Sorted> + Clone>(&self, mut merge: Merge<T>, ctl: &Ctl<'_>) -> Result<Run> {
        let mut ticker = ctl.ticker();
        self.create(|out| {
            while let Some((word, count)) = merge.next(&mut ticker)? {
                out.push(word, count)?;
            }
            ctl.check()
        })
    }

    fn create(&self, fill: impl FnOnce(&mut Writer<&File>) -> Result<()>) -> Result<Run> {
        let place = self.folder.display().to_string();
        let failed = |error: std::io::Error| unwritable(&place, &error);
        let whole = |file: &File| {
            let mut out = Writer::new(file, place.clone());
            fill(&mut out)?;
            let (_, n_bytes) = out.finish()?;
            Ok(n_bytes)
        };
        if !self.is_named {
            let unnamed = tempfile::tempfile_in(&self.folder).map_err(failed)?;
            let n_bytes = whole(&unnamed)?;
            return Ok(Run { file: RunFile::Unnamed(unnamed), n_bytes });
        }
        let half = tempfile::Builder::new().prefix(PREFIX_HALF).suffix(SUFFIX_HALF).tempfile_in(&self.folder);
        let mut half = half.map_err(failed)?;
        let n_bytes = whole(half.as_file())?;
        half.as_file_mut().flush().and_then(|()| half.as_file().sync_all()).map_err(failed)?;
        let name = loop {
            let name = format!("{PREFIX}{:016x}{SUFFIX}", RandomState::new().hash_one(n_bytes));
            match half.persist_noclobber(self.folder.join(&name)) {
                Ok(_) => break name,
                Err(error) if error.error.kind() == ErrorKind::AlreadyExists => half = error.file,
                Err(error) => return Err(failed(error.error)),
            }
        };
        #[cfg(unix)]
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(Run { file: RunFile::Named(name), n_bytes })
    }

    fn push(&self, run: Run) {
        self.progress.n_runs.fetch_add(1, Ordering::Relaxed);
        self.progress.n_run_bytes.fetch_add(run.n_bytes, Ordering::Relaxed);
        self.kept().runs.push(run);
    }

    /// Takes many runs of about one size.
    fn take_many(&self) -> Option<Vec<Run>> {
        let mut kept = self.kept();
        let of = |runs: &[Run], class| runs.iter().filter(|run| run.class() == class).count();
        let class = (0..u64::BITS).find(|&class| of(&kept.runs, class) >= FAN_IN)?;
        let mut taken = Vec::with_capacity(FAN_IN);
        for run in std::mem::take(&mut kept.runs) {
            let is_taken = run.class() == class && taken.len() < FAN_IN;
            if is_taken { taken.push(run) } else { kept.runs.push(run) }
        }
        let n_bytes: u64 = taken.iter().map(|run| run.n_bytes).sum();
        self.progress.n_runs.fetch_sub(taken.len() as u64, Ordering::Relaxed);
        self.progress.n_run_bytes.fetch_sub(n_bytes, Ordering::Relaxed);
        Some(taken)
    }

    /// Merges runs until there are few of each size. One thread at a time does, so that buffers stay few.
    ///
    /// # Errors
    /// [`Error::Unwritable`], [`Error::Unreadable`], [`Error::Checksum`], [`Error::Interrupted`]; all runs are kept.
    pub fn merge_if_many(&self, ctl: &Ctl<'_>) -> Result<()> {
        let Ok(_alone) = self.merging.try_lock() else { return Ok(()) };
        while let Some(taken) = self.take_many() {
            let merged =
                self.readers(&taken).and_then(Merge::<&Sorted>::new).and_then(|merge| self.write(merge, ctl));
            match merged {
                Ok(run) => self.push(run),
                Err(error) => {
                    for run in taken {
                        self.push(run);
                    }
                    return Err(error);
                }
            }
            let names = taken.iter().filter_map(|run| match &run.file {
                RunFile::Named(name) => Some(self.folder.join(name)),
                RunFile::Unnamed(_) => None,
            });
            self.kept().stale.extend(names);
        }
        Ok(())
    }

    fn readers<T>(&self, runs: &[Run]) -> Result<Vec<Source<T>>> {
        runs.iter().map(|run| self.reader(run).map(|reader| Source::Run(Box::new(reader)))).collect()
    }

    fn reader(&self, run: &Run) -> Result<Reader> {
        match &run.file {
            RunFile::Named(name) => open(&self.folder.join(name)).map(|(reader, _)| reader),
            RunFile::Unnamed(file) => {
                let place = self.folder.display().to_string();
                let file = file.try_clone().and_then(|mut file| file.rewind().map(|()| file));
                let file = file.map_err(|error| unreadable(&place, &error))?;
                Reader::new(file, run.n_bytes, place)
            }
        }
    }

    /// Returns a reader of each run. The runs have one place to read from each: a second call ends the first one's
    /// readers.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::Format`]; those of a merge where there are many.
    pub fn sources<T>(&self, ctl: &Ctl<'_>) -> Result<Vec<Source<T>>> {
        self.merge_if_many(ctl)?;
        self.readers(&self.kept().runs)
    }

    /// Returns the names of all runs, and removes files that were on no list since the call before.
    pub fn names(&self) -> Vec<String> {
        let mut kept = self.kept();
        for path in std::mem::take(&mut kept.condemned) {
            // A file that somebody else removed is gone, which is what is wanted.
            let _ = fs::remove_file(path);
        }
        kept.condemned = std::mem::take(&mut kept.stale);
        let name = |run: &Run| match &run.file {
            RunFile::Named(name) => Some(name.clone()),
            RunFile::Unnamed(_) => None,
        };
        kept.runs.iter().filter_map(name).collect()
    }

    /// Takes over runs of an earlier process, each read through; what else of runs the folder holds is removed.
    ///
    /// # Errors
    /// [`Error::Checksum`], [`Error::Format`], [`Error::Unreadable`], [`Error::Interrupted`]: then none is taken.
    pub fn adopt(&self, names: &[String], ctl: &Ctl<'_>) -> Result<()> {
        let mut runs = Vec::with_capacity(names.len());
        for name in names {
            if !is_name(name) {
                return Err(Error::format(name.clone(), "this is not the name of a run"));
            }
            let (reader, n_bytes) = open(&self.folder.join(name))?;
            let mut merge = Merge::<&Sorted>::new(vec![Source::Run(Box::new(reader))])?;
            let mut ticker = ctl.ticker();
            while merge.next(&mut ticker)?.is_some() {}
            runs.push(Run { file: RunFile::Named(name.clone()), n_bytes });
        }
        let mut known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let kept: Vec<String> = self.names();
        known.extend(kept.iter().map(String::as_str));
        let entries = fs::read_dir(&self.folder);
        let entries = entries.map_err(|error| unreadable(&self.folder.display().to_string(), &error))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_half = name.starts_with(PREFIX_HALF) && name.ends_with(SUFFIX_HALF);
            if is_half || (is_name(name) && !known.contains(name)) {
                let _ = fs::remove_file(entry.path());
            }
        }
        for run in runs {
            self.push(run);
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    let hex = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    hex.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns a reader of a file and the file's size.
fn open(path: &Path) -> Result<(Reader, u64)> {
    let place = path.display().to_string();
    let failed = |error: std::io::Error| unreadable(&place, &error);
    let file = File::open(path).map_err(failed)?;
    let n_bytes = file.metadata().map_err(failed)?.len();
    Ok((Reader::new(file, n_bytes, place.clone())?, n_bytes))
}

#[cfg(test)]
mod tests {
    use super::super::WordCounts;
    use super::*;

    fn table(words: &[(&str, u64)]) -> Sorted {
        let mut counts = WordCounts::default();
        for &(word, n) in words {
            counts.add(word.as_bytes(), n);
        }
        Sorted::new(counts, &Ctl::new()).unwrap()
    }

    fn runs(folder: &Path, is_named: bool) -> Runs {
        Runs::new(Place { folder: Some(folder.to_owned()), is_named }, Arc::default())
    }

    fn all(runs: &Runs) -> Result<Vec<(String, u64)>> {
        let ctl = Ctl::new();
        let mut merge = Merge::<&Sorted>::new(runs.sources(&ctl)?)?;
        let (mut ticker, mut words) = (ctl.ticker(), Vec::new());
        while let Some((word, count)) = merge.next(&mut ticker)? {
            words.push((String::from_utf8_lossy(word).into_owned(), count));
        }
        Ok(words)
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn pairs(words: &[(&str, u64)]) -> Vec<(String, u64)> {
        words.iter().map(|&(word, n)| (word.to_owned(), n)).collect()
    }

    #[test]
    fn unnamed_runs_lie_in_no_folder_and_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let runs = runs(folder.path(), false);
        runs.write_table(&table(&[("low", 2), ("a", u64::MAX)]), &Ctl::new()).unwrap();
        runs.write_table(&table(&[("low", 3), ("b", 1), ("a", 1)]), &Ctl::new()).unwrap();
        let expected = pairs(&[("a", u64::MAX), ("b", 1), ("low", 5)]);
        assert_eq!((all(&runs), files(folder.path())), (Ok(expected), vec![]));
    }

    #[test]
    fn many_runs_become_few_and_what_a_list_names_stays_until_the_next_but_one() {
        let (folder, ctl) = (tempfile::tempdir().unwrap(), Ctl::new());
        let runs = runs(folder.path(), true);
        let write = |i: usize| {
            runs.write_table(&table(&[("same", 1), (&format!("{i:04}"), 1)]), &ctl).unwrap();
            runs.merge_if_many(&ctl).unwrap();
        };
        (0..20).for_each(write);
        let mut first = runs.names();
        first.sort();
        assert_eq!((first.len(), files(folder.path())), (20, first.clone()));
        (20..100).for_each(write);
        // Those that the first list names are merged, and lie there all the same.
        let present = files(folder.path());
        assert!(first.iter().all(|name| present.contains(name)));
        let mut second = runs.names();
        second.sort();
        assert!(second.len() < 2 * FAN_IN, "{}", second.len());
        assert!(first.iter().all(|name| files(folder.path()).contains(name)));
        assert_eq!(runs.names().len(), second.len());
        assert_eq!(files(folder.path()), second);
        let words = all(&runs).unwrap();
        assert_eq!((words.len(), words.last()), (101, Some(&("same".to_owned(), 100))));
    }

    #[test]
    fn a_process_takes_over_what_another_left() {
        let (folder, ctl) = (tempfile::tempdir().unwrap(), Ctl::new());
        let before = runs(folder.path(), true);
        before.write_table(&table(&[("a", 1)]), &ctl).unwrap();
        before.write_table(&table(&[("a", 2), ("b", 1)]), &ctl).unwrap();
        let names = before.names();
        before.write_table(&table(&[("lost", 1)]), &ctl).unwrap();
        fs::write(folder.path().join(".run-x.half"), "half").unwrap();
        fs::write(folder.path().join("checkpoint.json"), "{}").unwrap();
        let after = runs(folder.path(), true);
        after.adopt(&names, &ctl).unwrap();
        assert_eq!(all(&after), Ok(pairs(&[("a", 3), ("b", 1)])));
        let mut expected = names.clone();
        expected.push("checkpoint.json".to_owned());
        expected.sort();
        assert_eq!(files(folder.path()), expected);

        let torn = folder.path().join(&names[0]);
        let bytes = fs::read(&torn).unwrap();
        fs::write(&torn, &bytes[..bytes.len() - 1]).unwrap();
        let again = runs(folder.path(), true);
        assert!(matches!(again.adopt(&names, &ctl), Err(Error::Checksum { .. })));
        assert!(again.is_empty() && torn.exists());
        fs::write(&torn, "something else, which is long enough to be a run of words").unwrap();
        assert!(matches!(again.adopt(&names, &ctl), Err(Error::Format { .. })));
        fs::remove_file(&torn).unwrap();
        assert!(matches!(again.adopt(&names, &ctl), Err(Error::Unreadable { .. })));
        for name in ["../run-0123456789abcdef.words", "run-xyz.words", "checkpoint.json", ""] {
            let error = again.adopt(&[name.to_owned()], &ctl).unwrap_err();
            assert_eq!(error, Error::format(name, "this is not the name of a run"));
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let (folder, ctl) = (tempfile::tempdir().unwrap(), Ctl::new());
        for is_named in [false, true] {
            let missing = runs(&folder.path().join("missing"), is_named);
            let error = missing.write_table(&table(&[("a", 1)]), &ctl).unwrap_err();
            assert!(matches!(&error, Error::Unwritable { path, .. } if path.ends_with("missing")), "{error}");
            let stopped = runs(folder.path(), is_named);
            let cancelled = Ctl::new();
            cancelled.cancel();
            assert_eq!(stopped.write_table(&table(&[("a", 1)]), &cancelled), Err(Error::Interrupted));
            assert!(stopped.is_empty());
            assert_eq!(files(folder.path()), Vec::<String>::new());
        }
    }
}
