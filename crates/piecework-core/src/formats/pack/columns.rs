//! The columns and ranks of a pack: tokens in the order of their bytes, back into the order of ids.

/// The bytes that all tokens of a pack may have: a few hostile columns must not make us reserve gigabytes.
const MAX_ARENA: u32 = 1 << 28;

/// How many bytes are moved at once. Nearly all tokens are shorter, and to copy a few bytes of unknown number costs more
/// than to move this many and mask them.
const WORD: usize = 16;
/// More than any token has: 255 bytes that it shares and 255 that follow.
const MAX_TOKEN: usize = 512;
/// How many tokens are written at a time.
const BLOCK: usize = 32;

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
    let (following, mut rest) = rest.split_at_checked(n).ok_or("its columns are cut short")?;
    let ranks = Ranks::new(ranks, n)?;
    let first = ends.len();
    append_ends(shared, following, &ranks, arena.len() as u32, ends)?;
    let own_ends = ends.get(first..).unwrap_or_default();
    let n_arena = own_ends.last().map_or(arena.len(), |&end| end as usize);
    arena.resize(n_arena + WORD, 0);
    let mut token = Token { bytes: [0; MAX_TOKEN], n: 0 };
    let mut ranks = ranks.iter();
    for (shared, following) in shared.chunks(BLOCK).zip(following.chunks(BLOCK)) {
        let lengths = shared.iter().zip(following).map(|(&a, &b)| usize::from(a) + usize::from(b));
        let mut starts = [0; BLOCK];
        for (start, (length, rank)) in starts.iter_mut().zip(lengths.zip(ranks.by_ref())) {
            // A place is as long as its token: `append_ends` added the same two numbers.
            *start = own_ends.get(rank).map_or(0, |&end| end as usize).saturating_sub(length);
        }
        // All places are looked at before the first is written, so that their cache misses overlap.
        let seen = starts.iter().fold(0, |seen, &start| seen ^ arena.get(start).copied().unwrap_or(0));
        std::hint::black_box(seen);
        for ((&n_shared, &n_following), &start) in shared.iter().zip(following).zip(&starts) {
            token.follow(usize::from(n_shared), rest, usize::from(n_following))?;
            token.write(arena.get_mut(start..).unwrap_or_default());
            rest = rest.get(usize::from(n_following)..).unwrap_or_default();
        }
    }
    arena.truncate(n_arena);
    Ok(columns.len() - rest.len())
}

/// The token at hand: its first `n` bytes.
struct Token {
    bytes: [u8; MAX_TOKEN],
    n: usize,
}

impl Token {
    /// Becomes the next token, which begins with the first `n_shared` bytes of this one and goes on with the
    /// first `n_own` of `rest`.
    fn follow(&mut self, n_shared: usize, rest: &[u8], n_own: usize) -> Result<(), &'static str> {
        if n_shared > self.n {
            return Err("a token shares more bytes than the one before it has");
        }
        let own = rest.get(..n_own).ok_or("its columns are cut short")?;
        self.n = n_shared + n_own;
        if self.n < WORD
            && let (Some(word), Some(rest)) = (self.bytes.first_chunk_mut(), rest.first_chunk())
        {
            let shared = u128::from_le_bytes(*word) & low(n_shared);
            let own = u128::from_le_bytes(*rest) & low(n_own);
            *word = (shared | own << (8 * n_shared)).to_le_bytes();
        } else if let Some(end) = self.bytes.get_mut(n_shared..self.n) {
            end.copy_from_slice(own);
        }
        Ok(())
    }

    /// Writes the token to the start of `place`, and leaves what stands behind it.
    fn write(&self, place: &mut [u8]) {
        if self.n < WORD
            && let (Some(word), Some(place)) = (self.bytes.first_chunk(), place.first_chunk_mut())
        {
            let behind = u128::from_le_bytes(*place) & !low(self.n);
            *place = (behind | u128::from_le_bytes(*word) & low(self.n)).to_le_bytes();
        } else if let (Some(token), Some(place)) = (self.bytes.get(..self.n), place.get_mut(..self.n)) {
            place.copy_from_slice(token);
        }
    }
}

/// The mask of the first `n` bytes of a word, `n` less than all.
#[inline]
fn low(n: usize) -> u128 {
    (1 << (8 * n)) - 1
}

/// Appends where each token ends when all stand in the order of their ranks after `start` bytes.
fn append_ends(
    shared: &[u8],
    following: &[u8],
    ranks: &Ranks<'_>,
    start: u32,
    ends: &mut Vec<u32>,
) -> Result<(), &'static str> {
    let first = ends.len();
    ends.resize(first + shared.len(), 0);
    let own = ends.get_mut(first..).unwrap_or_default();
    for ((&n_shared, &n_following), rank) in shared.iter().zip(following).zip(ranks.iter()) {
        let length = own.get_mut(rank).ok_or("a rank is over the number of tokens")?;
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

/// `n` numbers of as many bits as `n - 1` takes, lowest bit first. They are read twice and never unpacked: a list of them
/// would take longer to make than to do without.
struct Ranks<'a> {
    data: &'a [u8],
    n: usize,
    n_bits: usize,
}

impl<'a> Ranks<'a> {
    fn new(data: &'a [u8], n: usize) -> Result<Self, &'static str> {
        let n_bits = (usize::BITS - n.saturating_sub(1).leading_zeros()) as usize;
        if n_bits > 24 || data.len() != (n * n_bits).div_ceil(8) {
            return Err("its ranks do not fit its tokens");
        }
        Ok(Self { data, n, n_bits })
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        let mask = (1 << self.n_bits) - 1;
        (0..self.n).map(move |index| {
            let bit = index * self.n_bits;
            (word(self.data.get(bit / 8..).unwrap_or_default()) >> (bit % 8)) as usize & mask
        })
    }
}

/// The first four bytes as a number: any seven bits of it and the 24 after them. Those behind the end are 0.
#[inline]
fn word(data: &[u8]) -> u32 {
    match data.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes),
        None => data.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)),
    }
}
