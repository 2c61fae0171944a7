#!/usr/bin/env python3
"""Checks that the vectors pin the formats: each of the changed readers below must fail on one of them.

A changed reader is reader.py, index.py, small.py, ppmd.py or moves.py with one piece of text replaced. This file is in the public
domain (CC0).
"""

from __future__ import annotations

import concurrent.futures
import functools
import logging
import sys
import types
from pathlib import Path

HERE = Path(__file__).parent
FIRST_LINE = "#!/usr/bin/env python3"  # which changes nothing

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
    # Found by going through each "must", "only", "first" and "anew" of the texts.
    ("takes a FEN of ? for a position", "reader", 'if fen is None or fen.strip(" ") in ("", "?", "-"):', 'if fen is None or fen.strip(" ") in ("", "-"):', "d8_no_fen"),
    ("takes a FEN of - for a position", "reader", 'in ("", "?", "-"):\n        return rules', 'in ("", "?"):\n        return rules', "d8_no_fen"),
    ("takes an empty FEN for a position", "reader", 'if fen is None or fen.strip(" ") in ("", "?", "-"):', 'if fen is None or fen.strip(" ") in ("?", "-"):', "d8_no_fen"),
    ("takes no blanks around a FEN of -", "reader", 'fen.strip(" ") in ("",', 'fen in ("",', "d8_no_fen"),
    ("forgets the NAG before with each game", "small", "        self.last = self.depth = 0\n\n    def token", "        self.last = self.depth = self.nag = 0\n\n    def token", "s_kept"),
    ("adds numbers to the list of their group", "small", "        return self.known.add(text)\n\n    def counting", "        if way == NUMBER:\n            self.groups.setdefault(column.group, []).append(self.known.add(text))\n        return self.known.add(text)\n\n    def counting", "s_kept"),
    ("adds signed numbers to the list of their group", "small", "        return self.known.add(text)\n\n    def counting", "        if way == SIGNED:\n            self.groups.setdefault(column.group, []).append(self.known.add(text))\n        return self.known.add(text)\n\n    def counting", "s_kept"),
    ("adds times to the list of their group", "small", "        return self.known.add(text)\n\n    def counting", "        if way == TIME_OF_DAY:\n            self.groups.setdefault(column.group, []).append(self.known.add(text))\n        return self.known.add(text)\n\n    def counting", "s_kept"),
    ("adds dates to the list of their group", "small", "        return self.known.add(text)\n\n    def counting", "        if way == CALENDAR:\n            self.groups.setdefault(column.group, []).append(self.known.add(text))\n        return self.known.add(text)\n\n    def counting", "s_kept"),
    ("adds sites to the list of their group", "small", "        return self.known.add(text)\n\n    def counting", "        if way == SITE:\n            self.groups.setdefault(column.group, []).append(self.known.add(text))\n        return self.known.add(text)\n\n    def counting", "s_kept"),
    ("adds the low bits of a node", "small", ">> self.shift ^ node & 15", "+ (node & 15 << self.shift) >> self.shift", "small"),
    ("has a line of chances for each bit of a symbol", "small", "return 16 * (read >> r) + (1 << r) + read % (1 << r)", "return 16 * read + 1", "small"),
    ("gives a negative number the nodes of a positive one", "small", "which, 128 * negative)", "which, 0)", "s_numbers"),
    ("has the contexts of a number for its third bit", "small", "return (number << length - 1 | coder.even(length - 1)) - 1", "rest = length - 1\n        if rest:\n            number, rest = 2 * number + self.bit(coder, contexts, which, base + 2 * length + 3), rest - 1\n        return (number << rest | coder.even(rest)) - 1", "s_numbers"),
    ("takes 255 for all plies of a longer game", "small", "        if plies == 255:\n            plies +=", "        if plies == 256:\n            plies +=", "s_long"),
    ("takes a 63rd bit 1", "small", "if length == 63:", "if length == 64:", "x_small_63"),
    ("takes no 62nd bit 1", "small", "if length == 63:", "if length == 62:", "r_small_62"),
    ("forgets the players behind a game kept as text", "small", "                flag = bytes([unit in", "                self.tags.begin(0)\n                flag = bytes([unit in", "r_small_piece"),
    ("needs checksums of groups", "small", "        if not self.sums:\n            return\n", "        if not self.sums:\n            raise SmallError('no K')\n", "r_small_no_sums"),
    ("forgets behind a reduced game whether the full game before had T", "small", "                out += self.reduced()", "                self.had = [0, 0, 0]\n                out += self.reduced()", "s_kept_2"),
    ("takes the last name of a game for the name before the first of the next", "small", "        self.game, self.before, self.plies = [], NO_TEXT, plies", "        self.game, self.plies = [], plies", "s_letters"),
    ("puts a new name in front of the list of names", "small", "self.names.append(found)", "self.names.insert(0, found)", "s_epd"),
    ("keeps a name only once among the guesses", "small", "        if guesses[0] != found:\n            self.followers", "        if found not in guesses:\n            self.followers", "s_epd"),
    ("takes the players of full games only for those of the game before", "small", "        self.players = self.value_of(WHITE), self.value_of(BLACK)", "        self.players = (self.value_of(WHITE), self.value_of(BLACK)) if self.before else (NO_TEXT, NO_TEXT)", "s_reduced"),
    ("has a memory of the group where there is no player", "small", "        remembered = [self.memory.get(place, NO_TEXT) for place in slots]\n        if player == NO_TEXT:\n            remembered[0] = NO_TEXT\n", "        remembered = [self.memory.get(place, NO_TEXT) for place in slots]\n        self.memory[slots[0]] = column.last if player == NO_TEXT else self.memory.get(slots[0], NO_TEXT)\n", "s_epd"),
    ("asks for a candidate that is equal to an earlier one", "small", "if offer == NO_TEXT or offer in tried:", "if offer == NO_TEXT:", "s_epd"),
    ("tells by last where told is known", "small", "last = self.text(column.told or column.last)", "last = self.text(column.last)", "s_tags"),
    ("tells by told alone", "small", "last = self.text(column.told or column.last)", "last = self.text(column.told)", "s_kept_2"),
    ("gives White and Black groups of their own", "small", 'text, group, side = self.text(name), name, b""\n            for side_name in (b"White", b"Black"):\n                if text.startswith(side_name):\n                    group, side = self.known.add(b"White" + text[5:]), side_name', 'text, group, side = self.text(name), name, b""\n            for side_name in (b"White", b"Black"):\n                if text.startswith(side_name):\n                    group, side = name, side_name', "s_texts"),
    ("numbers the group of a column behind its value", "small", 'group, side = self.known.add(b"White" + text[5:]), side_name', 'group, side = self.known.numbers.get(b"White" + text[5:], name), side_name', "s_kept_2"),
    ("gives the plies of a PlyCount no number", "small", 'copy = self.known.add(b"%d" % self.plies)', 'copy = self.known.numbers.get(b"%d" % self.plies, NO_TEXT)', "s_tags"),
    ("has a base for BlackElo without the WhiteElo", "small", "if name == BLACK_ELO and other is not None:", "if False:", "s_tags"),
    ("rounds a difference of ratings down", "small", "ahead = ahead // 20 if ahead >= 0 else -(-ahead // 20)", "ahead = ahead // 20", "s_tags"),
    ("bounds no difference of ratings", "small", "ahead = min(max(white - black, -600), 600)", "ahead = white - black", "s_kept_2"),
    ("takes numbers with a 0 in front", "small", 'and (text[:1] != b"0" or text == b"0")', "", "s_tags"),
    ("takes numbers of ten digits", "small", "1 <= len(text) <= 9", "1 <= len(text) <= 10", "s_kept_2"),
    ("counts letters beyond 30", "small", "min(at, 30) << 8", "at << 8", "s_epd"),
    ("guesses letters of the text before also behind a difference", "small", "fits = fits and guess == byte + 1", "pass", "s_epd"),
    ("lets the last tokens of a game go on into the next", "small", "        self.last = self.depth = 0\n\n    def token", "        self.depth = 0\n\n    def token", "s_letters"),
    ("has a run of moves for each game", "small", "if self.games % RUN == 0:", "if True:", "s_letters"),
    ("counts no game without plies in a run of moves", "small", '        self.games += 1\n        if PLY not in tokens:\n            return b""\n', '        if PLY not in tokens:\n            return b""\n        self.games += 1\n', "s_epd"),
    ("takes the clock before for the last but one", "small", "self.clock = [clock if self.seen == 0 else self.clock[1], clock]", "self.clock = [clock, clock]", "s_clocks"),
    ("keeps the clocks of the game before", "small", "self.clock, self.thinks, self.seen = [0, 0], [0] * 4, 0", "self.thinks, self.seen = [0] * 4, 0\n        self.clock = getattr(self, 'clock', [0, 0])", "s_clocks"),
    ("has no resolution for tenths", "small", "at = self.control << 3 | seen << 1 | (unit == 10)", "at = self.control << 3 | seen << 1", "s_clocks"),
    ("takes a mate for an evaluation before", "small", "        if self.evals.bit(coder, contexts, 1, 3):\n            return 0", "        if self.evals.bit(coder, contexts, 1, 3):\n            self.steps = [0, self.steps[0]]\n            return 0", "s_numbers"),
    ("lets the last number of 7.3 go on into the next game", "small", "self.eval, self.steps, self.last = 0, [0, 0], 0", "self.eval, self.steps, self.last = 0, [0, 0], getattr(self, 'last', 0)", "s_kept_2"),
    ("begins what comments remember with each game", "small", "        plies, self.apart = left, None", "        plies, self.apart, self.comments = left, None, Comments()", "s_clocks"),
    ("asks of each comment whether it is in parts", "small", "if is_comment and TEXT in kinds and self.apart is None:", "if is_comment and TEXT in kinds:", "s_clocks"),
    ("asks of a shape without texts whether comments are in parts", "small", "if is_comment and TEXT in kinds and self.apart is None:", "if is_comment and self.apart is None:", "r_small_62"),
    ("has the table of guesses go on from the game before", "small", "        self.table: dict[int, dict] = {}\n        self.guesses = Mixer(3, 12, 3)", "        self.table = getattr(self, 'table', {})\n        self.guesses = Mixer(3, 12, 3)", "s_comments"),
    ("has the chances of guesses go on from the game before", "small", "        self.guesses = Mixer(3, 12, 3)\n", "        self.guesses = getattr(self, 'guesses', None) or Mixer(3, 12, 3)\n", "s_comments"),
    ("takes no 1 before a 0 in a text", "small", "            if byte == 1:\n", "            if False:\n", "s_letters"),
    ("groups items with any number of elements between", "small", "groups[-1][0] != shape or delta != 1:", "groups[-1][0] != shape or delta > 1:", "s_notes"),
    ("has one limit for all chances", "small", "self.letters = Mixer(3, 18, 6, 127)", "self.letters = Mixer(3, 18, 6)", "s_kept_2"),
    ("takes the clock before for the prediction", "reader", "prediction, unit = self.clocks[-2:][0] if self.clocks else (0, tenths)", "prediction, unit = self.clocks[-1] if self.clocks else (0, tenths)", "clock"),
    ("rounds no tenths down", "reader", "prediction = prediction * 10 if tenths else prediction // 10", "prediction = prediction * 10 if tenths else -(-prediction // 10)", "clock_tenths"),
    ("takes a mate for an evaluation of 0", "reader", '            return b"#%d" % self.cursor.snum()', '            self.evaluation = 0\n            return b"#%d" % self.cursor.snum()', "eval"),
    ("takes the last Result tag for the terminator", "reader", 'result = next((value for name, value in game.tags if name == "Result"), None)\n    game.result', 'result = next((value for name, value in game.tags[::-1] if name == "Result"), None)\n    game.result', "d7_results"),
    ("counts a NAG as two places", "reader", "        place += 1\n        annotate()\n    if len(stack) > 1:", "        place += 1 + (record.marker == NAG)\n        annotate()\n    if len(stack) > 1:", "noted"),
    ("takes the first of two templates", "reader", "self.templates[before, behind] = template", "self.templates.setdefault((before, behind), template)", "r_layout"),
    ("counts the column from LF only", "reader", 'line_end = max(piece.rfind(b"\\n"), piece.rfind(b"\\r"))', 'line_end = piece.rfind(b"\\n")', "r_column"),
    ("has the number 1 at the start of a FEN", "reader", "number=line.board.fullmove_number,", "number=len(line.board.move_stack) // 2 + 1,", "r_move_number"),
    ("takes each NAG for two letters with sticky", "reader", "length += len(SUFFIXES[other.number])", "length += 2", "r_sticky"),
    ("stops sticky behind one element", "reader", "for other in elements[index + 1 : index + 17]:", "for other in elements[index + 1 : index + 2]:", "wrap_sticky"),
    ("has always a blank before a line end with trailing blank", "reader", "blank = self.trailing and (room or not self.if_room)", "blank = self.trailing", "wrap_room"),
    ("takes a whole brace comment for the word", "reader", 'ends = rb"[ \\n\\r]" if style.first_word and element.kind == BRACE else rb"[\\n\\r]"', 'ends = rb"[\\n\\r]"', "wrap_first"),
    ("refuses a noop between records", "reader", "            if isinstance(unit, Record) and unit.marker == NOOP:\n                continue\n", "", "r_noops"),
    ("has one order of the roster", "reader", "pairs = [(ROSTER[i], record.strings[i]) for i in style.roster]", "pairs = list(zip(ROSTER, record.strings))", "reduced_order"),
    ("puts percent lines behind the last record into the movetext always", "reader", "    return tags, at, elements\n", "    return tags, max(last_pair, 0) or at, elements\n", "d6_names"),
    ("checks no true value", "reader", "if record_value(true_value) != record.strings[1]:", "if False:", "x_true_value"),
    ("takes an S that continues nothing for one that does, first in a segment", "reader", "        stray = False\n        while True:", "        stray = True\n        while True:", "x_stray_first"),
    ("takes a mark of one byte", "reader", "return bool(rest) and UNFINISHED.startswith(rest)", "return bool(rest) and rest[:1] == b'\\xff'", "x_unfinished_one"),
    ("takes a mark at the beginning", "reader", "        if not self.begins_segment(at):\n            yield from self.foreign()", "        if self.is_unfinished(at):\n            return\n        if not self.begins_segment(at):\n            yield from self.foreign()", "x_unfinished_first"),
    ("counts variations for whole games", "reader", "if depth == 0 and element.kind == TEXT and element.tail:", "if element.kind == TEXT and element.tail:", "d9_tail"),
    ("has a mark after a draw of the race", "reader", "board.is_variant_loss() or board.is_variant_win():", "board.is_variant_end():", "r_variant_ends"),
    ("translates the suffix of a promotion not", "reader", "element.text.translate(LETTERS[self.language])", "element.text[:1].translate(LETTERS[self.language]) + element.text[1:]", "letters"),
    ("keeps a byte of 0xf8 as it is", "reader", "if text[at] & 0xFC == 0xF8 and", "if False and", "e_cp1257"),
    ("takes the first of several tags", "index", "for other, value in reversed(self.tags)", "for other, value in self.tags", "d6_names"),
    ("cuts a value within a character", "index", ').encode("utf-8")[:MAX_VALUE].decode("utf-8", "ignore").encode("utf-8")', ').encode("utf-8")[:MAX_VALUE]', "i_names"),
    ("cuts no value", "index", '.encode("utf-8")[:MAX_VALUE].decode', '.encode("utf-8")[:].decode', "i_names"),
    ("takes UTCDate where Date is odd", "index", "if (value is None or not any(digit in value for digit in DIGITS)) and", "if (value is None or not parts_of(value)) and", "i_dates"),
    # Of index.md, and what a reader written from the texts alone took otherwise.
    ("has integers of no bits where all are 0", "index", "width = max(1, (max(numbers", "width = max(0, (max(numbers", "i_dates"),
    ("has no bits to spare for a place that the column does not have", "index", "[places[value] for value in values[kind]], max(len(places) - 1, 0))", "[places[value] for value in values[kind]])", "i_postings"),
    ("counts the first block of each segment from 0", "index", "Segment(at, 0, end - at, 0, len(stream.games), len(stream.blocks))", "Segment(at, 0, end - at, 0, len(stream.games), 0)", "r_joined"),
    ("counts the first game of each segment from 0", "index", "Segment(at, 0, end - at, 0, len(stream.games), len(stream.blocks))", "Segment(at, 0, end - at, 0, 0, len(stream.blocks))", "r_joined"),
    ("takes an unfinished addition into the length", "index", "    stream.length = at\n    return stream", "    stream.length = len(data)\n    return stream", "r_unfinished"),
    ("has a digest of heads alone", "index", "            hasher.update(self.data[segment.end - segment.tail : segment.end])\n", "", "i_dates"),
    ("counts each piece of a game kept as text", "index", 'if unit.kind == "P" and unit.data[:1] == b"\\0":', 'if unit.kind == "P":', "r_piece"),
    ("has the CRC-32 of coded bytes", "index", "stream.blocks.append(Block(at, len(stream.games), head.crc))", "stream.blocks.append(Block(at, len(stream.games), zlib.crc32(source.data[end : end + head.stored()])))", "small"),
    ("takes the value of a missing tag for empty", "index", '("?" if value is None else value).encode', '("" if value is None else value).encode', "i_lines"),
    ("takes no blanks around a rating", "index", '(value or "").strip(" ")', '(value or "")', "i_columns"),
    ("takes 0 and more in front of a rating for none", "index", 'value = value.lstrip("0")\n', 'value = "" if value[:1] == "0" else value\n', "i_columns"),
    ("takes ratings over 65,535", "index", "and int(value) <= 65_535 else 0", "else 0", "i_columns"),
    ("takes no ECO in small letters", "index", 're.match("[A-Ea-e][0-9][0-9]", value)', 're.match("[A-E][0-9][0-9]", value)', "i_columns"),
    ("takes an ECO only without anything behind", "index", 're.match("[A-Ea-e][0-9][0-9]", value)', 're.fullmatch("[A-Ea-e][0-9][0-9]", value)', "i_columns"),
    ("takes an ECO of - for one", "index", 'if value in (None, "", "?", "-"):', 'if value in (None, "", "?"):', "i_columns"),
    ("has 28 days in February", "index", "DAYS = {2: 29,", "DAYS = {2: 28,", "i_dates"),
    ("takes st only directly behind the only number", "index", 'if not named and not is_day and not (seen == 1 and field in ("st", "nd", "rd", "th")):', 'if not named and not is_day and not (seen == 1 and re.search("[0-9]" + field, value) and field in ("st", "nd", "rd", "th")):', "i_days"),
    ("takes ST for st", "index", 'field in ("st", "nd", "rd", "th")', 'field.lower() in ("st", "nd", "rd", "th")', "i_days"),
    ("takes st behind two numbers", "index", "(seen == 1 and field in", "(seen >= 1 and field in", "i_days"),
    ("takes st before the number", "index", "(seen == 1 and field in", "(seen <= 1 and field in", "i_days"),
    ("takes the names of months in small letters only", "index", "name.startswith(field.lower())]", "name.startswith(field)]", "i_dates"),
    ("takes two letters for a month", "index", "for month, name in enumerate(MONTHS, 1) if len(field) >= 3 and", "for month, name in enumerate(MONTHS, 1) if len(field) >= 2 and", "i_days"),
    ("takes days of the week for unknown words", "index", "if not named and not is_day and not (seen", "if not named and not (seen", "i_days"),
    ("takes two readings for one where the year is in front", "index", "fields.index(long[0]) > 0:", "True:", "i_dates"),
    ("takes the day first always where the year is behind", "index", "            readings.add(tuple(reversed(found)))", "            readings = {tuple(reversed(found))}", "i_days"),
    ("takes two equal readings for two", "index", "readings: set[tuple[int, ...]] = set()", 'readings = type("Twice", (list,), {"add": list.append})()', "i_days"),
    ("takes a time for part of the date", "index", "if timed := TIME.fullmatch(value):", "if timed := None:", "i_days"),
    ("takes a year behind the time for none", "index", 'parts_of(f"{timed[1]} {year[1]}") if year else None', "None", "i_days"),
    ("takes a time with a digit behind it", "index", "[0-9]{1,2}:[0-9]{2}(?![0-9])", "[0-9]{1,2}:[0-9]{2}", "i_days"),
    ("counts digits of the date, not those before the first ?", "index", "known = len(eight) - len(eight.lstrip(DIGITS))", "known = sum(c in DIGITS for c in eight)", "i_dates"),
    ("takes a single ? for 0?", "index", '("??" if part == "?" else part.rjust(2, "0") for part in rest)', '(part.rjust(2, "0") for part in rest)', "i_dates"),
    ("takes no year of ?", "index", 'or long[0] == "????"', 'or "?" in long[0]', "i_days"),
    ("takes numbers of three digits for days", "index", "if any(len(number) == 3 for number in numbers):", "if False:", "i_days"),
    ("has another result and terminator where the tag states none", "index", "differ = None not in (stated, game.terminator) and stated != game.terminator", "differ = game.terminator is not None and stated != game.terminator", "i_order"),
    ("takes no result from the terminator", "index", "for result in (stated_result(game), game.terminator) if", "for result in (stated_result(game),) if", "i_order"),
    ("takes the terminator for the result before the tag", "index", "for result in (stated_result(game), game.terminator) if", "for result in (game.terminator, stated_result(game)) if", "i_order"),
    ("takes a double forfeit for no result", "index", '"*": (f"0{sign}0", dash + between + dash),', '"*": (),', "i_flags"),
    ("takes an empty FEN for no FEN tag", "index", '(FEN if game.tag("FEN") is not None else 0)', '(FEN if game.tag("FEN") else 0)', "d8_no_fen"),
    ("finds a clock without white space behind clk", "index", "\\[%clk[ \\t\\n\\v\\f\\r]", "\\[%clk", "i_flags"),
    ("finds an evaluation without white space behind eval", "index", "\\[%eval[ \\t\\n\\v\\f\\r]", "\\[%eval", "i_flags"),
    ("takes no vertical tab for white space in commands", "index", "\\[%clk[ \\t\\n\\v\\f\\r]", "\\[%clk[ \\t\\n\\f\\r]", "i_flags"),
    ("takes any note of a match for a clock", "index", '(CLOCKS if "tl=" in comment else 0)', "CLOCKS", "i_flags"),
    ("takes tl= alone for a clock", "index", 'if "wv=" in comment or "ev=" in comment:', 'if "wv=" in comment or "ev=" in comment or "tl=" in comment:', "i_flags"),
    ("takes a whole number before a depth for a score", "index", 'if score and set(score[1]) & set(".M#") else 0', "if score else 0", "i_flags"),
    ("finds a score anywhere", "index", "score = re.match(", "score = re.search(", "i_flags"),
    ("takes a score without a digit behind the slash", "index", '/[\\r\\n]*[0-9]"', '/"', "i_flags"),
    ("takes promotion to a queen for another piece", "index", "PROMOTES | (0 if move.promotion == chess.QUEEN else UNDERPROMOTES)", "PROMOTES | UNDERPROMOTES", "i_flags"),
    ("takes both castlings for White's", "index", "WHITE_CASTLES if board.turn else BLACK_CASTLES", "WHITE_CASTLES", "i_flags"),
    ("has an ending for a game that ends in text", "index", "if not game.flags & TEXT_TAIL:\n        game.flags |= ending", "if True:\n        game.flags |= ending", "i_flags"),
    ("counts on behind the drop of a pawn", "index", "if move.drop == chess.PAWN:", "if False:", "i_ends"),
    ("counts half moves from 0 with a FEN", "index", "board.halfmove_clock = int(counters[0]) if counters else 0", "board.halfmove_clock = 0", "i_ends"),
    ("counts occurrences before the last capture", "index", "earlier.halfmove_clock == 0:", "False:", "i_flags"),
    ("puts the end of a variant behind stalemate", "index", "(8, board.is_variant_end()), (1, board.is_checkmate()), (2, board.is_stalemate()),", "(1, board.is_checkmate()), (2, board.is_stalemate()), (8, board.is_variant_end()),", "i_ends"),
    ("takes pieces in hand for material", "index", "count = len(board.pieces(kind, color))", 'count = len(board.pieces(kind, color)) + (board.pockets[color].count(kind) if hasattr(board, "pockets") else 0)', "i_ends"),
    ("writes a number 1 behind each piece", "index", '(str(count) if count > 1 else "")', '(str(count) if count else "")', "i_dates"),
    ("takes the first name of an opening", "index", "game.opening = named.get(identity(board), game.opening)", 'game.opening = named.get(identity(board), "?") if game.opening == "?" else game.opening', "one_game"),
    ("has no name where the last position has none", "index", "game.opening = named.get(identity(board), game.opening)", 'game.opening = named.get(identity(board), "?")', "i_lines"),
    ("names openings for 41 moves", "index", "if ply <= OPENING_PLIES:", "if ply <= OPENING_PLIES + 1:", "i_lines"),
    ("names openings in all rules", "index", "named = opening_names() if rules(game) == 0 else {}", "named = opening_names()", "i_lines"),
    ("writes each square behind a double step into a position", "index", 'board.epd(en_passant="legal")', 'board.epd(en_passant="fen")', "i_lines"),
    ("reads rules that cannot be relied on", "index", "if len(values) > 1 or len(value) > 255 or", "if len(value) > 255 or", "i_columns"),
    ("shares bytes with the last value of the group before", "index", "[names(group) for group in grouped(values)]", "[names(group) for group in grouped(values)][:1] + [names([values[i * GROUP - 1], *group])[len(names([values[i * GROUP - 1]])):] for i, group in enumerate(grouped(values)) if i]", "i_postings"),
    ("counts a game twice whose players have one name", "index", "for value in set(row):", "for value in row:", "i_dates"),
    ("has the length of lists of seven games", "index", "CHUNK, LONG = 16, 256, 8", "CHUNK, LONG = 16, 256, 7", "i_postings"),
    ("has one chunk for all gaps", "index", "GROUP, CHUNK, LONG = 16, 256, 8", "GROUP, CHUNK, LONG = 16, 1 << 30, 8", "i_postings"),
    ("takes the largest of equal parameters", "index", "key=lambda k: (cost(k), k))", "key=lambda k: (cost(k), -k))", "i_postings"),
    ("has a word again that a value has twice", "index", "found.setdefault(word, number)", "found[word] = number", "i_names"),
    ("has words of any number", "index", "words_of(value)[:MAX_WORDS]", "words_of(value)", "i_names"),
    ("sorts equal words by their number", "index", "for _, place, number in sorted(words)])", "for _, place, number in sorted(words, key=lambda w: (w[0], w[2], w[1]))])", "i_lines"),
    ("multiplies places by the number of words", "index", "number * len(values) + place for", "place * MAX_WORDS + number for", "i_columns"),
    ("splits words at characters beyond ASCII", "index", '[0-9A-Za-z\\u0080-\\U0010ffff]+", fold', '[0-9A-Za-z]+", fold', "i_names"),
    ("sorts rounds as text", "index", "key=(lambda value: (round_key(value), value)) if of_rounds else None", "key=None", "i_rounds"),
    ("puts - before ?", "index", 'return b"?-".index(value), [], b""', 'return b"-?".index(value), [], b""', "i_rounds"),
    ("compares rounds by their first number only", "index", 're.match(rb"[0-9]+(?:\\.[0-9]+)*", value)', 're.match(rb"[0-9]+", value)', "i_rounds"),
    ("keeps two bytes more of a line", "index", "LONG_LINE, MORE = 40, 1024, 15, 3", "LONG_LINE, MORE = 40, 1024, 15, 2", "i_lines"),
    ("has lines of 41 moves", "index", "LINE, LINE_GROUP, LONG_LINE, MORE = 40,", "LINE, LINE_GROUP, LONG_LINE, MORE = 41,", "i_flags"),
    ("has lines of games with a FEN", "index", "if not bits & (FEN | TEXT_ONLY)", "if not bits & TEXT_ONLY", "i_lines"),
    ("has no lines of games that end in text", "index", "if not bits & (FEN | TEXT_ONLY)", "if not bits & (FEN | TEXT_ONLY | TEXT_TAIL)", "i_order"),
    ("has lines of variants", "index", "and not bits >> 20]", "and bits >> 20 < 2]", "i_lines"),
    ("compares a line with that behind it only", "index", "keep = {line: max(shares[place : place + 2]) + MORE", "keep = {line: shares[place + 1] + MORE", "i_lines"),
    ("compares a line with that before it only", "index", "keep = {line: max(shares[place : place + 2]) + MORE", "keep = {line: shares[place] + MORE", "i_lines"),
    ("keeps equal lines as different ones", "index", "others = sorted({line for line, _ in entries})", "others = sorted({line for line, _ in entries})\n        entries = sorted(entries, key=lambda e: (e[0], -e[1]))", "i_rounds"),
    ("has lines of all segments in one order", "index", "here = range(segment.first_game, behind.first_game if behind else len(stream.games))", "here = range(0 if not segment.first_game else len(stream.games), len(stream.games))", "r_joined"),
    ("counts shared bytes of an entry from its beginning", "index", "halves = [len(last) - common, len(line) - common]", "halves = [common, len(line) - common]", "i_columns"),
    ("has the largest number of an entry for the width of 0x83", "index", "Section.integers(LINE_GAMES, numbers, max(len(stream.games) - 1, 0))", "Section.integers(LINE_GAMES, numbers)", "i_columns"),
    ("has no bound behind the last segment", "index", "        bounds.append(len(numbers))\n", "        bounds.append(len(numbers))\n    bounds.pop()\n", "i_rounds"),
    ("takes notes for comments of variations only", "index", "                    game.comments.append(note.item.text)", "                    game.comments += [note.item.text] * (depth == 0)", "i_flags"),
    ("counts moves of variations", "index", 'ordinals += bytes([part]) if depth == 0 else b""', "ordinals += bytes([part])", "i_columns"),
    ("takes text in a variation for that of the main line", "index", "if depth == 0 and note.item.tail:", "if note.item.tail:", "d9_tail"),
    ("takes NAGs over 255 for none", "index", "COMMENTS if isinstance(note.item, reader.Comment) else NAGS", "COMMENTS if isinstance(note.item, reader.Comment) else 0", "i_flags"),
    ("reads no tags of a game kept as text", "index", "return Game(list(tags_of_text(text)), text=text", "return Game([], text=text", "r_piece"),
    ("takes the last Result tag for the terminator", "index", 'result = next((value for name, value in game.tags if name == "Result"), None)  #', 'result = game.tag("Result")  #', "i_flags"),
    ("makes fall less at the root too", "ppmd", "found.successor, following = raw, context\n", "found.successor, following = raw, context\n            self.order_fall -= 1\n", "s_memory"),
    ("ends no counter at a semicolon", "reader", r"""re.findall(r'(?:"[^"]*(?:"|\Z)|[^";])+', fen)]""", r"""re.findall(r'(?:"[^"]*(?:"|\Z)|[^";])+;?', fen)]""", "d8_operations"),
    ("takes the first operand of several", "reader", "if len(operation) == 2 and operation[0] in", "if len(operation) >= 2 and operation[0] in", "d8_operations"),
    ("goes on with sticky behind a ) that adds nothing", "reader", "            if other.kind == CLOSE and not style.bare_close:\n                length += 1", "            if other.kind == CLOSE:\n                length += not style.bare_close", "r_sticky_close"),
    ("takes the rook beside the king where two have a right on its side", "reader", "board.castling_rights = castling_rooks(board, castling)", "board.castling_rights = castling_rooks(board, castling.translate({ord(c): None for c in 'AaHh'}))", "d8_rooks"),
]


