#!/usr/bin/env python3
"""Writes many games to measure with: generated tags, and the movetexts of a PGN file in turn.

    python3 benches/games.py 1000000 tests/data/sample.pgn > million.pgn

The same arguments give the same bytes. Players are drawn so that a few have thousands of games and most a handful,
as in real collections: 1 player for 10 games, 1 event for 100, dates from 1900 to 2025, a tenth of them not fully known.
"""

import random
import re
import sys

SYLLABLES = "an ber chen dra el fis gu har iv jo kar lev mik nor os pet qi rad sol tal ul vas wei xu yur zol".split()
TOWNS = "Hastings Linares Wijk_aan_Zee Dortmund Moscow Biel Tilburg Reykjavik Havana Zurich Chennai Lagos".split()
ECO = [f"{letter}{number:02}" for letter in "ABCDE" for number in range(100)]
RESULT = re.compile(r"(1-0|0-1|1/2-1/2|\*)\s*$")


def name(rng: random.Random) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))).capitalize()


def movetexts(path: str) -> list[tuple[str, str]]:
    """The movetexts of games from the usual start, each with its result."""
    text = open(path, encoding="latin-1", newline="").read().replace("\r\n", "\n")
    found = []
    for part in text.split("\n\n["):
        tags, _, movetext = part.partition("\n\n")
        result = RESULT.search(movetext)
        if result and "FEN" not in tags and "Variant" not in tags and "[" not in movetext:
            found.append((movetext.strip() + "\n", result[1]))
    return found


def date(rng: random.Random) -> str:
    year, known = 2025 - int(rng.random() ** 2 * 125), rng.random()
    if known < 0.03:
        return f"{year}.??.??"
    if known < 0.1:
        return f"{year}.{rng.randint(1, 12):02}.??"
    return f"{year}.{rng.randint(1, 12):02}.{rng.randint(1, 28):02}"


def main() -> None:
    games, path = int(sys.argv[1]), sys.argv[2]
    rng = random.Random(1994)
    moves = movetexts(path)
    players = [f"{name(rng)}, {name(rng)}" for _ in range(max(2, games // 10))]
    events = [
        (f"{town.replace('_', ' ')} {rng.choice(['Open', 'Masters', 'Memorial', 'Championship', 'Rapid'])} {number}", town.replace("_", " "))
        for number, town in ((number, rng.choice(TOWNS)) for number in range(max(1, games // 100)))
    ]
    # A tenth of the players play four games in ten.
    few = max(1, len(players) // 10)
    out = []
    for number in range(games):
        white, black = (players[int(rng.random() * (few if rng.random() < 0.4 else len(players)))] for _ in range(2))
        event, site = events[number // 100 % len(events)]
        movetext, result = moves[number % len(moves)]
        out.append(
            f'[Event "{event}"]\n[Site "{site}"]\n[Date "{date(rng)}"]\n[Round "{number % 11 + 1}"]\n[White "{white}"]\n[Black "{black}"]\n'
            f'[Result "{result}"]\n[WhiteElo "{rng.randint(1800, 2850)}"]\n[BlackElo "{rng.randint(1800, 2850)}"]\n[ECO "{rng.choice(ECO)}"]\n\n{movetext}\n'
        )
        if len(out) == 1000:
            sys.stdout.write("".join(out))
            out.clear()
    sys.stdout.write("".join(out))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="latin-1")
    main()
