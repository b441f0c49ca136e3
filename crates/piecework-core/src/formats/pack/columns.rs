//! The columns and ranks of a pack: tokens in the order of their bytes, back into the order of ids.

/// The bytes that all tokens of a pack may have: a few hostile columns must not make us reserve gigabytes.
const MAX_ARENA: u32 = 1 << 28;

/// A pack's own tokens in the order of their ids.
pub(super) struct Own {
    /// All bytes.
    pub(super) arena: Vec<u8>,
    /// Where each token ends in the arena.
    pub(super) ends: Vec<u32>,
    /// How many bytes of the columns the tokens took.
    pub(super) n_read: usize,
}

/// Reads `n` tokens. Two passes, so that each token is written once, straight to its place.
///
/// # Errors
/// What is wrong with them, for columns or ranks that no writer makes.
pub(super) fn own_tokens(columns: &[u8], ranks: &[u8], n: usize) -> Result<Own, &'static str> {
    let (shared, rest) = columns.split_at_checked(n).ok_or("its columns are cut short")?;
    let (following, rest) = rest.split_at_checked(n).ok_or("its columns are cut short")?;
    let ranks = unpack(ranks, n)?;
    let ends = ends_by_rank(shared, following, &ranks)?;
    let mut arena = vec![0; ends.last().map_or(0, |&end| end as usize)];
    let mut previous: Vec<u8> = Vec::with_capacity(256);
    let mut at = 0;
    for ((&n_shared, &n_following), &rank) in shared.iter().zip(following).zip(&ranks) {
        if usize::from(n_shared) > previous.len() {
            return Err("a token shares more bytes than the one before it has");
        }
        previous.truncate(usize::from(n_shared));
        let added = rest.get(at..at + usize::from(n_following)).ok_or("its columns are cut short")?;
        previous.extend_from_slice(added);
        at += usize::from(n_following);
        // Its place is as long as it is: `ends_by_rank` added the same two numbers.
        let end = ends.get(rank as usize).map_or(0, |&end| end as usize);
        if let Some(place) = end.checked_sub(previous.len()).and_then(|start| arena.get_mut(start..end)) {
            place.copy_from_slice(&previous);
        }
    }
    Ok(Own { arena, ends, n_read: 2 * n + at })
}

/// Returns where each token ends when all stand in the order of their ranks.
fn ends_by_rank(shared: &[u8], following: &[u8], ranks: &[u32]) -> Result<Vec<u32>, &'static str> {
    let mut ends = vec![0_u32; ranks.len()];
    for ((&n_shared, &n_following), &rank) in shared.iter().zip(following).zip(ranks) {
        let length = ends.get_mut(rank as usize).ok_or("a rank is over the number of tokens")?;
        if *length != 0 {
            return Err("two tokens have one rank");
        }
        *length = u32::from(n_shared) + u32::from(n_following);
        if *length == 0 {
            return Err("a token is empty");
        }
    }
    let mut end = 0;
    for length in &mut ends {
        end += *length;
        if end > MAX_ARENA {
            return Err("its tokens are over the limit in all");
        }
        *length = end;
    }
    Ok(ends)
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
