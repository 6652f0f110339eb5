# SPDX-License-Identifier: Apache-2.0
"""What a run on any hardware shows of a compiled model's operations: when they were enabled and done, and what they moved.

The host sees when an operation is enabled, and by interrupt and status when it is done. A burst belongs to the operation at work
whose cube it falls into.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from goldbeat.pymodels.axi.burst import READ
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.registers import csb_register, register_at
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation
from goldbeat.pymodels.nvdla.loadable.placement import Placement
from goldbeat.pymodels.nvdla.profile import OperationProfile, operation_chain, operation_macs
from goldbeat.pymodels.nvdla.timed.activity import ENGINES

_BITS = {"CONV": 20, "SDP": 0, "PDP": 4, "CDP": 2}
"""Of GLB's interrupt status for group 0. Source: the register map of nv_small."""
_MAIN = {"CONV": "CACC", "SDP": "SDP", "PDP": "PDP", "CDP": "CDP"}
_FETCH = "CDMA"
_STATUS = csb_register("GLB", "S_INTR_STATUS").address
_BEAT = 8
_WEIGHTS = "weight_data"
_TARGET = "dst_data"


@dataclass(frozen=True)
class ObservedAccess:
    """An access of the host.

    Attributes:
        kind: ``write``, ``read``, or ``interrupt`` where the host has waited for one.
        address: of the register.
        value: written or read.
        first, last: cycles, counted as those of the bursts.
    """

    kind: str
    address: int
    value: int
    first: int
    last: int


@dataclass
class _Seen:
    """An operation as the host sees it; cycles."""

    enabled: int
    fetch: int
    done: int = -1


@dataclass(frozen=True)
class ObservedRun:
    """The operations of a run.

    Attributes:
        operations: in the order of their starts; without waits and work, which show inside of the hardware only.
        other_bytes: in bursts that belong to no operation.
    """

    operations: list[OperationProfile]
    other_bytes: int


def observed_run(placement: Placement, accesses: Sequence[ObservedAccess], log: npt.NDArray[Any]) -> ObservedRun:
    """The operations of a run, by what the host did and what went over the memory port.

    Args:
        placement: of the loadable.
        accesses: of the host, in order.
        log: bursts with ``kind``, ``address``, ``len`` and ``cycle``.

    Raises:
        InputError: the host has not seen all operations done.
    """
    seen = _operations(accesses)
    found: list[OperationProfile] = []
    extents: list[tuple[int, int, str, int, int, int]] = []
    for engine in ENGINES:
        ran = seen[engine]
        before = -1
        for number, (task, operation) in enumerate(operation_chain(placement.loadable, engine)):
            if number >= len(ran) or ran[number].done < 0:
                name = f"{task}.{operation.index} ({engine})"
                raise InputError(f"a run in which operation {name} is not done", "all", file=placement.loadable.file)
            one = ran[number]
            start = max(one.enabled, before)
            fetch = min(start, one.fetch) if engine == "CONV" else start
            before = one.done
            for name, low, high in _extents(placement, operation):
                extents.append((low, high, name, fetch, one.done, len(found)))
            found.append(_profile(task, operation, fetch, start, one.done))
    return _with_traffic(found, extents, log)


def _operations(accesses: Sequence[ObservedAccess]) -> dict[str, list[_Seen]]:
    """By engine, in the order in which they were enabled."""
    found: dict[str, list[_Seen]] = defaultdict(list)
    fetches: list[int] = []
    waited: int | None = None
    for one in accesses:
        register = register_at(one.address)
        if one.kind == "interrupt":
            waited = one.last
        elif one.kind == "read" and one.address == _STATUS:
            when = one.last if waited is None else waited
            waited = None
            for engine, bit in _BITS.items():
                for group in (0, 1):
                    if one.value >> bit + group & 1:
                        _end(found[engine], group, when)
        elif one.kind == "write" and register is not None and register.name == "D_OP_ENABLE" and one.value & 1:
            if register.block == _FETCH:
                fetches.append(one.first)
            for engine, block in _MAIN.items():
                if register.block == block:
                    found[engine].append(_Seen(one.first, one.first))
    for convolution, fetch in zip(found["CONV"], fetches, strict=False):
        convolution.fetch = fetch
        convolution.enabled = max(convolution.enabled, fetch)
    return found


def _end(ran: list[_Seen], group: int, when: int) -> None:
    """The oldest operation of a group that is not done is."""
    for one in ran[group::2]:
        if one.done < 0:
            one.done = when
            return


def _extents(placement: Placement, operation: NetworkOperation) -> Iterator[tuple[str, int, int]]:
    for name, cube in operation.cubes.items():
        if cube.entry is not None and cube.used and not cube.on_the_fly:
            base = placement.address_of(cube.entry.id) + cube.offset
            size = int(cube.record["size"])
            planes = int(cube.record["surf_stride"]) * -(-int(cube.record["channel"]) // _BEAT)
            yield name, base, base + max(size, planes if name != _WEIGHTS else 0)


def _profile(task: int, operation: NetworkOperation, fetch: int, start: int, done: int) -> OperationProfile:
    target = operation.cubes[_TARGET].record
    shape = int(target["width"]), int(target["height"]), int(target["channel"])
    macs = operation_macs(operation, shape)
    return OperationProfile(task, operation.index, operation.type, shape, fetch, start, done, macs, 0, 0, 0, 0, {})


def _with_traffic(
    found: list[OperationProfile], extents: Sequence[tuple[int, int, str, int, int, int]], log: npt.NDArray[Any]
) -> ObservedRun:
    moved: dict[int, dict[str, int]] = defaultdict(lambda: {"read": 0, "weights_read": 0, "written": 0})
    other = 0
    for burst in log:
        size = _BEAT * (int(burst["len"]) + 1)
        reads = int(burst["kind"]) == READ
        fits = [
            (not fetch <= burst["cycle"] <= done, number, name)
            for low, high, name, fetch, done, number in extents
            if low <= burst["address"] < high and reads == (name != _TARGET)
        ]
        if not fits:
            other += size
            continue
        _, number, name = min(fits)
        moved[number]["written" if not reads else "weights_read" if name == _WEIGHTS else "read"] += size
    made = [OperationProfile(**{**vars(one), **moved[number]}) for number, one in enumerate(found)]
    return ObservedRun(sorted(made, key=lambda one: one.start), other)


def observed_rows(run: ObservedRun) -> list[dict[str, int]]:
    """The operations as plain values, for a file."""
    names = ("task", "index", "fetch", "start", "done", "read", "weights_read", "written")
    return [{name: int(getattr(one, name)) for name in names} for one in run.operations]


def observed_from_rows(placement: Placement, rows: Sequence[dict[str, int]], other: int) -> ObservedRun:
    """The operations from what :func:`observed_rows` gave.

    Raises:
        InputError: not those of the loadable.
    """
    known = {(task, op.index): op for engine in ENGINES for task, op in operation_chain(placement.loadable, engine)}
    made = []
    for row in rows:
        operation = known.get((row["task"], row["index"]))
        if operation is None:
            name = f"operation {row['task']}.{row['index']}"
            raise InputError(name, "an operation of the loadable", file=placement.loadable.file)
        one = _profile(row["task"], operation, row["fetch"], row["start"], row["done"])
        moved = {name: row[name] for name in ("read", "weights_read", "written")}
        made.append(OperationProfile(**{**vars(one), **moved}))
    return ObservedRun(made, other)
