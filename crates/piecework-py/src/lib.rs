//! The Python module `piecework._core`: one file a class, no logic.

use pyo3::prelude::*;

#[pymodule]
mod _core {}
