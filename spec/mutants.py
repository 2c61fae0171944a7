#!/usr/bin/env python3
"""Checks that the vectors pin the small form: each of the changed readers below must fail on one of them.

A changed reader is small.py or ppmd.py with one piece of text replaced. This file is in the public domain (CC0).
"""

from __future__ import annotations

import sys
import types
from pathlib import Path

HERE = Path(__file__).parent

# What the changed reader does; its file; the text that it has, and what it has instead; a vector that shows the difference.
MUTANTS = [
    ("counts plies among the bases", "small", "if not 0 < plies <= MOST_PLIES:", "self.before = [plies, *self.before[:2]]\n            if not 0 < plies <= MOST_PLIES:", "s_engine"),
    ("takes the last of equal costs", "small", "i = record.costs.index(min(record.costs))", "i = max(range(len(record.costs)), key=lambda i: (-record.costs[i], i))", "s_engine"),
    ("has followers with a longer history", "small", "(2 * history + (symbol == found)) % 8", "(2 * history + (symbol == found)) % 16", "s_engine"),
    ("has numbers with a longer history", "small", "(2 * record.same[side] + (found == own)) % 8", "(2 * record.same[side] + (found == own)) % 16", "s_engine"),
    ("has guesses with a longer history", "small", "history = 4 * history + hit & 63", "history = 4 * history + hit & 255", "s_engine"),
    ("forgets the first of the candidates in the history", "small", "column.history << 3 & 0x1FF", "column.history << 3 & 0xFFF", "s_engine"),
    ("counts more than three candidates that agree", "small", "agree = min(offers[i:].count(offer), 3)", "agree = offers[i:].count(offer)", "s_engine"),
    ("tells a depth of three from one of two", "small", "min(self.depth, 2) << 1", "min(self.depth, 3) << 1", "s_engine"),
    ("takes an only move without a choice", "small", "move = list(left)[self.run.decode(list(left.values()))]", "move = list(left)[self.run.decode(list(left.values())) if len(left) > 1 else 0]", "s_engine"),
    ("asks an ordinal twice", "small", "if move is None or move in wrong:", "if move is None:", "s_engine"),
    ("halves no frequencies", "ppmd", 'least context."""', 'least context."""\n        return', "s_memory"),
    ("cuts no larger block", "ppmd", "larger = next((i for i in range(index + 1, len(SIZES)) if self.free[i]), None)", "larger = None", "s_memory"),
    ("begins no new model", "ppmd", "except Full:\n            self.restart()", "except Full:\n            pass", "s_memory"),
    ("never joins free blocks", "ppmd", "self.until_glue = 255\n", "self.until_glue = 255\n        return\n", "s_memory"),
    ("joins free blocks one failure too early", "ppmd", "self.until_glue = 255\n", "self.until_glue = 254\n", "s_memory"),
    ("joins free blocks one failure too late", "ppmd", "self.until_glue = 255\n", "self.until_glue = 256\n", "s_memory"),
    ("joins free blocks at each failure", "ppmd", "if self.until_glue == 0:", "if True:", "s_memory"),
    ("joins no free blocks at the first failure", "ppmd", "self.until_glue = 0\n", "self.until_glue = 255\n", "s_memory"),
]


def changed(name: str, old: str, new: str) -> types.ModuleType:
    """reader.py with one piece of small.py or ppmd.py replaced."""
    for module in ("reader", "small", "ppmd"):
        sys.modules.pop(module, None)
    for module in ("ppmd", "small", "reader"):
        path = HERE / f"{module}.py"
        text = path.read_text("utf-8")
        if module == name:
            if text.count(old) != 1:
                sys.exit(f"{path.name} has {text.count(old)} times: {old}")
            text = text.replace(old, new)
        loaded = types.ModuleType(module)
        loaded.__file__ = str(path)
        sys.modules[module] = loaded
        exec(compile(text, path, "exec"), loaded.__dict__)
    return sys.modules["reader"]


def main() -> int:
    sys.path.insert(0, str(HERE))
    wrong = 0
    for vector in sorted({mutant[-1] for mutant in MUTANTS}):
        problem = changed("", "", "").run_vector(HERE / "vectors", vector, "small")
        wrong += problem is not None
        print(f"{vector:10} {'FAILS' if problem else 'passes'} the reader as it is")
    for what, name, old, new, vector in MUTANTS:
        problem = changed(name, old, new).run_vector(HERE / "vectors", vector, "small")
        print(f"{vector:10} {'fails' if problem else 'PASSES'} a reader that {what}")
        wrong += not problem
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
