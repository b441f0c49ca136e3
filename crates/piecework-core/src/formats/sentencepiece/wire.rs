//! Reading protocol buffers by hand, the four wire types that the format has: every length is checked
//! against what is left before anything is done with it, and every refusal says at which byte.

use crate::error::{Error, Result};

/// One field of a message.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// Its number.
    pub number: u32,
    /// Its value.
    pub value: Value<'a>,
    /// Where its value begins in the file.
    pub at: usize,
}

/// A field's value.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// A variable-length integer.
    Varint(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Eight bytes, which no field of the format has.
    Fixed64,
    /// Bytes, a text, or a message.
    Bytes(&'a [u8]),
}

/// The fields of one message, in file order.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// Returns the fields of the message `data`, which begins at byte `at` of the file.
    pub fn new(data: &'a [u8], at: usize) -> Self {
        Self { rest: data, at }
    }

    /// Returns the next field, or `None` at the message's end.
    ///
    /// # Errors
    /// [`Error::Format`] for a message that is cut off, a length beyond its end, an integer of more than
    /// 64 bits, field number 0, or a wire type that is none.
    pub fn next_field(&mut self) -> Result<Option<Field<'a>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let start = self.at;
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).ok().filter(|&number| number != 0);
        let number = number.ok_or_else(|| refuse(start, "a field without a number"))?;
        let mut at = self.at;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed64)?,
            2 => {
                let length = self.varint()?;
                at = self.at;
                Value::Bytes(self.take(length)?)
            }
            5 => {
                let bytes = self.take(4)?;
                Value::Fixed32(bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
            }
            other => return Err(refuse(start, format!("the wire type {other} is none"))),
        };
        Ok(Some(Field { number, value, at }))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let taken = usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length));
        let Some((taken, rest)) = taken else {
            let n_left = self.rest.len();
            return Err(refuse(self.at, format!("{length} bytes are announced, {n_left} are left")));
        };
        self.rest = rest;
        self.at += taken.len();
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64> {
        let start = self.at;
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let &[byte] = self.take(1)? else { break };
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(refuse(start, "an integer of more than 64 bits"))
    }
}

impl<'a> Field<'a> {
    /// Returns the value as bytes.
    ///
    /// # Errors
    /// [`Error::Format`] where it is of another type.
    pub fn bytes(&self) -> Result<&'a [u8]> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(self.refuse(format!("field {} is not of bytes", self.number))),
        }
    }

    /// Returns the value as a text.
    ///
    /// # Errors
    /// [`Error::Format`] where it is of another type, or not UTF-8.
    pub fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?)
            .map_err(|error| refuse(self.at + error.valid_up_to(), "the text is not UTF-8 here"))
    }

    /// Returns the fields of the value, a message.
    ///
    /// # Errors
    /// [`Error::Format`] where it is of another type.
    pub fn message(&self) -> Result<Fields<'a>> {
        Ok(Fields::new(self.bytes()?, self.at))
    }

    /// Returns the value as an integer.
    ///
    /// # Errors
    /// [`Error::Format`] where it is of another type.
    pub fn integer(&self) -> Result<i64> {
        match self.value {
            // Negative integers are written in two's complement.
            Value::Varint(value) => Ok(value.cast_signed()),
            _ => Err(self.refuse(format!("field {} is not an integer", self.number))),
        }
    }

    /// Returns the value as a switch.
    ///
    /// # Errors
    /// [`Error::Format`] where it is of another type.
    pub fn flag(&self) -> Result<bool> {
        Ok(self.integer()? != 0)
    }

    /// Returns the value as a float.
    ///
    /// # Errors
    /// [`Error::Format`] where it is of another type.
    pub fn float(&self) -> Result<f32> {
        match self.value {
            Value::Fixed32(bits) => Ok(f32::from_bits(bits)),
            _ => Err(self.refuse(format!("field {} is not a float", self.number))),
        }
    }

    /// Returns the error that refuses this field for `reason`.
    pub fn refuse(&self, reason: impl Into<String>) -> Error {
        refuse(self.at, reason)
    }
}

fn refuse(at: usize, reason: impl Into<String>) -> Error {
    Error::format(format!("byte {at}"), reason)
}
