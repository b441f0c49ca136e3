use super::super::{
    AddedToken, Behavior, Decoder, Normalizer, PostProcessor, PreTokenizer, Profile, TemplateItem, control,
};
use super::*;
use crate::merges::PairTable;

/// A generator of numbers that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    fn choose<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn text(&mut self) -> String {
        (0..self.below(6)).map(|_| self.choose(&['a', 'é', '｜', '<', '>', '\n', '\u{0}'])).collect()
    }

    fn list<T>(&mut self, max: usize, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(max + 1)).map(|_| item(self)).collect()
    }
}

/// Letters with ids from 0, then tokens that merges make, then perhaps holes and unindexed tokens.
fn vocab_and_pairs(random: &mut Random) -> (Vocab, Vec<Pair>) {
    let n_letters = 2 + random.below(10);
    let mut tokens: Vec<Vec<u8>> = (0..n_letters).map(|at| vec![at as u8 * 17]).collect();
    let mut pairs = Vec::new();
    for _ in 0..random.below(30) {
        let (left, right) = (random.below(tokens.len()), random.below(tokens.len()));
        let joined = [&tokens[left][..], &tokens[right]].concat();
        if joined.len() > 300 {
            continue;
        }
        let known = tokens.iter().position(|token| *token == joined);
        let product = known.unwrap_or(tokens.len());
        if known.is_none() {
            tokens.push(joined);
        }
        let id = |at: usize| TokenId(at as u32);
        if known.is_none() || random.below(4) == 0 {
            pairs.push(Pair { left: id(left), right: id(right), product: id(product) });
        }
    }
    let mut entries: Vec<_> =
        tokens.iter().enumerate().map(|(id, bytes)| (id as u32, &bytes[..], true)).collect();
    for _ in 0..random.below(4) {
        let last = entries.last().map_or(0, |entry| entry.0);
        entries.push((last + 1 + random.below(100) as u32, "｜".as_bytes(), false));
    }
    let entries = entries.into_iter().map(|(id, bytes, indexed)| Entry { id: TokenId(id), bytes, indexed });
    (Vocab::new(entries).unwrap(), pairs)
}

fn definition(random: &mut Random) -> Definition {
    let (vocab, pairs) = vocab_and_pairs(random);
    let merges =
        if random.below(4) == 0 { Merges::Concat } else { Merges::from_pairs(pairs, &vocab).unwrap() };
    let mut added = random.list(4, |random| AddedToken {
        id: TokenId(random.below(1000) as u32),
        content: random.text(),
        special: random.flag(),
        normalized: random.flag(),
        single_word: random.flag(),
        lstrip: random.flag(),
        rstrip: random.flag(),
    });
    added.sort_by_key(|token| token.id);
    added.dedup_by_key(|token| token.id);
    let item = |random: &mut Random| match random.below(2) {
        0 => TemplateItem::Sequence { index: random.below(2) as u8, type_id: random.below(3) as u32 },
        _ => TemplateItem::Special {
            ids: random.list(3, |random| TokenId(random.below(1 << 20) as u32)),
            type_id: random.below(3) as u32,
        },
    };
    let behaviors = [
        Behavior::Removed,
        Behavior::Isolated,
        Behavior::MergedWithPrevious,
        Behavior::MergedWithNext,
        Behavior::Contiguous,
    ];
    Definition {
        model: Model::Bpe(Bpe::bytes(merges, random.flag())),
        normalizers: random.list(2, |_| Normalizer::Nfc),
        pre_tokenizers: random.list(3, |random| match random.below(3) {
            0 => PreTokenizer::PrefixSpace,
            1 => PreTokenizer::Digits { individual: random.flag() },
            _ => PreTokenizer::Split {
                pattern: random.text(),
                behavior: random.choose(&behaviors),
                invert: random.flag(),
            },
        }),
        controls: control::resolve(&added),
        added,
        decoder: Decoder::Bytes,
        post_processor: PostProcessor {
            single: random.list(3, item),
            pair: random.list(3, item),
            trim_offsets: random.flag(),
            add_prefix_space: random.flag(),
        },
        profile: random.choose(&[Profile::Tiktoken, Profile::Tokenizers]),
        vocab,
    }
}

