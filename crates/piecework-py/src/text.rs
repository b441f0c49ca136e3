//! From a `str` or `bytes` to text, as `errors=` says.

use piecework_core::added::Trust;
use piecework_core::input::Input;
use piecework_core::span::Span;
use piecework_core::tokenizer::{Options, Special, TrustedText};
use piecework_core::units::{self, Unit, UnitIndex};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors;

/// A text borrowed from a Python object, or an own copy where something was replaced.
pub struct Text<'py> {
    object: Bound<'py, PyAny>,
    replaced: Option<Input<'static>>,
}

impl<'py> Text<'py> {
    /// Takes `object` as text.
    ///
    /// # Errors
    /// `TypeError` for what is neither `str` nor `bytes`, `ValueError` for an unknown `errors`,
    /// `NotUnicodeError` with the index of what is not Unicode.
    pub fn new(object: &Bound<'py, PyAny>, errors: &str) -> PyResult<Self> {
        let py = object.py();
        let replace = match errors {
            "strict" => false,
            "replace" => true,
            other => {
                return Err(PyValueError::new_err(format!(
                    "errors is \"strict\" or \"replace\", not {other:?}"
                )));
            }
        };
        let mut text = Self { object: object.clone(), replaced: None };
        if let Ok(string) = object.cast::<PyString>() {
            if string.to_str().is_err() {
                let wtf8 = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
                let wtf8 = wtf8.cast::<PyBytes>()?.as_bytes();
                if !replace {
                    return Err(errors::surrogate(py, first_surrogate(wtf8)));
                }
                text.replaced = Some(owned(py, Input::from_wtf8(wtf8))?);
            }
        } else if let Ok(bytes) = object.cast::<PyBytes>() {
            if !replace {
                Input::from_utf8(bytes.as_bytes()).map_err(|error| errors::raised(py, error))?;
            } else if std::str::from_utf8(bytes.as_bytes()).is_err() {
                text.replaced = Some(owned(py, Input::from_lossy_utf8(bytes.as_bytes()))?);
            }
        } else {
            let kind = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a text is a str or UTF-8 bytes, not {kind}")));
        }
        Ok(text)
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
        (self.object.unbind(), self.replaced)
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
        options(special, add_special_tokens, trusted.map(|spans| self.bytes_of(&spans)))
    }

    /// Returns the input that took the object's place, if something was replaced.
    pub fn replaced(&self) -> Option<&Input<'static>> {
        self.replaced.as_ref()
    }

    /// Returns the interpreter's token.
    pub fn py(&self) -> Python<'py> {
        self.object.py()
    }

    /// Returns the bytes of the text that come from `spans` of the object: its bytes, or its characters.
    fn bytes_of(&self, spans: &[(usize, usize)]) -> Vec<Span> {
        let text = self.as_str();
        if let Some(input) = &self.replaced {
            // Where something was replaced the two are out of step: ask of each character where it came from.
            let trust = Trust::spans(spans.iter().map(|&(start, end)| Span::new(start, end)).collect());
            let chars = Spans::new(text, Some(input), Unit::Char);
            let source = |span| {
                if self.is_bytes() { Spans::bytes(Some(input), span) } else { chars.units(span, Unit::Char) }
            };
            let each = text.char_indices().map(|(at, c)| Span::new(at, at + c.len_utf8()));
            let is_trusted = |&span: &Span| {
                let (start, end) = source(span);
                trust.covers(Span::new(start, end))
            };
            return each.filter(is_trusted).collect();
        }
        if self.is_bytes() {
            return spans
                .iter()
                .map(|&(start, end)| Span::new(start.min(text.len()), end.min(text.len())))
                .collect();
        }
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let byte = |char: usize| starts.get(char).copied().unwrap_or(text.len());
        spans.iter().map(|&(start, end)| Span::new(byte(start), byte(end))).collect()
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

fn owned(py: Python<'_>, input: piecework_core::error::Result<Input<'_>>) -> PyResult<Input<'static>> {
    let input = input.map_err(|error| errors::raised(py, error))?;
    Ok(Input {
        text: input.text.into_owned().into(),
        alignment: input.alignment,
        joined_pairs: input.joined_pairs,
    })
}

/// Returns the index, in characters, of the first surrogate of WTF-8 bytes.
fn first_surrogate(wtf8: &[u8]) -> usize {
    let valid = std::str::from_utf8(wtf8).map_or_else(|error| error.valid_up_to(), str::len);
    wtf8.iter().take(valid).filter(|&&byte| byte & 0xc0 != 0x80).count()
}
