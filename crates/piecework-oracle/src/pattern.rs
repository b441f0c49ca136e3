//! Pre-tokenizers, plainly: every match of the original pattern by fancy-regex, then what is said of each
//! behavior, word for word. Good for short texts.

use fancy_regex::Regex;
use piecework_core::definition::{Behavior, PreTokenizer, Profile};
use piecework_core::span::Span;

/// A published pattern.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Whose it is.
    pub name: &'static str,
    /// The dialect it is written in. What it says is the same in both.
    pub profile: Profile,
    /// The pattern.
    pub pattern: &'static str,
    /// One character of each class that it tells apart, as near as a handful comes to that.
    pub classes: &'static str,
}

macro_rules! o200k_words {
    ($tail:literal) => {
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
            $tail,
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
            $tail
        )
    };
}

macro_rules! contractions {
    () => {
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
    };
}

/// The patterns of the models that people ask for.
pub const KNOWN: [Known; 15] = [
    Known {
        name: "gpt2, gpt-neox, starcoder (ByteLevel)",
        profile: Profile::Tokenizers,
        pattern: r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        classes: "as1 \t!'",
    },
    Known {
        name: "r50k, p50k",
        profile: Profile::Tiktoken,
        pattern: r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        classes: "al1 \t!'",
    },
    Known {
        name: "cl100k",
        profile: Profile::Tiktoken,
        pattern: r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        classes: "asL1 \t\n!'",
    },
    Known {
        name: "cl100k and llama3 of tokenizers",
        profile: Profile::Tokenizers,
        pattern: concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        classes: "aſ1 \t\n!'",
    },
    Known {
        name: "qwen2",
        profile: Profile::Tokenizers,
        pattern: concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        classes: "as1 \u{3000}\r!'",
    },
    Known {
        name: "qwen3.5",
        profile: Profile::Tokenizers,
        pattern: concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        classes: "as1\u{301} \t\n!'",
    },
    Known {
        name: "o200k",
        profile: Profile::Tiktoken,
        pattern: concat!(
            o200k_words!("(?i:'s|'t|'re|'ve|'m|'ll|'d)?"),
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        classes: "As中\u{301}1 \t\n/!'",
    },
    Known {
        name: "tekken",
        profile: Profile::Tiktoken,
        pattern: concat!(o200k_words!(""), r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"),
        classes: "Aa中\u{301}1 \t\n/!",
    },
    Known {
        name: "kimi",
        profile: Profile::Tiktoken,
        pattern: concat!(
            r"[\p{Han}]+",
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+",
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*",
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
        classes: "As中あ1 \t\n!'",
    },
    Known {
        name: "deepseek v3, numbers",
        profile: Profile::Tokenizers,
        pattern: r"\p{N}{1,3}",
        classes: "1½a ",
    },
    Known {
        name: "deepseek v3, Han and kana",
        profile: Profile::Tokenizers,
        pattern: "[一-龥\u{3040}-ゟ゠-ヿ]+",
        classes: "中あaー ",
    },
    Known {
        name: "deepseek v3, the rest",
        profile: Profile::Tokenizers,
        pattern: concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"##,
            "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
        ),
        classes: "aé\u{301}.。\0 \t\n1",
    },
    Known {
        name: "deepseek llm, letters",
        profile: Profile::Tokenizers,
        pattern: r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+",
        classes: "aé中 \n",
    },
    Known {
        name: "bloom",
        profile: Profile::Tokenizers,
        pattern: r" ?[^(\s|[.,!?…。，、।۔،])]+",
        classes: "a .(|)…",
    },
    Known {
        name: "clip",
        profile: Profile::Tokenizers,
        pattern: r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        classes: "as1 <|>'",
    },
];

/// Pre-tokenizers that are run naively.
#[derive(Debug)]
pub struct Naive {
    stages: Vec<Stage>,
}

#[derive(Debug)]
struct Stage {
    finder: Finder,
    behavior: Behavior,
    invert: bool,
}

#[derive(Debug)]
enum Finder {
    Pattern(Regex),
    Digit,
}

impl Naive {
    /// Compiles `pre_tokenizers`, whose patterns must mean the same in all dialects.
    ///
    /// # Panics
    /// Where fancy-regex refuses a pattern.
    pub fn new(pre_tokenizers: &[PreTokenizer]) -> Self {
        let stage = |pre_tokenizer: &PreTokenizer| match pre_tokenizer {
            PreTokenizer::Split { pattern, behavior, invert } => Some(Stage {
                finder: Finder::Pattern(Regex::new(pattern).expect("a pattern of fancy-regex")),
                behavior: *behavior,
                invert: *invert,
            }),
            PreTokenizer::Digits { individual: true } => {
                Some(Stage { finder: Finder::Digit, behavior: Behavior::Isolated, invert: false })
            }
            PreTokenizer::Digits { individual: false } => {
                Some(Stage { finder: Finder::Digit, behavior: Behavior::Contiguous, invert: false })
            }
            // The others are compared with the live reference.
            _ => None,
        };
        Self { stages: pre_tokenizers.iter().filter_map(stage).collect() }
    }

    /// Returns the spans of the pretokens of `text`.
    pub fn split(&self, text: &str) -> Vec<Span> {
        let mut pieces = vec![Span::new(0, text.len())];
        for stage in &self.stages {
            pieces = pieces.iter().flat_map(|piece| stage.cut(text, *piece)).collect();
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

impl Stage {
    fn cut(&self, text: &str, piece: Span) -> Vec<Span> {
        let text = &text[piece.range()];
        let mut segments = Vec::new();
        let mut done = 0;
        for found in self.matches(text) {
            if found.start > done {
                segments.push((Span::new(done, found.start), self.invert));
            }
            segments.push((found, !self.invert));
            done = found.end;
        }
        if done < text.len() {
            segments.push((Span::new(done, text.len()), self.invert));
        }
        let cuts = apply(self.behavior, &segments).into_iter();
        cuts.map(|cut| Span::new(piece.start + cut.start, piece.start + cut.end)).collect()
    }

    fn matches(&self, text: &str) -> Vec<Span> {
        match &self.finder {
            Finder::Pattern(regex) => regex
                .find_iter(text)
                .map(|found| found.expect("a short text"))
                .map(|found| Span::new(found.start(), found.end()))
                .collect(),
            Finder::Digit => text
                .char_indices()
                .filter(|(_, c)| c.is_numeric())
                .map(|(at, c)| Span::new(at, at + c.len_utf8()))
                .collect(),
        }
    }
}

/// Turns segments, each a match or not, into pieces.
fn apply(behavior: Behavior, segments: &[(Span, bool)]) -> Vec<Span> {
    let is_match = |index: Option<usize>| {
        index.and_then(|index| segments.get(index)).is_some_and(|&(_, is_match)| is_match)
    };
    // Whether a segment goes into one piece with the one before it.
    let joins = |index: usize| {
        let (here, before) = (is_match(Some(index)), is_match(index.checked_sub(1)));
        match behavior {
            Behavior::Removed | Behavior::Isolated => false,
            Behavior::MergedWithPrevious => here && !before,
            Behavior::MergedWithNext => !here && before,
            Behavior::Contiguous => here == before,
        }
    };
    let mut pieces: Vec<Span> = Vec::new();
    for (index, &(span, is_match)) in segments.iter().enumerate() {
        if behavior == Behavior::Removed && is_match {
            continue;
        }
        match pieces.last_mut() {
            Some(last) if joins(index) => last.end = span.end,
            _ => pieces.push(span),
        }
    }
    pieces
}
