# SPDX-License-Identifier: Apache-2.0
"""The assembler: the text of :mod:`goldbeat.pymodels.tpu.streams.listing` back to bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams.encode import Templates
from goldbeat.pymodels.tpu.streams.tables import Chip, CommandForm, EngineTable, Tables, tables

_NUMBER = re.compile(r"\d{1,20}|0x[0-9a-fA-F]{1,16}", re.ASCII)
MAX_FILL = 1 << 24
"""Bytes that one ``.zeros`` may stand for."""


@dataclass
class Assembled:
    """One stream.

    Attributes:
        name: as ``.stream`` has it.
        engine: its engine, None for records of both engines.
        data: the bytes.
        count: how many commands.
        place: commands since the last END: their ids begin at 1 behind it.
    """

    name: str
    engine: EngineTable | None
    data: bytearray = field(default_factory=bytearray)
    count: int = 0
    place: int = 0


def assemble(
    lines: Iterable[str], *, file: str | PathLike[str] | None = None, known: Tables | None = None
) -> tuple[Chip, list[Assembled]]:
    """Assemble a text.

    Args:
        lines: of the text.
        file: for messages.
        known: the tables to look in.

    Raises:
        InputError: with the line.
    """
    return _Assembler(file, known or tables()).run(lines)


class _Assembler:
    def __init__(self, file: str | PathLike[str] | None, known: Tables) -> None:
        self._file = file
        self._known = known
        self._chip: Chip | None = None
        self._made: list[Assembled] = []
        self._line = 0
        self._ops: dict[tuple[str, str, str], int] = {}
        self._templates: dict[str, Templates] = {}

    def run(self, lines: Iterable[str]) -> tuple[Chip, list[Assembled]]:
        for number, line in enumerate(lines, 1):
            self._line = number
            text = line.partition(";")[0].strip()
            if not text:
                continue
            try:
                if text.startswith("."):
                    self._directive(text)
                else:
                    self._command(text)
            except UsageError as error:
                raise InputError(str(error), "a command of the tables", file=self._file, line=number) from None
        if self._chip is None:
            raise self._wrong("the end of the text", ".chip NAME")
        return self._chip, self._made

    def _wrong(self, found: str, expected: str) -> InputError:
        return InputError(found, expected, file=self._file, line=self._line)

    def _stream(self) -> Assembled:
        if not self._made:
            raise self._wrong("a command", ".stream NAME ENGINE before it")
        return self._made[-1]

    def _directive(self, text: str) -> None:
        words = text.split()
        match words:
            case [".chip", name]:
                if self._made:
                    raise self._wrong(".chip", "it before the first .stream")
                self._chip = self._known.chip(name)
            case [".stream", name, *engine] if len(engine) < 2:
                if self._chip is None:
                    raise self._wrong(".stream", ".chip NAME before it")
                if (self._chip.magic is None) != bool(engine):
                    raise self._wrong(text, ".stream NAME ENGINE, without engine for chips with records")
                self._made.append(Assembled(name, self._chip.engine(engine[0]) if engine else None))
            case [".zeros", count] if count.isdecimal() and len(count) < 12 and int(count) <= MAX_FILL:
                self._stream().data += bytes(int(count))
            case [".bytes", digits] if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", digits):
                self._stream().data += bytes.fromhex(digits)
            case _:
                raise self._wrong(text[:60], f".chip, .stream, .zeros (up to {MAX_FILL}) or .bytes")

    def _command(self, text: str) -> None:
        stream = self._stream()
        words = text.split()
        engine = stream.engine
        number = 0
        if engine is None:
            assert self._chip is not None
            engine = self._chip.engine(words.pop(0))
            number = next(n for n, name in self._chip.record_engines.items() if name == engine.name)
        if len(words) < 4 or not words[0].isdecimal():
            raise self._wrong(text[:60], "ID OPERATION FORM wait=ID FIELD=VALUE ...")
        kind = engine.kind(words[2])
        func = self._func(engine, kind, words[1])
        wait, *rest = [self._pair(word) for word in words[3:]]
        if wait[0] != "wait":
            raise self._wrong(words[3], "wait=ID or wait=-")
        fields = dict(rest)
        if len(fields) < len(rest):
            raise self._wrong(text[:60], "each field once")
        header = (
            [fields.pop(name, 0) for name in ("hdr_high", "hdr_flags", "hdr_mask")] if stream.engine is None else []
        )
        explicit = "id" in engine.head and kind.has_id
        id_ = int(words[0])
        stream.count += 1
        stream.place += 1
        if not explicit and stream.engine is not None and id_ != stream.place:
            raise self._wrong(f"id {id_}", f"{stream.place}: {engine.name} commands of {engine.chip} are counted")
        if (kind, func) == engine.end:
            stream.place = 0
        # Fields given by name have the last word over what follows from the operation.
        value = self._template(engine).value(kind, func, id_ if explicit else None, wait[1])
        for name, given in fields.items():
            one = kind.by_name.get(name)
            if one is None:
                raise self._wrong(f"field {name}", f"one of {', '.join(kind.by_name)}")
            if given >> one.width:
                raise self._wrong(f"{name}={given}", f"0..{(1 << one.width) - 1}")
            mask = (1 << one.width) - 1
            value = value & ~(mask << one.bit) | given << one.bit
        if stream.engine is None:
            assert self._chip is not None
            assert self._chip.magic is not None
            if header[0] > 15 or header[1] > 255 or header[2] >> 32:
                raise self._wrong(text[:60], "hdr_high of 4, hdr_flags of 8, hdr_mask of 32 bits")
            stream.data += bytes([self._chip.magic, kind.bytes, number | header[0] << 4, header[1]])
            stream.data += header[2].to_bytes(4, "little")
        stream.data += value.to_bytes(kind.bytes, "little")

    def _template(self, engine: EngineTable) -> Templates:
        if engine.name not in self._templates:
            self._templates[engine.name] = Templates(engine)
        return self._templates[engine.name]

    def _func(self, engine: EngineTable, kind: CommandForm, op: str) -> int:
        key = (engine.name, kind.name, op)
        if key not in self._ops:
            func = kind.func_of(op)
            if func is None:
                names = ", ".join(kind.op(f) for f in kind.ops if f >= 0)
                raise self._wrong(f"operation {op}", f"one of {kind.name}: {names}")
            self._ops[key] = func
        return self._ops[key]

    def _pair(self, word: str) -> tuple[str, int]:
        name, mark, text = word.partition("=")
        if mark and name == "wait" and text == "-":
            return name, 0
        if not mark or not _NUMBER.fullmatch(text):
            raise self._wrong(word[:60], "NAME=NUMBER")
        return name, int(text, 16) if text.startswith("0x") else int(text)
