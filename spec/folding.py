#!/usr/bin/env python3
"""Writes spec/folding.txt, the table by which names are folded (index.md, section 4).

    python3 folding.py > folding.txt

The Unicode version is that of Python: 16.0 takes Python 3.14. An index stays readable only as long as
the table stays as it is, so nothing runs this but somebody who wants to see that the table is right.
"""

import sys
import unicodedata

SPELLED = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i"}
SINGLE = set("\u00b4\u02b9\u02bb\u02bc\u02bd\u05f3\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\ua78c")
DOUBLE = set("\u00ab\u00bb\u02ba\u05f4\u201c\u201d\u201e\u201f\u2033\u2036")
HANGUL = range(0xAC00, 0xD7A4)


def fold(char: str) -> str:
    """A character, folded."""
    if char in SINGLE | DOUBLE:
        return sign(char)
    text = unicodedata.normalize("NFKD", char)
    lower = (c.lower() for c in text if unicodedata.category(c) not in ("Mn", "Mc", "Me"))
    return "".join(sign(SPELLED.get(c, c)) for part in lower for c in part)


def sign(char: str) -> str:
    """What separates words, as a character of ASCII; what shows nothing, left out."""
    category = unicodedata.category(char) if char > "\x7f" and len(char) == 1 else ""
    if category == "Cf":
        return ""
    if char in SINGLE | DOUBLE:
        return "'" if char in SINGLE else '"'
    if category == "Pd" or char in "\u2212\u2043":
        return "-"
    if char in "\u2044\u2215":
        return "/"
    return " " if category[:1] in ("P", "S", "Z") else char


def table(folded) -> list[str]:
    """The lines of the table; `folded` folds a character."""
    lines: list[tuple[int, int, str, object]] = []
    for code in range(0x80, 0x110000):
        if 0xD800 <= code < 0xE000 or code in HANGUL or (text := folded(chr(code))) == chr(code):
            continue
        shift = ("+", ord(text) - code) if len(text) == 1 else ("=", text)
        first, last, *how = lines[-1] if lines else (0, 0, "", "")
        # The first two of a run say which kind it is.
        if last == code - 1 and (how == list(shift) or how == ["=", text]):
            lines[-1] = (first, code, *how)
        elif first == last == code - 1 and how[0] == "+" and chr(first + how[1]) == text:
            lines[-1] = (first, code, "=", text)
        else:
            lines.append((code, code, *shift))
    return [line(*entry) for entry in lines]


def line(first: int, last: int, sign: str, what) -> str:
    """A line: one character or a range, and what each becomes."""
    span = f"{first:04X}" if first == last else f"{first:04X}..{last:04X}"
    if sign == "+" and first == last:
        sign, what = "=", chr(first + what)
    if sign == "+":
        return f"{span} {what:+}"
    return " ".join([span, "="] + [f"{ord(c):04X}" for c in what])


if __name__ == "__main__":
    print(f"# How characters beyond ASCII are folded, by Unicode {unicodedata.unidata_version}; see index.md, section 4.")
    print("# FIRST..LAST = CODES: each of these becomes CODES, or nothing. FIRST..LAST +N: each becomes the one N further.")
    print("# What is not listed stays as it is, but for Hangul syllables (AC00..D7A3), which become their letters.")
    print("\n".join(table(fold)))
