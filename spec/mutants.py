#!/usr/bin/env python3
"""Checks that the vectors pin the small form: each of the changed readers below must fail on one of them.

A changed reader is small.py, ppmd.py or moves.py with one piece of text replaced. This file is in the public domain (CC0).
"""

from __future__ import annotations

import sys
import types
from pathlib import Path

HERE = Path(__file__).parent

# What the changed reader does; its file; the text that it has, and what it has instead; a vector that shows the difference.
MUTANTS = [
    ("counts plies among the bases", "small", "if not 0 < plies <= MOST_PLIES:", "self.before = [plies, *self.before[:2]]\n            if not 0 < plies <= MOST_PLIES:", "s_engine"),
    ("takes the last of equal costs", "small", "i = memo.costs.index(min(memo.costs))", "i = max(range(len(memo.costs)), key=lambda i: (-memo.costs[i], i))", "s_engine"),
    ("has followers with a longer history", "small", "(2 * history + (symbol == found)) % 8", "(2 * history + (symbol == found)) % 16", "s_engine"),
    ("has numbers with a longer history", "small", "(2 * memo.same[side] + (found == own)) % 8", "(2 * memo.same[side] + (found == own)) % 16", "s_engine"),
    ("has guesses with a longer history", "small", "history = 4 * history + hit & 63", "history = 4 * history + hit & 255", "s_engine"),
    ("forgets the first of the candidates in the history", "small", "column.history << 3 & 0x1FF", "column.history << 3 & 0xFFF", "s_engine"),
    ("counts more than three candidates that agree", "small", "agree = min(offers[i:].count(offer), 3)", "agree = offers[i:].count(offer)", "s_engine"),
    ("tells a depth of three from one of two", "small", "min(self.depth, 2) << 1", "min(self.depth, 3) << 1", "s_engine"),
    ("takes an only move without a choice", "small", "move = list(left)[self.run.decode(list(left.values()))]", "move = list(left)[self.run.decode(list(left.values())) if len(left) > 1 else 0]", "s_engine"),
    ("asks an ordinal twice", "small", "if move is None or move in wrong:", "if move is None:", "s_engine"),
    ("does not count how often a word came", "small", "self.count = min(self.counts.get(number, 0), 7)", "self.count = 0", "s_parts"),
    ("tells eight times from seven", "small", "min(self.counts.get(number, 0), 7)", "self.counts.get(number, 0)", "s_parts"),
    ("tells eight parts behind a word from seven", "small", "min(self.parts, 7)", "self.parts", "s_parts"),
    ("counts the parts of the comment, not those behind a word", "small", "[number + 1, self.last[0]], 0", "[number + 1, self.last[0]], self.parts", "s_parts"),
    ("takes products over 2^60", "small", "if scaled >= 1 << 60:", "if False:", "s_parts"),
    ("takes a product of 2^60", "small", "if scaled >= 1 << 60:", "if scaled > 1 << 60:", "s_parts"),
    ("takes products without their sign", "small", "return -scaled if product < 0 else scaled", "return scaled", "s_parts"),
    ("rounds products down", "small", "return -scaled if product < 0 else scaled", "return product // 10**-scale if scale < 0 else product * 10**scale", "s_parts"),
    ("learns a scale from a number 0", "small", "if q1 and q3 and found:", "if q1 and q3:", "s_parts"),
    ("takes the highest of equal scales", "small", "min(range(-6, 7), key", "min(range(6, -7, -1), key", "s_parts"),
    ("rounds seconds of a clock up", "small", "return number // unit if number >= 0 else -(-number // unit)", "return -(-number // unit)", "s_clocks"),
    ("tells apart 44 clocks and 40", "small", "min(self.seen, 40) // 4", "self.seen // 4", "s_clocks"),
    ("takes no + before the increment", "small", 'digits = text[1:] if text[:1] == b"+" else text', "digits = text", "s_clocks"),
    ("takes a start of 2^32 seconds", "small", "seconds(start, 1 << 32)", "seconds(start, 1 << 33)", "s_clocks"),
    ("takes an increment of 2^16 seconds", "small", "seconds(increment, 1 << 16)", "seconds(increment, 1 << 17)", "s_clocks"),
    ("takes the increment for the first clock of Black", "small", "(self.start * unit, 0, self.increment * unit)", "(self.start * unit, self.increment * unit, self.increment * unit)", "s_clocks"),
    ("gives each key of a position an entry", "small", "check = key >> 19 & WORD | 1", "check = key >> 19 & WORD | 1\n        key <<= 51", "s_guess"),
    ("leaves an entry as it is for another position", "small", 'if entry is None or entry["check"] != check:', "if entry is None:", "s_guess"),
    ("has keys that begin with 1 for White", "small", "key = 0 if board.turn else 1", "key = 1 if board.turn else 0", "s_guess"),
    ("counts four times", "small", 'min(entry["count"] + 1, 3)', 'min(entry["count"] + 1, 4)', "s_guess"),
    ("remembers no former ply", "small", 'entry["latest"], entry["former"], entry["count"] = ordinal, entry["latest"], 0', 'entry["latest"], entry["count"] = ordinal, 0', "s_guess"),
    ("has units over 256", "moves", "min(max(bias + 4 * total, 0), 256) >> 1", "max(bias + 4 * total, 0) >> 1", "s_guess"),
    ("has units below 0", "moves", "min(max(bias + 4 * total, 0), 256) >> 1", "min(bias + 4 * total, 256) >> 1", "s_guess"),
    ("gives a move the frequency 0", "moves", "max(1, tables.exp", "max(0, tables.exp", "s_guess"),
    ("halves no frequencies", "ppmd", 'least context."""', 'least context."""\n        return', "s_memory"),
    ("cuts no larger block", "ppmd", "larger = next((i for i in range(index + 1, len(SIZES)) if self.free[i]), None)", "larger = None", "s_memory"),
    ("begins no new model", "ppmd", "except Full:\n            self.restart()", "except Full:\n            pass", "s_memory"),
    ("begins no new model where text and units meet", "ppmd", "if self.units.text >= self.units.start:", "if False:", "s_memory"),
    ("leaves its memory to a context that lost states", "ppmd", "        if i != j:\n            if units", "        if False:\n            if units", "s_memory"),
    ("leaves its memory to a context that lost all states but one", "ppmd", "            units.free[SIZE_OF[old - 1]].append(context.address)\n            return", "            return", "s_memory"),
    ("never joins free blocks", "ppmd", "self.until_glue = 255\n", "self.until_glue = 255\n        return\n", "s_memory"),
    ("joins free blocks one failure too early", "ppmd", "self.until_glue = 255\n", "self.until_glue = 254\n", "s_memory"),
    ("joins free blocks one failure too late", "ppmd", "self.until_glue = 255\n", "self.until_glue = 256\n", "s_memory"),
    ("joins free blocks at each failure", "ppmd", "if self.until_glue == 0:", "if True:", "s_memory"),
    ("joins no free blocks at the first failure", "ppmd", "self.until_glue = 0\n", "self.until_glue = 255\n", "s_memory"),
]


def changed(name: str, old: str, new: str) -> types.ModuleType:
    """reader.py with one piece of another module replaced."""
    for module in ("reader", "small", "ppmd", "moves"):
        sys.modules.pop(module, None)
    for module in ("ppmd", "moves", "small", "reader"):
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
