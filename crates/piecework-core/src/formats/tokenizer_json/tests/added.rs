//! Added tokens: which ids they get.

use super::*;

#[test]
fn added_tokens_get_the_ids_that_the_reference_gives() {
    for (tokens, ids, n_notes) in [
        (json!([added_token("<a>", 6), added_token("<b>", 7)]), vec![("<a>", 6), ("<b>", 7)], 0),
        (json!([added_token("<a>", 10), added_token("<b>", 20)]), vec![("<a>", 6), ("<b>", 7)], 2),
        (json!([added_token("<b>", 7), added_token("<a>", 6)]), vec![("<b>", 6), ("<a>", 7)], 2),
        (json!([added_token("<a>", 6), added_token("<b>", 6)]), vec![("<a>", 6), ("<b>", 7)], 1),
        (json!([added_token("low", 77)]), vec![("low", 4)], 1),
        (json!([added_token("<a>", 2)]), vec![("<a>", 6)], 1),
        (json!([added_token("<a>", 6), added_token("<a>", 6)]), vec![("<a>", 6)], 1),
        (json!([added_token("", 6), added_token("<b>", 7)]), vec![("<b>", 6)], 2),
        (json!(null), vec![], 0),
    ] {
        let file = with("/added_tokens", tokens);
        let (definition, notes) = read_with_notes(file.to_string().as_bytes()).unwrap();
        let found: Vec<_> =
            definition.added.iter().map(|token| (token.content.as_str(), token.id.0)).collect();
        assert_eq!((found, notes.len()), (ids, n_notes), "{notes:?}");
    }
}

#[test]
fn added_tokens_that_cannot_be() {
    let mut other = added_token("<a>", 7);
    other["lstrip"] = json!(true);
    for (tokens, expected) in [
        (
            json!([added_token("<a>", 6), other]),
            "added_tokens[1]: \"<a>\" is given before with other options",
        ),
        (json!([{"id": 6, "content": "<a>"}]), "added_tokens[0]: the field \"special\" is missing"),
        (
            json!([json!({"id": -6})]),
            "added_tokens[0].id: expected an integer from 0 to 4294967295, found -6",
        ),
        (json!([7]), "added_tokens[0]: expected an object, found a number"),
        (json!({}), "added_tokens: expected an array, found an object"),
    ] {
        assert_eq!(refusal(&with("/added_tokens", tokens)), expected);
    }
    // The reference gives both the id 7.
    let mut holes = with("/model/vocab/zz", json!(7));
    holes["added_tokens"] = json!([added_token("<a>", 8)]);
    assert!(refusal(&holes).starts_with("added_tokens[0]: \"<a>\" would get the id 7"));
}

#[test]
fn added_flags_are_kept() {
    for name in ["special", "normalized", "single_word", "lstrip", "rstrip"] {
        let mut token = added_token("zorp", 6);
        token["special"] = json!(false);
        token[name] = json!(true);
        let definition = read_value(&with("/added_tokens", json!([token]))).unwrap();
        let found = &definition.added[0];
        let flags = [
            ("special", found.special),
            ("normalized", found.normalized),
            ("single_word", found.single_word),
            ("lstrip", found.lstrip),
            ("rstrip", found.rstrip),
        ];
        for (flag, set) in flags {
            assert_eq!(set, flag == name, "{flag} of {name}");
        }
        assert_eq!(definition.controls.len(), usize::from(found.special));
    }
}
