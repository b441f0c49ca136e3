//! A GGUF file's metadata: keys and values before the tensors, which are not looked at. Every count and
//! length is checked against what is left of the file before anything is done with it, and nothing is
//! copied, so that memory is bounded by the file whatever it claims.
//!
//! Source: the GGUF specification, versions 2 and 3, and the reader of llama.cpp.

use std::collections::HashMap;

use crate::error::{Error, Result};

/// The metadata by key.
#[derive(Debug)]
pub struct Metadata<'a> {
    values: HashMap<&'a str, Entry<'a>>,
    order: Order,
}

#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    at: usize,
    value: Value<'a>,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Bool(bool),
    Text(&'a [u8]),
    Array(Array<'a>),
}

/// Values of one type in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Array<'a> {
    kind: Kind,
    n: usize,
    data: &'a [u8],
    at: usize,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unsigned(usize),
    Signed(usize),
    Float(usize),
    Bool,
    Text,
    Array,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Kind {
    fn new(number: u64) -> Option<Self> {
        Some(match number {
            0 => Self::Unsigned(1),
            1 => Self::Signed(1),
            2 => Self::Unsigned(2),
            3 => Self::Signed(2),
            4 => Self::Unsigned(4),
            5 => Self::Signed(4),
            6 => Self::Float(4),
            7 => Self::Bool,
            8 => Self::Text,
            9 => Self::Array,
            10 => Self::Unsigned(8),
            11 => Self::Signed(8),
            12 => Self::Float(8),
            _ => return None,
        })
    }

    /// Returns the fewest bytes that a value of the type takes.
    fn n_bytes(self) -> usize {
        match self {
            Self::Unsigned(n) | Self::Signed(n) | Self::Float(n) => n,
            Self::Bool => 1,
            Self::Text => 8,
            Self::Array => 12,
        }
    }
}

/// Reads from the front of what is left.
#[derive(Debug, Clone)]
struct Cursor<'a> {
    rest: &'a [u8],
    at: usize,
    order: Order,
    /// Whether the last refusal was for want of bytes.
    is_short: bool,
}

impl<'a> Cursor<'a> {
    /// Begins behind the file's first word.
    fn new(data: &'a [u8]) -> Result<Self> {
        let Some(rest) = data.strip_prefix(b"GGUF") else {
            return Err(Error::format("byte 0", "expected a GGUF file, which begins with GGUF"));
        };
        Ok(Self { rest, at: 4, order: Order::Little, is_short: false })
    }

    fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::format(format!("byte {}", self.at), reason)
    }

    fn take(&mut self, n: u64, what: &str) -> Result<&'a [u8]> {
        let taken = usize::try_from(n).ok().and_then(|n| self.rest.split_at_checked(n));
        let Some((taken, rest)) = taken else {
            let n_left = self.rest.len();
            self.is_short = true;
            return Err(self.refuse(format!("{what} takes {n} bytes, {n_left} are left")));
        };
        self.rest = rest;
        self.at += taken.len();
        Ok(taken)
    }

    fn unsigned(&mut self, n_bytes: usize, what: &str) -> Result<u64> {
        let bytes = self.take(n_bytes as u64, what)?;
        let push = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
        Ok(match self.order {
            Order::Little => bytes.iter().rev().fold(0, push),
            Order::Big => bytes.iter().fold(0, push),
        })
    }

    fn text(&mut self, what: &str) -> Result<&'a [u8]> {
        let length = self.unsigned(8, what)?;
        self.take(length, what)
    }

    fn kind(&mut self) -> Result<Kind> {
        let at = self.at;
        let number = self.unsigned(4, "a type")?;
        Kind::new(number).ok_or_else(|| Error::format(format!("byte {at}"), format!("{number} is no type")))
    }

    fn value(&mut self, kind: Kind) -> Result<Value<'a>> {
        Ok(match kind {
            Kind::Unsigned(n) => Value::Unsigned(self.unsigned(n, "a number")?),
            Kind::Signed(n) => {
                let unused = 64 - 8 * n;
                Value::Signed((self.unsigned(n, "a number")? << unused).cast_signed() >> unused)
            }
            Kind::Float(4) => {
                let bits = u32::try_from(self.unsigned(4, "a number")?).unwrap_or(0);
                Value::Float(f64::from(f32::from_bits(bits)))
            }
            Kind::Float(n) => Value::Float(f64::from_bits(self.unsigned(n, "a number")?)),
            Kind::Bool => Value::Bool(self.unsigned(1, "a switch")? != 0),
            Kind::Text => Value::Text(self.text("a text")?),
            Kind::Array => Value::Array(self.array()?),
        })
    }

    fn array(&mut self) -> Result<Array<'a>> {
        let kind = self.kind()?;
        if kind == Kind::Array {
            return Err(self.refuse("an array of arrays, which llama.cpp does not read either"));
        }
        let n = self.count(kind.n_bytes(), "an array")?;
        let (before, at) = (self.rest, self.at);
        if kind == Kind::Text {
            for _ in 0..n {
                self.text("a text")?;
            }
        } else {
            self.take((n * kind.n_bytes()) as u64, "an array")?;
        }
        let data = before.get(..self.at - at).unwrap_or_default();
        Ok(Array { kind, n, data, at })
    }

    /// Reads the number of things of which each takes at least `n_bytes`.
    fn count(&mut self, n_bytes: usize, what: &str) -> Result<usize> {
        let n = self.unsigned(8, what)?;
        let n_left = self.rest.len();
        match usize::try_from(n) {
            Ok(n) if n <= n_left / n_bytes => Ok(n),
            _ => {
                self.is_short = true;
                Err(self.refuse(format!("{what} of {n} elements does not fit into the {n_left} bytes left")))
            }
        }
    }
}

