//! `Batch`: the ids of many texts.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::buffer::{Counts, Ids};

/// Ids of many texts.
#[pyclass(frozen, module = "piecework._core", weakref)]
pub struct Batch {
    ids: Ids,
    offsets: Counts,
}

impl Batch {
    /// Wraps the engine's batch.
    pub fn new(batch: piecework_core::batch::Batch) -> Self {
        Self { ids: Ids::new(batch.ids), offsets: Counts::new(batch.offsets) }
    }
}

#[pymethods]
impl Batch {
    #[getter]
    fn ids(&self) -> Ids {
        self.ids.clone()
    }

    #[getter]
    fn offsets(&self) -> Counts {
        self.offsets.clone()
    }

    fn __len__(&self) -> usize {
        self.offsets.as_slice().len().saturating_sub(1)
    }

    fn __getitem__(&self, index: isize) -> PyResult<Ids> {
        let n = self.__len__();
        let place = if index < 0 { index + n as isize } else { index };
        let bounds =
            usize::try_from(place).ok().and_then(|place| self.offsets.as_slice().get(place..place + 2));
        match bounds {
            Some(&[start, end]) => Ok(self.ids.view(start as usize, end as usize)),
            _ => Err(PyIndexError::new_err(format!("index {index} of {n} texts"))),
        }
    }

    fn __repr__(&self) -> String {
        format!("Batch({} texts, {} ids)", self.__len__(), self.ids.as_slice().len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Ids, Counts))> {
        Ok((slf.get_type().getattr("_from_parts")?, (slf.get().ids(), slf.get().offsets())))
    }

    #[staticmethod]
    fn _from_parts(ids: &Bound<'_, Ids>, offsets: &Bound<'_, Counts>) -> PyResult<Self> {
        let (ids, offsets) = (ids.get().clone(), offsets.get().clone());
        let ends = offsets.as_slice();
        let sound = ends.first() == Some(&0)
            && ends.is_sorted()
            && ends.last().and_then(|&end| usize::try_from(end).ok()) == Some(ids.as_slice().len());
        if sound {
            Ok(Self { ids, offsets })
        } else {
            Err(PyValueError::new_err("offsets do not fit the ids"))
        }
    }
}
