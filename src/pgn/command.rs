//! Commands in comments: `[%clk 0:01:00]`.

/// The value of the first command with this name in a comment.
pub(crate) fn command<'c>(comment: &'c str, name: &str) -> Option<&'c str> {
    let mut parts = comment.split("[%");
    parts.next();
    parts
        .filter_map(|part| {
            // Lines of a comment may break anywhere.
            let value = part.split_once(']')?.0.strip_prefix(name)?;
            value.starts_with(char::is_whitespace).then(|| value.trim())
        })
        .next()
}

/// Parses `1:02:03`, `2:03` or `3.5` into seconds.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let is_time = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
    };
    if !is_time(text) {
        return None;
    }
    let mut parts = text.split(':');
    let first = parts.next()?.parse::<f64>().ok()?;
    parts.try_fold(first, |sum, part| {
        Some(60.0 * sum + part.parse::<f64>().ok()?)
    })
}