impl<'a> Metadata<'a> {
    /// Reads the front of a file.
    ///
    /// # Errors
    /// [`Error::Format`] with the byte's offset for a file that is none, is of version 1, is cut off, gives
    /// a key twice, or holds a key that is not UTF-8 or a value of no type.
    pub fn read(data: &'a [u8]) -> Result<Self> {
        Self::take(&mut Cursor::new(data)?)
    }

    /// Returns how many bytes at the front of a file its metadata takes, or `None` where `data`, a part of
    /// that front, does not hold all of it (nor does a file that claims more than it has).
    ///
    /// # Errors
    /// As [`Metadata::read`], but for what is cut off.
    pub fn n_bytes(data: &[u8]) -> Result<Option<usize>> {
        let mut cursor = Cursor::new(data)?;
        match Metadata::take(&mut cursor) {
            Ok(_) => Ok(Some(cursor.at)),
            Err(_) if cursor.is_short => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn take(cursor: &mut Cursor<'a>) -> Result<Self> {
        let mut version = cursor.unsigned(4, "the version")?;
        if version.trailing_zeros() >= 16 {
            // The low half of any version is not zero; that of a swapped one is.
            version = u64::from((version as u32).swap_bytes());
            cursor.order = Order::Big;
        }
        if !matches!(version, 2 | 3) {
            return Err(Error::format("byte 4", format!("version {version} is neither 2 nor 3")));
        }
        cursor.unsigned(8, "the number of tensors")?;
        let n = cursor.count(13, "metadata")?;
        let mut metadata = Self { values: HashMap::new(), order: cursor.order };
        for _ in 0..n {
            let at = cursor.at;
            let refuse = |reason: String| Error::format(format!("byte {at}"), reason);
            let key = std::str::from_utf8(cursor.text("a key")?)
                .map_err(|_| refuse("the key is not UTF-8".to_owned()))?;
            let kind = cursor.kind()?;
            let entry = Entry { at: cursor.at, value: cursor.value(kind)? };
            if metadata.values.insert(key, entry).is_some() {
                return Err(refuse(format!("the key {key:?} is given twice")));
            }
        }
        Ok(metadata)
    }

    /// Returns the value of `key`.
    pub fn value(&self, key: &str) -> Option<Value<'a>> {
        self.values.get(key).map(|entry| entry.value)
    }

    /// Returns the error that refuses the value of `key`, or that it is missing, for `reason`.
    pub fn refuse(&self, key: &str, reason: impl std::fmt::Display) -> Error {
        let place = match self.values.get(key) {
            Some(entry) => format!("{key} (byte {})", entry.at),
            None => key.to_owned(),
        };
        Error::format(place, reason.to_string())
    }

    fn find<T>(&self, key: &str, what: &str, want: impl Fn(Value<'a>) -> Option<T>) -> Result<Option<T>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        want(value).map(Some).ok_or_else(|| self.refuse(key, format!("expected {what}")))
    }

    /// Returns a text.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none, or not UTF-8.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.find(key, "a text in UTF-8", |value| match value {
            Value::Text(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        })
    }

    /// Returns a switch.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none.
    pub fn flag(&self, key: &str) -> Result<Option<bool>> {
        self.find(key, "a switch", |value| match value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        })
    }

    /// Returns a number that is not negative.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none.
    pub fn number(&self, key: &str) -> Result<Option<u64>> {
        self.find(key, "a number that is not negative", |value| match value {
            Value::Unsigned(number) => Some(number),
            Value::Signed(number) => u64::try_from(number).ok(),
            _ => None,
        })
    }

    /// Returns the texts of an array, each with its place in the file.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none, or one is not UTF-8.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<&'a str>>> {
        let array = self.find(key, "an array of texts", |value| match value {
            Value::Array(array) if array.kind == Kind::Text => Some(array),
            _ => None,
        })?;
        let Some(array) = array else { return Ok(None) };
        let mut cursor = self.cursor(&array);
        let text = |at: usize| {
            std::str::from_utf8(cursor.text("a text")?)
                .map_err(|_| Error::format(format!("{key}[{at}]"), "the text is not UTF-8"))
        };
        (0..array.n).map(text).collect::<Result<_>>().map(Some)
    }

    /// Returns the numbers of an array, as floats; integers up to 2⁵³ are exact.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none.
    pub fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        let array = self.find(key, "an array of numbers", |value| match value {
            Value::Array(array) if array.kind != Kind::Text && array.kind != Kind::Bool => Some(array),
            _ => None,
        })?;
        let Some(array) = array else { return Ok(None) };
        let mut cursor = self.cursor(&array);
        #[allow(clippy::cast_precision_loss, reason = "scores, which files hold as floats, and token types")]
        let number = |_| {
            Ok(match cursor.value(array.kind)? {
                Value::Unsigned(number) => number as f64,
                Value::Signed(number) => number as f64,
                Value::Float(number) => number,
                _ => 0.0,
            })
        };
        (0..array.n).map(number).collect::<Result<_>>().map(Some)
    }

    /// Returns an array of bytes.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none.
    pub fn bytes(&self, key: &str) -> Result<Option<&'a [u8]>> {
        self.find(key, "an array of bytes", |value| match value {
            Value::Array(Array { kind: Kind::Unsigned(1) | Kind::Signed(1), data, .. }) => Some(data),
            _ => None,
        })
    }

    fn cursor(&self, array: &Array<'a>) -> Cursor<'a> {
        Cursor { rest: array.data, at: array.at, order: self.order, is_short: false }
    }
}
