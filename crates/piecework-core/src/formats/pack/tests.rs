use std::path::Path;

use super::*;
use crate::formats::tiktoken;

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/piecework/_data");
    std::fs::read(folder.join(format!("{name}.pack"))).unwrap()
}

fn files(names: &[&str]) -> Vec<u8> {
    names.iter().flat_map(|name| file(name)).collect()
}

fn reason(data: &[u8]) -> String {
    read(data).unwrap_err().to_string()
}

/// Puts the right checksum at the end of a pack that was changed.
fn sealed(mut pack: Vec<u8>) -> Vec<u8> {
    let body = pack.len() - N_DIGEST;
    let digest = Sha256::digest(&pack[..body]);
    pack[body..].copy_from_slice(&digest);
    pack
}

struct Expected {
    packs: &'static [&'static str],
    n_vocab: usize,
    n_base: usize,
    n_added: usize,
    /// The published encoding whose ranks it has.
    ranks: Option<&'static str>,
}

#[rustfmt::skip]
const ENCODINGS: [Expected; 7] = [
    Expected { packs: &["r50k_base"], n_vocab: 50257, n_base: 50256, n_added: 1, ranks: Some("r50k_base") },
    Expected { packs: &["r50k_base", "p50k_base"], n_vocab: 50281, n_base: 50280, n_added: 1, ranks: Some("p50k_base") },
    Expected { packs: &["r50k_base", "p50k_base", "p50k_edit"], n_vocab: 50284, n_base: 50280, n_added: 4, ranks: Some("p50k_base") },
    Expected { packs: &["cl100k_base"], n_vocab: 100_277, n_base: 100_256, n_added: 5, ranks: Some("cl100k_base") },
    Expected { packs: &["o200k_base"], n_vocab: 200_019, n_base: 199_998, n_added: 2, ranks: Some("o200k_base") },
    Expected { packs: &["o200k_base", "o200k_harmony"], n_vocab: 201_088, n_base: 199_998, n_added: 1090, ranks: Some("o200k_base") },
    Expected { packs: &["cl100k_base", "qwen3"], n_vocab: 151_669, n_base: 151_643, n_added: 26, ranks: None },
];

#[test]
fn each_pack_has_the_published_ranks() {
    for Expected { packs, n_vocab, n_base, n_added, ranks } in ENCODINGS {
        let definition = read(&files(packs)).unwrap();
        let found = (definition.vocab_size(), definition.n_base(), definition.added.len());
        assert_eq!(found, (n_vocab, n_base, n_added), "{packs:?}");
        // By the SHA-256 of the published file.
        assert_eq!(tiktoken::known_encoding(&definition.vocab), ranks, "{packs:?}");
        assert_eq!(definition.controls.len(), n_added, "{packs:?}: every added token steers the model");
    }
}

#[test]
fn qwen3_lists_one_merge_a_token_and_composes() {
    let definition = read(&files(&["cl100k_base", "qwen3"])).unwrap();
    let Model::Bpe(bpe) = &definition.model else { panic!("a BPE model") };
    assert!(!bpe.whole_pieces);
    assert_eq!(bpe.merges.n_listed(), Some(151_387));
    let pairs = bpe.merges.pairs(&definition.vocab).unwrap();
    assert_eq!(Merges::from_pairs(pairs, &definition.vocab).unwrap(), bpe.merges);
    assert_eq!(definition.normalizers, [Normalizer::Nfc]);
    assert_eq!(definition.profile, Profile::Tokenizers);
    assert_eq!(definition.added.iter().filter(|token| token.special).count(), 14);
}

#[test]
fn one_id_of_harmony_has_one_name() {
    let definition = read(&files(&["o200k_base", "o200k_harmony"])).unwrap();
    assert_eq!(definition.bytes(TokenId(200_018)), Some(&b"<|endofprompt|>"[..]));
    assert!(!definition.added.iter().any(|token| token.content == "<|reserved_200018|>"));
}

#[test]
fn a_pack_is_not_read_without_its_base() {
    for (packs, name, base) in [
        (&["p50k_base"][..], "p50k_base", "r50k_base"),
        (&["r50k_base", "p50k_edit"], "p50k_edit", "p50k_base"),
        (&["r50k_base", "qwen3"], "qwen3", "cl100k_base"),
    ] {
        let expected = format!("the pack {name} builds on {base}, which is not before it");
        assert!(reason(&files(packs)).contains(&expected));
    }
}

#[test]
fn what_is_no_pack_is_refused() {
    let pack = files(&["r50k_base", "p50k_base"]);
    assert!(reason(b"").contains("byte 0: this is no pack"));
    assert!(reason(b"PIECEWORK-PACK").contains("this is no pack"));
    for end in [15, 16, 35, 36, 1000] {
        assert!(reason(&pack[..end]).contains("the pack is cut short"), "{end}");
    }
    assert!(reason(&pack[..pack.len() - 1]).contains("the pack is cut short"));
    let newer = [&pack[..15], &[3], &pack[16..]].concat();
    assert!(reason(&newer).contains("a pack of version 3; this engine reads 1 and 2"));
    let more = [&pack[..], b"x"].concat();
    assert!(reason(&more).contains("this is no pack"));
}

#[test]
fn a_damaged_pack_does_not_match_its_checksum() {
    let pack = file("r50k_base");
    for at in (36..pack.len()).step_by(4999).chain([pack.len() - 1]) {
        let mut damaged = pack.clone();
        damaged[at] ^= 1;
        assert!(matches!(read(&damaged), Err(Error::Checksum { .. })), "byte {at}");
    }
}

