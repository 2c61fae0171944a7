"""Fails or kills pgc at each of its system calls, and looks at what it leaves behind.

    python3 benches/faults.py target/release/pgc [errors] [kills] [full] [COMMAND...]

`errors` fails the n-th call of one kind, once or from then on, for every n until the run has no
n-th; strace counts the calls of each thread. `kills` sends SIGKILL at the n-th call of any kind, and
runs the command again. `full` makes the system write less than it is given: by a limit on the
length of files, and by a small file system (as root). Without them all three are run. A line is printed for each kind and for each
run that broke a rule:

- exit code 2 with the reason and the name of a file of the run, or 0 where the run got over it;
- under each name what was there before, or the whole new file, or nothing if nothing was there;
- no temporary file, but for one after SIGKILL, which the next run removes.

`add` writes in place: there the archive keeps its old bytes, and reads as the old or the new one.
"""
import collections
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PGC = os.path.abspath(sys.argv[1])
WORDS = sys.argv[2:]
PARTS = [w for w in WORDS if w in ('errors', 'kills', 'full')] or ['errors', 'kills', 'full']
ONLY = [w for w in WORDS if w not in ('errors', 'kills', 'full')]
ROOT = tempfile.mkdtemp(prefix='pgc-faults-')

# What is to be done, to which file, in a folder with old.pgn, new.pgn, their archives and indexes.
COMMANDS = {
    'pack': ['pack', '-q', '-f', 'new.pgn', '-o', 'old.pgc'],
    'pack-new': ['pack', '-q', 'new.pgn', '-o', 'fresh.pgc'],
    'pack-small': ['pack', '-q', '-f', 'new.pgn', '-o', 'old.pgcz'],
    'add': ['add', '-q', 'old.pgc', 'new.pgn'],
    'add-known': ['add', '-q', '--skip-known', 'old.pgc', 'new.pgn'],
    'edit': ['edit', '-q', '-f', 'old.pgc', '-d', '1991', '--set', 'Event=x', '-o', 'third.pgc'],
    'edit-in-place': ['edit', '-q', '-f', 'old.pgc', '-d', '1991', '--set', 'Event=x', '--in-place'],
    'import-sgf': ['import-sgf', '-q', '-f', 'new.sgf', '-o', 'out.pgn'],
    'merge': ['merge', '-q', '-f', 'old.pgc', 'new.pgc', '-o', 'third.pgc'],
    'unpack': ['unpack', '-q', '-f', 'new.pgc', '-o', 'out.pgn'],
    'unpack-folder': ['unpack', '-q', '-f', 'third.pgc', '-o', 'out/'],
    'salvage': ['salvage', '-q', '-f', 'broken.pgc', '-o', 'third.pgc', '--report', 'r.jsonl'],
    'split': ['split', '-q', '-f', 'new.pgc', '--by', 'games=1500', '-o', 'out'],
    'index': ['index', '-q', '-f', 'old.pgc'],
    'find': ['find', '-q', '-f', 'new.pgc', '-d', '1992', '-o', 'third.pgc'],
    'protect': ['protect', '-q', '-f', 'old.pgc'],
    'repair': ['repair', '-q', '-f', 'hurt.pgc', '-o', 'third.pgc'],
}
WRITES = 'write,writev,pwrite64,pwritev'
KINDS = [  # calls, errors
    (WRITES, ['EIO', 'ENOSPC', 'EINTR']),
    ('fsync,fdatasync', ['EIO', 'ENOSPC', 'EINTR']),
    ('rename,renameat,renameat2,link,linkat', ['EIO', 'ENOSPC', 'EINTR', 'EACCES']),
    ('ftruncate', ['EIO', 'EINTR']),
    ('mmap', ['EIO', 'ENOMEM']),
    ('clone,clone3', ['EAGAIN', 'ENOMEM']),
    ('read,pread64,preadv,readv', ['EIO', 'EINTR']),
    ('openat', ['EIO', 'EMFILE', 'ENOSPC', 'EINTR']),
]
REASON = {
    'EIO': 'Input/output error', 'ENOSPC': 'No space left on device', 'EACCES': 'Permission denied',
    'EINTR': 'Interrupted system call', 'EMFILE': 'Too many open files', 'EFBIG': 'File too large',
    'ENOMEM': 'Cannot allocate memory', 'EAGAIN': 'Resource temporarily unavailable',
}


