# SPDX-License-Identifier: Apache-2.0
"""Which files of its include folders and libraries a design reaches: by ```include``, or by the name of a module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.source_text import read_code

_INCLUDE = re.compile(r'`include\s*(?:"([^"\n]+)"|<([^>\n]+)>|(\S))')
_DEFINE = re.compile(r"^[ \t]*`define[ \t]+(\w+)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MODULES = ("", ".v", ".sv")
"""Endings of the files in which a simulator looks for a module, in this order."""


@dataclass(frozen=True)
class RtlReach:
    """What sources reach.

    Attributes:
        files: those that are there.
        absent: files that are not there and would be read in place of one of these, if they were.
    """

    files: Sequence[Path]
    absent: Sequence[Path]


@dataclass(frozen=True)
class Mentions:
    """What a file mentions.

    Attributes:
        included: names of files.
        unknown: some names of files are those of macros.
        outside: words outside of the macros that it defines.
        macros: words of each of these.
    """

    included: Sequence[str]
    unknown: bool
    outside: frozenset[str]
    macros: Mapping[str, frozenset[str]]


def reached(sources: Sequence[Path], include_dirs: Sequence[Path], library_dirs: Sequence[Path]) -> RtlReach:
    """The files that sources, and what they include, may read.

    Conditions are not looked at, and every word may be the name of a module. Where a macro is the name of a file, all files of the
    include folders are reached.
    """
    files: dict[Path, None] = {}
    absent: dict[Path, None] = {}
    folders = (*include_dirs, *library_dirs)
    waiting = list(sources) if folders else []
    seen = set(waiting)
    modules = {one.stem for folder in folders for one in folder.iterdir() if one.suffix in _MODULES}
    while waiting:
        said = mentions(waiting.pop())
        words = said.outside.union(*said.macros.values())
        found = []
        for number, folder in enumerate(include_dirs if said.unknown else ()):
            below = [one for one in sorted(folder.rglob("*")) if one.is_file()]
            found += below
            others = (other / one.relative_to(folder) for one in below for other in include_dirs[:number])
            absent |= dict.fromkeys(other for other in others if not other.exists())
        included = ([folder / name for folder in include_dirs] for name in said.included)
        named = ([f / f"{word}{ending}" for f in folders for ending in _MODULES] for word in sorted(words & modules))
        for places in (*included, *named):
            there = next((n for n, one in enumerate(places) if one.is_file()), None)
            if there is not None:
                found.append(places[there])
            absent |= dict.fromkeys(places[:there])
        files |= dict.fromkeys(found)
        waiting += [one for one in dict.fromkeys(found) if one not in seen]
        seen |= {*found}
    return RtlReach(sorted(files), sorted(absent))


def mentions(path: Path) -> Mentions:
    """What a file mentions, comments left out."""
    return _read(path, file_stamp(path))


@lru_cache(maxsize=4096)
def _read(path: Path, stamp: object) -> Mentions:
    text = read_code(path)
    included = _INCLUDE.findall(text)
    names = [quoted or angled for quoted, angled, _ in included if quoted or angled]
    macros = {name: frozenset(_WORD.findall(body)) for name, body in _DEFINE.findall(text)}
    outside = frozenset(_WORD.findall(_DEFINE.sub(" ", text)))
    return Mentions(list(dict.fromkeys(names)), len(names) < len(included), outside, macros)
