//! The code pages of DOS, which the Encoding Standard does not have.

/// A code page: ASCII, and 128 more characters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CodePage {
    /// The name, and the number by which it is known.
    pub(crate) name: &'static str,
    number: &'static str,
    upper: &'static str,
}

/// The code pages, from the tables that Microsoft gave to Unicode.
static CODE_PAGES: [CodePage; 3] = [
    CodePage {
        name: "IBM437",
        number: "437",
        upper: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
                └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
    },
    CodePage {
        name: "IBM850",
        number: "850",
        upper: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
                └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
    },
    CodePage {
        name: "IBM852",
        number: "852",
        upper: "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
                └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
    },
];

impl CodePage {
    /// The code page of this name: `cp850`, `ibm850` or `850`, ignoring case.
    pub(crate) fn for_label(label: &str) -> Option<&'static CodePage> {
        let label = label.trim().to_ascii_lowercase();
        let number = label
            .strip_prefix("cp")
            .or_else(|| label.strip_prefix("ibm"));
        let number = number.unwrap_or(&label);
        CODE_PAGES.iter().find(|page| page.number == number)
    }

    /// The characters of the bytes from 0x80 on, in their order.
    fn upper(&self) -> impl Iterator<Item = char> {
        self.upper.chars()
    }

    /// The characters of these bytes.
    pub(crate) fn decode(&self, bytes: &[u8]) -> String {
        let upper: Vec<char> = self.upper().collect();
        let char = |&byte: &u8| match byte.checked_sub(0x80) {
            Some(at) => upper[usize::from(at)],
            None => char::from(byte),
        };
        bytes.iter().map(char).collect()
    }

    /// The byte of a character.
    pub(crate) fn byte(&self, char: char) -> Option<u8> {
        match u8::try_from(char) {
            Ok(ascii @ ..0x80) => Some(ascii),
            _ => {
                let at = self.upper().position(|upper| upper == char)?;
                Some(0x80 + u8::try_from(at).ok()?)
            }
        }
    }
}
