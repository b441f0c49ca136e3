//! Every bundled tokenizer gives its reference's ids, run both ways.
#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

use piecework_core::formats::pack;
use piecework_core::interrupt::Ctl;
use piecework_core::tokenizer::{Options, Tokenizer};
use piecework_oracle::golden;

#[test]
fn bundled_tokenizers_give_the_golden_ids() {
    let goldens = golden::all();
    assert_eq!(goldens.len(), 9);
    let mut n_ids = 0;
    for expected in goldens {
        let definition = pack::read(&golden::pack(&expected.tokenizer)).unwrap();
        for tokenizer in
            [Tokenizer::new(definition.clone()).unwrap(), Tokenizer::generic(definition).unwrap()]
        {
            for text in &expected.texts {
                let ids = tokenizer.ids(&text.text, &Options::default(), &Ctl::new()).unwrap();
                assert_eq!(ids, text.ids, "{} of {:?}", expected.tokenizer, text.text);
                n_ids += ids.len();
            }
        }
    }
    println!("{n_ids} golden ids compared, 0 different");
}
