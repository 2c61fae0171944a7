#!/usr/bin/env python3
"""Checks shapes.md: its bytes are those of the vectors, and decode to its text. This file is in the public domain (CC0)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import reader

HERE = Path(__file__).parent


def main() -> int:
    text = (HERE / "shapes.md").read_text("utf-8")
    game = re.search(r"```pgn\n(.*?)```", text, re.DOTALL)[1].encode()
    wrong, blocks = 0, re.findall(r"```hex (\S+)\n(.*?)```", text, re.DOTALL)
    for name, block in blocks:
        here, whole = reader.hex_bytes(block), reader.read_hex(HERE / f"vectors/{name}.hex")
        right = here in whole
        if "." not in name:
            right &= b"".join(reader.unpack(whole)) == game
        if name == "one_game":
            right &= here == whole and (HERE / f"vectors/{name}.pgn").read_bytes() == game
        print(f"{name}: {len(here)} bytes {'as in' if right else 'DIFFER from'} the vector")
        wrong += not right
    return 1 if wrong or len(blocks) < 6 else 0


if __name__ == "__main__":
    sys.exit(main())
