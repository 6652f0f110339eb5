# SPDX-License-Identifier: Apache-2.0
"""Faults that decode: a dependency that is weaker, a command too few or too many, another chip's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from naive_hazards import conflicts, racing

from goldbeat.pymodels.tpu.hazards.access import join_accesses
from goldbeat.pymodels.tpu.hazards.operands import chip_memory, engine_operands
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.schedule import OTHER, lane
from goldbeat.pymodels.tpu.streams.tables import Chip, EngineTable

Pair = tuple[tuple[int, int], tuple[int, int]]


@dataclass
class PlantedFault:
    """Streams with one fault.

    Attributes:
        kind: what was done.
        streams: all of the group.
        races: whether two commands race now, by plain comparison of all bytes; None: not compared.
        weaker: whether anything is ordered less than before.
    """

    kind: str
    streams: list[CommandStream]
    races: bool | None
    weaker: bool


def with_bits(stream: CommandStream, offset: int, bit: int, width: int, value: int) -> CommandStream:
    """A stream with another value in one field of a head."""
    data = stream.data.copy()
    head = int.from_bytes(data[offset : offset + 16].tobytes(), "little")
    head = head & ~(((1 << width) - 1) << bit) | value << bit
    data[offset : offset + 16] = np.frombuffer(head.to_bytes(16, "little"), np.uint8)
    return replace(stream, data=data)


def _packed(engine: EngineTable, parts: Sequence[bytes]) -> np.ndarray:
    raw = b"".join(parts)
    return np.frombuffer(raw + bytes(-len(raw) % 128), np.uint8)


class FaultPlanter:
    """Plants faults into the streams of one group, each of one segment, without messages or with all of them kept."""

    def __init__(self, chip: Chip, streams: Sequence[CommandStream]) -> None:
        self.chip, self.streams = chip, list(streams)
        self.found = [decode_stream(chip.engine(one.engine), one.data) for one in streams]
        self.lanes = [lane(one, stream.core) for one, stream in zip(self.found, streams, strict=True)]
        memory = chip_memory(chip.name)
        both = enumerate(zip(self.found, streams, strict=True))
        tables = [engine_operands(memory, one, index, stream.core)[0] for index, (one, stream) in both]
        self.messages = any((one.role != 0).any() for one in self.lanes)
        self.pairs: set[Pair] = set() if self.messages else conflicts(join_accesses(tables))

    def _changed(self, index: int, stream: CommandStream) -> list[CommandStream]:
        return [stream if i == index else one for i, one in enumerate(self.streams)]

    def _races(self, streams: Sequence[CommandStream], pairs: set[Pair]) -> bool | None:
        if self.messages:
            return None
        lanes = [lane(decode_stream(self.chip.engine(s.engine), s.data), s.core) for s in streams]
        return bool(racing(lanes, pairs))

    def dependencies(self) -> Iterator[PlantedFault]:
        """Each dependency cleared, lowered by one, and its enable bit cleared."""
        for index, (stream, found) in enumerate(zip(self.streams, self.found, strict=True)):
            head = found.engine.head
            most = np.maximum.accumulate(found.dep)
            for row in np.flatnonzero(found.dep > 0).tolist():
                weaker = not row or most[row - 1] < found.dep[row]
                at = int(found.offset[row])
                plans = [("cleared", head["dep"], 0), ("lowered", head["dep"], int(found.dep[row]) - 1)]
                if "dep_enable" in head:
                    plans.append(("disabled", head["dep_enable"], 0))
                for kind, (bit, width), value in plans:
                    made = self._changed(index, with_bits(stream, at, bit, width, value))
                    yield PlantedFault(kind, made, self._races(made, self.pairs), weaker)

    def _parts(self, found: Commands) -> list[bytes]:
        return [found.raw(row) for row in range(len(found))]

    def deletions(self) -> Iterator[PlantedFault]:
        """The last command before END of each engine that touches memory is gone."""
        for index, (stream, found) in enumerate(zip(self.streams, self.found, strict=True)):
            if found.engine.name not in OTHER:
                continue
            system = np.array(["sys" in kind.name.lower() for kind in found.engine.kinds])[found.kind]
            if system.all():
                continue
            row = int(np.flatnonzero(~system)[-1])
            parts = self._parts(found)
            del parts[row]
            pairs = {p for p in self.pairs if (index, row) not in p}
            made = self._changed(index, replace(stream, data=_packed(found.engine, parts)))
            yield PlantedFault("deleted", made, None if row < len(found) - 2 else self._races(made, pairs), True)

    def duplicates(self) -> Iterator[PlantedFault]:
        """Each command that touches memory is there twice; of engines whose ids are counted."""
        for index, (stream, found) in enumerate(zip(self.streams, self.found, strict=True)):
            if "id" in found.engine.head or found.engine.name not in OTHER:
                continue
            system = np.array(["sys" in kind.name.lower() for kind in found.engine.kinds])[found.kind]
            for row in np.flatnonzero(~system).tolist():
                parts = self._parts(found)
                parts.insert(row, parts[row])

                def moved(one: tuple[int, int], index: int = index, row: int = row) -> list[tuple[int, int]]:
                    here = [one[1] + (one[0] == index and one[1] > row)]
                    return [(one[0], at) for at in ([*here, row + 1] if one == (index, row) else here)]

                pairs = {(a, b) for one, two in self.pairs for a in moved(one) for b in moved(two)}
                made = self._changed(index, replace(stream, data=_packed(found.engine, parts)))
                yield PlantedFault("duplicated", made, self._races(made, pairs), True)