@functools.cache
def kinds() -> dict[str, str]:
    """The kind of each vector; those of indexes and recovery data have another line."""
    lines = (HERE / "vectors/MANIFEST").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {name: kind for name, kind, _ in rows if kind not in ("index", "recovery")}


def changed(name: str, old: str, new: str) -> types.ModuleType:
    """reader.py, or index.py, with one piece of it or of another module replaced."""
    names = ["ppmd", "moves", "small", "reader", *["index"] * (name == "index")]
    for module in names:
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
    return sys.modules[names[-1]]


def problem_of(module: types.ModuleType, vector: str, kind: str) -> str | None:
    """What is wrong with a vector, by this reader."""
    if module.__name__ == "reader":
        return module.run_vector(HERE / "vectors", vector, kind)
    try:
        archive, index = (module.reader.read_hex(HERE / f"vectors/{vector}{end}") for end in (".hex", ".index.hex"))
        return module.check(archive, index)
    except Exception as error:  # noqa: BLE001 - a changed program may do anything
        return repr(error)


def prepare() -> None:
    """Lets the readers find each other, in each process."""
    sys.path.insert(0, str(HERE))
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)


@functools.cache
def opening_names():
    """The table of opening names, whose lines take long to play."""
    return changed("index", FIRST_LINE, FIRST_LINE).opening_names()


