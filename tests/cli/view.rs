//! `pgc view` where there is no terminal.

use crate::cli::program::Dir;

const GAMES: &str = "\
[Event \"Cup\"]\n[Date \"1999.01.01\"]\n[White \"Ada\x1b\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n[WhiteElo \"2500\"]\n\n1. e4 {good} e5 $10 2. Nf3 $1 (2. f4 exf4 {taken}) 2... Nc6 {[%clk 1:02:03]} 1-0\n\n\
[SetUp \"1\"]\n[FEN \"8/8/4k3/8/8/4K3/4P3/8 b - - 0 41\"]\n\n41... Kd5 42. Kd3 *\n";

#[test]
fn a_game_is_printed_once() {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.pack("x.pgn");
    let view = |args: &[&str]| dir.run(&[&["view", "x.pgc"], args].concat());
    let expected = "\
Ada\\x1b (2500) - Bob, 1-0
Cup, 1999.01.01
opening: C44 King's Knight Opening: Normal Variation (ply 4)

8 \u{265c} \u{b7} \u{265d} \u{265b} \u{265a} \u{265d} \u{265e} \u{265c}
7 \u{265f} \u{265f} \u{265f} \u{265f} \u{b7} \u{265f} \u{265f} \u{265f}
6 \u{b7} \u{b7} \u{265e} \u{b7} \u{b7} \u{b7} \u{b7} \u{b7}
5 \u{b7} \u{b7} \u{b7} \u{b7} \u{265f} \u{b7} \u{b7} \u{b7}
4 \u{b7} \u{b7} \u{b7} \u{b7} \u{2659} \u{b7} \u{b7} \u{b7}
3 \u{b7} \u{b7} \u{b7} \u{b7} \u{b7} \u{2658} \u{b7} \u{b7}
2 \u{2659} \u{2659} \u{2659} \u{2659} \u{b7} \u{2659} \u{2659} \u{2659}
1 \u{2656} \u{2658} \u{2657} \u{2655} \u{2654} \u{2657} \u{b7} \u{2656}
  a b c d e f g h

2... Nc6 (ply 4 of 4), White to move, clocks ? and 1:02:03

1. e4 {good} 1... e5 (drawish position) 2. Nf3! ( 2. f4 exf4 {taken} ) 2... Nc6
1-0
";
    assert_eq!(view(&["1"]).exits(0).stdout(), expected);
    let from_black = view(&["2", "--ply", "1", "--flip"]).exits(0).stdout();
    assert!(from_black.contains("\n  h g f e d c b a\n"), "{from_black}");
    assert!(from_black.contains("41... Kd5 (ply 1 of 2), White to move\n"));
    assert!(
        from_black.ends_with("\n41... Kd5 42. Kd3 *\n"),
        "{from_black}"
    );
    view(&["2", "--ply", "3"]).exits(2).says("2 plies");
    view(&["3"]).exits(1);
    view(&["0"]).exits(1);
}
