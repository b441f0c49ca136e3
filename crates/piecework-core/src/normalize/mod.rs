//! The first stage: normalizers. Each returns the new text and an [`Alignment`] to the original, and
//! borrows where it changes nothing.

mod composer;
mod nfc;
mod quick_check;

pub use crate::alignment::Alignment;
pub use nfc::{is_nfc, nfc, nfc_aligned};
