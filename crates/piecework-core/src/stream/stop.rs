//! Stop strings: text is given out up to the first that is complete, and nothing after.
//!
//! A stop string counts as soon as its last character has come, so the one that *ends* first wins; of those
//! that end together, the longest. Text that may be the beginning of one is held back.

/// Looks for stop strings in a text that comes in parts.
#[derive(Debug)]
pub struct Stops {
    searches: Vec<Stop>,
    /// Text not given out yet: the longest beginning of a stop string that the text ends with.
    held: Vec<u8>,
    /// Which stop string has come.
    stopped: Option<usize>,
}

#[derive(Debug)]
struct Stop {
    text: Vec<u8>,
    /// For each beginning of the text, how long its longest proper end is that is a beginning too (Knuth, Morris
    /// and Pratt).
    borders: Vec<usize>,
    /// How much of it the text ends with.
    n: usize,
}

impl Stop {
    fn new(text: &str) -> Self {
        let text = text.as_bytes().to_vec();
        let mut borders = vec![0; text.len()];
        let mut n = 0;
        for at in 1..text.len() {
            while n > 0 && text[at] != text[n] {
                n = borders[n - 1];
            }
            n += usize::from(text[at] == text[n]);
            borders[at] = n;
        }
        Self { text, borders, n: 0 }
    }

    /// Takes one byte and returns whether the text ends with the whole string now.
    fn step(&mut self, byte: u8) -> bool {
        while self.n > 0 && self.text.get(self.n) != Some(&byte) {
            self.n = self.borders.get(self.n - 1).copied().unwrap_or(0);
        }
        self.n += usize::from(self.text.get(self.n) == Some(&byte));
        self.n == self.text.len()
    }
}

impl Stops {
    /// Returns a search for `stops`; empty ones are passed over.
    pub fn new(stops: &[String]) -> Self {
        let searches = stops.iter().filter(|stop| !stop.is_empty()).map(|stop| Stop::new(stop)).collect();
        Self { searches, held: Vec::new(), stopped: None }
    }

    /// Returns which stop string has come, if any.
    pub fn stopped(&self) -> Option<&str> {
        let stop = self.searches.get(self.stopped?)?;
        std::str::from_utf8(&stop.text).ok()
    }

    /// Takes whole characters and returns what is given out. Complexity: O(bytes × stop strings).
    pub fn push(&mut self, text: Vec<u8>) -> Vec<u8> {
        if self.stopped.is_some() {
            return Vec::new();
        }
        if self.searches.is_empty() {
            return text;
        }
        let mut all = std::mem::take(&mut self.held);
        let old = all.len();
        all.extend_from_slice(&text);
        for (at, &byte) in all.iter().enumerate().skip(old) {
            let mut longest = 0;
            for (index, stop) in self.searches.iter_mut().enumerate() {
                if stop.step(byte) && stop.text.len() > longest {
                    longest = stop.text.len();
                    self.stopped = Some(index);
                }
            }
            if longest > 0 {
                // The beginning of a stop string is always held, so it lies within.
                all.truncate((at + 1).saturating_sub(longest));
                return all;
            }
        }
        let held = self.searches.iter().map(|stop| stop.n).max().unwrap_or(0).min(all.len());
        self.held = all.split_off(all.len() - held);
        all
    }

    /// Ends the text: what was held back is no stop string.
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}
