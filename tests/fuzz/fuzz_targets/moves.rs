//! The move coder: any bytes are an error, or moves of which they are the only spelling.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc_chess::{CodedLine, Position, RangeDecoder, RangeEncoder, Rules};

const STARTS: [(Rules, &[u8]); 4] = [
    (
        Rules::Chess,
        b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ),
    (Rules::Chess, b"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
    (
        Rules::Chess,
        b"qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    ),
    (
        Rules::Chess960,
        b"bbr1nkrn/pppppppp/8/8/8/8/PPPPPPPP/BBR1NKRN w CGcg - 0 1",
    ),
];

fuzz_target!(|data: &[u8]| {
    let [start, plies, bytes @ ..] = data else {
        return;
    };
    let (rules, fen) = STARTS[usize::from(*start) % STARTS.len()];
    let start = Position::start(rules, Some(fen)).expect("a start");
    let (mut line, mut coder) = (CodedLine::new(start.clone()), RangeDecoder::new(bytes));
    let (mut again, mut encoder) = (CodedLine::new(start), RangeEncoder::default());
    for _ in 0..*plies {
        let Ok(ordinal) = line.take(&mut coder) else {
            return;
        };
        assert_eq!(again.put(ordinal, &mut encoder), Some(()));
    }
    if coder.finish().is_ok() {
        assert_eq!(encoder.finish(), bytes);
    }
});
