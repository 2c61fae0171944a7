"""Measures the memory of commands on games near the limits of a game.

    python3 benches/memory.py target/release/pgc [SHAPE...]

Prints the most memory of each command (in MiB, resident, with the pages of mapped files) for each
shape of game, and names those over 256 MiB.
"""
import os
import subprocess
import sys
import tempfile

PGC = os.path.abspath(sys.argv[1])
N = 1_048_500  # a game has at most 1,048,576 elements
HEAD = '[Event "E"]\n[Site "?"]\n[Date "1990.01.01"]\n[Round "1"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n'
KNIGHTS = ['Nf3', 'Nf6', 'Ng1', 'Ng8']


def line(count, behind=lambda n: ''):
    """So many moves, each with what stands behind it."""
    moves = []
    for n in range(count):
        number = f'{n // 2 + 1}. ' if n % 2 == 0 else ''
        moves.append(f'{number}{KNIGHTS[n % 4]} {behind(n)}')
    return ''.join(moves)


def mib(part, behind='', size=15 << 20):
    return '{' + part * (size // len(part)) + behind + '}'


SHAPES = {
    'moves': lambda: line(N),
    'moves of Crazyhouse': lambda: ('[Variant "Crazyhouse"]\n', line(N)),
    'moves, each with a comment': lambda: line(N // 2, lambda n: f'{{c{n % 1000}}} '),
    'moves, each with a clock': lambda: line(N // 2, lambda n: f'{{[%clk 0:{n % 60:02}:07]}} ' if n < 300_000 else '{x} '),
    'moves, each with a NAG': lambda: line(N // 2, lambda n: f'${n % 140} '),
    'moves, each with a variation': lambda: line(N // 4, lambda n: f'({"Na3 Na6 Nb1 Nb8".split()[n % 4]}) '),
    'moves and variations, each with a comment': lambda: line(N // 6, lambda n: f'{{a}} ({"Na3 Na6 Nb1 Nb8".split()[n % 4]} {{b{n % 99}}}) '),
    'variations of one move': lambda: '1. e4 ' + '(1. d4) ' * (N // 3),
    'variations of one move, with comments': lambda: '1. e4 ' + '({b} 1. d4 {a}) ' * (N // 5),
    'comments': lambda: '1. e4 ' + '{a} ' * (N - 3),
    'empty comments': lambda: '1. e4 ' + '{}' * (N - 3),
    'comments of rest of line': lambda: '1. e4\n' + ';a\n' * (N - 3),
    'NAGs': lambda: '1. e4 ' + '$1 ' * (N - 3),
    'tag pairs': lambda: (''.join(f'[T{n} "{n % 50}"]\n' for n in range(65_529)), '1. e4 '),
    'too many tag pairs': lambda: (''.join(f'[T{n} "x"]\n' for n in range(N)), '1. e4 '),
    'too many moves': lambda: line(N + 99),
    'words that are no moves': lambda: '1. e4 ' + 'xx ' * (N - 3),
    'escaped lines': lambda: '1. e4\n' + '%a\n' * (N - 3),
    'a comment of commas': lambda: '1. e4 ' + mib(','),
    'a comment of words': lambda: '1. e4 {' + ' '.join(f'{n:x}' for n in range(2_400_000)) + '} ',
    'a comment of moves': lambda: '1. e4 ' + mib('e5 Nf3 Nc6 Bb5 a6 '),
    'a comment of commands': lambda: '1. e4 ' + mib('[%clk 0:01:00]'),
    'a tag value of 15 MiB': lambda: ('[Annotator "' + 'a b' * (5 << 20) + '"]\n', '1. e4 '),
    'a game of 40 MiB': lambda: line(2, lambda n: mib('ab ', size=20 << 20) + ' '),
}
QUESTIONS = {
    'fen': ['--fen', '8/8/8/8/8/8/8/8'], 'material': ['--material', 'KQ k', '--for', '4'],
    'pattern': ['--pattern', 'Ke2', '--in-variations'], 'move': ['--move', '=N', '--then', '--move', '#'],
    'comment': ['--comment', 'zzz'], 'clock': ['--clock', '..1'], 'swing': ['--eval-swing', '900..'],
    'nag': ['--nag', '9'], 'tag': ['--tag', 'Annotator=zz'], 'opening': ['--opening', 'najdorf'],
}
COMMANDS = {
    'pack': 'pack -q -f x.pgn -o y.pgc', 'pack small': 'pack -q -f x.pgn -o y.pgcz',
    'pack form': 'pack -q -f x.pgc -o y.pgcz', 'test': 'test -q x.pgc', 'test small': 'test -q x.pgcz',
    'index': 'index -q -f y.pgc', 'info': 'info x.pgc', 'unpack': 'unpack -q -c x.pgc', 'unpack small': 'unpack -q -c x.pgcz',
    'export': 'unpack -q -c --export x.pgc', 'export nulls': 'unpack -q -c --export --null-moves x.pgcz',
    'reduced': 'unpack -q -c --reduced x.pgc',
    **{f'get {f}': f'get x.pgc 1 --format {f}' for f in ('pgn', 'json', 'sgf', 'epd', 'fen', 'board')},
    'get small json': 'get x.pgcz 1 --json', 'get pieces': 'get x.pgc 1 --pieces de', 'get plies': 'get x.pgc 1 --fen --ply ..40',
    'view': 'view x.pgc 1',
    **{f'find {name}': ['find', '-q', 'x.pgc', *words] for name, words in QUESTIONS.items()},
    **{f'find {f}': f'find -q -f x.pgc -o out.{f}' for f in ('pgn', 'pgcz', 'csv', 'jsonl', 'sgf', 'epd')},
    'find positions': 'find -q x.pgc --table positions --format csv', 'find sort': 'find -q -f x.pgc --sort white --reverse -o out.pgn',
    'table csv': 'table -q x.pgc --csv', 'table json': 'table -q x.pgc --json', 'names': 'names -q x.pgc --format csv',
    'tree': 'tree -q x.pgc', 'stats': 'stats -q x.pgc -p A', 'dups': 'dups -q x.pgc x.pgcz', 'dups -o': 'dups -q -f x.pgc x.pgcz -o out.pgc',
    'lint': 'lint -q x.pgn', 'lint --fix': 'lint -q -f --fix x.pgn -o out.pgn',
    'edit': 'edit -q -f x.pgc --all --set Event=F -o out.pgc', 'edit small': 'edit -q -f x.pgcz --all --set Event=F -o out.pgcz',
    'edit delete': 'edit -q -f x.pgc --games 1 --delete -o out.pgc', 'edit opening': 'edit -q -f x.pgc --all --set-opening -o out.pgc',
    'split': 'split -q -f x.pgc --by games=1 -o parts', 'merge': 'merge -q -f x.pgc x.pgcz -o out.pgc',
    'add known': 'add -q y.pgc x.pgn --skip-known',
    'salvage': 'salvage -q -f x.pgc -o out.pgc', 'import-sgf': 'import-sgf -q -f out.sgf -o out.pgn',
}


def run(words):
    """The most memory of a command, and its exit code."""
    with open(os.devnull, 'w') as null:
        child = subprocess.Popen([PGC, *words], stdout=null, stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        print(f'    {" ".join(words)}: exit code {code}: {said[-200:]}')
    return used.ru_maxrss / 1024


def main():
    os.chdir(tempfile.mkdtemp(prefix='pgc-memory-'))
    most = {}
    for name, shape in SHAPES.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        # A process of its own: what this one holds would count as that of the commands, which are forked.
        if (child := os.fork()) == 0:
            made = shape()
            tags, moves = made if isinstance(made, tuple) else ('', made)
            with open('x.pgn', 'w') as out:
                out.write(f'{HEAD}{tags}\n{moves}*\n')
            os._exit(0)
        os.waitpid(child, 0)
        run(['pack', '-q', '-f', 'x.pgn', '-o', 'x.pgc'])
        run(['pack', '-q', '-f', 'x.pgn', '-o', 'x.pgcz'])
        for command, words in COMMANDS.items():
            used = run(words.split() if isinstance(words, str) else words)
            most[command] = max(most.get(command, (0, '')), (used, name))
            print(f'{"OVER " if used > 256 else ""}{name}: {command}: {used:.0f}', flush=True)
    print('| command | MiB | game |\n|---|---|---|')
    for command, (used, name) in most.items():
        print(f'| {command} | {used:.0f} | {name} |')


main()
