# SPDX-License-Identifier: Apache-2.0
"""``[[register_maps]]``: a slave port whose registers a SystemRDL file describes, and the case that checks them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.mapped_registers import (
    ANY,
    ERROR,
    SKIP,
    UNMAPPED,
    AnswerRules,
    Elsewhere,
    MappedFile,
    MappedWord,
)
from goldbeat.pymodels.mapped_walks import WALKS, mapped_program, mixed_answers
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.bus_ports import varied
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.map_file import mapped_words, unmapped_spans
from goldbeat.tb.design.ports.bundle import Frozen, number
from goldbeat.tb.design.ports.recognition import Width
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.register_walks import APART
from goldbeat.tb.design.traffic import CUT_OFF, stop_after

MAP_CASE = "registers"
"""The case that checks registers against their maps."""
_UNDER_TRAFFIC = {"bits": 0, "aliases": 4}
"""Walks that are made once more with back-pressure and other orders: at least so many idle cycles may lie between accesses."""
_OPEN = "several accesses open"
_CUT = (20, 200)
"""Cycles from the end of a reset to the one that cuts the accesses off."""
_BEHIND = {"address-first": "reset", "data-first": "aliases", "any": "aliases"}
"""Orders of the writes that a reset cuts off, and the walks behind: a reset may find an address without its data."""


def joined(ranges: Iterable[range]) -> tuple[range, ...]:
    """Ranges of addresses in order, those that touch as one."""
    found: list[range] = []
    for one in sorted(ranges, key=lambda one: (one.start, one.stop)):
        if found and one.start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, one.stop))
        else:
            found.append(one)
    return tuple(found)


Answered = Literal["error", "zero", "any", "skip"]


class RegisterMapTable(Frozen):
    """``[[register_maps]]``: the map of a slave port.

    Attributes:
        file: the ``.rdl`` file.
        port: name of the slave port.
        base: byte address of the map on the port.
        parameters: parameters of the map: numbers, or names of the design's parameters.
        unmapped, forbidden, strobes, hardware: as in :class:`~goldbeat.pymodels.mapped_registers.AnswerRules`.
    """

    file: str
    port: str
    base: int = Field(default=0, ge=0)
    parameters: Mapping[str, Width] = {}
    unmapped: Answered = "error"
    forbidden: Answered = "error"
    strobes: Literal["bytes", "error", "skip"] = "bytes"
    hardware: Literal["mask", "still"] = "mask"

    def words(self, folder: Path, params: Mapping[str, Any], size: int) -> list[MappedWord]:
        """The words that the map has on a bus of ``size`` bytes."""
        return mapped_words(self._path(folder), self._values(params), size, self.base)

    def masked(self, folder: Path, params: Mapping[str, Any], size: int) -> list[str]:
        """Fields whose values are not compared, for people; entries of an array once."""
        found = [
            re.sub(r"\[\d+\]", "[]", f"{word.name}.{bits.name}")
            for word in self.words(folder, params, size)
            for bits in word.bits
            if bits.readable
            and (
                not word.plain
                or not bits.tested
                # What software cannot write, and no reset gives, is never known.
                or (bits.hardware and (self.hardware == "mask" or (bits.reset is None and not bits.writable)))
            )
        ]
        return list(dict.fromkeys(found))

    def file_after_reset(self, folder: Path, params: Mapping[str, Any], port: RegisterPort) -> MappedFile:
        """The golden registers of a port with widths as numbers.

        Raises:
            InputError: the map has more addresses than the port.
        """
        size = int(port.data_width) // 8
        strobes = self.strobes if port.strobes else SKIP
        # Where a bus has no wire for it, no error can be asked for.
        can_fail = all(port.has(role) for role in port.responses_of)
        unmapped, forbidden = (ANY if one == ERROR and not can_fail else one for one in (self.unmapped, self.forbidden))
        rules = AnswerRules(unmapped, forbidden, strobes, self.hardware)
        words = self.words(folder, params, size)
        if words[-1].address >> port.address_bits:
            found = f"{words[-1].name} at 0x{words[-1].address:x}"
            space = 1 << port.address_bits
            raise InputError(
                found, f"addresses below 0x{space:x}, all that port {port.name} reaches", file=self._path(folder)
            )
        return MappedFile(words, size, rules)

    def spans(self, folder: Path, params: Mapping[str, Any]) -> list[range]:
        """Addresses of memories, not all of whose words are checked."""
        return unmapped_spans(self._path(folder), self._values(params), self.base)

    def elsewhere(self, folder: Path, params: Mapping[str, Any], port: RegisterPort) -> Elsewhere:
        """What is answered beside the registers and memories of the map."""
        file = self.file_after_reset(folder, params, port)
        words = [range(word.address, word.address + file.size) for word in file.words]
        memories = self.spans(folder, params)
        return Elsewhere(file.rules.unmapped, joined([*words, *memories]), tuple(memories))

    def _path(self, folder: Path) -> Path:
        # The folder of a new bench is not there yet.
        return Path(os.path.normpath(folder.resolve() / self.file))

    def _values(self, params: Mapping[str, Any]) -> dict[str, int]:
        return {name: number(value, params) for name, value in self.parameters.items()}


def map_episodes(
    table: RegisterMapTable,
    folder: Path,
    ports: Sequence[RegisterPort],
    setting: CaseContext,
    like: Stimulus,
    unchecked: Iterable[str],
    *,
    resets: bool,
) -> list[Stimulus]:
    """An episode for each walk of :data:`~goldbeat.pymodels.mapped_walks.WALKS`, then some under other traffic.

    Where there is a reset, it cuts off three more; a walk behind each shows what it has left. In the last one, several accesses
    are open.

    Args:
        table: the map.
        folder: where its file's name counts from.
        ports: the slave, or all of an array, each with this map; widths as numbers.
        setting: parameter values and seed.
        like: a silent episode of the design.
        unchecked: signals that the description confirms: protection that they carry does not vary.
        resets: the design has a reset.
    """
    fresh = table.file_after_reset(folder, setting.params, ports[0])
    spans = table.spans(folder, setting.params)
    episodes = []
    walks = [*((n, False) for n in WALKS), *((n, True) for n in _UNDER_TRAFFIC)]
    walks += [one for behind in _BEHIND.values() for one in ((CUT_OFF, True), (behind, False)) if resets]
    walks.append((_OPEN, False))
    orders = iter(_BEHIND)
    for salt, (name, draws) in enumerate(walks):
        rng = np.random.default_rng([setting.seed, 91, salt])
        file = MappedFile(fresh.words, fresh.size, fresh.rules)
        walk = mixed_answers if name == _OPEN else WALKS.get(name, WALKS["aliases"])
        program = tuple(
            one
            for one in mapped_program(file, walk, rng, ports[0].address_bits)
            if one.register != UNMAPPED or not any(one.address in span for span in spans)
        )
        traffic = RegisterTraffic.draw(rng, overlap=False) if draws else RegisterTraffic()
        traffic = replace(traffic, gap=max(traffic.gap, _UNDER_TRAFFIC.get(name, 0) if draws else 0))
        if name == CUT_OFF:
            traffic = replace(traffic, order=next(orders), distance=APART)
        if name == _OPEN:
            traffic = RegisterTraffic(outstanding=4, b_ready="random:0.5", r_ready="random:0.5", seed=setting.seed)
        if program:
            everywhere = {port.name: port.fitting(traffic) for port in ports}
            own = varied(program, ports[0], int(rng.integers(1 << 31)), unchecked)
            made = replace(like, program=dict.fromkeys(everywhere, own), traffic=everywhere)
            if name == CUT_OFF:
                made = replace(made, label=CUT_OFF, aside=True, cut=True)
                made = stop_after(made, next(iter(made.clocks.values())), int(rng.integers(*_CUT)))
            episodes.append(made)
    return episodes


def check_tables(tables: Sequence[RegisterMapTable], slaves: Sequence[RegisterPort]) -> None:
    """Each map has a slave port that can be read and written.

    Raises:
        ValueError: it has not.
    """
    known = {port.name: port for port in slaves}
    for table in tables:
        port = known.get(table.port)
        if port is None:
            raise ValueError(f"register_maps: no slave {table.port!r}; there are: {', '.join(known) or 'none'}")
        if not port.whole:
            raise ValueError(f"register_maps: {table.port} cannot be both read and written")
