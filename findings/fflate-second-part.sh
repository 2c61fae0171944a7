#!/bin/sh
# Compressed games put behind one another, as "cat january.pgn.gz february.pgn.gz" does: a file of gzip may have
# several members (RFC 1952, section 2.2), and one of Zstandard several frames. gunzipSync() and
# decompressSync() of fflate 0.8.3 (npm) give the first member and nothing else, and decompress() of zstandard
# 0.25.0 (PyPI) the first frame: the games of February are missing, without an error. Gunzip of fflate, which
# reads piece by piece, has both, and so have pako 3.0.3 (npm), node's zlib, and stream_reader() and open()
# of zstandard.
#
# Output seen on 29 November 2026 with node 20.20.2, games of two in the file:
#| fflate, gunzipSync: January
#| fflate, decompressSync: January
#| fflate, Gunzip: January February
#| pako: January February
#| node, gunzipSync: January February
#| zstandard, decompress: January
#| zstandard, decompressobj: January
#| zstandard, stream_reader: January February
#| zstandard, open: January February
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check zstandard==0.25.0
npm install --silent --no-fund fflate@0.8.3 pako@3.0.3 > /dev/null
cat > seen.mjs <<'JS'
import zlib from 'zlib';
import * as fflate from 'fflate';
import * as pako from 'pako';
const file = Buffer.concat(['January', 'February'].map(month => zlib.gzipSync(`[Event "${month}"]\n\n1. e4 *\n\n`)));
const seen = (name, games) => console.log(`${name}: ${Buffer.from(games).toString().match(/\w+(?="\])/g).join(' ')}`);
seen('fflate, gunzipSync', fflate.gunzipSync(file));
seen('fflate, decompressSync', fflate.decompressSync(file));
const pieces = [];
new fflate.Gunzip(piece => pieces.push(piece)).push(file, true);
seen('fflate, Gunzip', Buffer.concat(pieces));
seen('pako', pako.ungzip(file));
seen('node, gunzipSync', zlib.gunzipSync(file));
JS
cat > seen.py <<'PY'
import io, re, zstandard
games = [f'[Event "{month}"]\n\n1. e4 *\n\n'.encode() for month in ("January", "February")]
file = b"".join(map(zstandard.ZstdCompressor().compress, games))
def seen(name, text):
    print(f"zstandard, {name}:", *re.findall(r'(\w+)"\]', text.decode()))
seen("decompress", zstandard.ZstdDecompressor().decompress(file))
seen("decompressobj", zstandard.ZstdDecompressor().decompressobj().decompress(file))
seen("stream_reader", zstandard.ZstdDecompressor().stream_reader(io.BytesIO(file)).read())
seen("open", zstandard.open(io.BytesIO(file)).read())
PY
(node seen.mjs; venv/bin/python seen.py) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
