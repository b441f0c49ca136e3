use super::*;
use crate::interrupt::Ctl;
use crate::tokenizer::{self as encoding, Tokenizer};

/// A message field: its number and its bytes.
fn message(number: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut n = body.len();
    while n > 0x7f {
        out.push(n as u8 & 0x7f | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
    out.extend_from_slice(body);
    out
}

fn piece(text: &str, score: f32, kind: u8) -> Vec<u8> {
    let mut body = message(1, text.as_bytes());
    body.push(0x15);
    body.extend(score.to_le_bytes());
    body.extend([0x18, kind]);
    message(1, &body)
}

/// unk, begin, end, a user-defined piece, two characters and two merges of one score.
fn small(model_type: u8) -> Vec<u8> {
    let mut file = Vec::new();
    for (text, score, kind) in [
        ("<unk>", 0.0, 2),
        ("<s>", 0.0, 3),
        ("</s>", 0.0, 3),
        ("<x>", 0.0, 4),
        ("ab", -1.0, 1),
        ("ba", -1.0, 1),
        ("aba", -2.5, 5),
        ("a", -3.0, 1),
        ("b", -4.0, 1),
    ] {
        file.extend(piece(text, score, kind));
    }
    file.extend(message(2, &[0x18, model_type]));
    file.extend(message(3, &message(1, b"identity")));
    file
}

fn refusal(data: &[u8]) -> String {
    read(data, Options::default()).unwrap_err().to_string()
}

#[test]
fn byte_pairs_have_the_ranks_of_their_scores() {
    let definition = read(&small(2), Options::default()).unwrap();
    let Some(Bpe { merges: Merges::Ranked(ranks), characters: Some(characters), .. }) =
        definition.model.bpe()
    else {
        panic!("not ranked characters");
    };
    assert_eq!(*ranks, [NO_RANK, NO_RANK, NO_RANK, 0, 1, 1, 2, 3, 4]);
    assert_eq!(characters.unk, Some(TokenId(0)));
    assert_eq!((&*characters.user_defined, &*characters.unused), (&[TokenId(3)][..], &[TokenId(6)][..]));
    assert!(characters.fuse_unk && !characters.byte_fallback);
    for (text, found) in [("<s>", None), ("<unk>", None), ("<x>", Some(3)), ("ab", Some(4)), ("aba", Some(6))]
    {
        assert_eq!(definition.vocab.get(text.as_bytes()), found.map(TokenId), "{text}");
    }
    assert_eq!((definition.vocab_size(), definition.n_base(), definition.controls.len()), (9, 7, 2));
    assert_eq!(definition.profile, Profile::SentencePiece);
}

#[test]
fn begin_and_end_are_as_asked() {
    let template = |model_type, add_bos, add_eos| {
        let definition = read(&small(model_type), Options { add_bos, add_eos }).unwrap();
        let ids = definition.post_processor.single.iter().map(|item| match item {
            TemplateItem::Special { ids, .. } => i64::from(ids[0].0),
            TemplateItem::Sequence { .. } => -1,
        });
        ids.collect::<Vec<_>>()
    };
    assert_eq!(template(2, None, None), [1, -1]);
    assert!(template(1, None, None).is_empty());
    assert_eq!(template(1, Some(true), Some(true)), [1, -1, 2]);
    assert_eq!(template(2, Some(false), Some(true)), [-1, 2]);
}

#[test]
fn each_model_type_is_read_or_refused() {
    assert!(matches!(
        read(&small(1), Options::default()).unwrap().model,
        Model::Unigram(Unigram { precision: Precision::F32, .. })
    ));
    let Model::Bpe(Bpe { merges: Merges::Ranked(ranks), .. }) =
        read(&small(4), Options::default()).unwrap().model
    else {
        panic!("not characters");
    };
    assert!(ranks.iter().all(|&rank| rank == NO_RANK));
    let Model::WordLevel(words) = read(&small(3), Options::default()).unwrap().model else {
        panic!("not words");
    };
    assert_eq!((words.unk, words.word_start, words.fuse_unk), (Some(TokenId(0)), Some('▁'), true));
    assert_eq!((words.byte_fallback, &*words.user_defined), (false, &[TokenId(3)][..]));
    assert!(refusal(&small(9)).contains("the model type 9 is none"));
}

#[test]
fn refusals_name_the_place() {
    let with = |more: &[u8]| [&small(2)[..], more].concat();
    for (data, expected) in [
        (Vec::new(), "pieces: the model holds no piece"),
        (with(&piece("ab", 0.0, 1)), "pieces[9]: piece 4 is \"ab\" too"),
        (with(&piece("<s>", 0.0, 1)), "pieces[9]: piece 1 is \"<s>\" too"),
        (with(&piece("", 0.0, 1)), "pieces[9]: the piece is empty"),
        (with(&piece("x\0", 0.0, 1)), "pieces[9]: the piece holds a null"),
        (with(&piece(&"x".repeat(8000), 0.0, 1)), "pieces[9]: the piece has 8000 bytes"),
        (with(&piece("x", f32::NAN, 1)), "pieces[9]: the score NaN is not finite"),
        (with(&piece("x", 0.0, 2)), "pieces[9]: piece 0 is the unknown piece already"),
        (with(&piece("<0x0A>", 0.0, 6)), "pieces[9]: a byte piece, but byte_fallback is false"),
        (with(&message(2, &[0x98, 0x02, 1])), "pieces: the byte piece <0x00> is missing"),
        (with(&message(5, &message(2, b"rules"))), "denormalizer_spec: rules for decoding"),
        (with(&piece("x", 0.0, 7)), "byte "),
        (with(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), "byte "),
        (with(&[0x0a, 0x05, 0x0a, 0x03, 0xff, 0xfe, b'x']), "byte "),
        (with(&[0x0f]), "byte "),
        (with(&[0x00]), "byte "),
        (with(&[0x80; 20]), "byte "),
    ] {
        let found = refusal(&data);
        assert!(found.starts_with(expected), "{found:?} for {expected:?}");
    }
    assert!(
        refusal(&with(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])).contains("are left")
    );
}

#[test]
fn cut_and_corrupted_files_are_refused_or_read() {
    let file = small(2);
    for end in 0..file.len() {
        let _ = read(&file[..end], Options::default());
        for byte in 0..=255 {
            let mut data = file.clone();
            data[end] = byte;
            let _ = read(&data, Options::default());
        }
    }
}

#[test]
fn words_begin_with_a_space_and_unknown_ones_in_a_row_are_one() {
    let pieces = [("<unk>", 2), ("▁ab", 1), ("▁b", 1), ("▁<x>", 4)];
    let mut file: Vec<u8> = pieces.iter().flat_map(|&(text, kind)| piece(text, -1.0, kind)).collect();
    file.extend(message(2, &[0x18, 3]));
    file.extend(message(3, &message(1, b"identity")));
    let tokenizer = Tokenizer::new(read(&file, Options::default()).unwrap()).unwrap();
    let ids = |text| tokenizer.ids(text, &encoding::Options::default(), &Ctl::new()).unwrap();
    for (text, expected) in [
        ("", &[][..]),
        ("ab b", &[1, 2]),
        ("zz ab zz zz b zz", &[0, 1, 0, 2, 0]),
        ("ab▁b▁▁ab", &[1, 2, 0, 1]),
        ("<x> <x>b", &[3, 0]),
        ("<unk>", &[0]),
    ] {
        assert_eq!(ids(text), expected, "{text}");
    }
}
