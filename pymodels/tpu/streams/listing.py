# SPDX-License-Identifier: Apache-2.0
"""Disassembly: commands as text, as JSON objects, as CSV.

The text is made to be read by :mod:`goldbeat.pymodels.tpu.streams.assemble` too and gives the same bytes: a line names
id, operation, form, the command waited for and every field that is not zero. What follows from these (short bit, type,
func, dependency) is left out. Without name: unnamed bits, and bytes between commands.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Any

import numpy as np

from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.container import commands
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.encode import Templates
from goldbeat.pymodels.tpu.streams.tables import Chip, CommandForm

_BLOCK = 1 << 12
_DECIMAL_BELOW = 4096


def rows(found: Commands) -> Iterator[tuple[int, CommandForm, dict[str, int]]]:
    """Row, form and fields of every command in the order of the stream, a block at a time."""
    for begin in range(0, len(found), _BLOCK):
        chosen = np.arange(begin, min(begin + _BLOCK, len(found)))
        columns: dict[int, tuple[dict[str, list[int]], dict[int, int]]] = {}
        for index in np.unique(found.kind[chosen]):
            mine = chosen[found.kind[chosen] == index]
            kind = found.engine.kinds[int(index)]
            values = {name: column.tolist() for name, column in found.fields(kind, mine).items()}
            columns[int(index)] = (values, {int(row): i for i, row in enumerate(mine)})
        for row in chosen:
            values, place = columns[int(found.kind[row])]
            i = place[int(row)]
            yield (
                int(row),
                found.engine.kinds[int(found.kind[row])],
                {name: column[i] for name, column in values.items()},
            )


def command_objects(chip: Chip, streams: list[CommandStream], file: Any = None) -> Iterator[dict[str, Any]]:
    """Every command as a JSON object: stream, engine, id, dep, offset (in the file), bytes, raw (hex), kind, name, fields."""
    for stream in streams:
        parts = [_objects(found, stream) for found in commands(chip, stream, file).values()]
        yield from merge(*parts, key=lambda one: int(one["offset"]))


def _objects(found: Commands, stream: CommandStream) -> Iterator[dict[str, Any]]:
    for row, kind, fields in rows(found):
        yield {
            "stream": stream.name,
            "engine": found.engine.name,
            "id": int(found.id[row]),
            "dep": int(found.dep[row]),
            "offset": int(found.offset[row]) + stream.offset,
            "bytes": kind.bytes,
            "raw": found.raw(row).hex(),
            "kind": kind.name,
            "name": kind.op(int(found.func[row])),
            "fields": fields,
        }


def commands_json(chip: Chip, streams: list[CommandStream], file: Any = None) -> Iterator[str]:
    """One object a line, as an array."""
    first = True
    for one in command_objects(chip, streams, file):
        yield ("[\n" if first else ",\n") + json.dumps(one)
        first = False
    yield "[]\n" if first else "\n]\n"


CSV_COLUMNS = ("stream", "engine", "id", "dep", "offset", "bytes", "kind", "name", "fields")


def as_csv(chip: Chip, streams: list[CommandStream], file: Any = None) -> Iterator[str]:
    """One command a row; fields that are not zero in the last column, as in the text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for one in command_objects(chip, streams, file):
        fields = " ".join(f"{name}={number_text(value)}" for name, value in one["fields"].items() if value)
        writer.writerow([*(one[name] for name in CSV_COLUMNS[:-1]), fields])
        if out.tell() > 1 << 16:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def number_text(value: int) -> str:
    """Small numbers are counts and sizes, large ones addresses and masks."""
    return str(value) if value < _DECIMAL_BELOW else hex(value)


def as_text(chip: Chip, streams: list[CommandStream], file: Any = None) -> Iterator[str]:
    """Assembly that :func:`goldbeat.pymodels.tpu.streams.assemble.assemble` takes back."""
    yield f".chip {chip.name}\n"
    for stream in streams:
        engine = "" if chip.magic is not None else f" {stream.engine}"
        yield f"\n.stream {stream.name}{engine}\n"
        parts = commands(chip, stream, file)
        if chip.magic is not None:
            yield from _record_lines(parts, stream)
        else:
            yield from _lines(parts[stream.engine], stream)


