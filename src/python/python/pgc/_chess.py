"""Games for python-chess, without parsing them again: the moves are known to be legal."""

import functools

import chess
import chess.pgn


def to_chess(game):
    """The game as `chess.pgn.read_game` would return it, without the text after the first illegal move."""
    result = chess.pgn.Game()
    result.headers = chess.pgn.Headers({})
    for name, value in game.tags.items():
        # `chess.pgn.Headers` accepts no other names and values.
        if chess.pgn.TAG_NAME_REGEX.match(name) and "\n" not in value and "\r" not in value:
            result.headers[name] = value
    for name, value in chess.pgn.Headers().items():
        if name == "Result":
            value = game.termination or value
        result.headers.setdefault(name, value)
    result.comment = " ".join(game.comments)
    _add(result, game.moves)
    return result


# Moves are values, so that games can share them; there are some 2,000 of chess.
_move = functools.lru_cache(1 << 13)(chess.Move.from_uci)


def _add(node, moves):
    """Adds a line, and for each of its moves the variations that replace it."""
    child = chess.pgn.ChildNode
    open_lines = [(node, moves)]
    # A stack instead of recursion, since variations may be nested deeper than Python's limit.
    while open_lines:
        node, moves = open_lines.pop()
        for move in moves:
            before = node
            node = child(
                before,
                _move(move.uci),
                comment=" ".join(move.raw_comments),
                starting_comment=" ".join(move.before),
                nags=move.nags,
            )
            if variations := move.variations:
                open_lines.extend((before, line) for line in reversed(variations))