#[test]
fn every_definition_comes_back() {
    let mut random = Random(0x5eed);
    let mut n_forms = [0; 3];
    for _ in 0..2000 {
        let definition = definition(&mut random);
        let bytes = definition.to_bytes();
        let back = Definition::from_bytes(&bytes).unwrap();
        assert_eq!(back, definition);
        assert_eq!(back.fingerprint(), definition.fingerprint());
        assert_eq!(back.to_bytes(), bytes);
        let Model::Bpe(bpe) = &definition.model else { panic!("a BPE model") };
        n_forms[match bpe.merges {
            Merges::Concat => 0,
            Merges::Single { .. } => 1,
            Merges::Listed(_) => 2,
            Merges::Ranked(_) => panic!("none is made here"),
        }] += 1;
    }
    assert!(n_forms.iter().all(|&n| n > 200), "{n_forms:?}");
}

fn with_merges(merges: Merges) -> Definition {
    let mut definition = definition(&mut Random(7));
    definition.vocab = Vocab::dense([&b"a"[..], b"b", b"ab", b"aba"]).unwrap();
    definition.model = Model::Bpe(Bpe::bytes(merges, false));
    definition
}

fn pair(left: u32, right: u32, product: u32) -> Pair {
    Pair { left: TokenId(left), right: TokenId(right), product: TokenId(product) }
}

#[test]
fn the_same_merges_have_the_same_form() {
    let listed = with_merges(Merges::Listed(PairTable::new(vec![pair(0, 1, 2), pair(2, 0, 3)]).unwrap()));
    let single = with_merges(Merges::Single { first: TokenId(2), splits: vec![1, 2] });
    assert_ne!(listed, single);
    assert_eq!(listed.to_bytes(), single.to_bytes());
    assert_eq!(listed.fingerprint(), single.fingerprint());
    assert_eq!(Definition::from_bytes(&listed.to_bytes()), Ok(single.clone()));
    let none = with_merges(Merges::Listed(PairTable::new(Vec::new()).unwrap()));
    assert_eq!(
        none.to_bytes(),
        with_merges(Merges::Single { first: TokenId(9), splits: Vec::new() }).to_bytes()
    );
    let others = [
        with_merges(Merges::Concat),
        with_merges(Merges::Listed(PairTable::new(vec![pair(2, 0, 3), pair(0, 1, 2)]).unwrap())),
        with_merges(Merges::Listed(PairTable::new(vec![pair(0, 1, 2)]).unwrap())),
        none,
    ];
    for other in others {
        assert_ne!(other.fingerprint(), single.fingerprint());
    }
}

#[test]
fn the_fingerprint_is_of_what_decides_the_ids() {
    let base = definition(&mut Random(99));
    let prints = |change: &dyn Fn(&mut Definition)| {
        let mut other = base.clone();
        change(&mut other);
        (other.fingerprint(), other.to_bytes())
    };
    let print = base.fingerprint();
    assert_eq!((print.len(), print.bytes().all(|byte| byte.is_ascii_hexdigit())), (64, true));
    let (same, bytes) = prints(&|other| {
        other.post_processor.trim_offsets ^= true;
        other.post_processor.single.push(TemplateItem::Sequence { index: 0, type_id: 0 });
    });
    assert_eq!(same, print);
    assert_ne!(bytes, base.to_bytes());
    let token = AddedToken::verbatim(TokenId(5000), "<x>", false);
    let flags: [&dyn Fn(&mut AddedToken); 6] = [
        &|_| (),
        &|token| token.special = true,
        &|token| token.normalized = true,
        &|token| token.single_word = true,
        &|token| token.lstrip = true,
        &|token| token.rstrip = true,
    ];
    let mut found = vec![
        print,
        prints(&|other| other.normalizers.push(Normalizer::Nfc)).0,
        prints(&|other| other.pre_tokenizers.push(PreTokenizer::PrefixSpace)).0,
        prints(&|other| {
            let Model::Bpe(bpe) = &mut other.model else { panic!("a BPE model") };
            bpe.whole_pieces ^= true;
        })
        .0,
        prints(&|other| other.vocab = Vocab::dense([&b"x"[..]]).unwrap()).0,
        prints(&|other| {
            other.profile =
                if other.profile == Profile::Tiktoken { Profile::Tokenizers } else { Profile::Tiktoken }
        })
        .0,
        prints(&|other| {
            other.added.push(token.clone());
            other
                .controls
                .push(control::Control { id: token.id, reason: control::ControlReason::MarkerShaped });
        })
        .0,
    ];
    found.extend(flags.map(|set| {
        prints(&|other| {
            let mut token = token.clone();
            set(&mut token);
            other.added.push(token);
        })
        .0
    }));
    let n = found.len();
    found.sort();
    found.dedup();
    assert_eq!(found.len(), n, "each change has its own fingerprint");
}

