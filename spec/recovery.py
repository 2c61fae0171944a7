#!/usr/bin/env python3
"""Recovery data of an archive (recovery.md), written and used slowly. Needs blake3.

    recovery.py FILE SHARE                    writes the recovery data of FILE to standard output
    recovery.py --repair FILE RECOVERY        writes FILE to standard output, repaired
    recovery.py --vectors DIR                 the test vectors

This file is in the public domain (CC0).
"""

import struct
import sys
from pathlib import Path

from blake3 import blake3

BASIS = [0x0001, 0xACCA, 0x3C0E, 0x163E, 0xC582, 0xED2E, 0x914C, 0x4012,
         0x6C98, 0x10D8, 0x6A72, 0xB900, 0xFDB8, 0xFB34, 0xFF38, 0x991E]


class Field:
    """The field of section 4: products of symbols."""

    def __init__(self):
        stands_for = [0] * 65536
        for symbol in range(1, 65536):
            low = symbol & -symbol
            stands_for[symbol] = stands_for[symbol ^ low] ^ BASIS[low.bit_length() - 1]
        symbol_of = [0] * 65536
        for symbol, element in enumerate(stands_for):
            symbol_of[element] = symbol
        self.power, self.log = [0] * 131070, [0] * 65536
        element = 1
        for n in range(65535):
            self.power[n] = self.power[n + 65535] = symbol_of[element]
            self.log[symbol_of[element]] = n
            element <<= 1
            if element >> 16:
                element ^= 0x1002D

    def times(self, a, b):
        return self.power[self.log[a] + self.log[b]] if a and b else 0

    def inverse(self, a):
        return self.power[65535 - self.log[a]]

    def weight(self, m, j, x):
        """L(j, x) of section 4."""
        product = 1
        for k in range(m):
            if k != j:
                product = self.times(product, self.times(x ^ k, self.inverse(j ^ k)))
        return product


FIELD = Field()


def symbols(shard):
    return [shard[at + k] | shard[at + k + 32] << 8 for at in range(0, len(shard), 64) for k in range(32)]


def shard_of(row):
    out = bytearray()
    for at in range(0, len(row), 32):
        out += bytes(s & 255 for s in row[at:at + 32]) + bytes(s >> 8 for s in row[at:at + 32])
    return bytes(out)


def power_of_two(n):
    return 1 << (n - 1).bit_length()


def weighted(rows):
    """The sum of rows of symbols, each with a weight."""
    total = [0] * len(rows[0][0])
    for row, weight in rows:
        total = [t ^ FIELD.times(s, weight) for t, s in zip(total, row)]
    return total


def spares_of(shards, count):
    m, rows = power_of_two(count), [symbols(shard) for shard in shards]
    return [shard_of(weighted([(row, FIELD.weight(m, j, m + i)) for i, row in enumerate(rows)])) for j in range(count)]


def restored(shards, spares, count):
    """The shards of a group, in which those that are None are computed from `spares`: {number: shard}."""
    m = power_of_two(count)
    missing = [i for i, shard in enumerate(shards) if shard is None]
    if len(spares) < len(missing):
        return None
    equations = []
    for j in sorted(spares)[:len(missing)]:
        known = [(symbols(spares[j]), 1)]
        known += [(symbols(s), FIELD.weight(m, j, m + i)) for i, s in enumerate(shards) if s is not None]
        equations.append(([FIELD.weight(m, j, m + i) for i in missing], weighted(known)))
    for at in range(len(missing)):
        pivot = next(r for r in range(at, len(missing)) if equations[r][0][at])
        equations[at], equations[pivot] = equations[pivot], equations[at]
        scale = FIELD.inverse(equations[at][0][at])
        own = ([FIELD.times(w, scale) for w in equations[at][0]], [FIELD.times(s, scale) for s in equations[at][1]])
        equations[at] = own
        for r in range(len(missing)):
            factor = equations[r][0][at]
            if r != at and factor:
                equations[r] = tuple([a ^ FIELD.times(b, factor) for a, b in zip(mine, other)]
                                     for mine, other in zip(equations[r], own))
    shards = list(shards)
    for i, (_, row) in zip(missing, equations):
        shards[i] = shard_of(row)
    return shards


