//! Changes to a file, as damage and malice make them.

use arbitrary::{Result, Unstructured};

/// Numbers at which arithmetic goes wrong.
const EDGES: [u64; 9] =
    [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff];

/// Texts that files trip over.
const TEXTS: [&str; 24] = [
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551615",
    "0.5",
    "\\u0000",
    "\\ud800",
    "\r\n",
    "\u{feff}",
    " ",
    "",
    "▁",
    "\u{301}",
    "🏳️‍🌈",
    "(?:)*",
    "<0x41>",
];

/// Inputs grow no larger than this.
const MAX_BYTES: usize = 1 << 15;

/// Returns one of `seeds` with a few changes that `u` picks.
///
/// # Errors
/// Those of `u`, where it has run out.
pub fn mutate(seeds: &[Vec<u8>], u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut data = u.choose(seeds)?.clone();
    for _ in 0..u.int_in_range(0..=8)? {
        change(&mut data, seeds, u)?;
        data.truncate(MAX_BYTES);
    }
    Ok(data)
}

fn change(data: &mut Vec<u8>, seeds: &[Vec<u8>], u: &mut Unstructured<'_>) -> Result<()> {
    let at = u.int_in_range(0..=data.len())?;
    let n = u.int_in_range(0..=8)?.min(data.len() - at);
    match u.int_in_range(0..=9)? {
        0 => data.truncate(at),
        1 if at < data.len() => data[at] ^= 1 << u.int_in_range(0..=7)?,
        2 if at < data.len() => data[at] = u.arbitrary()?,
        3 => drop(data.splice(at..at + n, u.choose(&TEXTS)?.bytes())),
        4 => {
            let (number, n) = (u.choose(&EDGES)?.to_le_bytes(), *u.choose(&[1, 2, 4, 8])?);
            drop(data.splice(at..at + n.min(data.len() - at), number[..n].iter().copied()));
        }
        5 => drop(data.drain(at..at + n)),
        // What stands at one place again at another.
        6 => {
            let from = u.int_in_range(0..=data.len())?;
            let copied = data[from..data.len().min(from + u.int_in_range(0..=64)?)].to_vec();
            drop(data.splice(at..at, copied));
        }
        7 => {
            let other = u.choose(seeds)?;
            let from = u.int_in_range(0..=other.len())?;
            let to = other.len().min(from + u.int_in_range(0..=256)?);
            drop(data.splice(at..at, other[from..to].iter().copied()));
        }
        // A number in a text becomes another.
        8 => number(data, at, u)?,
        _ => {
            let n = u.int_in_range(0..=8)?.min(u.len());
            drop(data.splice(at..at, u.bytes(n)?.iter().copied()));
        }
    }
    Ok(())
}

fn number(data: &mut Vec<u8>, at: usize, u: &mut Unstructured<'_>) -> Result<()> {
    let Some(begin) = data[at..].iter().position(u8::is_ascii_digit).map(|n| at + n) else { return Ok(()) };
    let n = data[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let other = if u.arbitrary()? { u.choose(&EDGES)?.to_string() } else { u.arbitrary::<u8>()?.to_string() };
    drop(data.splice(begin..begin + n, other.bytes()));
    Ok(())
}
