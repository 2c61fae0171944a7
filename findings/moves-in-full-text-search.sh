#!/bin/sh
# Moves of games as text in a full-text index. As they come, FTS5 of SQLite (Python's sqlite3), tantivy
# 0.27.0 (PyPI), MiniSearch 7.2.0, lunr 2.3.9 and flexsearch 0.8.212 (npm) make small letters of all, so
# that a bishop's Bxc3 finds a pawn's bxc3 as well, and cut at hyphens, so that O-O finds O-O-O, as a
# phrase too. They differ in check marks: MiniSearch does not find Qh5+ by Qh5, lunr finds nothing by
# Qh5+ (a + means something else there), the others find both by either. With tantivy's tokenizer
# "whitespace" each finds itself alone. Nothing is an error.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| Bxc3: FTS5 bxc3 Bxc3, tantivy bxc3 Bxc3, whitespace Bxc3
#| O-O: FTS5 O-O O-O-O, tantivy O-O O-O-O, whitespace O-O
#| Qh5: FTS5 Qh5 Qh5+, tantivy Qh5 Qh5+, whitespace Qh5
#| Qh5+: FTS5 Qh5 Qh5+, tantivy Qh5 Qh5+, whitespace Qh5+
#| Bxc3: MiniSearch bxc3 Bxc3, lunr bxc3 Bxc3, flexsearch bxc3 Bxc3
#| O-O: MiniSearch O-O O-O-O, lunr O-O O-O-O, flexsearch O-O O-O-O
#| Qh5: MiniSearch Qh5, lunr Qh5 Qh5+, flexsearch Qh5 Qh5+
#| Qh5+: MiniSearch Qh5+, lunr none, flexsearch Qh5 Qh5+
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check tantivy==0.27.0
npm install --silent --no-fund minisearch@7.2.0 lunr@2.3.9 flexsearch@0.8.212 > /dev/null
cat > by_python.py <<'PY'
import sqlite3, tantivy
games = ["bxc3", "Bxc3", "O-O", "O-O-O", "Qh5", "Qh5+"]
table = sqlite3.connect(":memory:")
table.execute("create virtual table games using fts5(moves)")
table.executemany("insert into games (rowid, moves) values (?, ?)", ((i, f"e4 {move} d4") for i, move in enumerate(games)))
def fts5(move):
    return [i for i, in table.execute("select rowid from games where games match ?", (f'"{move}"',))]
def index(tokenizer):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("moves", tokenizer_name=tokenizer)
    builder.add_integer_field("id", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(15_000_000, 1)
    for i, move in enumerate(games):
        writer.add_document(tantivy.Document(moves=f"e4 {move} d4", id=i))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    def search(move):
        hits = searcher.search(index.parse_query(f'"{move}"', ["moves"]), 10).hits
        return [searcher.doc(address)["id"][0] for score, address in hits]
    return search
engines = {"FTS5": fts5, "tantivy": index("default"), "whitespace": index("whitespace")}
for move in ("Bxc3", "O-O", "Qh5", "Qh5+"):
    found = (" ".join([name, *(games[i] for i in sorted(search(move)))]) for name, search in engines.items())
    print(f"{move}: {', '.join(found)}")
PY
cat > by_node.mjs <<'JS'
import FlexSearch from 'flexsearch';
import lunr from 'lunr';
import MiniSearch from 'minisearch';
const games = ['bxc3', 'Bxc3', 'O-O', 'O-O-O', 'Qh5', 'Qh5+'];
const documents = games.map((move, id) => ({ id, moves: `e4 ${move} d4` }));
const mini = new MiniSearch({ fields: ['moves'] });
mini.addAll(documents);
const moon = lunr(function () {
  this.ref('id');
  this.field('moves');
  documents.forEach(document => this.add(document));
});
const flex = new FlexSearch.Index();
documents.forEach(({ id, moves }) => flex.add(id, moves));
const engines = {
  MiniSearch: move => mini.search(move).map(hit => hit.id),
  lunr: move => moon.search(move).map(hit => +hit.ref),
  flexsearch: move => flex.search(move),
};
for (const move of ['Bxc3', 'O-O', 'Qh5', 'Qh5+']) {
  const found = Object.entries(engines).map(([name, search]) =>
    `${name} ${search(move).sort().map(id => games[id]).join(' ') || 'none'}`);
  console.log(`${move}: ${found.join(', ')}`);
}
JS
(venv/bin/python by_python.py; node by_node.mjs) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