def _lines(found: Commands, stream: CommandStream) -> Iterator[str]:
    at = 0
    defaults = _Defaults(found)
    for row, kind, fields in rows(found):
        offset = int(found.offset[row])
        yield from _between(found.data[at:offset].tobytes())
        yield defaults.line(row, kind, fields, stream.offset + offset)
        at = offset + kind.bytes
    yield from _between(found.data[at:].tobytes())


def _record_lines(parts: Mapping[str, Commands], stream: CommandStream) -> Iterator[str]:
    """Records of both engines in one sequence, each with the engine before it."""
    queue = []
    for name, found in parts.items():
        defaults = _Defaults(found)
        for row, kind, fields in rows(found):
            at = int(found.offset[row])
            header = found.data[at - 8 : at].tobytes()
            flags = {
                "hdr_high": header[2] >> 4,
                "hdr_flags": header[3],
                "hdr_mask": int.from_bytes(header[4:], "little"),
            }
            extra = "".join(f" {k}={number_text(v)}" for k, v in flags.items() if v)
            line = defaults.line(row, kind, fields, stream.offset + at).rstrip("\n")
            body, _, note = line.partition("  ;")
            queue.append((int(found.place[row]), f"{name:<5}{body}{extra}  ;{note}\n"))
    ends = [int(found.offset[-1] + found.length[-1]) for found in parts.values() if len(found)]
    yield from (line for _, line in sorted(queue))
    data = next(iter(parts.values())).data
    yield from _between(data[max(ends, default=0) :].tobytes())


def _between(raw: bytes) -> Iterator[str]:
    """Bytes that belong to no command."""
    if raw and not any(raw):
        yield f".zeros {len(raw)}\n"
    else:
        for begin in range(0, len(raw), 32):
            yield f".bytes {raw[begin : begin + 32].hex()}\n"


class _Defaults:
    """What a command's fields are when only its operation, id and dependency are known: these need not be printed."""

    def __init__(self, found: Commands) -> None:
        self._found = found
        self._templates = Templates(found.engine)
        self._known: dict[tuple[int, int], dict[str, int]] = {}
        self._has_id = "id" in found.engine.head
        head = found.engine.head
        changing = [head[item] for item in ("id", "dep", "dep_enable") if item in head]
        self._moving = {
            kind.index: [f for f in kind.fields if any(f.bit < bit + width and bit < f.end for bit, width in changing)]
            for kind in found.engine.kinds
        }

    def _of(self, kind: CommandForm, func: int, number: int, dep: int) -> dict[str, int]:
        key = (kind.index, func)
        if key not in self._known:
            value = self._templates.value(kind, func)
            self._known[key] = {f.name: value >> f.bit & ((1 << f.width) - 1) for f in kind.fields}
        explicit = self._has_id and kind.has_id
        if not dep and not explicit:
            return self._known[key]
        # Only these differ from one command of the operation to the next.
        value = self._templates.value(kind, func, number if explicit else None, dep)
        return self._known[key] | {f.name: value >> f.bit & ((1 << f.width) - 1) for f in self._moving[kind.index]}

    def line(self, row: int, kind: CommandForm, fields: dict[str, int], offset: int) -> str:
        found = self._found
        func, number, dep = int(found.func[row]), int(found.id[row]), int(found.dep[row])
        if kind.func_bits is not None:
            func &= (1 << kind.func_bits) - 1
        expected = self._of(kind, func, number, dep)
        shown = " ".join([f"{name}={number_text(value)}" for name, value in fields.items() if value != expected[name]])
        waits = f"wait={dep}" if dep else "wait=-"
        return f"{number:>6} {kind.op(func):<22} {kind.name:<18} {waits:<10} {shown}".rstrip() + f"  ; {offset:#x}\n"
