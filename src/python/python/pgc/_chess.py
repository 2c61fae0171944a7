"""Games for python-chess, without parsing them again: the moves are known to be legal."""

import chess
import chess.pgn


def to_chess(game):
    """The game as `chess.pgn.read_game` would give it; what is behind the first move that is not legal is left out."""
    result = chess.pgn.Game()
    result.headers = chess.pgn.Headers({})
    for name, value in game.tags.items():
        # Others cannot stand in its headers.
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
    """Adds a line, and with each of its moves what could have been played instead."""
    from_uci = chess.Move.from_uci
    open_lines = [(node, moves)]
    # Nested variations come one after another, not by recursion: a game may have any number.
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
