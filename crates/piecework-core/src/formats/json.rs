//! Reading JSON so that every refusal says where: a syntax error by line and column, anything else by
//! the path of the value, such as `pre_tokenizer.pretokenizers[1].behavior`.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Returns `data` as text.
///
/// # Errors
/// [`Error::Format`] with the offset of the first byte that is not UTF-8, and for a byte order mark.
pub fn as_text(data: &[u8]) -> Result<&str> {
    if data.starts_with(b"\xef\xbb\xbf") {
        return Err(Error::format("byte 0", "the file begins with a byte order mark; save it without one"));
    }
    std::str::from_utf8(data)
        .map_err(|error| Error::format(format!("byte {}", error.valid_up_to()), "the file is not UTF-8 here"))
}

/// Returns a parser's error with its position as the place.
pub fn syntax_error(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let place = format!("line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&format!(" at {place}")).unwrap_or(&text);
    Error::format(place, reason)
}

/// Returns what a value is, as a refusal names it.
fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value of a file and the path that leads to it.
#[derive(Debug, Clone)]
pub struct Node<'v> {
    value: &'v Value,
    path: String,
}

impl<'v> Node<'v> {
    /// Returns the node of `value`, which stands at `path`.
    pub fn new(value: &'v Value, path: impl Into<String>) -> Self {
        Self { value, path: path.into() }
    }

    /// Returns the value itself.
    pub fn value(&self) -> &'v Value {
        self.value
    }

    /// Returns the path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the error that refuses this value for `reason`.
    pub fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::format(self.path.clone(), reason)
    }

    fn expected(&self, what: &str) -> Error {
        self.refuse(format!("expected {what}, found {}", shape(self.value)))
    }

    /// Returns whether the value is null.
    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    /// Returns the value as an object.
    ///
    /// # Errors
    /// [`Error::Format`] where it is none.
    pub fn object(&self) -> Result<&'v Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.expected("an object"))
    }

    /// Returns the field `name`, or `None` where the object lacks it.
    ///
    /// # Errors
    /// [`Error::Format`] where the value is no object.
    pub fn find(&self, name: &str) -> Result<Option<Self>> {
        Ok(self.object()?.get(name).map(|value| Self::new(value, format!("{}.{name}", self.path))))
    }

    /// Returns the field `name`.
    ///
    /// # Errors
    /// [`Error::Format`] where the value is no object or lacks the field.
    pub fn field(&self, name: &str) -> Result<Self> {
        self.find(name)?.ok_or_else(|| self.refuse(format!("the field {name:?} is missing")))
    }

    /// Returns the elements of the array.
    ///
    /// # Errors
    /// [`Error::Format`] where the value is no array.
    pub fn items(&self) -> Result<impl Iterator<Item = Self> + use<'v>> {
        let items = self.value.as_array().ok_or_else(|| self.expected("an array"))?;
        let path = self.path.clone();
        Ok(items.iter().enumerate().map(move |(at, value)| Self::new(value, format!("{path}[{at}]"))))
    }

    /// Returns the string.
    ///
    /// # Errors
    /// [`Error::Format`] where the value is none.
    pub fn text(&self) -> Result<&'v str> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// Returns the boolean.
    ///
    /// # Errors
    /// [`Error::Format`] where the value is none.
    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// Returns the number.
    ///
    /// # Errors
    /// [`Error::Format`] where the value is no integer from 0 to 2³² - 1.
    pub fn number(&self) -> Result<u32> {
        self.value.as_u64().and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
            let shown =
                if self.value.is_number() { self.value.to_string() } else { shape(self.value).to_owned() };
            self.refuse(format!("expected an integer from 0 to {}, found {shown}", u32::MAX))
        })
    }

    /// Returns the component's name: its field `type`.
    ///
    /// # Errors
    /// [`Error::Format`] where there is no such string.
    pub fn component(&self) -> Result<&'v str> {
        self.field("type")?.text()
    }

    /// Returns the error for a component that is not read.
    pub fn unsupported(&self, component: &str, supported: &str) -> Error {
        Error::format(
            format!("{}.type", self.path),
            format!("{component:?} is not supported by this version; here it reads {supported}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_carry_the_path() {
        let value: Value = serde_json::from_str(r#"{"a": [{"b": 1.5}, true]}"#).unwrap();
        let root = Node::new(&value, "model");
        let items: Vec<_> = root.field("a").unwrap().items().unwrap().collect();
        let number = items[0].field("b").unwrap();
        assert_eq!(
            number.number().unwrap_err().to_string(),
            "model.a[0].b: expected an integer from 0 to 4294967295, found 1.5"
        );
        assert_eq!(
            items[1].text().unwrap_err().to_string(),
            "model.a[1]: expected a string, found a boolean"
        );
        assert_eq!(root.field("c").unwrap_err().to_string(), "model: the field \"c\" is missing");
        assert_eq!(
            items[1].component().unwrap_err().to_string(),
            "model.a[1]: expected an object, found a boolean"
        );
    }

    #[test]
    fn syntax_errors_carry_the_position_once() {
        let error = serde_json::from_str::<Value>("{\n  \"a\": tru }").unwrap_err();
        assert_eq!(syntax_error(&error).to_string(), "line 2 column 11: expected ident");
    }

    #[test]
    fn bytes_that_are_no_text_are_placed() {
        assert_eq!(as_text(b"ab\xff").unwrap_err().to_string(), "byte 2: the file is not UTF-8 here");
        assert!(as_text(b"\xef\xbb\xbf{}").unwrap_err().to_string().contains("byte order mark"));
    }
}
