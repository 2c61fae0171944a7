//! The rules of the PGN standard of 1994 that a text can break, each with the clause that has it
//! (`pgc lint`; spec/conformance.md).

use pgc_chess::named_enum;

/// When `lint` checks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Always: the rule holds for import format.
    Import,
    /// With `--strict`: the rule holds for export format only, or its clause only recommends
    /// something.
    Strict,
}

named_enum! {
    /// What export format makes of a text that breaks a rule (`lint --fix`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mend, name {
        /// The text is written as the standard has it, and nothing is lost.
        Mended => "mended",
        /// A new layout mends the text, unless a single word, tag pair or `%` line is too long.
        Layout => "laid out anew",
        /// The text becomes a comment.
        Comment => "now a comment",
        /// A `?` takes the place of what cannot be written.
        Replaced => "now ?",
        /// The text stays, because only a person can know what belongs there.
        Kept => "left as it is",
    }
}

macro_rules! rules {
    ($($name:ident $clause:literal $level:ident $mend:ident $text:literal;)*) => {
        /// A rule that a text can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the text of each rule says it")]
        pub enum Rule { $($name,)* }

        impl Rule {
            /// All rules, in the order of their clauses.
            pub const ALL: [Rule; [$($text,)*].len()] = [$(Rule::$name,)*];

            /// The number of the clause.
            pub fn clause(self) -> &'static str {
                match self { $(Rule::$name => $clause,)* }
            }

            /// When `lint` checks it.
            pub fn level(self) -> Level {
                match self { $(Rule::$name => Level::$level,)* }
            }

            /// What `lint --fix` does about it.
            pub fn mend(self) -> Mend {
                match self { $(Rule::$name => Mend::$mend,)* }
            }

            /// What is wrong, in a few words.
            pub fn text(self) -> &'static str {
                match self { $(Rule::$name => $text,)* }
            }
        }
    };
}

