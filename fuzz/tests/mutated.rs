//! Each target for ten seconds on mutated seeds: `cargo test -p piecework-fuzz --test mutated -- --ignored`. The inputs
//! are the same every time; `PIECEWORK_FUZZ_ROUND=7` gives others. A failure names a seed with which `arbtest` repeats
//! it; a hang names its input and ends the tests.
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

/// Tells the watch that nothing runs any more, also where a finding ends the test: it would take that for a hang, and
/// end the process before the finding is shown.
struct Done(Arc<AtomicBool>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

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

/// The number in a variable of the environment.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The `n`th seed of a round: the same on every machine, so that what passed once passes again, and a slower machine
/// only sees fewer of them. The upper half makes the bytes, the lower half says how many.
fn seed(round: u64, n: u64) -> u64 {
    const N_BYTES: [u64; 6] = [64, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16];
    let mixed = ((round << 24) + n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    mixed << 32 | N_BYTES[usize::try_from(n).unwrap() % N_BYTES.len()]
}

fn ten_seconds(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    let (running, done) = (Running::default(), Arc::new(AtomicBool::new(false)));
    watch(target, Arc::clone(&running), Arc::clone(&done));
    let _done = Done(done);
    let mut n = 0_u64;
    let budget = Duration::from_secs(number("PIECEWORK_FUZZ_SECONDS", 10));
    let round = number("PIECEWORK_FUZZ_ROUND", 0);
    let start = Instant::now();
    while start.elapsed() < budget {
        arbtest(|u| {
            let input = mutate(&seeds, u)?;
            *running.lock().unwrap() = Some((Instant::now(), input.clone()));
            (target.run)(&input);
            *running.lock().unwrap() = None;
            Ok(())
        })
        .seed(seed(round, n))
        .run();
        n += 1;
    }
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
