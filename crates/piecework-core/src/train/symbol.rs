//! A symbol as the words' arena stores it: 16 bits halve what is read where all ids fit.

/// A symbol, and how a block of a word's symbols begins: with a count, its length and its room.
pub(super) trait Symbol: Copy + Eq + Default + Send + Sync {
    /// Places that the beginning takes.
    const HEAD: usize;
    /// Blocks begin at multiples of this many places.
    const GRAIN: usize;
    /// Returns the symbol of an id.
    fn of(id: u32) -> Self;
    /// Returns the id of a symbol.
    fn id(self) -> u32;
    /// Returns the count, the length and the room of the block that begins here.
    fn head(block: &[Self]) -> Head;
    /// Writes what [`Self::head`] reads.
    fn set_head(block: &mut [Self], head: Head);
}

/// How a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub count: u32,
    /// Symbols now; at most 255.
    pub len: usize,
    /// Symbols at the start; at most 255.
    pub room: usize,
}

impl Symbol for u16 {
    const HEAD: usize = 3;
    const GRAIN: usize = 2;

    #[inline]
    fn of(id: u32) -> Self {
        id as Self
    }

    #[inline]
    fn id(self) -> u32 {
        u32::from(self)
    }

    #[inline]
    fn head(block: &[Self]) -> Head {
        let count = u32::from(block[0]) << 16 | u32::from(block[1]);
        Head { count, len: usize::from(block[2] >> 8), room: usize::from(block[2] & 0xff) }
    }

    #[inline]
    fn set_head(block: &mut [Self], head: Head) {
        block[0] = (head.count >> 16) as Self;
        block[1] = head.count as Self;
        block[2] = (head.len << 8 | head.room) as Self;
    }
}

impl Symbol for u32 {
    const HEAD: usize = 2;
    const GRAIN: usize = 1;

    #[inline]
    fn of(id: u32) -> Self {
        id
    }

    #[inline]
    fn id(self) -> u32 {
        self
    }

    #[inline]
    fn head(block: &[Self]) -> Head {
        Head { count: block[0], len: (block[1] >> 8) as usize, room: (block[1] & 0xff) as usize }
    }

    #[inline]
    fn set_head(block: &mut [Self], head: Head) {
        block[0] = head.count;
        block[1] = (head.len << 8 | head.room) as Self;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_begins_with_what_was_written() {
        let head = Head { count: 0x8765_4321, len: 7, room: 255 };
        let (mut short, mut long) = ([0_u16; u16::HEAD], [0_u32; u32::HEAD]);
        u16::set_head(&mut short, head);
        u32::set_head(&mut long, head);
        assert_eq!((u16::head(&short), u32::head(&long)), (head, head));
    }
}
