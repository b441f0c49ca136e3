//! From a `str` or `bytes` to text, as `errors=` says.

use piecework_core::added::Trust;
use piecework_core::input::{Input, lossy_utf8};
use piecework_core::normalize::Alignment;
use piecework_core::span::Span;
use piecework_core::tokenizer::{Options, Special, TrustedText};
use piecework_core::units::{self, Unit, UnitIndex};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};

use crate::{errors, interrupt};

/// A text borrowed from a Python object, or an own copy where something was replaced.
pub struct Text<'py> {
    object: Bound<'py, PyAny>,
    // Boxed, because a batch holds millions of texts, few of which need it.
    replaced: Option<Box<Input<'static>>>,
}

/// Whether the way back from a text to the object is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Spans lead to the object.
    Kept,
    /// Nobody asks for spans. For bytes that are mostly broken the way back takes six times the memory of the text.
    Dropped,
}

/// Characters of a `str` that are taken at once. The interpreter's own conversion of a text of 100 MB that is not
/// ASCII takes longer than Ctrl-C is to wait.
const PART_CHARS: usize = 1 << 22;

impl<'py> Text<'py> {
    /// Takes `object` as text.
    ///
    /// # Errors
    /// `TypeError` for what is neither `str` nor `bytes`, `ValueError` for an unknown `errors`,
    /// `NotUnicodeError` with the index of what is not Unicode.
    pub fn new(object: &Bound<'py, PyAny>, errors: &str) -> PyResult<Self> {
        Self::read(object, errors, Places::Kept)
    }

    /// Takes `object` as text whose spans nobody will ask for.
    ///
    /// # Errors
    /// As [`Text::new`].
    pub fn without_places(object: &Bound<'py, PyAny>, errors: &str) -> PyResult<Self> {
        Self::read(object, errors, Places::Dropped)
    }

    fn read(object: &Bound<'py, PyAny>, errors: &str, places: Places) -> PyResult<Self> {
        let py = object.py();
        let replace = replaces(errors)?;
        let replaced = if let Ok(string) = object.cast::<PyString>() {
            of_string(string, replace)?
        } else if let Ok(bytes) = object.cast::<PyBytes>() {
            of_bytes(py, bytes.as_bytes(), replace, places)?
        } else {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a text is a str or UTF-8 bytes, not {kind}")));
        };
        Ok(Self { object: object.clone(), replaced: replaced.map(Box::new) })
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        if let Some(input) = &self.replaced {
            return &input.text;
        }
        if let Ok(string) = self.object.cast::<PyString>() {
            return string.to_str().unwrap_or("");
        }
        self.object.cast::<PyBytes>().map_or("", |bytes| std::str::from_utf8(bytes.as_bytes()).unwrap_or(""))
    }

    /// Returns whether spans that the caller gives count bytes, not characters.
    fn is_bytes(&self) -> bool {
        self.object.is_instance_of::<PyBytes>()
    }

    /// Returns the object and the input that took its place, to be kept.
    pub fn into_parts(self) -> (Py<PyAny>, Option<Input<'static>>) {
        (self.object.unbind(), self.replaced.map(|input| *input))
    }

    /// Returns the engine's options. `trusted` is in characters of a `str` and in bytes of `bytes`.
    ///
    /// # Errors
    /// `ValueError` for an unknown `special`, or for `trusted` without `special="parse"`.
    pub fn options(
        &self,
        special: &str,
        add_special_tokens: bool,
        trusted: Option<Vec<(usize, usize)>>,
    ) -> PyResult<Options> {
        let trusted = trusted.map(|spans| self.bytes_of(&spans)).transpose()?;
        options(special, add_special_tokens, trusted)
    }

    /// Returns the input that took the object's place, if something was replaced.
    pub fn replaced(&self) -> Option<&Input<'static>> {
        self.replaced.as_deref()
    }

    /// Returns the interpreter's token.
    pub fn py(&self) -> Python<'py> {
        self.object.py()
    }

    /// Returns the bytes of the text that come from `spans` of the object: its bytes, or its characters.
    fn bytes_of(&self, spans: &[(usize, usize)]) -> PyResult<Vec<Span>> {
        let (text, input, is_bytes) = (self.as_str(), self.replaced(), self.is_bytes());
        if is_bytes && input.is_none() {
            let inside =
                |&(start, end): &(usize, usize)| Span::new(start.min(text.len()), end.min(text.len()));
            return Ok(spans.iter().map(inside).collect());
        }
        let trust = Trust::spans(spans.iter().map(|&(start, end)| Span::new(start, end)).collect());
        let pairs = input.map_or(&[][..], |input| &input.joined_pairs);
        interrupt::run(self.py(), text.len(), |ctl| {
            let (mut ticker, mut pairs) = (ctl.ticker(), pairs.iter().peekable());
            let mut trusted: Vec<Span> = Vec::new();
            let mut n_chars = 0;
            for (at, c) in text.char_indices() {
                ticker.tick(c.len_utf8())?;
                let span = Span::new(at, at + c.len_utf8());
                let first = n_chars;
                n_chars += if pairs.next_if_eq(&&at).is_some() { 2 } else { 1 };
                let (start, end) = if is_bytes { Spans::bytes(input, span) } else { (first, n_chars) };
                match trusted.last_mut() {
                    _ if !trust.covers(Span::new(start, end)) => {}
                    Some(last) if last.end == span.start => last.end = span.end,
                    _ => trusted.push(span),
                }
            }
            Ok(trusted)
        })
    }
}

