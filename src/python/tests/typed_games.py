"""Games with tags of all kinds, and filters in SQL. Each has whether the index gives exactly its rows (True), some too many (False), or
all rows (None)."""

# Tags as people write them: each list goes round at its own pace, so that the combinations differ.
DATES = ["1992.05.03", "1992.05.??", "1992.??.??", "199?.??.??", "????.05.03", "1992-5-3", "1992", "2011.19.11", "2011.11.31", "May 1992",
         "????.??.??", "", "1959.10.31", "1959.1", "1989.12.31", "1990.01.01", "0000.01.01", "19590"]  # fmt: skip
ECOS = ["B33", "b33", "B33a", "B3", "B30", "B39", "B40", "A00", "E99", "-", "?", "", "B29/07", "a00"]
ELOS = ["2700", "2600", "2599", " 2650 ", "2650 (FIDE)", "?", "-", "0", "65535", "65536", "1"]
RESULTS = ["1-0", "0-1", "1/2-1/2", "*", "1/2", "?", "1-0 ff"]
PLAYERS = ["Tal, Mihail", "Tal", "tal, mihail", "H\u00fcbner, Robert", "?", "", "=Tal", " Tal", "*", "x" * 1500, "x" * 1023 + "\u00fc"]
EVENTS = ["Candidates", "candidates", 'The "Open"', "?", "", "Tal"]

FILTERS = [
    ("result = '1-0'", True),
    ("result in ('1-0', '1/2-1/2')", True),
    ("result <> '*'", True),
    ("result not in ('*', '0-1')", True),
    ("result = '1/2'", None),
    ("white = 'Tal, Mihail'", True),
    ("white in ('Tal', 'H\u00fcbner, Robert', '=Tal', ' Tal', '*')", True),
    ("white = '?'", None),
    (f"white = '{'x' * 1500}'", None),
    (f"white = '{'x' * 1023}\u00fc'", None),
    ("white <> 'Tal'", None),
    ("white like 'Tal%'", None),
    ("black = 'Tal, Mihail' and white = 'Tal'", True),
    ("white <=> 'Tal'", True),
    ("event = 'The \"Open\"'", True),
    ("event in ('candidates', 'Tal')", True),
    ("white_elo >= 2600", True),
    ("white_elo > 2599 and black_elo < 2700", True),
    ("white_elo <= 1", True),
    ("black_elo in (2700, 65535, 65536, 0)", True),
    ("black_elo = 0", None),
    ("white_elo is null", None),
    ("plies = 1", True),
    ("plies between 2 and 100", True),
    ("year = 1992", True),
    ("year in (1992, 1959, 0)", True),
    ("year >= 1990", False),
    ("year between 1990 and 1999", False),
    ("year < 1990", False),
    ("month = 5", None),
    ("full_date = date '1992-05-03'", True),
    ("full_date >= date '1990-01-01'", False),
    ("full_date > date '1989-12-31' and full_date < date '1992-05-03'", False),
    ("date = '1992.05.03'", False),
    ("date like '1992%'", False),
    ("date like '1959.1%'", None),
    ("date >= '1992'", None),
    ("eco_tag = 'B33'", False),
    ("eco_tag in ('B33', 'A00')", False),
    ("eco_tag like 'B3%'", False),
    ("eco_tag between 'B30' and 'B39'", False),
    ("eco_tag > 'B3' and eco_tag < 'B40'", False),
    ("eco_tag >= 'B30'", None),
    ("eco = 'B33'", True),
    ("eco in ('B33', 'A00', null)", True),
    ("eco like 'B3%'", True),
    ("eco = 'b33'", None),
    ("eco is null", None),
    ("white = 'Tal' or black = 'Tal'", None),
    ("round = '3'", True),
    ("round = '03' and year = 1992", True),
    ("clocks is not null", False),
    ("clocks is not null and white_elo = 2600", False),
    ("evals is not null or clocks is not null", None),
    ("comments is not null", False),
    ("comments is null", None),
    ("nags is not null", True),
    ("fen is not null", False),
    ("has_fen = true", True),
    ("has_comments", True),
    ("not has_nags", True),
    ("has_variations", True),
    ("variant = 'chess960'", True),
    ("variant in ('atomic', 'chess960')", True),
    ("variant = 'no such'", None),
    ("opening = 'King''s Pawn Game'", False),
    ("opening = 'No such opening'", None),
    ("speed = 'blitz'", None),
    ("year = 1992 and eco_tag like 'B3%' and result = '1-0'", False),
]  # fmt: skip


def typed_games(count):
    """PGN with tags of all kinds."""

    def quoted(value):
        return value.replace("\\", "\\\\").replace('"', '\\"')

    for n in range(count):
        tags = {"Event": EVENTS[n % len(EVENTS)], "Date": DATES[n % len(DATES)], "White": PLAYERS[n % len(PLAYERS)]}
        tags["Black"] = PLAYERS[n // 3 % len(PLAYERS)]
        tags["Result"] = RESULTS[n % len(RESULTS)]
        if n % 5:
            tags["WhiteElo"], tags["BlackElo"] = ELOS[n // 2 % len(ELOS)], ELOS[n % len(ELOS)]
        if n % 7:
            tags["ECO"] = ECOS[n // 5 % len(ECOS)]
        if n % 11 == 0:
            tags["UTCDate"] = "1993.01.02"
        tags["Round"] = ["3", "03", "3.1", "?", " 3"][n // 2 % 5]
        if n % 13 == 0:
            tags["FEN"], tags["SetUp"] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "1"
        if n % 17 == 0:
            tags["Variant"] = ["chess960", "atomic", "Standard", "odd"][n // 17 % 4]
        if n % 3 == 0:
            tags["TimeControl"] = ["180+2", "60", "?", "-"][n // 3 % 4]
        moves = ["1. e4 *", "1. e4 e5 2. Nf3 1-0", "*", "1. e4 e9 0-1", "1. d4 { [%clk 0:01:00] } d5 *",
                 "1. e4 $1 (1. d4 {[%clk 0:01:00]} d5) e5 {text} *"][n % 6]  # fmt: skip
        yield "".join(f'[{name} "{quoted(value)}"]\n' for name, value in tags.items()) + f"\n{moves}\n\n"