rules! {
    ExportBytes "3.2.1" Strict Mended "not as export format has it";
    Newline "3.2.2" Strict Mended "line end other than LF";
    ByteOrderMark "4.1" Import Mended "byte order mark";
    Control "4.1" Import Replaced "control character";
    HighControl "4.1" Import Replaced "code from 128 to 159, which PGN does not use";
    Utf8 "4.1" Import Mended "text in UTF-8, where PGN has Latin-1";
    OutsideLatin1 "4.1" Import Replaced "character that Latin-1 does not have";
    OddBlank "4.1" Import Mended "blank outside ASCII, or character that is not seen";
    OutsideAscii "4.1" Import Comment "character outside ASCII, outside of strings and comments";
    OddMove "4.1" Import Mended "character outside ASCII in a move";
    TabInString "4.2" Import Replaced "tab in a string";
    Tab "4.2" Strict Mended "tab";
    LongLine "4.3" Import Layout "line of more than 255 characters";
    OpenComment "5" Import Mended "comment that is not closed";
    CloseComment "5" Import Mended "brace that closes no comment";
    CommentInTags "5" Import Kept "comment between tag pairs, behind which pgc begins another game";
    Percent "6" Import Comment "percent sign that is not in the first column";
    LongEscape "6" Import Comment "escape line longer than 65,531 bytes";
    Escape "6" Strict Kept "escape line, which other programs ignore (20.4.10: not for archives)";
    Angle "7" Import Comment "angle bracket, which is reserved";
    NoToken "7" Import Comment "characters that make no token";
    StringForm "7" Import Mended "quote or backslash in a string without a backslash before it";
    LongString "7" Import Kept "string of more than 255 characters";
    Stray "8" Import Comment "text outside games";
    LooseComment "8" Strict Comment "comment outside games";
    TooMany "8" Import Comment "game of more elements than pgc reads";
    TooLong "8" Import Comment "game longer than pgc reads";
    TagForm "8.1" Import Mended "tag pair that is not bracket, name, string, bracket";
    TagName "8.1" Import Comment "tag name with other characters than letters, digits and underscores";
    TagFirst "8.1" Import Kept "tag name that begins with an underscore, as no symbol does";
    TagCase "8.1" Strict Kept "tag name that does not begin with a capital letter";
    TagAgain "8.1" Import Kept "tag name that appears before in the same game";
    TagLayout "8.1" Strict Mended "tag pair that is not alone on its line, as [Name \"value\"]";
    TagEnd "8.1" Strict Mended "tag section that is not followed by one empty line";
    TagOrder "8.1.1" Strict Mended "tag pair out of order";
    NoEvent "8.1.1.1" Import Mended "no Event tag";
    EmptyEvent "8.1.1.1" Import Kept "empty value (unknown is ?)";
    NoSite "8.1.1.2" Import Mended "no Site tag";
    EmptySite "8.1.1.2" Import Kept "empty value (unknown is ?)";
    NoDate "8.1.1.3" Import Mended "no Date tag";
    DateForm "8.1.1.3" Import Kept "date that is not written YYYY.MM.DD";
    NoSuchDay "8.1.1.3" Import Kept "day that no calendar has";
    NoRound "8.1.1.4" Import Mended "no Round tag";
    RoundForm "8.1.1.4" Import Kept "round that is not ?, - or numbers with periods between";
    NoWhite "8.1.1.5" Import Mended "no White tag";
    EmptyWhite "8.1.1.5" Import Kept "empty value (unknown is ?)";
    WhiteComma "8.1.1.5" Strict Kept "comma in a name without a blank behind it";
    WhiteInitial "8.1.1.5" Strict Kept "initial in a name without a period behind it";
    NoBlack "8.1.1.6" Import Mended "no Black tag";
    EmptyBlack "8.1.1.6" Import Kept "empty value (unknown is ?)";
    BlackComma "8.1.1.6" Strict Kept "comma in a name without a blank behind it";
    BlackInitial "8.1.1.6" Strict Kept "initial in a name without a period behind it";
    NoResult "8.1.1.7" Import Mended "no Result tag";
    ResultForm "8.1.1.7" Import Comment "result that is none of 1-0, 0-1, 1/2-1/2, *";
    ResultKnown "8.1.1.7" Import Mended "result that is not written 1-0, 0-1, 1/2-1/2 or *";
    UnknownRules "8.2" Import Kept "Variant tag that names no rules known to pgc: the moves are not checked";
    Spacing "8.2.1" Strict Mended "tokens without exactly one blank or line end between them";
    Filling "8.2.1" Strict Mended "line that ends before it is full";
    WideLine "8.2.1" Strict Layout "movetext line of 80 or more characters";
    EdgeBlank "8.2.1" Strict Mended "blank at the beginning or the end of a line";
    WrongNumber "8.2.2.1" Import Mended "wrong move number";
    NumberForm "8.2.2.2" Strict Mended "move number missing, superfluous or in another form";
    Illegal "8.2.3" Import Comment "illegal move";
    NotChess960 "8.2.3" Import Mended "castling of Chess960, without the tag Variant";
    NotAMove "8.2.3" Import Comment "not a move";
    NullMove "8.2.3" Import Comment "null move";
    Squares "8.2.3" Strict Mended "move written as its squares";
    Spelling "8.2.3" Strict Mended "move that is not written in SAN";
    PieceLetter "8.2.3.2" Strict Mended "piece letter that SAN does not have";
    Castling "8.2.3.3" Strict Mended "castling that is not written O-O or O-O-O";
    CaptureMark "8.2.3.3" Strict Mended "x missing, superfluous or written in another way";
    Promotion "8.2.3.3" Strict Mended "promotion that is not written with = and a capital letter";
    EnPassant "8.2.3.3" Strict Mended "mark for en passant, which SAN does not have";
    Ambiguous "8.2.3.4" Import Comment "ambiguous move";
    Origin "8.2.3.4" Strict Mended "another disambiguation than SAN has";
    FalseMark "8.2.3.5" Import Mended "check or mate mark on a move that gives none";
    CheckMark "8.2.3.5" Strict Mended "check or mate mark that is missing or written in another way";
    Suffix "8.2.3.8" Strict Mended "! or ? where export format has a NAG";
    SuffixAgain "8.2.3.8" Import Mended "more than one of ! ? !! !? ?! ?? behind a move";
    LargeNag "8.2.4" Import Comment "NAG over 255";
    Sign "8.2.4" Import Comment "sign, where the standard has NAGs";
    SignOfNag "8.2.4" Import Mended "sign that stands for a NAG";
    NoVariation "8.2.5" Import Comment "variation without a legal move, or with nothing to replace";
    OpenVariation "8.2.5" Import Mended "variation that is not closed";
    CloseVariation "8.2.5" Import Mended "parenthesis that closes no variation";
    NoTermination "8.2.6" Import Mended "no game termination marker";
    TerminationSpelling "8.2.6" Import Mended "game termination marker that is not written 1-0, 0-1, 1/2-1/2 or *";
    InnerTermination "8.2.6" Import Comment "game termination marker that is not the last element";
    OtherResult "8.2.6" Import Comment "game termination marker that differs from the Result tag";
    OpenResult "8.2.6" Import Mended "game termination marker and Result tag of which only one has a result";
    TitleForm "9.1.1" Import Kept "title that is neither - nor one of FIDE";
    EloForm "9.1.2" Import Kept "rating that is neither - nor an integer";
    UscfForm "9.1.3" Import Kept "rating that is neither - nor an integer";
    TypeForm "9.1.5" Import Kept "player type that is neither human nor program";
    EventDateForm "9.2.1" Import Kept "date that is not written YYYY.MM.DD, or that no calendar has";
    BoardForm "9.2.5" Import Kept "board that is not an integer";
    EcoForm "9.4.1" Import Kept "ECO code that is not written A00 or A00/00";
    TimeForm "9.5.1" Import Kept "time that is not written HH:MM:SS";
    UtcTimeForm "9.5.2" Import Kept "time that is not written HH:MM:SS";
    UtcDateForm "9.5.3" Import Kept "date that is not written YYYY.MM.DD, or that no calendar has";
    TimeControlForm "9.6.1" Import Kept "time control that is none of the six kinds";
    TimeControlUse "9.6.1" Strict Kept "time control with a 0, or with a kind that is only for the last field before the last";
    SetUpForm "9.7.1" Import Kept "SetUp that is neither 0 nor 1";
    SetUpMissing "9.7.1" Import Mended "FEN tag without a tag SetUp of 1";
    FenMissing "9.7.1" Import Kept "SetUp of 1 without a FEN tag";
    StartName "9.7.2" Import Mended "FEN or Variant with its name in another case";
    FenUnusable "9.7.2" Import Kept "FEN tag that gives no usable position";
    TerminationForm "9.8.1" Import Kept "none of the reasons that the standard lists";
    PlyCountForm "9.9.3" Import Kept "PlyCount that is not an integer";
    PlyCountWrong "9.9.3" Import Kept "PlyCount that differs from the moves";
    ReservedNag "10" Strict Kept "NAG that the standard reserves";
    FenOperations "16.1.3" Import Mended "operations of EPD in a FEN";
    FenFields "16.1.3" Import Kept "FEN that has not six fields with one blank between them";
    FenRights "16.1.3.3" Import Kept "castling letters that are not in the order KQkq";
    FenRightsLost "16.1.3.3" Import Kept "castling rights that the position cannot have";
    FenFiles "16.1.3.3" Import Mended "files of rooks, as only Chess960 has them, instead of KQkq";
    FenVariant "16.1.3.3" Import Mended "castling rights that do not count without the tag Variant \"Chess960\"";
    FenPawn "16.1.3.4" Import Mended "square of the pawn instead of the square behind it";
    FenEnPassant "16.1.3.4" Import Kept "en passant square without a double step of a pawn";
    FenNumber "16.1.3.6" Import Mended "move number 0, where the first move is 1";
    NotEpd "16.2" Import Kept "line that is not EPD";
    EpdEmpty "16.2" Strict Mended "empty line";
    EpdAscii "16.2" Import Kept "character that is not printing ASCII";
    EpdSpacing "16.2.3" Import Mended "fields without exactly one blank between them, or blanks around a line";
    EpdPosition "16.2.3" Import Kept "not a position of chess";
    EpdCounters "16.2.3" Import Mended "counters as in a FEN, which are operations in EPD";
    EpdLong "16.2.3" Strict Kept "line of more than 1,024 characters";
    EpdBoard "16.2.3.1" Import Kept "not a board";
    EpdSide "16.2.3.2" Import Kept "not a side to move";
    EpdRights "16.2.3.3" Import Kept "castling rights that the position cannot have";
    EpdFiles "16.2.3.3" Import Mended "files of rooks, as only Chess960 has them, instead of KQkq";
    EpdRightsOrder "16.2.3.3" Import Mended "castling letters that are not in the order KQkq";
    EpdPawn "16.2.3.4" Import Mended "square of the pawn instead of the square behind it";
    EpdEnPassant "16.2.3.4" Import Kept "en passant square without a double step of a pawn";
    EpdBlanks "16.2.4.1" Import Mended "parts of operations without exactly one blank between them";
    EpdOpcode "16.2.4.1" Import Kept "not an opcode";
    EpdString "16.2.4.1" Import Kept "string without an end, or of 256 bytes or more";
    EpdSemicolon "16.2.4.1" Import Mended "no semicolon at the end of an operation, or one without an operation";
    EpdAgain "16.2.4.1" Import Kept "opcode that comes twice";
    EpdOrder "16.2.4.1" Strict Mended "opcode that is not in ASCII order";
    EpdMoveOrder "16.2.4.1" Strict Mended "moves that are not in ASCII order";
    EpdSan "16.2.4.1" Strict Mended "move that is not written in SAN";
    EpdMnemonic "16.2.4.2" Strict Kept "opcode that is neither private nor of two or more small letters, digits, underscores";
    EpdAcd "16.2.5" Import Kept "operands that acd does not take";
    EpdAcn "16.2.5.1" Import Kept "operands that acn does not take";
    EpdAcs "16.2.5.2" Import Kept "operands that acs does not take";
    EpdAm "16.2.5.3" Import Kept "operands that am does not take";
    EpdBm "16.2.5.4" Import Kept "operands that bm does not take";
    EpdComment "16.2.5.5" Import Kept "operands that c0 to c9 does not take";
    EpdCe "16.2.5.6" Import Kept "operands that ce does not take";
    EpdDm "16.2.5.7" Import Kept "operands that dm does not take";
    EpdDrawAccept "16.2.5.8" Import Kept "operands that draw_accept does not take";
    EpdDrawClaim "16.2.5.9" Import Kept "operands that draw_claim does not take";
    EpdDrawOffer "16.2.5.10" Import Kept "operands that draw_offer does not take";
    EpdDrawReject "16.2.5.11" Import Kept "operands that draw_reject does not take";
    EpdEco "16.2.5.12" Import Kept "operands that eco does not take";
    EpdFmvn "16.2.5.13" Import Kept "operands that fmvn does not take";
    EpdHmvc "16.2.5.14" Import Kept "operands that hmvc does not take";
    EpdId "16.2.5.15" Import Kept "operands that id does not take";
    EpdNic "16.2.5.16" Import Kept "operands that nic does not take";
    EpdPm "16.2.5.18" Import Kept "operands that pm does not take";
    EpdPv "16.2.5.19" Import Kept "operands that pv does not take";
    EpdRc "16.2.5.20" Import Kept "operands that rc does not take";
    EpdResign "16.2.5.21" Import Kept "operands that resign does not take";
    EpdSm "16.2.5.22" Import Kept "operands that sm does not take";
    EpdTcgs "16.2.5.23" Import Kept "operands that tcgs does not take";
    EpdTcri "16.2.5.24" Import Kept "operands that tcri does not take";
    EpdTcsi "16.2.5.25" Import Kept "operands that tcsi does not take";
    EpdVariation "16.2.5.26" Import Kept "operands that v0 to v9 does not take";
    NoOrdinal "20.2" Import Comment "legal move that has no ordinal: pgc keeps the rest of the line as text";
}

#[cfg(test)]
mod tests {
    use super::{Mend, Rule};

    #[test]
    fn rules_are_in_the_order_of_their_clauses() {
        let parts = |rule: &Rule| {
            let numbers = rule.clause().split('.');
            numbers
                .map(|n| n.parse::<u32>().unwrap())
                .collect::<Vec<_>>()
        };
        assert!(Rule::ALL.is_sorted_by_key(parts));
        assert!(
            Rule::ALL
                .iter()
                .enumerate()
                .all(|(place, &rule)| rule as usize == place)
        );
        assert_eq!(Rule::DateForm.clause(), "8.1.1.3");
        assert_eq!(Rule::DateForm.mend(), Mend::Kept);
    }
}
