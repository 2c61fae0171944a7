"""Games for python-chess, without parsing them again: the moves are known to be legal."""

import functools

import chess
import chess.pgn

_UNKNOWN = chess.pgn.Headers()


def to_chess(game):
    """The game as `chess.pgn.read_game` would return it, without the text after the first illegal move."""
    result = chess.pgn.Game({})
    headers = result.headers
    for name, value in game.tags.items():
        # `chess.pgn.Headers` accepts no other names and values.
        if chess.pgn.TAG_NAME_REGEX.match(name) and "\n" not in value and "\r" not in value:
            headers[name] = value
    for name, value in _UNKNOWN.items():
        if name not in headers:
            headers[name] = game.termination or value if name == "Result" else value
    result.comment = " ".join(game.comments)
    nodes = [result]
    for parent, uci, comment, before, nags in game._nodes():
        nodes.append(_node(nodes[parent], _move(uci), comment, before, nags))
    return result


# Moves are values, so that games can share them; there are some 2,000 of chess.
_move = functools.lru_cache(1 << 13)(chess.Move.from_uci)


def _constructed(parent, move, comment, before, nags):
    return chess.pgn.ChildNode(parent, move, comment=comment, starting_comment=before, nags=nags)


def _filled(parent, move, comment, before, nags, new=object.__new__, kind=chess.pgn.ChildNode):
    """The same in half the time."""
    node = new(kind)
    node.parent = parent
    node.move = move
    node.variations = []
    node.comment = comment
    node.starting_comment = before
    node.nags = set(nags)
    parent.variations.append(node)
    return node


def _attributes(make):
    return vars(make(chess.pgn.Game(), chess.Move.null(), "a", "b", [1])).keys()


# Another version of python-chess may keep something else in a node.
_node = _filled if _attributes(_filled) == _attributes(_constructed) else _constructed
