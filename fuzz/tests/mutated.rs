//! Each target for ten seconds on mutated seeds: `cargo test -p piecework-fuzz --test mutated -- --ignored`. A failure
//! names a seed with which `arbtest` repeats it; a hang names its input and ends the tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test says what it found"
)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arbtest::arbtest;
use piecework_fuzz::{TARGETS, Target, mutate::mutate};

/// No input of a few kilobytes takes that long, on however busy a machine.
const HANGS: Duration = Duration::from_secs(30);

/// What runs now, and since when.
type Running = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Ends the process where one input runs on and on.
fn watch(target: Target, running: Running, done: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        while !done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(500));
            let running = running.lock().unwrap();
            if let Some((since, input)) = running.as_ref().filter(|(since, _)| since.elapsed() > HANGS) {
                eprintln!(
                    "{} hangs after {:?} on {:?}",
                    target.name,
                    since.elapsed(),
                    input.escape_ascii().to_string()
                );
                std::process::abort();
            }
        }
    });
}

fn ten_seconds(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    let (running, done) = (Running::default(), Arc::new(AtomicBool::new(false)));
    watch(target, Arc::clone(&running), Arc::clone(&done));
    let mut n = 0_u64;
    let seconds =
        std::env::var("PIECEWORK_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    arbtest(|u| {
        let input = mutate(&seeds, u)?;
        *running.lock().unwrap() = Some((Instant::now(), input.clone()));
        (target.run)(&input);
        *running.lock().unwrap() = None;
        n += 1;
        Ok(())
    })
    .budget(Duration::from_secs(seconds))
    .run();
    done.store(true, Ordering::Relaxed);
    println!("{name}: {n} inputs");
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(
            #[test]
            #[ignore = "ten seconds each: `make check` runs them"]
            fn $name() {
                ten_seconds(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_run() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

targets!(
    tokenizer_json,
    tiktoken,
    pack,
    definition,
    sentencepiece,
    tekken,
    gguf,
    wordpiece,
    vocab_merges,
    detect,
    stages,
    bytes,
    characters,
    unigram,
    word_piece
);