class Plan:
    """Section 2."""

    def __init__(self, length, share):
        self.length, self.share = length, share
        self.size = next((s for s in (512, 1024, 2048) if -(-length // s) <= 8192), 4096)
        self.shards = -(-length // self.size)
        self.pages = -(-self.shards * 8 // self.size)

    def shard(self, data, i):
        """None if it is cut short."""
        begin, end = i * self.size, min(self.length, (i + 1) * self.size)
        piece = data[begin:end]
        return piece.ljust(self.size, b"\0") if len(piece) == end - begin else None

    def groups(self):
        """The shards of each group, the number of its first spare, how many it has."""
        spare = 0
        for first in range(0, self.shards, 65536):
            n = min(65536, self.shards - first)
            groups = -(-n // 8192)
            spares = -(-(-(-n // groups)) * self.share // 10000)
            for g in range(groups):
                yield list(range(first + g, first + n, groups)), spare, spares
                spare += spares

    def head(self, digest):
        return bytes([self.size.bit_length() - 1, 0]) + struct.pack("<IQ", self.share, self.length) + digest


def protect(data, share):
    plan = Plan(len(data), share)
    digest = blake3(data).digest()[:16]
    table = b"".join(blake3(plan.shard(data, i)).digest()[:8] for i in range(plan.shards))
    pages = [table[at:at + plan.size].ljust(plan.size, b"\0") for at in range(0, len(table), plan.size)]
    out = bytearray()

    def put(kind, number, shard):
        head = b"pgcR\1" + kind + plan.head(digest) + struct.pack("<Q", number)
        out.extend(head + blake3(head + shard).digest()[:8] + shard)

    for number, page in enumerate(pages):
        put(b"T", number, page)
    for group, first, count in plan.groups():
        for number, spare in enumerate(spares_of([plan.shard(data, i) for i in group], count), first):
            put(b"S", number, spare)
    for number, page in enumerate(spares_of(pages, len(pages))):
        put(b"U", number, page)
    return bytes(out)


def packets(file):
    """The plan, the digest, and {(kind, number): shard}; section 3."""
    sets, at = {}, 0
    while (at := file.find(b"pgcR", at)) >= 0:
        head = file[at:at + 52]
        at += 1
        if len(head) < 52 or head[4] != 1 or head[5:6] not in (b"T", b"S", b"U") or head[7] or not 9 <= head[6] <= 12:
            continue
        share, length = struct.unpack_from("<IQ", head, 8)
        shard = file[at + 51:at + 51 + (1 << head[6])]
        if not (1 <= share <= 10000 and 1 <= length < 1 << 60) or len(shard) < 1 << head[6]:
            continue
        here = Plan(length, share)
        if here.size != 1 << head[6] or blake3(head[:44] + shard).digest()[:8] != head[44:]:
            continue
        at += 51 + here.size
        found = sets.setdefault(head[6:36], (here, head[20:36], {}))[2]
        found.setdefault((head[5:6], struct.unpack_from("<Q", head, 36)[0]), shard)
    return max(sets.values(), key=lambda s: len(s[2]), default=(None, None, {}))


def repair(data, file):
    """The protected bytes as they were, and what stands behind them; None if they cannot be restored."""
    plan, digest, found = packets(file)
    if plan is None:
        return None
    spares = {n: found[b"U", n] for n in range(plan.pages) if (b"U", n) in found}
    pages = restored([found.get((b"T", n)) for n in range(plan.pages)], spares, plan.pages)
    if pages is None:
        return None
    table = b"".join(pages)
    shards = [plan.shard(data, i) for i in range(plan.shards)]
    shards = [s if s and blake3(s).digest()[:8] == table[8 * i:8 * i + 8] else None for i, s in enumerate(shards)]
    for group, first, count in plan.groups():
        spares = {n: found[b"S", first + n] for n in range(count) if (b"S", first + n) in found}
        own = restored([shards[i] for i in group], spares, count)
        if own is None:
            return None
        for i, shard in zip(group, own):
            shards[i] = shard
    whole = b"".join(shards)[:plan.length]
    return whole + data[plan.length:] if blake3(whole).digest()[:16] == digest else None


def from_hex(path):
    """`61*300` is a byte three hundred times, and `#` begins a comment."""
    words = " ".join(line.split("#")[0] for line in path.read_text().splitlines()).split()
    return b"".join(bytes.fromhex(byte) * int(times or 1) for byte, _, times in (word.partition("*") for word in words))


def run_vectors(folder):
    """The vectors of kind `recovery`; the number that failed."""
    run = failed = 0
    for line in (folder / "MANIFEST").read_text().splitlines():
        name, kind, text = (line.split("\t") + ["", ""])[:3]
        if kind != "recovery":
            continue
        data, expected = from_hex(folder / f"{name}.hex"), from_hex(folder / f"{name}.recovery.hex")
        hurt = data[:100] + bytes([data[100] ^ 1]) + data[101:]
        right = protect(data, int(text.split()[1].rstrip(':'))) == expected and repair(hurt, expected) == data
        run, failed = run + 1, failed + (not right)
        if not right:
            print(f"{name}: differs")
    print(f"{run} vectors of recovery data, {failed} failed")
    return failed


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--vectors":
        sys.exit(1 if run_vectors(Path(sys.argv[2])) else 0)
    if len(sys.argv) == 4 and sys.argv[1] == "--repair":
        back = repair(Path(sys.argv[2]).read_bytes(), Path(sys.argv[3]).read_bytes())
        if back is None:
            sys.exit("cannot be repaired")
        sys.stdout.buffer.write(back)
    elif len(sys.argv) == 3:
        sys.stdout.buffer.write(protect(Path(sys.argv[1]).read_bytes(), int(sys.argv[2])))
    else:
        sys.exit(__doc__)
