//! `Ids` and `Counts`: immutable sequences of numbers that other programs read in place.

#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "the wrappers that pyo3 generates call the two buffer slots this way"
)]

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use pyo3::exceptions::{PyBufferError, PyIndexError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PySlice, PyTuple};

use crate::{arrow, lists};

/// Numbers of one kind, shared: a slice with step 1 looks into the same memory.
#[derive(Clone)]
struct Numbers<T> {
    all: Arc<Vec<T>>,
    start: usize,
    end: usize,
}

impl<T: Copy> Numbers<T> {
    fn new(all: Vec<T>) -> Self {
        Self { start: 0, end: all.len(), all: Arc::new(all) }
    }

    fn view(&self, start: usize, end: usize) -> Self {
        Self { all: Arc::clone(&self.all), start: self.start + start, end: self.start + end }
    }

    fn slice(&self) -> &[T] {
        &self.all[self.start..self.end]
    }

    fn at(&self, index: isize) -> PyResult<T> {
        let numbers = self.slice();
        let place = if index < 0 { index + numbers.len() as isize } else { index };
        usize::try_from(place)
            .ok()
            .and_then(|place| numbers.get(place))
            .copied()
            .ok_or_else(|| PyIndexError::new_err(format!("index {index} of {} numbers", numbers.len())))
    }

    /// The range that `start` and `stop` mean, as Python has it: negative ones count from the end, all are cut to fit.
    fn bounds(&self, start: isize, stop: isize) -> std::ops::Range<usize> {
        let n = self.slice().len() as isize;
        let place = |index: isize| (if index < 0 { index + n } else { index }).clamp(0, n) as usize;
        place(start)..place(stop)
    }

    fn sliced(&self, slice: &Bound<'_, PySlice>) -> PyResult<Self> {
        let bounds = slice.indices(self.slice().len() as isize)?;
        if bounds.step == 1 {
            let start = bounds.start.max(0) as usize;
            return Ok(self.view(start, start + bounds.slicelength));
        }
        let picked = (0..bounds.slicelength as isize).map(|i| self.at(bounds.start + i * bounds.step));
        Ok(Self::new(picked.collect::<PyResult<_>>()?))
    }
}

/// Fills `view` with a read-only, contiguous, one-dimensional array.
///
/// # Safety
/// `view` is null or points to a `Py_buffer` that may be overwritten.
unsafe fn fill<T>(
    owner: &Bound<'_, PyAny>,
    numbers: &[T],
    format: &'static std::ffi::CStr,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("no view to fill"));
    }
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return Err(PyBufferError::new_err("these numbers cannot be changed"));
    }
    let item = size_of::<T>() as isize;
    let shape = Box::into_raw(Box::new([numbers.len() as isize, item]));
    // SAFETY: `view` is valid for writes by the caller's word. `buf` points into memory that `owner`, a frozen
    // object whose reference the view holds until it is released, never frees or changes. `shape` and `strides`
    // point into a heap array of two numbers that `release` frees, and `internal` remembers it.
    unsafe {
        (*view).obj = owner.clone().into_ptr();
        (*view).buf = numbers.as_ptr().cast_mut().cast::<c_void>();
        (*view).len = item * numbers.len() as isize;
        (*view).readonly = 1;
        (*view).itemsize = item;
        (*view).format = if flags & ffi::PyBUF_FORMAT == ffi::PyBUF_FORMAT {
            format.as_ptr().cast_mut()
        } else {
            std::ptr::null_mut()
        };
        (*view).ndim = 1;
        (*view).shape =
            if flags & ffi::PyBUF_ND == ffi::PyBUF_ND { shape.cast() } else { std::ptr::null_mut() };
        (*view).strides = if flags & ffi::PyBUF_STRIDES == ffi::PyBUF_STRIDES {
            shape.cast::<isize>().add(1)
        } else {
            std::ptr::null_mut()
        };
        (*view).suboffsets = std::ptr::null_mut();
        (*view).internal = shape.cast();
    }
    Ok(())
}

/// Frees what `fill` allocated.
///
/// # Safety
/// `view` was filled by `fill` and is released once.
unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: `internal` is the box that `fill` leaked into this very view, taken back once.
    drop(unsafe { Box::from_raw((*view).internal.cast::<[isize; 2]>()) });
}

