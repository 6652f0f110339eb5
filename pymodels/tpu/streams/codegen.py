# SPDX-License-Identifier: Apache-2.0
"""The writing side: what a code generator needs to make command streams and put them into a BModel.

A :class:`CommandStore` encodes one engine's commands and returns their words; decorators around it keep them in a
buffer, write them to a file, or add up their time. An :class:`IdNode` carries the last id of each engine along a line of
code; parallel parts divide it and merge it again. :class:`CodeGen` holds the stores of all engines, splits groups and
writes the container.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.flatbuffer import Table
from goldbeat.pymodels.tpu.streams.bmodel import AreaWriter, write_bmodel
from goldbeat.pymodels.tpu.streams.encode import Values, encode_commands, padded
from goldbeat.pymodels.tpu.streams.schedule import OTHER, Cost
from goldbeat.pymodels.tpu.streams.tables import Chip, CommandForm, EngineTable

Words = npt.NDArray[np.uint32]


class EngineStorer(Protocol):
    """Takes commands of one engine; decorators are storers around a storer."""

    @property
    def engine(self) -> EngineTable:
        """Whose commands."""

    def store(
        self,
        kind: CommandForm,
        fields: Mapping[str, Values] | None = None,
        *,
        func: int | None = None,
        id: int | None = None,  # noqa: A002 - the field's own name
        dep: int | None = None,
    ) -> Words:
        """Store a command; its 32-bit words."""


class CommandStore:
    """Encodes, and keeps nothing."""

    def __init__(self, engine: EngineTable) -> None:
        self._engine = engine

    @property
    def engine(self) -> EngineTable:
        """Whose commands."""
        return self._engine

    def store(
        self,
        kind: CommandForm,
        fields: Mapping[str, Values] | None = None,
        *,
        func: int | None = None,
        id: int | None = None,  # noqa: A002
        dep: int | None = None,
    ) -> Words:
        """Store a command; its 32-bit words."""
        raw = encode_commands(self._engine, kind, fields, n=1, func=func, id=id, dep=dep)
        return np.frombuffer(raw.tobytes(), "<u4").astype(np.uint32)


class Decorator:
    """A storer around a storer."""

    def __init__(self, inner: EngineStorer) -> None:
        self._inner = inner

    @property
    def engine(self) -> EngineTable:
        """Whose commands."""
        return self._inner.engine

    def store(
        self,
        kind: CommandForm,
        fields: Mapping[str, Values] | None = None,
        *,
        func: int | None = None,
        id: int | None = None,  # noqa: A002
        dep: int | None = None,
    ) -> Words:
        """Store a command; its 32-bit words."""
        words = self._inner.store(kind, fields, func=func, id=id, dep=dep)
        self._seen(kind, fields or {}, words)
        return words

    def _seen(self, kind: CommandForm, fields: Mapping[str, Values], words: Words) -> None:
        raise NotImplementedError


class VectorDump(Decorator):
    """Appends what is stored to a buffer."""

    def __init__(self, inner: EngineStorer, buffer: bytearray | None = None) -> None:
        super().__init__(inner)
        self.buffer = bytearray() if buffer is None else buffer

    def _seen(self, kind: CommandForm, fields: Mapping[str, Values], words: Words) -> None:
        self.buffer += words.tobytes()


class FileDump(Decorator):
    """Writes what is stored to an open file."""

    def __init__(self, inner: EngineStorer, file: BinaryIO) -> None:
        super().__init__(inner)
        self._file = file

    def _seen(self, kind: CommandForm, fields: Mapping[str, Values], words: Words) -> None:
        self._file.write(words.tobytes())


class Profile(Decorator):
    """Adds up commands and cycles by form."""

    def __init__(self, inner: EngineStorer, model: Mapping[str, Cost], default: Cost | None = None) -> None:
        super().__init__(inner)
        self._model = model
        self._default = default or Cost()
        self.commands: dict[str, int] = {}
        self.cycles: dict[str, int] = {}

    def _seen(self, kind: CommandForm, fields: Mapping[str, Values], words: Words) -> None:
        cost = self._model.get(kind.name, self._default)
        sizes = [int(np.max(fields[n])) for n in ("res0_n", "res0_c", "res0_h", "res0_w") if n in fields]
        took = int(np.ceil(cost.base + cost.per_element * float(np.prod([max(s, 1) for s in sizes] or [1]))))
        self.commands[kind.name] = self.commands.get(kind.name, 0) + 1
        self.cycles[kind.name] = self.cycles.get(kind.name, 0) + took


@dataclass
class IdNode:
    """The last command of each engine that a line of code must come after."""

    ids: dict[str, int] = field(default_factory=dict)

    def divide(self, parts: int = 2) -> list[IdNode]:
        """A copy for each parallel part: none waits for what the others do."""
        return [IdNode(dict(self.ids)) for _ in range(parts)]

    def merge(self, *others: IdNode) -> None:
        """Come after all of them: the later id of each engine."""
        for other in others:
            for engine, last in other.ids.items():
                self.ids[engine] = max(self.ids.get(engine, 0), last)


@dataclass
class _Line:
    """One engine of one core and thread: its groups so far."""

    storer: EngineStorer
    dump: VectorDump
    groups: list[tuple[bytes, int]] = field(default_factory=list)
    count: int = 0


_KEY = re.compile(r"(tiu|bdc|gdma|sdma|hau|cdma)(?::(\d{1,4})(?::(\d{1,4}))?|(\d{1,4}))?")


class CodeGen:
    """Command streams of all engines of a chip, and the BModel around them.

    Args:
        chip: from the tables.
        cores: how many cores get streams.
        group_limit: commands of an engine after which :meth:`checkpoint` begins a new group; the chip's unless given.
    """

    def __init__(self, chip: Chip, cores: int = 1, group_limit: int | None = None) -> None:
        if chip.magic is not None:
            raise UsageError(f"{chip.name} writes records, not streams: there is no code generator for it")
        if not 1 <= cores <= chip.max_cores:
            raise UsageError(f"{cores} cores of {chip.name}, expected 1 to {chip.max_cores}")
        self.chip = chip
        self.cores = cores
        self.limit = chip.group_limit if group_limit is None else group_limit
        self.nodes = [IdNode() for _ in range(cores)]
        self._lines: dict[tuple[str, int, int], _Line] = {}
        self._apart = [0] * cores
        self._finished = False
        for core in range(cores):
            for name in ("tiu", "gdma"):
                self._line(name, core, 0)

    # -- commands -----------------------------------------------------------------------------------------------

    def decorate(self, key: str, storer: type[Decorator], *arguments: Any) -> Decorator:
        """Put a decorator around the storer of ``key``; from the next command on it sees what is stored."""
        line = self._line(*self._parse(key))
        made = storer(line.storer, *arguments)
        line.storer = made
        return made

    def emit(
        self,
        key: str,
        kind: str,
        fields: Mapping[str, Values] | None = None,
        *,
        func: int | None = None,
        node: IdNode | None = None,
    ) -> Words:
        """Store a command that comes after everything ``node`` knows of the other engine.

        Args:
            key: whose command: ``tiu``, ``gdma0``, ``gdma:0:1`` (engine, core, thread).
            kind: the form.
            fields: what is not 0 in it.
            func: the operation.
            node: the core's own unless given (in parallel parts).

        Returns:
            The command's words.
        """
        if self._finished:
            raise UsageError("a command behind the end")
        engine, core, thread = self._parse(key)
        line = self._line(engine, core, thread)
        node = self.nodes[core] if node is None else node
        head = line.storer.engine.head
        form = line.storer.engine.kind(kind)
        number = line.count + 1
        width = head["id"][1] if "id" in head else self._dep_width(engine)
        if width and number >> width:
            raise UsageError(
                f"{engine} command {number} of a group: ids have {width} bits; no checkpoint() came in time"
            )
        other = OTHER.get(engine, "")
        dep = node.ids.get(other, 0) if form.has_dep and "dep" in head and thread == 0 else 0
        words = line.storer.store(
            form, fields, func=func, id=number if "id" in head and form.has_id else None, dep=dep or None
        )
        line.count = number
        if thread == 0:
            node.ids[engine] = number
        return words

    @contextmanager
    def parallel(self, core: int = 0, parts: int = 2) -> Iterator[list[IdNode]]:
        """Parts that do not wait for each other: a node for each, merged behind them; no group ends in between."""
        made = self.nodes[core].divide(parts)
        self._apart[core] += 1
        try:
            yield made
        finally:
            self._apart[core] -= 1
        self.nodes[core].merge(*made)

    def barrier(self, message: int, engines: Sequence[str] = ("tiu", "gdma")) -> None:
        """tpu_sync_all: a SEND and a WAIT of one message on every engine of every core."""
        count = len(engines) * self.cores
        for core in range(self.cores):
            # No engine's SEND may wait for another's WAIT.
            nodes = self.nodes[core].divide(len(engines))
            for name, node in zip(engines, nodes, strict=True):
                engine = self.chip.engine(name)
                if engine.send is None or engine.wait is None or engine.end is None:
                    raise UsageError(f"{self.chip.name} {name} has no SEND and WAIT")
                for spec in (engine.send, engine.wait):
                    (low, wide), (at, room) = spec.id, spec.count
                    if message >> wide or count >> room:
                        raise UsageError(f"message {message} with count {count}: {wide} and {room} bits are there")
                    value = message << low | count << at
                    self.emit(f"{name}:{core}", engine.end[0].name, {spec.field: value}, func=spec.func, node=node)
            self.nodes[core].merge(*nodes)

    # -- groups -------------------------------------------------------------------------------------------------

    def checkpoint(self) -> bool:
        """Between operations: begin a new group if an engine has more commands than the limit; whether it did."""
        full = self.limit is not None and any(line.count > self.limit for line in self._lines.values())
        if not full:
            return False
        if any(self._apart):
            raise UsageError("a group cannot end within parallel parts")
        self._end_group()
        return True

    def _end_group(self) -> None:
        for line in self._lines.values():
            self._close(line)
        self.nodes = [IdNode() for _ in range(self.cores)]

    def _close(self, line: _Line) -> None:
        body = bytes(line.dump.buffer)
        end = line.storer.engine.end
        stream = self._with_end(line, body)
        line.groups.append((stream, line.count + (end is not None)))
        line.dump.buffer.clear()
        line.count = 0

    def _with_end(self, line: _Line, body: bytes) -> bytes:
        engine = line.storer.engine
        if engine.end is None or "id" not in engine.head:
            return padded(engine, body)
        kind, func = engine.end
        body += encode_commands(engine, kind, func=func, id=line.count + 1 if kind.has_id else None).tobytes()
        return body + bytes(-len(body) % 128)

    def finish(self) -> None:
        """End the last group."""
        if not self._finished:
            self._end_group()
            self._finished = True

    # -- results ------------------------------------------------------------------------------------------------

    def lookup(self, key: str) -> list[bytes]:
        """The streams of ``engine:core:thread`` (or ``gdma0`` for ``gdma:0:0``), one a group."""
        engine, core, thread = self._parse(key)
        line = self._lines.get((engine, core, thread))
        if line is None:
            have = ", ".join(f"{e}:{c}:{t}" for e, c, t in self._lines)
            raise UsageError(f"no stream {key!r}; there are {have}")
        self.finish()
        return [stream for stream, _ in line.groups]

    def bmodel(
        self,
        name: str = "net",
        coefficients: bytes = b"",
        tensors: Mapping[str, Sequence[Table]] | None = None,
        **model: Any,
    ) -> bytes:
        """The container: ``cmd_group`` where only TIU and GDMA of one core have streams, else ``core_commands``.

        Args:
            name: of the net.
            coefficients: bytes, whose SHA-256 goes in too.
            tensors: ``input_tensor`` and ``output_tensor`` of the net; each tensor has ``name``, ``data_type``, ``shape``,
                ``device_addr`` and ``size`` in bytes.
            model: further fields of the root table, such as ``version`` or ``time``.
        """
        self.finish()
        area = AreaWriter()
        parameter: Table = {"input_tensor": [], "output_tensor": [], "core_num": self.cores}
        parameter |= tensors or {}
        if coefficients:
            digest = hashlib.sha256(coefficients).digest()
            parameter["coeff_mem"] = {"check_code": digest, "binary_coeff": area.add(coefficients)}
        subnet: Table = {"id": 0, "next_subnet_ids": [-1]}
        simple = self.cores == 1 and all(engine in OTHER and thread == 0 for engine, _, thread in self._lines)
        if simple:
            subnet["cmd_group"] = parameter["cmd_group"] = self._cmd_groups(area, 0)
        else:
            subnet["core_commands"] = [self._core(area, core) for core in range(self.cores)]
        parameter["sub_net"] = [subnet]
        root: Table = {"type": "B", "version": "2.2", "time": "", "chip": self.chip.name, "device_num": 1, **model}
        root["net"] = [{"name": name, "parameter": [parameter]}]
        return write_bmodel(root, area.data)

    def _cmd_groups(self, area: AreaWriter, core: int) -> list[Table]:
        tiu, gdma = (self._lines[(engine, core, 0)].groups for engine in ("tiu", "gdma"))
        return [
            {
                "bdc_num": n,
                "gdma_num": m,
                "binary_bdc": area.add(a),
                "binary_gdma": area.add(b),
                "bdc_cmd_byte": len(a),
                "gdma_cmd_byte": len(b),
            }
            for (a, n), (b, m) in zip(tiu, gdma, strict=True)
        ]

    def _core(self, area: AreaWriter, core: int) -> Table:
        table: Table = {"gdma_tiu_commands": self._cmd_groups(area, core)}
        for (engine, at, thread), line in sorted(self._lines.items(), key=lambda one: one[0]):
            if at != core or (engine in OTHER and thread == 0):
                continue
            if engine in OTHER:
                raise UsageError(f"{engine}:{core}:{thread}: a BModel has no place for a second {engine} thread")
            table.setdefault(f"{engine}_commands", []).extend(area.add(stream) for stream, _ in line.groups)
        return table

    # -- keys ---------------------------------------------------------------------------------------------------

    def _parse(self, key: str) -> tuple[str, int, int]:
        found = _KEY.fullmatch(key)
        if found is None:
            raise UsageError(f"{key!r}: expected engine, engine:core, engine:core:thread or a short form such as gdma0")
        name, core, thread, short = found.groups()
        engine = self.chip.engine(name).name
        at = int(core or short or 0)
        if at >= self.cores:
            raise UsageError(f"{key!r}: core {at}, expected 0 to {self.cores - 1}")
        return engine, at, int(thread or 0)

    def _line(self, engine: str, core: int, thread: int) -> _Line:
        key = (engine, core, thread)
        if key not in self._lines:
            dump = VectorDump(CommandStore(self.chip.engine(engine)))
            made = _Line(dump, dump)
            # Groups that ended before this engine was first used.
            first = self._lines.get(("tiu", 0, 0))
            for _ in range(len(first.groups) if first is not None else 0):
                made.groups.append((padded(dump.engine, b""), 1))
            self._lines[key] = made
        return self._lines[key]

    def _dep_width(self, engine: str) -> int:
        other = self.chip.engines.get(OTHER.get(engine, ""))
        return 0 if other is None else other.head.get("dep", (0, 0))[1]


def runtime_form(engine: EngineTable, stream: bytes) -> bytes:
    """What the BM1684 runtime makes of a stream before it starts it.

    It sets the last-command bit of the last command, and turns the order of the 32 words of every TIU command around.
    """
    if engine.last is None or engine.fixed_bytes != 128:
        raise UsageError(f"{engine.chip} {engine.name} streams are started as they are")
    if not stream or len(stream) % 128:
        raise UsageError(f"{len(stream)} bytes, expected whole commands of 128")
    out = bytearray(stream)
    out[-128 + engine.last[0] // 8] |= 1 << engine.last[0] % 8
    if engine.name != "tiu":
        return bytes(out)
    return np.frombuffer(bytes(out), "<u4").reshape(-1, 32)[:, ::-1].tobytes()
