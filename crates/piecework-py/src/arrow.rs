//! Arrow's C data interface, by its `PyCapsule` protocol: numbers go out without a copy, strings come in without
//! one. The structs are those of the interface's definition, <https://arrow.apache.org/docs/format/CDataInterface.html>.

use std::any::Any;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A struct of the interface: made empty, moved bit by bit, given back to whoever made it by its `release`.
trait Foreign {
    /// The name that its capsule bears.
    const CAPSULE: &'static CStr;
    /// A released one.
    fn empty() -> Self;
}

macro_rules! foreign {
    ($name:ident, $capsule:literal, { $($field:ident: $type:ty = $empty:expr),* $(,)? }) => {
        #[repr(C)]
        struct $name {
            $($field: $type,)*
            release: Option<unsafe extern "C" fn(*mut $name)>,
            private_data: *mut c_void,
        }

        impl Foreign for $name {
            const CAPSULE: &'static CStr = $capsule;

            fn empty() -> Self {
                Self { $($field: $empty,)* release: None, private_data: null_mut() }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: whoever filled the struct wants exactly this call, once, before it is dropped; its
                    // `release` is there, so it was neither released nor moved on.
                    unsafe { release(self) }
                }
            }
        }
    };
}

foreign!(Schema, c"arrow_schema", {
    format: *const c_char = null(),
    name: *const c_char = null(),
    metadata: *const c_char = null(),
    flags: i64 = 0,
    n_children: i64 = 0,
    children: *mut *mut Schema = null_mut(),
    dictionary: *mut Schema = null_mut(),
});
foreign!(Array, c"arrow_array", {
    length: i64 = 0,
    null_count: i64 = 0,
    offset: i64 = 0,
    n_buffers: i64 = 0,
    n_children: i64 = 0,
    buffers: *mut *const c_void = null_mut(),
    children: *mut *mut Array = null_mut(),
    dictionary: *mut Array = null_mut(),
});
foreign!(Stream, c"arrow_array_stream", {
    schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int> = None,
    next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int> = None,
    last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char> = None,
});

/// What an exported array keeps alive: the numbers, and the list of its two buffers.
struct Held {
    _owner: Arc<dyn Any + Send + Sync>,
    buffers: [*const c_void; 2],
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: called with the struct that holds this very function; all that it points to is static.
    unsafe { (*schema).release = None }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: called once with the struct that holds this very function, whose `private_data` is the box that
    // `exported` leaked.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Held>()));
        (*array).release = None;
    }
}

/// Returns numbers as the pair of capsules that `__arrow_c_array__` returns. `owner` holds the memory of `numbers`,
/// which lie there unchanged for as long as it lives; `format` is their type as Arrow writes it.
pub fn exported<'py, T: Copy + Send + Sync + 'static>(
    py: Python<'py>,
    owner: Arc<Vec<T>>,
    start: usize,
    end: usize,
    format: &'static CStr,
) -> PyResult<Bound<'py, PyTuple>> {
    let numbers = owner.get(start..end).unwrap_or(&[]);
    let (pointer, length) = (numbers.as_ptr().cast(), numbers.len() as i64);
    // No bitmap of nulls: there are none.
    let held = Box::into_raw(Box::new(Held { _owner: owner, buffers: [null(), pointer] }));
    let mut array = Array::empty();
    array.length = length;
    array.n_buffers = 2;
    // SAFETY: `held` was just made; only the address of its field is taken, and it lives until `release_array`.
    array.buffers = unsafe { (&raw mut (*held).buffers).cast() };
    array.private_data = held.cast();
    array.release = Some(release_array);
    let mut schema = Schema::empty();
    schema.format = format.as_ptr();
    schema.name = c"".as_ptr();
    schema.release = Some(release_schema);
    PyTuple::new(py, [capsule(py, schema)?, capsule(py, array)?])
}