macro_rules! sequence {
    ($(#[$doc:meta])* $name:ident, $number:ty, $format:literal, $arrow:literal) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "piecework._core", weakref)]
        #[derive(Clone)]
        pub struct $name(Numbers<$number>);

        impl $name {
            /// Wraps numbers.
            pub fn new(numbers: Vec<$number>) -> Self {
                Self(Numbers::new(numbers))
            }

            /// Returns numbers `start..end` of these, in the same memory.
            pub fn view(&self, start: usize, end: usize) -> Self {
                let n = self.0.slice().len();
                Self(self.0.view(start.min(n), end.clamp(start.min(n), n)))
            }

            /// Returns the numbers.
            pub fn as_slice(&self) -> &[$number] {
                self.0.slice()
            }
        }

        #[pymethods]
        impl $name {
            fn __len__(&self) -> usize {
                self.0.slice().len()
            }

            fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                if let Ok(slice) = index.cast::<PySlice>() {
                    return Ok(Bound::new(py, Self(self.0.sliced(slice)?))?.into_any());
                }
                Ok(self.0.at(index.extract()?)?.into_pyobject(py)?.into_any())
            }

            fn __contains__(&self, value: &Bound<'_, PyAny>) -> bool {
                value.extract::<$number>().is_ok_and(|number| self.0.slice().contains(&number))
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Ok(self.tolist(py)?.try_iter()?.into_any())
            }

            fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.tolist(py)?.call_method0("__reversed__")
            }

            /// The index of the first equal number in `[start:stop]`, as a list has it.
            #[pyo3(signature = (value, start=0, stop=isize::MAX, /))]
            fn index(&self, value: &Bound<'_, PyAny>, start: isize, stop: isize) -> PyResult<usize> {
                let bounds = self.0.bounds(start, stop);
                let place = value.extract::<$number>().ok().and_then(|number| {
                    let place = self.0.slice().get(bounds.clone())?.iter().position(|&other| other == number)?;
                    Some(bounds.start + place)
                });
                place.ok_or_else(|| PyValueError::new_err(format!("{value} is not in it")))
            }

            #[pyo3(signature = (value, /))]
            fn count(&self, value: &Bound<'_, PyAny>) -> usize {
                let Ok(number) = value.extract::<$number>() else { return 0 };
                self.0.slice().iter().filter(|&&other| other == number).count()
            }

            fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
                let equal = if let Ok(other) = other.cast::<Self>() {
                    self.0.slice() == other.get().0.slice()
                } else if other.is_instance_of::<PyList>() || other.is_instance_of::<PyTuple>() {
                    other.extract::<Vec<$number>>().is_ok_and(|other| self.0.slice() == other)
                } else {
                    return Ok(py.NotImplemented());
                };
                Ok(equal.into_pyobject(py)?.to_owned().into_any().unbind())
            }

            /// The hash of the equal tuple.
            fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                PyTuple::new(py, self.0.slice())?.hash()
            }

            fn __repr__(&self) -> String {
                const SHOWN: usize = 20;
                let numbers = self.0.slice();
                let first: Vec<String> = numbers.iter().take(SHOWN).map(ToString::to_string).collect();
                let rest = if numbers.len() > SHOWN { format!(", … {} in all", numbers.len()) } else { String::new() };
                format!("{}([{}{rest}])", stringify!($name), first.join(", "))
            }

            fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                lists::list(py, self.0.slice().iter().map(|&number| Ok(number)))
            }

            fn tobytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                let bytes: Vec<u8> = self.0.slice().iter().flat_map(|number| number.to_ne_bytes()).collect();
                PyBytes::new(py, &bytes)
            }

            fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                slf.py().import("piecework._optional")?.call_method1("numpy_array", (slf,))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
                let rebuild = slf.get_type().getattr("_from_bytes")?;
                Ok((rebuild, (slf.get().tobytes(slf.py()),)))
            }

            #[staticmethod]
            fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
                let (numbers, rest) = bytes.as_chunks();
                if !rest.is_empty() {
                    return Err(PyValueError::new_err("not a whole number of numbers"));
                }
                Ok(Self::new(numbers.iter().map(|number| <$number>::from_ne_bytes(*number)).collect()))
            }

            /// Arrow's C data interface; the schema that is asked for may be left aside.
            #[pyo3(signature = (requested_schema=None))]
            fn __arrow_c_array__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyTuple>> {
                let _ = requested_schema;
                arrow::exported(py, Arc::clone(&self.0.all), self.0.start, self.0.end, $arrow)
            }

            unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
                // SAFETY: the interpreter passes a view to fill.
                unsafe { fill(slf.as_any(), slf.get().0.slice(), $format, view, flags) }
            }

            unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
                // SAFETY: the interpreter releases each view that was filled once.
                unsafe { release(view) }
            }
        }
    };
}

sequence!(
    /// Token ids: an immutable sequence of uint32.
    Ids, u32, c"I", c"I"
);
sequence!(
    /// Counts or offsets: an immutable sequence of int64.
    Counts, i64, c"q", c"l"
);

/// Tells `collections.abc` that these are sequences.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let sequence = py.import("collections.abc")?.getattr("Sequence")?;
    sequence.call_method1("register", (py.get_type::<Ids>(),))?;
    sequence.call_method1("register", (py.get_type::<Counts>(),))?;
    Ok(())
}
