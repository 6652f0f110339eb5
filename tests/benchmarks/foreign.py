# SPDX-License-Identifier: Apache-2.0
"""Other people's modules: which a folder has, and what to compile with each. For count_ports.py and run_ports.py."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldbeat.tb.design.filelist import Sources

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MODULE = re.compile(r"^[ \t]*module\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Surroundings:
    """Where everything beside a module's own file is found."""

    libraries: tuple[Path, ...]
    includes: tuple[Path, ...]

    def sources(self, path: Path) -> Sources:
        """A module's file, and what it uses."""
        return Sources((path,), self.includes, libraries=self.libraries).complete()


def modules(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Every module and its file."""
    for folder in folders:
        for path in sorted(p for p in folder.iterdir() if p.suffix in (".v", ".sv")):
            for name in MODULE.findall(COMMENT.sub(" ", path.read_text(errors="replace"))):
                yield path, name


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What both scripts take."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-y", dest="libraries", action="append", type=Path, default=[])
    parser.add_argument("-I", dest="includes", action="append", type=Path, default=[])
    parser.add_argument("--skip", action="append", default=[], help="a module that is not synthesizable")
    parser.add_argument("--only", action="append", default=[])
    return parser


def asked_for(asked: argparse.Namespace) -> tuple[list[tuple[Path, str]], Surroundings]:
    """The modules, and what surrounds them."""
    work = [
        one for one in modules(asked.folders) if one[1] not in asked.skip and (not asked.only or one[1] in asked.only)
    ]
    return work, Surroundings((*asked.folders, *asked.libraries), tuple(asked.includes))
