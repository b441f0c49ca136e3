//! Base64 (RFC 4648 §4) of one token at a time: the standard alphabet, padded, nothing else let by.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const NO_DIGIT: u8 = 0xff;

const DIGITS: [u8; 256] = digits();

const fn digits() -> [u8; 256] {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 64 {
        digits[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    digits
}

/// Appends the bytes that `text` encodes to `out`.
///
/// # Errors
/// What is wrong with `text`, as words: a length that is no multiple of four, a character outside
/// the alphabet, padding in the wrong place, or bits set that no byte holds.
pub fn decode_into(text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    if !text.len().is_multiple_of(4) {
        return Err(format!("its length {} is no multiple of four", text.len()));
    }
    let n_padding = text.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let (digits, _) = text.split_at(text.len() - n_padding);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for &byte in group {
            let digit = DIGITS[usize::from(byte)];
            if digit == NO_DIGIT {
                return Err(format!("{:?} is not of its alphabet", char::from(byte)));
            }
            bits = bits << 6 | u32::from(digit);
        }
        bits <<= 6 * (4 - group.len());
        let [_, bytes @ ..] = bits.to_be_bytes();
        let n_bytes = group.len() * 3 / 4;
        let (whole, rest) = bytes.split_at(n_bytes);
        if rest.iter().any(|&byte| byte != 0) {
            return Err("its last character has bits that belong to no byte".to_owned());
        }
        out.extend_from_slice(whole);
    }
    Ok(())
}

/// Appends `bytes` in base64 to `out`.
pub fn encode_into(bytes: &[u8], out: &mut String) {
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = bits >> (18 - 6 * at) & 63;
            out.push(if at <= group.len() { char::from(ALPHABET[digit as usize]) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        decode_into(text.as_bytes(), &mut out).map(|()| out)
    }

    #[test]
    fn vectors_of_the_rfc_both_ways() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = String::new();
            encode_into(bytes.as_bytes(), &mut out);
            assert_eq!(out, text);
            assert_eq!(decode(text), Ok(bytes.as_bytes().to_vec()));
        }
    }

    #[test]
    fn every_pair_of_bytes_comes_back() {
        for pair in 0..=u16::MAX {
            let bytes = pair.to_be_bytes();
            let mut text = String::new();
            encode_into(&bytes, &mut text);
            assert_eq!(decode(&text), Ok(bytes.to_vec()));
        }
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for bad in
            ["Z", "Zg", "Zg=", "Zm9", "====", "Z===", "Zg=a", "=Zg=", "Zm9-", "Zm 9", "Zh==", "Zm9vYmG="]
        {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }
}
