//! Properties that PGN has no place for, as the command `[%sgf N[name]LB[dd:A]]` in a comment.

use super::value::value_len;
use pgc_pgn::text::decoded;

const COMMAND: &str = "[%sgf";

/// Properties that hold the game, or that the writer makes itself: a comment must not add a move,
/// or say that the game is one of Go.
const OWN: [&[u8]; 14] = [
    b"B", b"W", b"C", b"PRE", b"POST", b"TEXT", b"PRETEXT", b"LINE", b"PRELINE", b"FF", b"GM",
    b"CA", b"AP", b"TAG",
];

/// Properties with their values as they are written, brackets included: `LB[dd:A][ee:B]`.
pub(super) type KeptProperties = Vec<(String, Vec<u8>)>;

/// Collects properties of a node for a comment.
#[derive(Debug, Default)]
pub(super) struct KeptComment {
    text: String,
    pub(super) count: u64,
}

impl KeptComment {
    /// Adds a property with its values.
    pub(super) fn add(&mut self, name: &str, values: &[&[u8]]) {
        self.count += 1;
        self.text.push_str(name);
        for value in values {
            self.text.push('[');
            put_coded(&mut self.text, &decoded(value));
            self.text.push(']');
        }
    }

    /// The comment; `None` without properties.
    pub(super) fn finish(self) -> Option<String> {
        (self.count > 0).then(|| format!("{COMMAND} {}]", self.text))
    }
}

/// White space, braces and control characters would not survive in a comment: each of their bytes
/// becomes `%` and two hexadecimal digits, and so does `%`.
fn put_coded(out: &mut String, value: &str) {
    for c in value.chars() {
        if !matches!(c, '%' | '{' | '}') && !c.is_whitespace() && !c.is_control() {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            out.push_str(&format!("%{byte:02x}"));
        }
    }
}

fn put_plain(out: &mut Vec<u8>, coded: &[u8]) {
    let mut rest = coded;
    while let Some((&byte, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| byte == b'%');
        // `from_str_radix` takes a sign too.
        let code = code.filter(|code| code.iter().all(u8::is_ascii_hexdigit));
        let coded = code.and_then(|code| std::str::from_utf8(code).ok());
        let plain = coded.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(plain.unwrap_or(byte));
        rest = plain.map_or(behind, |_| &behind[2..]);
    }
}

/// The properties of such a comment; `None` if it is another, or has more text.
pub(super) fn kept(comment: &str) -> Option<KeptProperties> {
    let rest = comment.trim().strip_prefix(COMMAND)?;
    // A line may end behind the name of the command.
    let mut rest = rest.strip_prefix(char::is_whitespace)?.trim().as_bytes();
    let mut found = KeptProperties::new();
    while rest != b"]" {
        let len = rest.iter().position(|&byte| byte == b'[')?;
        let name = &rest[..len];
        let counts = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        if !name.iter().all(counts) || !name.first()?.is_ascii_uppercase() || OWN.contains(&name) {
            return None;
        }
        rest = &rest[len..];
        let mut values = Vec::new();
        while let Some(value) = rest.strip_prefix(b"[") {
            let len = value_len(value)?;
            values.push(b'[');
            put_plain(&mut values, &value[..len]);
            values.push(b']');
            rest = &value[len + 1..];
        }
        // What was coded may hold a bracket: such a value would end early.
        if !is_whole(&values) {
            return None;
        }
        found.push((decoded(name).into_owned(), values));
    }
    (!found.is_empty()).then_some(found)
}

/// Whether these bytes are values and nothing else.
fn is_whole(mut values: &[u8]) -> bool {
    while let Some(value) = values.strip_prefix(b"[") {
        match value_len(value) {
            Some(len) => values = &value[len + 1..],
            None => return false,
        }
    }
    values.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_survive_a_comment() {
        let mut comment = KeptComment::default();
        comment.add("N", &[b"a {name}, 5 %\\]\n"]);
        comment.add("LB", &[b"dd:A", b""]);
        let text = comment.finish().unwrap();
        assert_eq!(text, "[%sgf N[a%20%7bname%7d,%205%20%25\\]%0a]LB[dd:A][]]");
        let read = kept(&format!(" {} ", text.replace(' ', "\n"))).unwrap();
        let expected = [("N", "[a {name}, 5 %\\]\n]"), ("LB", "[dd:A][]")];
        let expected = expected.map(|(name, values)| (name.to_owned(), values.into()));
        assert_eq!(read, expected);
    }

    /// A code is two hexadecimal digits, and no sign.
    #[test]
    fn what_is_no_code_stays() {
        let read = kept("[%sgf N[%+5%2]]").unwrap();
        assert_eq!(read, [("N".to_owned(), b"[%+5%2]".to_vec())]);
    }

    #[test]
    fn other_comments_are_none() {
        for comment in [
            "",
            "[%clk 0:01:00]",
            "[%sgf ]",
            "[%sgf N[a]",
            "[%sgf N[a]] and more",
            "[%sgf n[a]]",
            "[%sgf N[a%5db]]",
            "[%sgf [a]]",
            "[%sgf N[a]W[e2e4]]",
            "[%sgf GM[1]]",
        ] {
            assert_eq!(kept(comment), None, "{comment}");
        }
    }
}