/// Puts a struct into a capsule, which gives it back if nobody takes it out.
fn capsule<T: Foreign>(py: Python<'_>, value: T) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn destroy<T: Foreign>(capsule: *mut ffi::PyObject) {
        // SAFETY: the interpreter destroys a capsule of this name once; its pointer is the box that was leaked into it.
        unsafe {
            let pointer = ffi::PyCapsule_GetPointer(capsule, T::CAPSULE.as_ptr());
            if pointer.is_null() {
                ffi::PyErr_Clear();
            } else {
                drop(Box::from_raw(pointer.cast::<T>()));
            }
        }
    }
    let pointer = Box::into_raw(Box::new(value));
    // SAFETY: the name is static, and the pointer is not null; a new reference comes back, or null with an exception
    // set, and then the box is still ours.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer.cast(), T::CAPSULE.as_ptr(), Some(destroy::<T>));
        if capsule.is_null() {
            drop(Box::from_raw(pointer));
        }
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// Takes a struct out of its capsule.
fn taken<T: Foreign>(capsule: &Bound<'_, PyAny>) -> PyResult<T> {
    // SAFETY: a capsule of this name holds a pointer to such a struct, or null comes back with an exception set. By the
    // protocol a consumer moves the struct out and leaves a released one, which is what `replace` does.
    unsafe {
        let pointer = ffi::PyCapsule_GetPointer(capsule.as_ptr(), T::CAPSULE.as_ptr()).cast::<T>();
        if pointer.is_null() {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(std::mem::replace(&mut *pointer, T::empty()))
    }
}

/// How an array lays out its strings.
#[derive(Clone, Copy)]
enum Layout {
    /// 32-bit offsets into one buffer.
    Offsets32,
    /// 64-bit offsets into one buffer.
    Offsets64,
    /// Lengths with the bytes beside them or a place in one of many buffers.
    Views,
}

/// Strings of an Arrow array or stream, in its own memory.
pub struct Strings {
    layout: Layout,
    arrays: Vec<Array>,
}

impl Strings {
    /// Takes the strings of an object that speaks the protocol; `None` for one that does not.
    ///
    /// # Errors
    /// `TypeError` for an array of anything but strings; what the object itself raises.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let (schema, arrays) = if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?;
            (taken::<Schema>(&pair.get_item(0)?)?, vec![taken::<Array>(&pair.get_item(1)?)?])
        } else if object.hasattr("__arrow_c_stream__")? {
            streamed(object.py(), taken::<Stream>(&object.call_method0("__arrow_c_stream__")?)?)?
        } else {
            return Ok(None);
        };
        let layout = layout(&schema)?;
        if arrays.iter().all(is_sound) {
            Ok(Some(Self { layout, arrays }))
        } else {
            Err(PyValueError::new_err("an Arrow array that is not laid out as its type requires"))
        }
    }

    /// Iterates over the strings' bytes: `None` for a null, an error for one that lies outside of its buffer.
    pub fn iter(&self) -> impl Iterator<Item = PyResult<Option<&[u8]>>> {
        self.arrays.iter().flat_map(|array| {
            let bytes = |at| string(array, self.layout, at).ok_or_else(misplaced).map(Some);
            (0..array.length as usize)
                .map(move |at| at + array.offset as usize)
                .map(move |at| if is_null(array, at) { Ok(None) } else { bytes(at) })
        })
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.arrays.iter().map(|array| array.length as usize).sum()
    }
}

fn misplaced() -> PyErr {
    PyValueError::new_err("an Arrow string that lies outside of its array")
}

fn layout(schema: &Schema) -> PyResult<Layout> {
    if schema.format.is_null() {
        return Err(PyValueError::new_err("an Arrow array without a type"));
    }
    // SAFETY: a schema that is not released has a format that ends with a NUL.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_string_lossy();
    let is_plain = schema.dictionary.is_null();
    match &*format {
        "u" | "z" if is_plain => Ok(Layout::Offsets32),
        "U" | "Z" if is_plain => Ok(Layout::Offsets64),
        "vu" | "vz" if is_plain => Ok(Layout::Views),
        _ => {
            let kind = if is_plain { "" } else { ", dictionary-encoded" };
            let message = format!("texts are Arrow strings, not of Arrow's type {format:?}{kind}");
            Err(PyTypeError::new_err(message))
        }
    }
}

fn streamed(py: Python<'_>, mut stream: Stream) -> PyResult<(Schema, Vec<Array>)> {
    let (mut schema, mut arrays) = (Schema::empty(), Vec::new());
    let (Some(read_schema), Some(next)) = (stream.schema, stream.next) else {
        return Err(PyValueError::new_err("an Arrow stream that was read before"));
    };
    // SAFETY: the stream is not released (its functions are there), and is used by this thread alone.
    let code = unsafe { read_schema(&raw mut stream, &raw mut schema) };
    checked(code, &mut stream)?;
    // What cannot be used need not be read.
    layout(&schema)?;
    loop {
        py.check_signals()?;
        let mut array = Array::empty();
        // SAFETY: as above; `array` is released, as the callee expects.
        let code = unsafe { next(&raw mut stream, &raw mut array) };
        checked(code, &mut stream)?;
        if array.release.is_none() {
            return Ok((schema, arrays));
        }
        arrays.push(array);
    }
}