#[test]
fn hostile_packs_are_refused_or_read() {
    let base = file("r50k_base");
    let small = file("p50k_base");
    for at in 15..small.len() - N_DIGEST {
        for flip in [0x01, 0x80, 0xff] {
            let mut changed = small.clone();
            changed[at] ^= flip;
            let _ = read(&[&base[..], &sealed(changed)].concat());
        }
    }
    // Changes past the compressed sections, and sizes that lie.
    for (at, value) in
        [(16, u32::MAX), (20, u32::MAX), (24, 0), (28, u32::MAX), (28, 1), (32, 0), (32, u32::MAX)]
    {
        let mut changed = small.clone();
        changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
        assert!(read(&[&base[..], &sealed(changed)].concat()).is_err(), "{at} {value}");
    }
}

#[test]
fn whole_packs_hold_the_published_tokenizers() {
    for (name, n_vocab, n_added, algorithm) in
        [("bert-base-uncased", 30_522, 5, "WordPiece"), ("t5", 32_100, 103, "Unigram")]
    {
        let definition = read(&file(name)).unwrap();
        assert_eq!((definition.vocab_size(), definition.added.len()), (n_vocab, n_added), "{name}");
        assert_eq!(definition.controls.len(), n_added, "{name}: every added token steers the model");
        assert_eq!((definition.model.name(), definition.profile), (algorithm, Profile::Tokenizers));
    }
}

#[test]
fn broken_whole_packs_are_refused() {
    let pack = file("bert-base-uncased");
    for end in [16, 31, 32, 1000, pack.len() - 1] {
        assert!(reason(&pack[..end]).contains("the pack is cut short"), "{end}");
    }
    assert!(reason(&[&pack[..], b"x"].concat()).contains("bytes after the end of the pack"));
    for at in (32..pack.len()).step_by(4999).chain([pack.len() - 1]) {
        let mut damaged = pack.clone();
        damaged[at] ^= 1;
        assert!(matches!(read(&damaged), Err(Error::Checksum { .. })), "byte {at}");
    }
    for (at, value) in [(16, u32::MAX), (16, 0), (20, u32::MAX), (24, 0), (28, u32::MAX), (28, 1)] {
        let mut changed = pack.clone();
        changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
        assert!(read(&sealed(changed)).is_err(), "{at} {value}");
    }
    for at in (32..pack.len() - N_DIGEST).step_by(997) {
        let mut changed = pack.clone();
        changed[at] ^= 0x80;
        let _ = read(&sealed(changed));
    }
}

#[test]
fn ranks_are_a_permutation() {
    let tokens = |columns: &[u8], ranks: &[u8], n| {
        let mut arena = b"before ".to_vec();
        columns::append_tokens(columns, ranks, n, &mut arena, &mut vec![7]).map(|_| arena.split_off(7))
    };
    // "a", "ab", "b" with the ranks 2, 0, 1 in two bits each, lowest first.
    let columns = [0, 1, 0, 1, 1, 1, b'a', b'b', b'b'];
    assert_eq!(tokens(&columns, &[0b0001_0010], 3), Ok(b"abba".to_vec()));
    assert_eq!(tokens(&columns, &[0b0010_0010], 3), Err("two tokens have one rank"));
    assert_eq!(tokens(&columns, &[0b0011_0010], 3), Err("a rank is over the number of tokens"));
    assert_eq!(tokens(&columns, &[], 3), Err("its ranks do not fit its tokens"));
    assert_eq!(tokens(&columns[..8], &[0b0001_0010], 3), Err("its columns are cut short"));
    assert_eq!(
        tokens(&[0, 2, 1, 1, b'a', b'b'], &[0b10], 2),
        Err("a token shares more bytes than the one before it has")
    );
    assert_eq!(tokens(&[0, 0, 1, 0, b'a'], &[0b10], 2), Err("a token is empty"));
    assert_eq!(tokens(&[], &[], 0), Ok(vec![]));
}

#[test]
fn tokens_of_every_length_come_to_their_places() {
    let mut tokens: Vec<Vec<u8>> = (1..=40).map(|n| vec![b'a'; n]).collect();
    tokens.extend([&[b'b'; 200][..], &[b'b'; 15], b"bbbc", b"c"].map(<[u8]>::to_vec));
    let n = tokens.len();
    // Every rank once: 7 and 44 share no divisor. Six bits each, lowest first.
    let ranks: Vec<usize> = (0..n).map(|index| index * 7 % n).collect();
    let mut packed = vec![0_u8; (n * 6).div_ceil(8)];
    for bit in (0..n * 6).filter(|bit| ranks[bit / 6] >> (bit % 6) & 1 == 1) {
        packed[bit / 8] |= 1 << (bit % 8);
    }
    let (mut columns, mut following, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    let mut before: &[u8] = b"";
    for token in &tokens {
        let n_shared = token.iter().zip(before).take_while(|(a, b)| a == b).count();
        columns.push(n_shared as u8);
        following.push((token.len() - n_shared) as u8);
        rest.extend_from_slice(&token[n_shared..]);
        before = token;
    }
    columns.extend([following, rest].concat());
    let (mut arena, mut ends) = (b"before".to_vec(), vec![6]);
    assert_eq!(columns::append_tokens(&columns, &packed, n, &mut arena, &mut ends), Ok(columns.len()));
    for (token, rank) in tokens.iter().zip(ranks) {
        assert_eq!(&arena[ends[rank] as usize..ends[rank + 1] as usize], &token[..], "rank {rank}");
    }
    assert_eq!((&arena[..6], arena.len()), (&b"before"[..], ends[n] as usize));
}
