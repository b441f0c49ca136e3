//! A run: words in the order of their bytes with their counts, in a file. After a magic number and a version, each word
//! is its length, its bytes and its count, numbers in LEB128; at the end stand the number of words (eight bytes) and
//! the SHA-256 of all before it, so that a file that is torn is known.

use std::io::{Read, Write};

use sha2::{Digest, Sha256};

use crate::definition::canonical::hex;
use crate::error::{Error, Result};

/// What a run begins with; the last byte is the version.
const MAGIC: [u8; 8] = *b"pwwords\x01";
const FOOTER_BYTES: usize = 8 + 32;
/// What a reader and a writer hold.
const BUFFER_BYTES: usize = 1 << 16;
/// A number takes no more.
const MAX_VARINT_BYTES: usize = 10;

/// Writes a run.
#[derive(Debug)]
pub(super) struct Writer<W> {
    out: W,
    /// Where it goes, for messages.
    place: String,
    buffer: Vec<u8>,
    digest: Sha256,
    n_words: u64,
    n_bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a run; `place` names it in messages.
    pub fn new(out: W, place: String) -> Self {
        let mut buffer = Vec::with_capacity(BUFFER_BYTES);
        buffer.extend_from_slice(&MAGIC);
        Self { out, place, buffer, digest: Sha256::new(), n_words: 0, n_bytes: 0 }
    }

    /// Appends a word, which is larger than the one before.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    #[inline]
    pub fn push(&mut self, word: &[u8], count: u64) -> Result<()> {
        varint(&mut self.buffer, word.len() as u64);
        self.buffer.extend_from_slice(word);
        varint(&mut self.buffer, count);
        self.n_words += 1;
        if self.buffer.len() + 64 > BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Ends the run and returns the file and its size in bytes.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn finish(mut self) -> Result<(W, u64)> {
        self.buffer.extend_from_slice(&self.n_words.to_le_bytes());
        self.flush()?;
        let digest = self.digest.finalize_reset();
        self.buffer.extend_from_slice(&digest);
        self.flush()?;
        self.out.flush().map_err(|error| unwritable(&self.place, &error))?;
        Ok((self.out, self.n_bytes))
    }

    #[cold]
    fn flush(&mut self) -> Result<()> {
        self.digest.update(&self.buffer);
        self.out.write_all(&self.buffer).map_err(|error| unwritable(&self.place, &error))?;
        self.n_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        // One word of a gigabyte leaves no gigabyte behind.
        self.buffer.shrink_to(BUFFER_BYTES);
        Ok(())
    }
}

/// Returns the error of a file that cannot be written.
pub(super) fn unwritable(path: &str, error: &std::io::Error) -> Error {
    Error::Unwritable { path: path.to_owned(), reason: reason(error) }
}

/// Returns the error of a file that cannot be read.
pub(super) fn unreadable(path: &str, error: &std::io::Error) -> Error {
    Error::Unreadable { path: path.to_owned(), reason: reason(error) }
}

/// The system's words, without the number behind them.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.to_owned())
}

#[inline]
fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Reads a run, word by word.
pub(super) struct Reader {
    file: Box<dyn Read + Send + Sync>,
    place: String,
    /// What is read and not yet used starts at `at`.
    buffer: Vec<u8>,
    at: usize,
    /// Bytes of words that are still in the file.
    n_left: u64,
    digest: Sha256,
    /// Where the word stands in the buffer.
    word: std::ops::Range<usize>,
    count: u64,
    n_words: u64,
    last: Vec<u8>,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("place", &self.place)
            .field("n_words", &self.n_words)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Begins to read a run of `n_bytes`; `place` names it in messages.
    ///
    /// # Errors
    /// [`Error::Format`] for what is no run; [`Error::Unreadable`].
    pub fn new(mut file: impl Read + Send + Sync + 'static, n_bytes: u64, place: String) -> Result<Self> {
        let least = (MAGIC.len() + FOOTER_BYTES) as u64;
        let mut magic = [0; MAGIC.len()];
        if n_bytes >= least {
            file.read_exact(&mut magic).map_err(|error| unreadable(&place, &error))?;
        }
        if magic != MAGIC {
            return Err(Error::format(place, "this is no run of counted words, or not all of one"));
        }
        let mut digest = Sha256::new();
        digest.update(magic);
        Ok(Self {
            file: Box::new(file),
            place,
            buffer: Vec::new(),
            at: 0,
            n_left: n_bytes - least,
            digest,
            word: 0..0,
            count: 0,
            n_words: 0,
            last: Vec::new(),
        })
    }

