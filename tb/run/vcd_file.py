# SPDX-License-Identifier: Apache-2.0
"""VCD wave files (IEEE 1800, 21.7): their signals, and signals added to a file that a simulator has written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TextIO

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.run.lane import LaneSignal, WaveNames

_MARK = "~goldbeat"
"""What identifiers of added signals begin with; simulators use few characters."""
_UNIT = re.compile(r"\$timescale\s+1\s*ps\s+\$end")


def vcd_names(path: Path) -> WaveNames:
    """Names of all signals, and the time of the last change in ps.

    Raises:
        InputError: the file is damaged, or of a kind that is not read here.
    """
    with path.open(encoding="utf-8", errors="surrogateescape") as stream:
        head = list(_head(stream, path))
        end = max((int(line[1:]) for line in stream if line.startswith("#")), default=0)
    return WaveNames(tuple(_names(head)), end)


def _head(stream: TextIO, path: Path) -> Iterator[str]:
    """The lines before the changes, without the one that ends them."""
    lines: list[str] = []
    for line in stream:
        if line.startswith("$enddefinitions"):
            if not _UNIT.search("".join(lines)):
                raise InputError("another unit of time", "$timescale 1ps", file=path)
            return iter(lines)
        lines.append(line)
    raise InputError("no $enddefinitions", "a VCD file", file=path)


def _names(head: Sequence[str]) -> Iterator[str]:
    scopes: list[str] = []
    for line in head:
        words = line.split()
        match words[:1]:
            case ["$scope"]:
                scopes.append(words[2])
            case ["$upscope"]:
                scopes.pop()
            case ["$var"]:
                yield ".".join([*scopes, "".join(words[4:-1])])


def add_to_vcd(path: Path, scope: str, signals: Sequence[LaneSignal]) -> None:
    """Add a scope with signals to a file.

    Args:
        path: of the file, which is replaced as a whole.
        scope: name of the new scope, at the top.
        signals: in it.

    Raises:
        InputError: as for :func:`vcd_names`; the file stays as it is.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with (
            path.open(encoding="utf-8", errors="surrogateescape") as stream,
            part.open("w", encoding="utf-8", errors="surrogateescape") as out,
        ):
            out.writelines(_head(stream, path))
            # Several may be there.
            mark = f"{_MARK}_{scope}_"
            out.write(f"$scope module {scope} $end\n")
            out.writelines(f"$var wire {one.width} {mark}{n} {one.declared} $end\n" for n, one in enumerate(signals))
            out.write("$upscope $end\n$enddefinitions $end\n")
            out.writelines(_merged(stream, signals, mark))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _merged(stream: TextIO, signals: Sequence[LaneSignal], mark: str) -> Iterator[str]:
    """The changes of the file and those of the signals, by time; later ones than the file has are left out."""
    changes = sorted(
        (time, n, value) for n, one in enumerate(signals) for time, value in zip(one.times, one.values, strict=True)
    )
    at = 0
    for line in stream:
        if not line.startswith("#"):
            yield line
            continue
        now = int(line[1:])
        while at < len(changes) and changes[at][0] < now:
            before = changes[at][0]
            yield f"#{before}\n"
            at, lines = _at(changes, at, before, mark)
            yield from lines
        at, lines = _at(changes, at, now, mark)
        yield from chain([line], lines)


def _at(changes: Sequence[tuple[int, int, str]], at: int, now: int, mark: str) -> tuple[int, list[str]]:
    """The changes at a time, as lines, and the position after them."""
    lines = []
    while at < len(changes) and changes[at][0] == now:
        _, number, value = changes[at]
        lines.append(f"{value}{mark}{number}\n" if len(value) == 1 else f"b{value} {mark}{number}\n")
        at += 1
    return at, lines