fn checked(code: c_int, stream: &mut Stream) -> PyResult<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: asked right after a call that failed; null, or a text that lives until the next call.
    let reason =
        stream.last_error.map(|last| unsafe { last(&raw mut *stream) }).filter(|text| !text.is_null());
    // SAFETY: not null, and ends with a NUL.
    let reason = reason.map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    let reason = reason.unwrap_or_else(|| format!("code {code}"));
    Err(PyValueError::new_err(format!("the Arrow stream cannot be read: {reason}")))
}

/// Whether an array has the members that strings have, as far as that can be seen.
fn is_sound(array: &Array) -> bool {
    let is_counted =
        array.length >= 0 && array.offset >= 0 && array.offset.checked_add(array.length).is_some();
    is_counted && array.release.is_some() && array.n_buffers >= 3 && !array.buffers.is_null()
}

fn buffer(array: &Array, at: usize) -> *const c_void {
    // SAFETY: `at` is below `n_buffers`, which callers have compared with; the list has so many.
    unsafe { *array.buffers.add(at) }
}

fn is_null(array: &Array, at: usize) -> bool {
    let bitmap = buffer(array, 0).cast::<u8>();
    // SAFETY: a bitmap that is there has a bit for each of `offset + length` items, and `at` is one of them.
    !bitmap.is_null() && unsafe { *bitmap.add(at / 8) } & (1 << (at % 8)) == 0
}

/// Returns item `at`, counted with the array's offset.
fn string(array: &Array, layout: Layout, at: usize) -> Option<&[u8]> {
    let table = buffer(array, 1);
    if table.is_null() {
        return None;
    }
    let (start, end) = match layout {
        Layout::Views => {
            // SAFETY: the table has an entry for each of `offset + length` items, one more where it holds offsets; `at`
            // is one of the items. It need not be aligned.
            let entry = unsafe { table.cast::<[u8; 16]>().add(at) };
            return view(array, entry);
        }
        Layout::Offsets32 => {
            // SAFETY: as above.
            let pair = unsafe { table.cast::<i32>().add(at).cast::<[i32; 2]>().read_unaligned() };
            (i64::from(pair[0]), i64::from(pair[1]))
        }
        Layout::Offsets64 => {
            // SAFETY: as above.
            let pair = unsafe { table.cast::<i64>().add(at).cast::<[i64; 2]>().read_unaligned() };
            (pair[0], pair[1])
        }
    };
    let (start, n) = (usize::try_from(start).ok()?, usize::try_from(end.checked_sub(start)?).ok()?);
    part(buffer(array, 2), start, n)
}

fn view(array: &Array, entry: *const [u8; 16]) -> Option<&[u8]> {
    // SAFETY: the caller's entry; four numbers of 32 bits, or one and twelve bytes.
    let words = unsafe { entry.cast::<[i32; 4]>().read_unaligned() };
    let n = usize::try_from(words[0]).ok()?;
    if n <= 12 {
        return part(entry.cast(), 4, n);
    }
    let (which, start) = (usize::try_from(words[2]).ok()?, usize::try_from(words[3]).ok()?);
    // Behind the bitmap and the views come the buffers, and last their sizes.
    let n_buffers = usize::try_from(array.n_buffers).ok()?.checked_sub(3)?;
    let sizes = buffer(array, n_buffers + 2).cast::<i64>();
    if which >= n_buffers || sizes.is_null() {
        return None;
    }
    // SAFETY: there are `n_buffers` sizes.
    let size = unsafe { sizes.add(which).read_unaligned() };
    let fits = start.checked_add(n).is_some_and(|end| i64::try_from(end).is_ok_and(|end| end <= size));
    fits.then(|| part(buffer(array, which + 2), start, n)).flatten()
}

fn part<'a>(bytes: *const c_void, start: usize, n: usize) -> Option<&'a [u8]> {
    if n == 0 {
        return Some(&[]);
    }
    // SAFETY: callers pass a place that the array's offsets name (the interface has no other bound for them) or that lies
    // within the buffer's size; the array lives as long as what is returned, and nothing changes its memory meanwhile.
    (!bytes.is_null()).then(|| unsafe { std::slice::from_raw_parts(bytes.cast::<u8>().add(start), n) })
}

// SAFETY: the interface lets a struct be used and released by any thread, one at a time; nothing here changes one.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}
