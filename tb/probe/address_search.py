# SPDX-License-Identifier: Apache-2.0
"""The address map of an interconnect, found by asking it: one access a slave and address, and a look at which master it arrives.

Ranges are found by a grid and by the places where neighbours on it differ: a range between whose ends no asked address lies, and
that touches no other, is not seen.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.burst import INCR, READ, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.design.address_map import AddressRange
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.inside.job import Episode, Record
from goldbeat.tb.run.simulate import simulate

_FINEST = 8
"""The grid has multiples of powers of two from this one on."""
_MULTIPLES = 16
_INSIDE = 7
"""Addresses that are asked for in each gap between neighbours that differ."""
_ROUNDS = 40
_PATIENCE = 400
_MOST_RANGES = 64
_TAIL_CYCLES = 40

Arrival = tuple[str, int]
"""A master port, and what is added to an address on the way to it, of as many bits as the master's addresses have."""
Asked = Callable[[Sequence[tuple[Bundle, int]]], list[Arrival | None]]
"""Slaves and addresses -> where each access arrived; None: at no master, or at several."""


@dataclass(frozen=True)
class Span:
    """Addresses of a slave that lead to one place."""

    base: int
    end: int
    arrival: Arrival


def find_address_map(
    design: Design, slaves: Sequence[Bundle], masters: Sequence[Bundle], tell: Callable[[str], None]
) -> list[AddressRange]:
    """Build the design with its default parameters, and ask it.

    Args:
        design: an interconnect; its address map is ignored.
        slaves: its ports, widths as numbers.
        masters: likewise.
        tell: is told before the build.

    Returns:
        the ranges that were found, by address; none where nothing arrives anywhere, or too many places differ.

    Raises:
        GoldbeatError: the design cannot be built, or stops by itself wherever it is asked.
    """
    params = {name: one.default for name, one in design.parameters.items()}
    stopped: list[str] = []
    built = build(design, params, quick=QUICKEST, tell=tell)

    def ask(pairs: Sequence[tuple[Bundle, int]]) -> list[Arrival | None]:
        clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in design.clocks}
        tail = _TAIL_CYCLES * max(c.period_ps for c in design.clocks) + 1
        episodes = [Episode(_stimulus(one, address, masters, clocks), tail) for one, address in pairs]
        with tempfile.TemporaryDirectory(prefix="goldbeat-") as folder:
            result = simulate(design, params, built, [_first(episodes[0]), *episodes[1:]], Path(folder))
        stopped.extend(line for line in (result.failure or "").splitlines() if "rror" in line)
        found = [_arrival(record, pair, masters) for record, pair in zip(result.records, pairs, strict=False)]
        return [*found, *[None] * (len(pairs) - len(found))]

    step = max(int(port.widths()["data_width"]) // 8 for port in (*slaves, *masters))
    values = [value for value in params.values() if isinstance(value, int)]
    spans: dict[str, list[Span]] = {}
    for port in slaves:
        # Most slaves see what the first one does: its ends are all that has to be looked at then.
        ends = {at for span in chain(*spans.values()) for at in (span.base, span.end)}
        spans[port.name] = search(port, ask, step, [*values, *ends, *(end - step for end in ends)])
    found = common_ranges(spans, {port.name: 1 << port.address_bits for port in masters})
    if not found and stopped:
        raise UsageError(f"the simulation stopped: {stopped[0]}")
    return found


def search(port: Bundle, ask: Asked, step: int, values: Iterable[int] = ()) -> list[Span]:
    """Where the addresses of one slave lead.

    Args:
        port: the slave.
        ask: makes accesses.
        step: bytes of the widest bus; ranges begin and end at multiples.
        values: numbers that may hold addresses, as parameters do.
    """
    bits = port.address_bits
    known: dict[int, Arrival | None] = {}
    points = _grid(bits, step, values)
    for _ in range(_ROUNDS):
        fresh = sorted(points - known.keys())
        if not fresh:
            break
        known |= dict(zip(fresh, ask([(port, address) for address in fresh]), strict=True))
        gaps = [(a, b) for a, b in pairwise(sorted(known)) if known[a] != known[b] and b - a > step]
        if len(gaps) > 2 * _MOST_RANGES:
            return []
        points = {a + (b - a) * n // (_INSIDE + 1) // step * step for a, b in gaps for n in range(1, _INSIDE + 1)}
        if not points - known.keys():
            # Where ranges have one size, there may be more of them.
            points = {s.base + n * (s.end - s.base) for s in _spans(known, 1 << bits) for n in range(-1, _MULTIPLES)}
            points = {at for at in points if 0 <= at < 1 << bits}
    return _spans(known, 1 << bits)


def _grid(bits: int, step: int, values: Iterable[int]) -> set[int]:
    """Multiples of powers of two, the last word, and what parameters may say of addresses."""
    space = 1 << bits
    found = {n << k for k in range(_FINEST, max(bits, _FINEST + 1)) for n in range(_MULTIPLES)}
    for value in values:
        for width in {bits, 32, 64}:
            found |= {value >> at & (1 << width) - 1 for at in range(0, min(value.bit_length(), 64 * width), width)}
    return {at // step * step for at in (*found, space - step) if 0 <= at < space}


def _spans(known: Mapping[int, Arrival | None], space: int) -> list[Span]:
    found: list[Span] = []
    places = [*sorted(known), space]
    for address, behind in pairwise(places):
        arrival = known[address]
        if arrival is None:
            continue
        if found and found[-1].end == address and found[-1].arrival == arrival:
            found[-1] = Span(found[-1].base, behind, arrival)
        else:
            found.append(Span(address, behind, arrival))
    return found


def common_ranges(spans: Mapping[str, Sequence[Span]], spaces: Mapping[str, int]) -> list[AddressRange]:
    """Ranges of all slaves as a description has them.

    Args:
        spans: by slave.
        spaces: bytes of the masters' addresses; what goes beyond repeats and is left out.
    """
    slaves: dict[Span, list[str]] = {}
    for name, mine in spans.items():
        for span in mine:
            slaves.setdefault(span, []).append(name)
    found = []
    for span, names in sorted(slaves.items(), key=lambda item: (item[0].base, item[1])):
        master, offset = span.arrival
        target = (span.base + offset) % spaces[master]
        size = min(span.end - span.base, spaces[master] - target)
        facts: dict[str, Any] = {} if target == span.base else {"target": target}
        facts |= {} if len(names) == len(spans) else {"slaves": tuple(names)}
        found.append(AddressRange(port=master, base=span.base, bytes=size, found=True, **facts))
    return found if len(found) <= _MOST_RANGES else []


def _first(episode: Episode) -> Episode:
    return Episode(episode.stimulus, episode.run_ps, seed=0)


def _stimulus(port: Bundle, address: int, masters: Sequence[Bundle], clocks: Mapping[str, Clock]) -> Stimulus:
    """One access, a read where the port has reads; nothing is known of what is behind the masters."""
    # Somewhere there is a byte; all else is refused, which ends an access as well.
    empty = {m.name: MemoryImage((Region("none", 0, np.zeros(1, np.uint8)),), refusals=True) for m in masters}
    if isinstance(port, MemoryPort):
        width, reads = int(port.widths()["data_width"]) // 8, port.has("arvalid")
        one = Bursts(READ if reads else WRITE, np.array([address], np.uint64), 0, int(math.log2(width)), INCR)
        lanes = (1, width)
        data, strobe, checked = np.zeros(lanes, np.uint8), np.full(lanes, not reads), np.zeros(lanes, np.bool_)
        program = BurstProgram(one, data, strobe, checked, np.array([-1]))
        return Stimulus({}, clocks=clocks, bursts={port.name: program}, memories=empty)
    assert isinstance(port, RegisterPort)
    access = Access("read" if port.readable else "write", address, None if port.readable else 0, cycles=_PATIENCE)
    return Stimulus({}, clocks=clocks, program={port.name: (access,)}, memories=empty)


def _arrival(record: Record, pair: tuple[Bundle, int], masters: Sequence[Bundle]) -> Arrival | None:
    """The only master that has seen an access, and how far from the address that was asked for."""
    _, address = pair
    seen = [
        (port.name, (int(log["address"][0]) - address) % (1 << port.address_bits))
        for port in masters
        if (contents := record.outcome.memories.get(port.name)) is not None
        and (log := contents.log) is not None
        and len(log)
    ]
    return seen[0] if len(seen) == 1 else None