    /// Goes to the next word; false at the end, where the whole file is known to be what was written.
    ///
    /// # Errors
    /// [`Error::Checksum`] for a file that is not what was written; [`Error::Format`] for one that nobody wrote so;
    /// [`Error::Unreadable`].
    pub fn step(&mut self) -> Result<bool> {
        let is_first = self.n_words == 0;
        if !is_first {
            self.last.clear();
            self.last.extend_from_slice(&self.buffer[self.word.clone()]);
        }
        self.need(MAX_VARINT_BYTES as u64)?;
        if self.at == self.buffer.len() {
            return self.end().map(|()| false);
        }
        let len = self.number()?;
        if len > self.n_left + (self.buffer.len() - self.at) as u64 {
            return Err(self.broken());
        }
        self.need(len + MAX_VARINT_BYTES as u64)?;
        self.word = self.at..self.at + len as usize;
        self.at = self.word.end;
        self.count = self.number()?;
        self.n_words += 1;
        if !is_first && self.last.as_slice() >= self.word() {
            return Err(self.broken());
        }
        Ok(true)
    }

    /// Returns the word.
    #[inline]
    pub fn word(&self) -> &[u8] {
        &self.buffer[self.word.clone()]
    }

    /// Returns how often it occurs.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Reads on until `n` bytes are there or no more are left.
    fn need(&mut self, n: u64) -> Result<()> {
        let held = (self.buffer.len() - self.at) as u64;
        if held >= n || self.n_left == 0 {
            return Ok(());
        }
        self.buffer.drain(..self.at);
        (self.at, self.word) = (0, 0..0);
        let more = (n - held).max(BUFFER_BYTES as u64 - held.min(BUFFER_BYTES as u64)).min(self.n_left);
        let start = self.buffer.len();
        // One word of a gigabyte leaves no gigabyte behind.
        self.buffer.shrink_to(start.max(2 * BUFFER_BYTES));
        self.buffer.reserve_exact(more as usize);
        self.buffer.resize(start + more as usize, 0);
        self.file.read_exact(&mut self.buffer[start..]).map_err(|error| unreadable(&self.place, &error))?;
        self.digest.update(&self.buffer[start..]);
        self.n_left -= more;
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<u64> {
        let mut n = 0_u64;
        for shift in (0..64).step_by(7) {
            let Some(&byte) = self.buffer.get(self.at) else { return Err(self.broken()) };
            self.at += 1;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(self.broken())
    }

    /// Compares what was read with what stands at the end.
    fn end(&mut self) -> Result<()> {
        let mut footer = [0; FOOTER_BYTES];
        self.file.read_exact(&mut footer).map_err(|error| unreadable(&self.place, &error))?;
        let (n_words, expected) = footer.split_at(8);
        self.digest.update(n_words);
        let found = self.digest.finalize_reset();
        if found.as_slice() != expected {
            let (expected, found) = (hex(expected), hex(&found));
            return Err(Error::Checksum { what: self.place.clone(), expected, found });
        }
        if n_words != self.n_words.to_le_bytes() {
            return Err(self.broken());
        }
        Ok(())
    }

    /// The error of a file that does not hold what a run holds: torn or changed where the checksum says so.
    #[cold]
    fn broken(&mut self) -> Error {
        self.at = self.buffer.len();
        while self.n_left > 0 {
            self.buffer.clear();
            self.at = 0;
            if let Err(error) = self.need(BUFFER_BYTES as u64) {
                return error;
            }
            self.at = self.buffer.len();
        }
        let mut footer = [0; FOOTER_BYTES];
        if let Err(error) = self.file.read_exact(&mut footer) {
            return unreadable(&self.place, &error);
        }
        self.digest.update(&footer[..8]);
        let found = self.digest.finalize_reset();
        if found.as_slice() == &footer[8..] {
            return Error::format(self.place.clone(), "the words are not those of a run");
        }
        Error::Checksum { what: self.place.clone(), expected: hex(&footer[8..]), found: hex(&found) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, ErrorKind};

    use super::*;

    type Words = Vec<(Vec<u8>, u64)>;

    fn written(words: &Words) -> Vec<u8> {
        let mut out = Writer::new(Vec::new(), "run".to_owned());
        for (word, count) in words {
            out.push(word, *count).unwrap();
        }
        let (bytes, n_bytes) = out.finish().unwrap();
        assert_eq!(bytes.len() as u64, n_bytes);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Words> {
        let mut reader = Reader::new(Cursor::new(bytes.to_vec()), bytes.len() as u64, "run".to_owned())?;
        let mut words = Vec::new();
        while reader.step()? {
            words.push((reader.word().to_vec(), reader.count()));
        }
        Ok(words)
    }

    fn some() -> Words {
        let word = |i: u64| format!("{:06x}", i * i).into_bytes();
        let mut words: Words = (0..2000).map(|i| (word(i), i * i * i)).collect();
        words.push((vec![0xff; 300_000], u64::MAX));
        words.insert(0, (Vec::new(), 0));
        words.sort();
        words
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(read(&written(&some())), Ok(some()));
        assert_eq!(read(&written(&Vec::new())), Ok(Vec::new()));
        // By hand: magic and version, "ab" 300 times (LEB128: 0xac 0x02), one word.
        let bytes = written(&vec![(b"ab".to_vec(), 300)]);
        assert_eq!(&bytes[..21], b"pwwords\x01\x02ab\xac\x02\x01\0\0\0\0\0\0\0");
        assert_eq!(bytes.len(), 21 + 32);
    }

    #[test]
    fn a_torn_file_is_known_wherever_it_is_torn() {
        let words: Words = (0..40).map(|i| (vec![i, i], u64::from(i) << 20)).collect();
        let bytes = written(&words);
        for end in 0..bytes.len() {
            let error = read(&bytes[..end]).unwrap_err();
            assert!(matches!(error, Error::Format { .. } | Error::Checksum { .. }), "{end}: {error}");
        }
    }

    #[test]
    fn a_changed_byte_is_known_wherever_it_is() {
        let bytes = written(&vec![(b"low".to_vec(), 5), (b"lower".to_vec(), 300), (vec![b'x'; 200], 1)]);
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x41;
            let error = read(&bytes).unwrap_err();
            let is_known = if at < 8 {
                matches!(error, Error::Format { .. })
            } else {
                matches!(error, Error::Checksum { .. })
            };
            assert!(is_known, "{at}: {error}");
        }
    }

    #[test]
    fn words_that_do_not_rise_are_no_run() {
        for words in
            [vec![(b"b".to_vec(), 1), (b"a".to_vec(), 1)], vec![(b"a".to_vec(), 1), (b"a".to_vec(), 1)]]
        {
            let error = read(&written(&words)).unwrap_err();
            assert_eq!(error.to_string(), "run: the words are not those of a run");
        }
    }

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let n = bytes.len().min(self.0);
            self.0 -= n;
            if n == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(n) }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_says_where_and_why() {
        for room in [0, 1, 100, 70_000] {
            let mut out = Writer::new(Disk(room), "a folder".to_owned());
            let words = (0..100_000_u32).try_for_each(|i| out.push(&i.to_be_bytes(), 1));
            let error = words.and_then(|()| out.finish().map(drop)).unwrap_err();
            assert_eq!(error.to_string(), "a folder: no storage space");
            assert_eq!(error.code(), "output");
        }
    }
}