def games(count, seed, year):
    rng, out = random.Random(seed), []
    for n in range(count):
        text = ''.join(rng.choices('abcdefghijklmnopqrstuvwxyz ', k=220))
        out.append(f'[Event "{seed}"]\n[Date "{year}.01.01"]\n[Round "{n}"]\n\n'
                   f'1. e4 {{{text}}} e5 2. Nf3 *\n\n')
    return ''.join(out)


def prepare(folder, count):
    """The files that every run begins with."""
    os.makedirs(f'{folder}/out')
    for name, seed, year in (('old', 1, 1991), ('new', 2, 1992), ('third', 3, 1993)):
        with open(f'{folder}/{name}.pgn', 'w') as file:
            file.write(games(count, seed, year))
        subprocess.run([PGC, 'pack', '-q', f'{name}.pgn'], cwd=folder, check=True)
        subprocess.run([PGC, 'pack', '-q', '--small', f'{name}.pgn'], cwd=folder, check=True)
    subprocess.run([PGC, 'find', '-q', 'new.pgc', '-o', 'new.sgf'], cwd=folder, check=True)
    with open(f'{folder}/out.pgn', 'w') as file:
        file.write('what was there before')
    shutil.copy(f'{folder}/out.pgn', f'{folder}/out/third.pgn')
    whole = bytearray(open(f'{folder}/new.pgc', 'rb').read())
    shutil.copy(f'{folder}/new.pgc', f'{folder}/hurt.pgc')
    subprocess.run([PGC, 'protect', '-q', 'hurt.pgc'], cwd=folder, check=True)
    whole[len(whole) // 2] ^= 1
    for name in ('broken', 'hurt'):
        with open(f'{folder}/{name}.pgc', 'wb') as file:
            file.write(whole)


def temporary(folder):
    """The temporary folders, and the files in them."""
    return [f'{at}/{name}' for at, folders, names in os.walk(folder) for name in folders + names
            if '/.pgc-' in f'{at}/{name}']


def files(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names if '/.pgc-' not in at else []:
            with open(f'{at}/{name}', 'rb') as file:
                found[os.path.relpath(f'{at}/{name}', folder)] = file.read()
    return found


class Case:
    """A command, the files before it, and those after a run without faults."""

    def __init__(self, name, template, before):
        self.name, self.template, self.before = name, template, before
        self.folder = f'{ROOT}/run'
        self.reset()
        self.reset_counts()
        done = self.run([])
        assert done.returncode in (0, 1, 3), (name, done.returncode, done.stderr)
        self.code, self.stderr, self.after = done.returncode, done.stderr, files(self.folder)

    def reset_counts(self):
        self.runs, self.half, self.left, self.wrong, self.told = 0, 0, 0, 0, 0
        self.asked = 0
        self.found, self.misfit = 0, 0
        self.codes = collections.Counter()

    def reset(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder)

    def run(self, prefix, options=(), **more):
        command = prefix + [PGC] + COMMANDS[self.name] + list(options)
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              timeout=120, **more)

    def tell(self, what, how, ran):
        self.told += 1
        if self.told > 12:
            return
        print(f'  {self.name}: {what}: {how}: exit {ran.returncode}: {ran.stderr.strip()[-400:]!r}')

    def check(self, how, ran, killed=False, cut=False):
        """Whether all files are old or new."""
        self.runs += 1
        self.codes[ran.returncode] += 1
        now = files(self.folder)
        for path in [] if killed else temporary(self.folder):
            self.left += 1
            self.tell(f'{path} was left', how, ran)
        for path in sorted(set(now) | set(self.before)):
            found, old, new = now.get(path), self.before.get(path), self.after.get(path)
            if found in (old, new):
                continue
            if self.name.startswith('add') and path == 'old.pgc' and found.startswith(old):
                if (killed or cut) and self.reads_as_one(old, new):
                    continue
            self.half += 1
            self.tell(f'half a file {path}', how, ran)
        return now

    def reads_as_one(self, old, new):
        """Whether `add` left an archive that reads as the one before it, or as the whole."""
        got = subprocess.run([PGC, 'unpack', '-q', '-c', 'old.pgc'], cwd=self.folder,
                             capture_output=True)
        texts = [open(f'{self.template}/{name}.pgn', 'rb').read() for name in ('old', 'new')]
        return got.returncode == 0 and got.stdout in (texts[0], b''.join(texts))

    def check_message(self, how, ran, error, trace=''):
        if ran.returncode == 0 or ran.returncode == self.code:
            # Whatever was announced must be there.
            if files(self.folder).items() != self.after.items() and 'cannot' not in ran.stderr:
                self.wrong += 1
                self.tell('not all was done', how, ran)
            return
        lines = [line for line in ran.stderr.splitlines() if line.startswith('pgc: ')]
        reasons = [REASON[error], 'a thread could not be started', 'memory allocation of']
        right = ran.returncode == 2 and any(
            any(reason in line for reason in reasons)
            and (re.search(r'(old|new|third|fresh|broken|hurt|out|r|\.)[^ ]*: ', line)
                 or 'thread' in line)
            and '.pgc-' not in line for line in lines)
        # The message cannot be written either: strace counts each kind of call for itself.
        right = right or ran.returncode == 2 and bool(
            re.search(r'(write\(2, |write resumed).*INJECTED', trace))
        if not right:
            self.wrong += 1
            self.tell('wrong message', how, ran)


LOADER = re.compile('error while loading shared libraries|cannot allocate memory in static TLS')


def errors(case):
    """Fails the n-th call, once and from then on."""
    for calls, names in KINDS:
        begun = time.time()
        case.reset_counts()
        for error in names:
            for lasting in ('', '+'):
                if lasting and error == 'EINTR':
                    continue  # Nobody is interrupted for ever.
                n = 0
                while True:
                    # Of hundreds of small writes to one temporary file, some.
                    n += 1 if n < 60 else n // 8
                    case.reset()
                    log = f'{ROOT}/log'
                    prefix = ['strace', '-f', '-o', log, '-e', f'trace={calls}',
                              '-e', f'inject={calls}:error={error}:when={n}{lasting}']
                    if calls.startswith(('mmap', 'read')):
                        # Not those of the loader and of the allocator.
                        for path in set(case.before) | set(case.after):
                            prefix += ['-P', f'{case.folder}/{path}']
                    try:
                        ran = case.run(prefix)
                    except subprocess.TimeoutExpired:
                        case.half += 1
                        print(f'  {case.name}: hangs: {calls} {error} {n}{lasting}')
                        continue
                    with open(log, errors='replace') as file:
                        trace = file.read()
                    if 'INJECTED' not in trace:
                        break
                    if LOADER.search(ran.stderr):
                        continue
                    how = f'{calls.split(",")[0]} {n}{lasting} {error}'
                    case.check(how, ran, cut=calls == 'ftruncate' or lasting == '+')
                    case.check_message(how, ran, error, trace)
        line(case, calls.split(',')[0], begun)


def kills(case):
    """Kills at the n-th call of each kind that a run makes, then runs the command again."""
    begun = time.time()
    case.reset_counts()
    log = f'{ROOT}/log'
    case.reset()
    case.run(['strace', '-f', '-o', log])
    with open(log, errors='replace') as file:
        kinds = sorted(set(re.findall(r'^\d+ +([a-z0-9_]+)\(', file.read(), re.M)))
    for kind in kinds:
        # These wait for other threads, as often as it takes.
        if kind in ('sched_yield', 'futex', 'exit', 'exit_group', 'execve'):
            continue
        n = 0
        while True:
            n += 1
            case.reset()
            inject = f'inject={kind}:signal=KILL:when={n}'
            ran = case.run(['strace', '-f', '-o', '/dev/null', '-e', inject])
            if ran.returncode == case.code:
                break
            how = f'killed at {kind} {n}'
            now = case.check(how, ran, killed=True)
            check_found(case, how)
            # What a killed run leaves is cleared by a later one.
            for path in temporary(case.folder):
                os.utime(path, (time.time() - 3600,) * 2)
            again = case.run([])
            if '--discard-unfinished' in again.stderr:
                # Whole blocks behind the mark: a person decides (extension.md 3.1).
                case.asked += 1
                again = case.run([], ['--discard-unfinished'])
            # An edit that is done already finds nothing to change.
            is_done = case.name == 'edit-in-place' and now['old.pgc'] == case.after['old.pgc']
            if again.returncode != case.code and not (is_done and again.returncode == 1):
                case.wrong += 1
                case.tell('the next run fails', how, again)
            # What was added before the kill is added twice.
            if not case.name.startswith('add') or now['old.pgc'] == case.before['old.pgc']:
                case.runs -= 1
                case.check(how + ', then run again', again)
    line(case, 'kill', begun)


def check_found(case, how):
    """Whether `find` answers for each archive as it is there, and names an index that does not fit."""
    for path in sorted(files(case.folder)):
        if not path.endswith(('.pgc', '.pgcz')):
            continue
        if os.path.basename(path) in ('broken.pgc', 'hurt.pgc'):
            continue
        text = subprocess.run([PGC, 'unpack', '-q', '-c', path], cwd=case.folder,
                              capture_output=True, text=True).stdout
        asked = subprocess.run([PGC, 'find', '--count', path], cwd=case.folder,
                               capture_output=True, text=True)
        case.found += 1
        told = ('make it with `pgc index ', 'unfinished addition', 'removed this temporary')
        is_told = all(any(part in line for part in told) for line in asked.stderr.splitlines())
        case.misfit += 'belongs to another archive' in asked.stderr
        if asked.stdout.strip() != str(text.count('[Round ')) or not is_told:
            case.wrong += 1
            case.tell(f'find is wrong about {path}', how, asked)


def full(case):
    """Limits the length of files; then a medium with little room."""
    for how in ('limit', 'medium'):
        begun = time.time()
        case.reset_counts()
        most = max(map(len, case.after.values()))
        sizes = sorted({1, 100, 4096, 65535, 65536, 65537, most - 1, *range(0, most, most // 24)})
        for size in sizes:
            if how == 'limit':
                case.reset()
                limit = (size, size)
                ran = case.run([], preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, limit))
                error = 'EFBIG'
            else:
                shutil.rmtree(case.folder, ignore_errors=True)
                os.makedirs(case.folder)
                pages = sum(-(-len(data) // 4096) + 1 for data in case.before.values()) + 8
                room = pages * 4096 + size // 4096 * 4096
                subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={room}', 'tmpfs', case.folder],
                               check=True)
                shutil.copytree(case.template, case.folder, dirs_exist_ok=True)
                ran = case.run([])
                error = 'ENOSPC'
            case.check(f'{how} {size}', ran)
            case.check_message(f'{how} {size}', ran, error)
            if how == 'medium':
                subprocess.run(['umount', case.folder], check=True)
        line(case, how, begun)


TOTAL = collections.Counter()


def line(case, kind, begun):
    codes = ' '.join(f'{code}:{count}' for code, count in sorted(case.codes.items()))
    if case.asked:
        codes += f' (asked {case.asked} times whether to cut off whole blocks)'
    if case.found:
        codes += f' (find asked {case.found} times, told {case.misfit} indexes that do not fit)'
    print(f'{case.name:14} {kind:10} {case.runs:6} runs {case.half:4} half {case.left:4} left '
          f'{case.wrong:4} wrong  {time.time() - begun:6.0f} s  {codes}', flush=True)
    for key in ('runs', 'half', 'left', 'wrong'):
        TOTAL[key] += getattr(case, key)


def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    big, small = f'{ROOT}/big', f'{ROOT}/small'
    prepare(big, 3000)
    prepare(small, 20)
    befores = {big: files(big), small: files(small)}
    for name in COMMANDS:
        if ONLY and name not in ONLY:
            continue
        for part, template in (('errors', big), ('kills', small), ('full', big)):
            if part in PARTS:
                globals()[part](Case(name, template, befores[template]))
    print('total', dict(TOTAL))
    shutil.rmtree(ROOT)


main()
