#!/bin/sh
# Players in a Delta table of deltalake 1.6.6 (PyPI, 2026), one folder for each title, with "" as title of
# those who have none and null where it is not known. to_pyarrow_table() and to_pandas() make null of "" there,
# so that a filter on "" finds nobody and one on "not GM" leaves them out, without a word. The same table
# without folders keeps "". So does the one with folders, if it is asked by SQL (QueryBuilder of the same
# package) or read by polars 2.1.0; delete("title = ''") deletes what the filter did not find.
#
# Output seen on 29 November 2026, Carlsen GM, Adler "", Baer null:
#| folders, to_pyarrow_table: Adler null, Baer null, Carlsen GM
#| folders, to_pandas: Adler null, Baer null, Carlsen GM
#| folders, QueryBuilder: Adler "", Baer null, Carlsen GM
#| folders, polars: Adler "", Baer null, Carlsen GM
#| folders, filters: no title 0, not GM 0
#| no folders, to_pyarrow_table: Adler "", Baer null, Carlsen GM
#| no folders, filters: no title 1, not GM 1
#| folders, rows that delete("title = ''") deletes: 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check deltalake==1.6.6 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import deltalake, pandas, polars, pyarrow
players = pyarrow.table({"player": ["Carlsen", "Adler", "Baer"], "title": ["GM", "", None]})
def seen(name, rows):
    said = lambda title: "null" if pandas.isna(title) else title or '""'
    print(f"{name}:", ", ".join(f"{player} {said(title)}" for player, title in sorted((row["player"], row["title"]) for row in rows)))
def filters(name, table):
    counts = [table.to_pyarrow_table(filters=[("title", *test)]).num_rows for test in (("=", ""), ("!=", "GM"))]
    print(f"{name}, filters: no title {counts[0]}, not GM {counts[1]}")
deltalake.write_deltalake("folders", players, partition_by=["title"])
table = deltalake.DeltaTable("folders")
seen("folders, to_pyarrow_table", table.to_pyarrow_table().to_pylist())
seen("folders, to_pandas", table.to_pandas().to_dict("records"))
asked = deltalake.QueryBuilder().register("players", table).execute("select player, title from players")
seen("folders, QueryBuilder", pyarrow.table(asked.read_all()).to_pylist())
seen("folders, polars", polars.read_delta("folders").to_dicts())
filters("folders", table)
deltalake.write_deltalake("plain", players)
seen("no folders, to_pyarrow_table", deltalake.DeltaTable("plain").to_pyarrow_table().to_pylist())
filters("no folders", deltalake.DeltaTable("plain"))
print("folders, rows that delete(\"title = ''\") deletes:", table.delete("title = ''")["num_deleted_rows"])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
