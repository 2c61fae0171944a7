"""The wheel has types, a README, and the licence of each crate that it is built from: `python tests/test_wheel.py WHEEL`."""

import json
import pathlib
import sys
import zipfile


def main():
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith((".so", ".pyd"))]
        files = {pathlib.PurePosixPath(name).name: wheel.read(name).decode() for name in names}
    assert {"__init__.pyi", "py.typed", "LICENSE", "METADATA"} <= files.keys()
    assert "pgc.open" in files["METADATA"] and files["METADATA"].count("License-File: ") == 2
    # maturin lists the crates by itself.
    listed = json.loads(files["pgc-python.cyclonedx.json"])["components"]
    crates = {f"{crate['name']} {crate['version']}" for crate in listed if crate["scope"] == "required" and "file:" not in crate["purl"]}
    contents, *texts = files["LICENSE-THIRD-PARTY"].split("=" * 100)
    lines = dict(line.split(": ", 1) for line in contents.splitlines() if ": " in line)
    assert len(crates) > 100 and crates <= lines.keys(), crates - lines.keys()
    # Beside the texts stand the crates that they are of; some packages have none, and then at least say which licence it is.
    with_text = {name for names in texts[::2] for name in names.strip().split(", ")}
    bare = crates - with_text
    assert all(lines[name].split(";")[0] for name in bare) and len(bare) < 10, bare
    print(f"the wheel has the licences of {len(crates)} crates; {len(bare)} packages have no text of theirs: {', '.join(sorted(bare))}")


if __name__ == "__main__":
    main()
