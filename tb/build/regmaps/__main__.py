# SPDX-License-Identifier: Apache-2.0
"""Check what is made from the register maps, or make it anew.

Exit code 0 when all of it is up to date, 1 when not, 2 when a map cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.regmaps import docs, python, systemverilog
from goldbeat.tb.build.regmaps.read import RegisterMap, read_map
from goldbeat.tb.paths import REPOSITORY

_REPEAT = "python -m goldbeat.tb.build.regmaps --write"


def read_maps(root: Path) -> dict[str, RegisterMap]:
    """All maps of a repository by name: the SystemRDL files beside each design's RTL."""
    return {path.stem: read_map(path) for path in sorted(root.glob("hdl/*/*.rdl")) if path.parent.name != "common"}


def made(root: Path) -> tuple[dict[Path, str], list[str]]:
    """What should stand in each file that is made from a map, and what is wrong besides."""
    maps = read_maps(root)
    texts: dict[Path, str] = {}
    for one in maps.values():
        texts[one.path.with_name(f"{one.name}_regs_pkg.sv")] = systemverilog.package(one)
        texts[root / "pymodels" / one.python] = python.python_text(one)
    shown: list[str] = []
    for path in sorted(root.glob("docs/*.md")):
        text, names = docs.map_page(path, maps)
        shown += names
        if names:
            texts[path] = text
    found = [
        f"{one.path.relative_to(root)}: found {shown.count(name)} tables in docs/*.md, expected 1: <!-- registers {name} -->"
        for name, one in maps.items()
        if shown.count(name) != 1
    ]
    orphans = sorted(set(root.glob("hdl/*/*_regs_pkg.sv")) - set(texts))
    found += [
        f"{path.relative_to(root)}: missing map, expected {path.name.removesuffix('_regs_pkg.sv')}.rdl"
        for path in orphans
    ]
    return texts, found


def differences(path: Path, root: Path, wanted: str) -> list[str]:
    """Where a file first differs from what should stand in it; nothing when it does not."""
    name = path.relative_to(root)
    if not path.is_file():
        return [f"{name}: missing file; to make it: {_REPEAT}"]
    lines = zip_longest(path.read_text(encoding="utf-8").split("\n"), wanted.split("\n"))
    for number, (found, expected) in enumerate(lines, 1):
        if found != expected:
            ends = [repr(line.strip()) if line is not None else "the end" for line in (found, expected)]
            return [f"{name}:{number}: found {ends[0]}, expected {ends[1]}; to make it: {_REPEAT}"]
    return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, or write with ``--write``."""
    parser = argparse.ArgumentParser(prog="python -m goldbeat.tb.build.regmaps", description=__doc__)
    parser.add_argument("--write", action="store_true", help="Write the files that are out of date.")
    parser.add_argument("--root", type=Path, default=REPOSITORY, help="The repository (the one of this program).")
    options = parser.parse_args(arguments)
    try:
        texts, found = made(options.root)
    except GoldbeatError as error:
        print(error, file=sys.stderr)
        return 2
    stale = {path: lines for path, text in texts.items() if (lines := differences(path, options.root, text))}
    if options.write:
        for path in stale:
            path.write_text(texts[path], encoding="utf-8")
            print(f"{path.relative_to(options.root)}: written")
        stale = {}
    for line in [*found, *(line for lines in stale.values() for line in lines)]:
        print(line, file=sys.stderr)
    print(f"register maps: {len(texts)} files made from them, {len(found) + len(stale)} findings")
    return 1 if found or stale or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
