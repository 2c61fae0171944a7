//! What comments say of clocks, times, evaluations and depths: commands in their odder forms, and
//! the comments of engine matches. Also time controls with fractions, and dates in other forms.

use serde_json::{Value, json};

use crate::cli::program::Dir;

/// The fields `clock`, `elapsed`, `eval`, `mate` and `depth` of each move of the main line.
fn told(movetext: &str) -> Vec<Value> {
    let dir = Dir::new();
    dir.put("a.pgn", format!("[Event \"A\"]\n\n{movetext} *\n"));
    dir.pack("a.pgn");
    let found = dir.run(&["get", "a.pgc", "1", "--format", "json"]).exits(0);
    let game: Value = serde_json::from_slice(&found.output.stdout).unwrap();
    let game = if game.is_array() {
        game[0].clone()
    } else {
        game
    };
    let moves = game["moves"].as_array().unwrap().iter();
    let fields = ["clock", "elapsed", "eval", "mate", "depth"];
    moves
        .map(|played| fields.iter().map(|field| played[field].clone()).collect())
        .collect()
}

/// Lila reads `1:59` as hours and minutes; so does this where another clock has hours.
#[test]
fn clocks_of_hours_and_minutes() {
    let clocks = |movetext: &str| -> Vec<Value> {
        told(movetext).iter().map(|told| told[0].clone()).collect()
    };
    assert_eq!(
        clocks(
            "1. e4 {[%clk 1:59]} e5 {[%clk 1:58]} 2. Nf3 {[%clk 0:45:10]} Nc6 {[%clk 71:59:34]} \
                3. Bb5 {[%clk 0:00:01,5]} a6 {[%clk 59:30]}"
        ),
        [
            json!(7140.0),
            json!(7080.0),
            json!(2710.0),
            json!(259_174.0),
            json!(1.5),
            json!(3570.0)
        ]
    );
    // Without hours elsewhere these are minutes; four parts, and a sign, are no time.
    assert_eq!(
        clocks("1. e4 {[%clk 1:59]} e5 {[%clk 1:2:3:4]} 2. Nf3 {[%clk -0:10]}"),
        [json!(119.0), Value::Null, Value::Null]
    );
}

/// The depth stands behind a comma (Lichess) or a slash (PyChess).
#[test]
fn evaluations_have_depths() {
    let told =
        told("1. e4 {[%eval 0.16/16]} e5 {[%eval #-3,20]} 2. Nf3 {[%eval -M5]} Nc6 {[%eval 0.3]}");
    let of = |eval: Value, mate: Value, depth: Value| json!([null, null, eval, mate, depth]);
    assert_eq!(
        told,
        [
            of(json!(16), Value::Null, json!(16)),
            of(Value::Null, json!(-3), json!(20)),
            of(Value::Null, json!(-5), Value::Null),
            of(json!(30), Value::Null, Value::Null),
        ]
    );
}

/// cutechess and fastchess write scores from the side of the player, and mates in plies; TCEC from
/// White's side. A command counts before them.
#[test]
fn comments_of_engine_matches() {
    assert_eq!(
        told(
            "1. e4 {book} e5 {+0.35/21 1.2s} 2. Nf3 {-M8/30 0.5s, Black mates} Nc6 \
              {d=31, sd=40, mt=00:01:05, tl=01:58:55, wv=0.39, R50=50} 3. Bb5 {[%eval 1.5] +0.2/9 3s} a6 {1/2}"
        ),
        [
            json!([null, null, null, null, null]),
            json!([null, 1.2, -35, null, 21]),
            json!([null, 0.5, null, -4, 30]),
            json!([7135.0, 65.0, 39, null, 31]),
            json!([null, null, 150, null, null]),
            json!([null, null, null, null, null]),
        ]
    );
}

