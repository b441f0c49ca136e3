//! Writes a target's seeds into a folder, for libFuzzer to begin from: `seeds TARGET FOLDER`.

use std::path::Path;

use piecework_fuzz::TARGETS;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder] = arguments.as_slice() else {
        return Err(std::io::Error::other("usage: seeds TARGET FOLDER"));
    };
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.ok_or_else(|| {
        std::io::Error::other(format!(
            "no target {name}; there are {}",
            TARGETS.map(|target| target.name).join(", ")
        ))
    })?;
    std::fs::create_dir_all(folder)?;
    for (number, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(Path::new(folder).join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}
