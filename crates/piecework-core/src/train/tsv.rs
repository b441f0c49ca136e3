//! Counts that somebody else made, as lines of word, tab and count. In a word `\\`, `\t`, `\n` and `\r` stand for
//! what they say.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use crate::error::{Error, Result};

/// Calls `each` with every word and count of whole lines; `first_line` is the number of the first one.
///
/// # Errors
/// [`Error::Format`], which names the line; what `each` returns.
///
/// # Complexity
/// Linear.
pub(super) fn read(
    block: &[u8],
    first_line: u64,
    mut each: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    let ends = memchr_iter(b'\n', block).chain((block.last() != Some(&b'\n')).then_some(block.len()));
    let mut start = 0;
    for (line, end) in (first_line..).zip(ends) {
        if start < block.len() {
            let (word, count) =
                parsed(&block[start..end]).map_err(|reason| Error::format(format!("line {line}"), reason))?;
            each(&word, count)?;
        }
        start = end + 1;
    }
    Ok(())
}

fn parsed(line: &[u8]) -> std::result::Result<(Cow<'_, [u8]>, u64), String> {
    // A tab within a word is written as \t, so that there is one.
    let tab = memrchr(b'\t', line).ok_or("there is no tab between a word and its count")?;
    let word = &line[..tab];
    if memchr(b'\t', word).is_some() {
        return Err("there are two tabs; one within a word is written as \\t".to_owned());
    }
    let digits = &line[tab + 1..];
    let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
    let count = number(digits).ok_or_else(|| {
        format!(
            "the count is {:?}; counts are 0 to 2**63 - 1",
            String::from_utf8_lossy(&digits[..digits.len().min(40)])
        )
    })?;
    Ok((unescaped(word)?, count))
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    let n = digits.iter().try_fold(0_u64, |n, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        n.checked_mul(10)?.checked_add(digit)
    });
    n.filter(|&n| i64::try_from(n).is_ok())
}

fn unescaped(word: &[u8]) -> std::result::Result<Cow<'_, [u8]>, String> {
    if memchr(b'\\', word).is_none() {
        return Ok(Cow::Borrowed(word));
    }
    let mut out = Vec::with_capacity(word.len());
    let mut bytes = word.iter();
    while let Some(&byte) = bytes.next() {
        let byte = match byte {
            b'\\' => match bytes.next() {
                Some(b'\\') => b'\\',
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                _ => {
                    return Err(
                        "a backslash stands before none of \\, t, n, r; by itself it is written as \\\\"
                            .to_owned(),
                    );
                }
            },
            byte => byte,
        };
        out.push(byte);
    }
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(block: &[u8]) -> Result<Vec<(Vec<u8>, u64)>> {
        let mut found = Vec::new();
        read(block, 5, |word, count| {
            found.push((word.to_vec(), count));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn lines_become_words_and_counts() {
        let found = all(b"low\t5\n\\\\n\\t\\n\\r\t0\r\n\t9223372036854775807\n\xff\t007").unwrap();
        let expected: [(&[u8], u64); 4] =
            [(b"low", 5), (b"\\n\t\n\r", 0), (b"", i64::MAX as u64), (b"\xff", 7)];
        assert_eq!(found, expected.map(|(word, n)| (word.to_vec(), n)));
        assert_eq!(all(b""), Ok(vec![]));
    }

    #[test]
    fn errors_name_the_line() {
        let cases: [(&[u8], &str); 9] = [
            (b"a\t1\nb 2\n", "line 6: there is no tab"),
            (b"\n", "line 5: there is no tab"),
            (b"a\t1\n\nb\t2\n", "line 6: there is no tab"),
            (b"a\tb\t1\n", "line 5: there are two tabs"),
            (b"a\t-1\n", "line 5: the count is \"-1\""),
            (b"a\t\n", "line 5: the count is \"\""),
            (b"a\t9223372036854775808\n", "line 5: the count is \"9223372036854775808\""),
            (b"a\\x\t1\n", "line 5: a backslash"),
            (b"a\\\t1\n", "line 5: a backslash"),
        ];
        for (block, message) in cases {
            let error = all(block).unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }
}