/// ChessBase's programs evaluate from White's side, which a game shows by a score above 0 without a
/// sign: so all of its scores are, but those of cutechess.
#[test]
fn comments_of_chessbase_matches() {
    let told = |text: &str| -> Vec<Value> {
        let values = told(text);
        {
            values
                .iter()
                .map(|told| json!([told[1], told[2], told[3], told[4]]))
        }
        .collect()
    };
    let of = |time: f64, eval: i32, depth: i32| json!([time, eval, null, depth]);
    assert_eq!(
        told(
            "1. e4 {-0.21/27 185} e5 {-0.18/\n23 \n239 (Nf3)} 2. Nf3 {0.\n44/22 249} Nc6 \
             {-#7/59 0} 3. Bb5 {0.00/3 1} a6 {+0.30/12 1.5s}"
        ),
        [
            of(185.0, -21, 27),
            of(239.0, -18, 23),
            of(249.0, 44, 22),
            json!([0.0, null, -7, 59]),
            of(1.0, 0, 3),
            of(1.5, -30, 12),
        ]
    );
    // So does a move that was expected.
    assert_eq!(
        told("1. e4 {-0.21/27 185 (c5)} e5 {-0.18/23 239}"),
        [of(185.0, -21, 27), of(239.0, -18, 23)]
    );
    assert_eq!(
        told("1. e4 {+0.21/27 185} e5 {-0.18/23 239}"),
        [of(185.0, 21, 27), of(239.0, 18, 23)]
    );
    assert_eq!(
        told("1. e4 e5 { ev=-0.60, d=16, pd=Kg3, mt=00:02:38, tl=00:03:48, s=294 kN/s, tb=2, }")[1],
        of(158.0, -60, 16)
    );
}

/// 10 and 40 times 0.1 seconds are bullet.
#[test]
fn fractions_in_time_controls() {
    let dir = Dir::new();
    let game = |control: &str| format!("[TimeControl \"{control}\"]\n\n1. e4 *\n\n");
    dir.put("a.pgn", ["10+0.1", "8+0.08", "300"].map(game).concat());
    dir.pack("a.pgn");
    for (asked, count) in [
        ("bullet", "2\n"),
        ("10+0.1", "1\n"),
        ("8..10", "2\n"),
        ("blitz", "1\n"),
    ] {
        let found = dir.run(&["find", "a.pgc", "--count", "--time", asked]);
        assert_eq!(
            String::from_utf8(found.output.stdout).unwrap(),
            count,
            "{asked}"
        );
    }
    let columns = [
        "find",
        "a.pgc",
        "--format",
        "csv",
        "--columns",
        "base_seconds,increment-seconds,speed",
    ];
    let rows = String::from_utf8(dir.run(&columns).exits(0).output.stdout).unwrap();
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(rows, ["10,0.1,bullet", "8,0.08,bullet", "300,0,blitz"]);
}

/// `find` reads the year of a date in another form, month and day where there is one reading;
/// `edit` takes no date that can be read in two ways.
#[test]
fn dates_in_other_forms() {
    let dir = Dir::new();
    let game = |date: &str| format!("[Date \"{date}\"]\n\n1. e4 *\n\n");
    let dates = [
        "01.05.1999",
        "31.05.1999",
        "5/1/1999",
        "May 1999",
        "1999/5/1",
        "yesterday",
    ];
    dir.put("a.pgn", dates.map(game).concat());
    dir.pack("a.pgn");
    for (asked, count) in [
        ("1999", "5\n"),
        ("1999.05", "3\n"),
        ("1999.05.31", "1\n"),
        ("1999.05.01", "1\n"),
    ] {
        let found = dir.run(&["find", "a.pgc", "--count", "-d", asked]);
        assert_eq!(
            String::from_utf8(found.output.stdout).unwrap(),
            count,
            "{asked}"
        );
    }
    dir.run(&["index", "--verify", "a.pgc"]).exits(0);
    for date in ["01.05.1999", "5/1/1999", "yesterday", "", "Mai 1999"] {
        let set = format!("Date={date}");
        dir.run(&["edit", "a.pgc", "--set", &set, "-o", "b.pgc"])
            .exits(2)
            .says("is not a date");
    }
    for date in ["1999.05.01", "????.??.??", "31.05.1999", "1999"] {
        let set = format!("EventDate={date}");
        dir.run(&["edit", "-q", "-f", "a.pgc", "--set", &set, "-o", "b.pgc"])
            .exits(0);
    }
}
