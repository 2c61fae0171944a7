"""Damages protected archives at random, below the share of spare shards, and repairs them.

    python3 benches/repair.py target/release/pgc [--patterns 1000] ARCHIVE...

Each pattern hits at most as many shards of each group as the group has spares: single bits, bytes,
stretches over neighbouring shards, whole shards, zeros; also shards of the recovery file, each of
which counts as one. What `pgc repair` writes must be the archive, byte for byte. The plan of shards
and groups is worked out here from spec/recovery.md, without pgc.
"""
import collections
import os
import random
import subprocess
import sys
import tempfile
import time

PGC = os.path.abspath(sys.argv[1])
WORDS = sys.argv[2:]
PATTERNS = 1000
if WORDS[0] == '--patterns':
    PATTERNS, WORDS = int(WORDS[1]), WORDS[2:]
SHARE = 500  # --percent 5
KINDS = ['bits', 'bytes', 'stretch', 'shards', 'zeros', 'recovery']


def size_of(length):
    for size in (512, 1024, 2048, 4096):
        if -(-length // size) <= 8192:
            return size
    return 4096


def groups_of(length, size):
    """The shards of each group, and how many spares it has."""
    shards, groups = -(-length // size), []
    for first in range(0, shards, 65536):
        n = min(65536, shards - first)
        count = -(-n // 8192)
        spares = -(-(-(-n // count) * SHARE) // 10000)
        groups += [(range(first + g, first + n, count), spares) for g in range(count)]
    return groups


def spare_packets(recovery, size):
    """The offsets of the packets of spares."""
    return [at for at in range(0, len(recovery), 52 + size) if recovery[at + 5] == ord('S')]


def damage(rng, kind, archive, recovery, size):
    """Damages the archive, and perhaps the recovery file, in place; returns the shards hit."""
    hit, first_spare, packets = set(), 0, spare_packets(recovery, size)
    for shards, spares in groups_of(len(archive), size):
        left = rng.choice([1, spares, rng.randint(1, spares)])
        if kind == 'recovery':
            lost = rng.sample(range(spares), rng.randint(1, left))
            for number in lost:
                at = packets[first_spare + number] + rng.randrange(52 + size)
                recovery[at] ^= rng.randint(1, 255)
            left = spares - len(lost)
        first_spare += spares
        if kind == 'stretch':
            begin = rng.randrange(max(1, len(shards) - left + 1))
            chosen = shards[begin:begin + left]
        else:
            chosen = rng.sample(shards, min(left, len(shards)))
        for shard in chosen:
            begin, end = shard * size, min(shard * size + size, len(archive))
            before = bytes(archive[begin:end])
            if kind == 'bits':
                archive[rng.randrange(begin, end)] ^= 1 << rng.randrange(8)
            elif kind == 'bytes':
                for _ in range(rng.randint(1, 40)):
                    archive[rng.randrange(begin, end)] = rng.randrange(256)
            elif kind == 'zeros':
                archive[begin:end] = bytes(end - begin)
            else:
                archive[begin:end] = rng.randbytes(end - begin)
            if archive[begin:end] != before:
                hit.add(shard)
    return hit


def main():
    folder = tempfile.mkdtemp(prefix='pgc-repair-')
    rng, wrong, total = random.Random(5), 0, collections.Counter()
    each = -(-PATTERNS // len(WORDS))
    for path in WORDS:
        whole = open(path, 'rb').read()
        name = f'{folder}/a.' + path.rsplit('.', 1)[1]
        open(name, 'wb').write(whole)
        began = time.time()
        made = f'{folder}/whole.pgcr'
        subprocess.run([PGC, 'protect', '-q', '-f', '--percent', '5', name, '-o', made], check=True)
        protecting = time.time() - began
        recovery, size = open(made, 'rb').read(), size_of(len(whole))
        repairing = most = exact = 0
        for pattern in range(each):
            hurt, spare = bytearray(whole), bytearray(recovery)
            kind = KINDS[pattern % len(KINDS)]
            hit = damage(rng, kind, hurt, spare, size)
            open(name, 'wb').write(hurt)
            open(f'{folder}/r', 'wb').write(spare)
            began = time.time()
            ran = subprocess.run([PGC, 'repair', '-q', '-f', name, '-r', f'{folder}/r',
                                  '-o', f'{folder}/out.pgc'], capture_output=True, text=True)
            repairing = repairing + time.time() - began
            is_exact = ran.returncode == 0 and open(f'{folder}/out.pgc', 'rb').read() == whole
            exact += is_exact
            most = max(most, len(hit))
            total[kind] += is_exact
            if not is_exact:
                wrong += 1
                print(f'  pattern {pattern} ({kind}, {len(hit)} shards): exit {ran.returncode}: {ran.stderr[-300:]}')
        print(f'{os.path.basename(path)}: {len(whole):,} bytes, shards of {size}; recovery file {len(recovery):,} bytes '
              f'({100 * len(recovery) / len(whole):.1f} %), made in {protecting:.2f} s; {exact} of {each} exact, '
              f'up to {most} shards damaged, {1000 * repairing / each:.0f} ms a repair', flush=True)
    print(f'{each * len(WORDS)} patterns, {wrong} not exact;', ', '.join(f'{k} {n}' for k, n in total.items()))


main()
