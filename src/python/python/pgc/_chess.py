"""Games for python-chess, without parsing them again: the moves are known to be legal."""

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


def _add(node, moves):
    """Adds a line, and for each of its moves the variations that replace it."""
    from_uci = chess.Move.from_uci
    open_lines = [(node, moves)]
    # A stack instead of recursion, since variations may be nested deeper than Python's limit.
    while open_lines:
        node, moves = open_lines.pop()
        for move in moves:
            before = node
            node = before.add_variation(
                from_uci(move.uci),
                comment=" ".join(move.comments),
                starting_comment=" ".join(move.before),
                nags=move.nags,
            )
            open_lines.extend((before, line) for line in reversed(move.variations))
