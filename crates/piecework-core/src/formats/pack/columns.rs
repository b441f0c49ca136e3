//! The columns and ranks of a pack: tokens in the order of their bytes, back into the order of ids.

/// The bytes that all tokens of a pack may have: a few hostile columns must not make us reserve gigabytes.
const MAX_ARENA: u32 = 1 << 28;

/// Reads `n` tokens and appends them to `arena` in the order of their ids, and to `ends` where each ends
/// there; returns how many bytes of the columns they took. Two passes, so that each token is written once,
/// straight to its place.
///
/// # Errors
/// What is wrong with them, for columns or ranks that no writer makes.
pub(super) fn append_tokens(
    columns: &[u8],
    ranks: &[u8],
    n: usize,
    arena: &mut Vec<u8>,
    ends: &mut Vec<u32>,
) -> Result<usize, &'static str> {
    let (shared, rest) = columns.split_at_checked(n).ok_or("its columns are cut short")?;
    let (following, rest) = rest.split_at_checked(n).ok_or("its columns are cut short")?;
    let ranks = unpack(ranks, n)?;
    let first = ends.len();
    append_ends(shared, following, &ranks, arena.len() as u32, ends)?;
    let own_ends = ends.get(first..).unwrap_or_default();
    arena.resize(own_ends.last().map_or(arena.len(), |&end| end as usize), 0);
    let mut token: Vec<u8> = Vec::with_capacity(256);
    let mut at = 0;
    for ((&n_shared, &n_following), &rank) in shared.iter().zip(following).zip(&ranks) {
        if usize::from(n_shared) > token.len() {
            return Err("a token shares more bytes than the one before it has");
        }
        token.truncate(usize::from(n_shared));
        token.extend_from_slice(
            rest.get(at..at + usize::from(n_following)).ok_or("its columns are cut short")?,
        );
        at += usize::from(n_following);
        // Its place is as long as it is: `append_ends` added the same two numbers.
        let end = own_ends.get(rank as usize).map_or(0, |&end| end as usize);
        if let Some(place) = end.checked_sub(token.len()).and_then(|start| arena.get_mut(start..end)) {
            place.copy_from_slice(&token);
        }
    }
    Ok(2 * n + at)
}

/// Appends where each token ends when all stand in the order of their ranks after `start` bytes.
fn append_ends(
    shared: &[u8],
    following: &[u8],
    ranks: &[u32],
    start: u32,
    ends: &mut Vec<u32>,
) -> Result<(), &'static str> {
    let first = ends.len();
    ends.resize(first + ranks.len(), 0);
    let own = ends.get_mut(first..).unwrap_or_default();
    for ((&n_shared, &n_following), &rank) in shared.iter().zip(following).zip(ranks) {
        let length = own.get_mut(rank as usize).ok_or("a rank is over the number of tokens")?;
        if *length != 0 {
            return Err("two tokens have one rank");
        }
        *length = u32::from(n_shared) + u32::from(n_following);
        if *length == 0 {
            return Err("a token is empty");
        }
    }
    let mut end = start;
    for length in own {
        end += *length;
        if end > MAX_ARENA {
            return Err("its tokens are over the limit in all");
        }
        *length = end;
    }
    Ok(())
}

/// Unpacks `n` numbers of as many bits as `n - 1` takes, lowest bit first.
fn unpack(data: &[u8], n: usize) -> Result<Vec<u32>, &'static str> {
    let n_bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    if n_bits > 24 || data.len() != (n * n_bits as usize).div_ceil(8) {
        return Err("its ranks do not fit its tokens");
    }
    let mask = (1_u64 << n_bits) - 1;
    let mut bytes = data.iter();
    let (mut pending, mut n_pending) = (0_u64, 0);
    let mut numbers = Vec::with_capacity(n);
    for _ in 0..n {
        while n_pending < n_bits {
            pending |= u64::from(*bytes.next().unwrap_or(&0)) << n_pending;
            n_pending += 8;
        }
        numbers.push((pending & mask) as u32);
        pending >>= n_bits;
        n_pending -= n_bits;
    }
    Ok(numbers)
}