def unchanged(reader_and_vector: tuple[str, str]) -> str | None:
    """What is wrong with a vector, by a reader as it is."""
    name, vector = reader_and_vector
    return problem_of(changed(name, FIRST_LINE, FIRST_LINE), vector, kinds()[vector])


def wrong(mutant: tuple[str, str, str, str, str]) -> str | None:
    """What is wrong with a vector, by a reader that does something else."""
    _, name, old, new, vector = mutant
    names = opening_names() if name == "index" and "epd(" not in old else None
    reader = changed(name, old, new)
    if names is not None:
        reader.opening_names = lambda: names
    return problem_of(reader, vector, kinds()[vector])


def main() -> int:
    pairs = sorted({("index" if name == "index" else "reader", vector) for _, name, _, _, vector in MUTANTS}, reverse=True)
    faults = 0
    with concurrent.futures.ProcessPoolExecutor(initializer=prepare) as pool:
        for (name, vector), problem in zip(pairs, pool.map(unchanged, pairs)):
            faults += bool(problem)
            print(f"{vector:15} {'FAILS' if problem else 'passes'} {name}.py as it is")
        for (what, *_, vector), problem in zip(MUTANTS, pool.map(wrong, MUTANTS, chunksize=4)):
            faults += not problem
            print(f"{vector:15} {'fails' if problem else 'PASSES'} a reader that {what}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
