//! Reads the golden files under `tests/golden`: ids by the reference libraries, held against the bundled
//! tokenizers without Python, without the references and without anything fetched.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Ids of one tokenizer by its reference library. What speaks of fetched texts is left to the Python tests.
#[derive(Debug, Deserialize)]
pub struct Golden {
    /// The library and its version.
    pub tool: String,
    /// The tokenizer's name.
    pub tokenizer: String,
    /// Texts with their ids.
    pub texts: Vec<Text>,
}

/// A text with its ids.
#[derive(Debug, Deserialize)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Its ids.
    pub ids: Vec<u32>,
}

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns all golden files, by name.
pub fn all() -> Vec<Golden> {
    let folder = root().join("tests/golden");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of golden files")
        .map(|entry| entry.expect("a folder that can be read").path())
        // Folders hold those of other references.
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a golden file");
    paths.iter().map(|path| serde_json::from_str(&read(path)).expect("the form of a golden file")).collect()
}

/// Returns the pack of a bundled tokenizer, with those that it builds on before it.
pub fn pack(name: &str) -> Vec<u8> {
    let bases: &[&str] = match name {
        "p50k_base" => &["r50k_base"],
        "p50k_edit" => &["r50k_base", "p50k_base"],
        "o200k_harmony" => &["o200k_base"],
        "qwen3" => &["cl100k_base"],
        _ => &[],
    };
    let folder = root().join("python/piecework/_data");
    let read = |name: &&str| std::fs::read(folder.join(format!("{name}.pack"))).expect("a bundled pack");
    bases.iter().chain(&[name]).flat_map(read).collect()
}