/// Returns the engine's options; `trusted` is in bytes of the text.
///
/// # Errors
/// `ValueError` for an unknown `special`, or for `trusted` without `special="parse"`.
pub fn options(special: &str, add_special_tokens: bool, trusted: Option<Vec<Span>>) -> PyResult<Options> {
    let special = match (special, trusted) {
        ("parse", None) => Special::Parse(TrustedText::Everything),
        ("parse", Some(spans)) => Special::Parse(TrustedText::Spans(spans)),
        ("text" | "raise", Some(_)) => {
            return Err(PyValueError::new_err(
                "trusted needs special=\"parse\": nothing else parses control tokens",
            ));
        }
        ("text", None) => Special::Text,
        ("raise", None) => Special::Raise,
        (other, _) => {
            let message = format!("special is \"text\", \"parse\" or \"raise\", not {other:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    Ok(Options { special, add_special_tokens })
}

/// Maps spans of a text to bytes and characters of the object that it was taken from.
pub struct Spans<'t> {
    text: &'t str,
    index: UnitIndex<'t>,
    input: Option<&'t Input<'static>>,
}

impl<'t> Spans<'t> {
    /// Prepares the map of `text`, which `input` took the place of the object for.
    pub fn new(text: &'t str, input: Option<&'t Input<'static>>, unit: Unit) -> Self {
        Self { text, index: UnitIndex::new(text, unit), input }
    }

    /// Returns the bytes of the object.
    pub fn bytes(input: Option<&Input<'static>>, span: Span) -> (usize, usize) {
        let span = input.map_or(span, |input| input.alignment.to_original(span));
        (span.start, span.end)
    }

    /// Returns the units of the object.
    pub fn units(&self, span: Span, unit: Unit) -> (usize, usize) {
        let units = self.index.cover(span);
        // A pair of surrogates in a str is two of its characters, and one of the text's.
        let pairs = match (self.input, unit) {
            (Some(input), Unit::Char) => input.joined_pairs.as_slice(),
            _ => &[],
        };
        let before = |at: usize| pairs.partition_point(|&pair| pair < at);
        let (start, end) = (units::floor(self.text, span.start), units::ceil(self.text, span.end));
        (units.start + before(start), units.end + before(end))
    }
}

/// Returns what takes the place of a `str`: nothing where its UTF-8 can be had at once.
fn of_string(string: &Bound<'_, PyString>, replace: bool) -> PyResult<Option<Input<'static>>> {
    let py = string.py();
    let is_long = string.len()? > PART_CHARS && !is_ascii(string)?;
    if !is_long && string.to_str().is_ok() {
        return Ok(None);
    }
    let wtf8 = wtf8(string)?;
    let text = match String::from_utf8(wtf8) {
        Ok(text) => Input { text: text.into(), alignment: Alignment::identity(), joined_pairs: Vec::new() },
        Err(error) if !replace => return Err(errors::surrogate(py, first_surrogate(error.as_bytes()))),
        Err(error) => {
            let wtf8 = error.as_bytes();
            interrupt::run(py, wtf8.len(), |ctl| Input::from_wtf8(wtf8, ctl).map(Input::into_owned))?
        }
    };
    Ok(Some(text))
}

/// Returns whether `errors` asks to replace what is no text.
///
/// # Errors
/// `ValueError` for a word it does not have.
pub fn replaces(errors: &str) -> PyResult<bool> {
    match errors {
        "strict" => Ok(false),
        "replace" => Ok(true),
        other => {
            let message = format!("errors is \"strict\" or \"replace\", not {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

/// Returns what takes the place of `bytes`: nothing where they are UTF-8.
///
/// # Errors
/// `NotUnicodeError` where they are not and nothing may be replaced.
pub fn of_bytes(
    py: Python<'_>,
    bytes: &[u8],
    replace: bool,
    places: Places,
) -> PyResult<Option<Input<'static>>> {
    match Input::from_utf8(bytes) {
        Ok(_) => return Ok(None),
        Err(error) if !replace => return Err(errors::raised(py, error)),
        Err(_) => {}
    }
    let input = interrupt::run(py, bytes.len(), |ctl| match places {
        Places::Kept => Input::from_lossy_utf8(bytes, ctl).map(Input::into_owned),
        Places::Dropped => {
            let text = lossy_utf8(bytes, ctl, |_, _| Ok(()))?.into_owned();
            Ok(Input { text: text.into(), alignment: Alignment::identity(), joined_pairs: Vec::new() })
        }
    })?;
    Ok(Some(input))
}

/// Returns whether every character is ASCII. Complexity: O(1).
fn is_ascii(string: &Bound<'_, PyString>) -> PyResult<bool> {
    // A subclass may say anything of itself; its characters are what `str` says.
    string.py().get_type::<PyString>().call_method1("isascii", (string,))?.extract()
}

/// Returns a `str` as UTF-8 in which surrogates are written as three bytes each.
fn wtf8(string: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let py = string.py();
    let class = py.get_type::<PyString>();
    let mut wtf8 = Vec::with_capacity(string.len()?);
    for start in (0..string.len()?).step_by(PART_CHARS) {
        py.check_signals()?;
        let part = PySlice::new(py, start as isize, (start + PART_CHARS) as isize, 1);
        let part = class.call_method1("__getitem__", (string, part))?;
        let part = class.call_method1("encode", (part, "utf-8", "surrogatepass"))?;
        wtf8.extend_from_slice(part.cast::<PyBytes>()?.as_bytes());
    }
    Ok(wtf8)
}

/// Returns the index, in characters, of the first surrogate of WTF-8 bytes.
fn first_surrogate(wtf8: &[u8]) -> usize {
    let valid = std::str::from_utf8(wtf8).map_or_else(|error| error.valid_up_to(), str::len);
    wtf8.iter().take(valid).filter(|&&byte| byte & 0xc0 != 0x80).count()
}