/// The form must not change unnoticed: locks and pickles hold fingerprints.
#[test]
fn a_known_definition_has_its_known_fingerprint() {
    let vocab = Vocab::dense([&b"a"[..], b"b", b"ab"]).unwrap();
    let definition = Definition {
        model: Model::Bpe(Bpe::bytes(Merges::Single { first: TokenId(2), splits: vec![1] }, true)),
        normalizers: vec![Normalizer::Nfc],
        pre_tokenizers: vec![PreTokenizer::Split {
            pattern: "x".into(),
            behavior: Behavior::Isolated,
            invert: false,
        }],
        added: Vec::new(),
        controls: Vec::new(),
        post_processor: PostProcessor::default(),
        decoder: Decoder::Bytes,
        profile: Profile::Tokenizers,
        vocab,
    };
    assert_eq!(
        hex(&definition.to_bytes()[MAGIC.len()..]),
        "0101010001000178010003000161000162000261620001020101010000000000000000"
    );
    assert_eq!(definition.fingerprint(), "be4d4c651de66c2a0c5f91291872f32b9bd8962193622404f8af673e182d976a");
}

#[test]
fn bytes_that_are_no_definition_are_refused_with_a_place() {
    let single = with_merges(Merges::Single { first: TokenId(2), splits: vec![1, 2] });
    let bytes = single.to_bytes();
    for end in 0..bytes.len() {
        assert!(Definition::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let error = Definition::from_bytes(&longer).unwrap_err().to_string();
    assert_eq!(error, format!("byte {}: there are bytes after the end of the definition", bytes.len()));
    assert_eq!(
        Definition::from_bytes(b"{}").unwrap_err().to_string(),
        "byte 0: these bytes are no definition"
    );
    let newer = [MAGIC, &[9]].concat();
    assert!(Definition::from_bytes(&newer).unwrap_err().to_string().contains("a definition of version 9"));
    for merges in [
        Merges::Single { first: TokenId(2), splits: vec![1, 2, 1] },
        Merges::Single { first: TokenId(u32::MAX), splits: vec![1] },
        Merges::Single { first: TokenId(2), splits: vec![2] },
        Merges::Listed(PairTable::new(vec![pair(0, 1, 3)]).unwrap()),
        Merges::Listed(PairTable::new(vec![pair(0, 9, 3)]).unwrap()),
    ] {
        let error = Definition::from_bytes(&with_merges(merges).to_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("model, from byte"), "{error}");
    }
    // A merge with the empty token makes nothing: as a listed pair it would be another form of the same.
    let mut empty = with_merges(Merges::Single { first: TokenId(2), splits: vec![0] });
    empty.vocab = Vocab::dense([&b"a"[..], b"", b"ab"]).unwrap();
    let error = Definition::from_bytes(&empty.to_bytes()).unwrap_err().to_string();
    assert!(error.contains("splits its product into what are no tokens"), "{error}");
}

#[test]
fn no_wrong_byte_brings_it_down() {
    let mut random = Random(3);
    for _ in 0..20 {
        let bytes = definition(&mut random).to_bytes();
        for at in 0..bytes.len() {
            for wrong in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at].wrapping_add(1)] {
                let mut bytes = bytes.clone();
                bytes[at] = wrong;
                let _ = Definition::from_bytes(&bytes);
            }
        }
    }
}

/// 2^63 tokens claimed in a few bytes: an error at once, and no memory for them.
#[test]
fn lengths_that_lie_cost_nothing() {
    let mut bytes = [MAGIC, &[VERSION, 0, 0, 0]].concat();
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    let error = Definition::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.starts_with("vocab, from byte"), "{error}");
}
