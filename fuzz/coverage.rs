//! One program for all targets, guided by coverage: `PIECEWORK_FUZZ_TARGET` names the one to run.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use piecework_fuzz::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("PIECEWORK_FUZZ_TARGET").unwrap_or_default();
    let names = TARGETS.map(|target| target.name).join(", ");
    let target = TARGETS.iter().find(|target| target.name == name);
    target.unwrap_or_else(|| panic!("PIECEWORK_FUZZ_TARGET names no target; there are {names}"))
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
