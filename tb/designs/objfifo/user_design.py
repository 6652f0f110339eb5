# SPDX-License-Identifier: Apache-2.0
"""A user's object FIFO design in a run: its file planned, executed without time, and compared with the arrays that are expected."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.errors import NothingMovesError, UsageError, UserCodeError
from goldbeat.pymodels.objfifo.diagnose.hang import explain_hang
from goldbeat.pymodels.objfifo.diagnose.provenance import OriginMemory, wrong_element
from goldbeat.pymodels.objfifo.plan.design import FifoDesign as Written
from goldbeat.pymodels.objfifo.plan.host_array import array_file, exact_values, expected_array
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, TileKind
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import FunctionalResult, run_untimed
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.designs.objfifo.opened_design import OpenedDesign, opened_design, unused_lines

_STREAM_BITS = 8 * WORD_BYTES

DESIGN_OPTIONS: Mapping[str, Any] = {
    "design": "",
    "arguments": "",
    "iterations": 0,
    "lax": False,
    "expect": "",
    "inputs": (),
    "kernels": "",
}
"""What a case of a user's design is told."""


@dataclass(frozen=True, eq=False)
class PlannedDesign:
    """A design as it was written, and its plan."""

    written: Written
    plan: Plan

    @property
    def tiles(self) -> list[TilePlan]:
        """Those with a DMA."""
        return [t for t in self.plan.tiles if t.tile.kind is not TileKind.SHIM and t.channels]


def design_file(options: Mapping[str, Any]) -> Path:
    """The file of a case's options.

    Raises:
        UsageError: there is none.
    """
    if not options["design"]:
        raise UsageError("case design needs an object FIFO design: --design FILE.py")
    return Path(str(options["design"]))


def planned_design(options: Mapping[str, Any]) -> PlannedDesign:
    """The design of a case's options, planned."""
    return _plan(opened_of(options), bool(options["lax"]))


def opened_of(options: Mapping[str, Any], *, whole: bool = False) -> OpenedDesign:
    """The file of a case's options; ``whole``: with the device that only executions take."""
    arguments, kernels = (shlex.split(str(options[name])) for name in ("arguments", "kernels"))
    device = str(options.get("device", "")) or None
    return opened_design(design_file(options), arguments, kernels, device, whole=whole)


def order_notes(options: Mapping[str, Any]) -> list[str]:
    """Why the order of accesses was not checked, and stand-ins that no kernel asked for, a line each."""
    opened = opened_of(options)
    _, unchecked = opened.order
    if unchecked:
        return [f"note: the order of accesses is not checked: {unchecked}"]
    return unused_lines(opened.functions)


@lru_cache(maxsize=4)
def _plan(opened: OpenedDesign, lax: bool) -> PlannedDesign:
    """Lower it once; every seed and every question about the parameters has the same answer."""
    with opened.rules_placed():
        return PlannedDesign(opened.written, lower(opened.written, strict=not lax))


@dataclass(frozen=True, eq=False)
class ExecutedDesign:
    """A planned design after its execution without time.

    ``wrong`` says what differs from the host's arrays that are expected, of which ``expected`` elements were compared.
    """

    planned: PlannedDesign
    result: FunctionalResult
    wrong: tuple[str, ...] = ()
    expected: int = 0


def executed_design(context: CaseContext) -> ExecutedDesign:
    """The design of a case's options, executed with its inputs; every question about a seed has the same answer.

    Raises:
        UserCodeError: it hangs, or its result depends on the timing.
        NothingMovesError: no tile has a DMA, or no word moves.
        UsageError: it cannot be run.
        HostSequenceError: nothing can execute its sequence.
    """
    options = context.options
    files = named_files(options["inputs"])
    wanted = named_files(shlex.split(str(options["expect"])), "--expect")
    stamps = tuple(file_stamp(path) for path in (*files.values(), *wanted.values()))
    planned = planned_design(options)
    given = tuple(files.items()), tuple(wanted.items())
    found = _execute(planned, given, int(options["iterations"]), bool(options["lax"]), context.seed, stamps)
    # It is not run if nothing can execute its sequence, or if that hangs or gives other data with another timing.
    order, _ = opened_of(options).order
    if order.wrong:
        what = "the design hangs" if order.hangs else "the result depends on the timing"
        raise UserCodeError("\n  ".join((what, *order.lines)))
    return found


@lru_cache(maxsize=2)
def _execute(
    planned: PlannedDesign,
    files: tuple[tuple[tuple[str, Path], ...], tuple[tuple[str, Path], ...]],
    iterations: int,
    lax: bool,
    seed: int,
    stamps: object,
) -> ExecutedDesign:
    if planned.written.unplanned:
        raise UsageError("the plan lacks parts that are only executed: " + "; ".join(planned.written.unplanned))
    fixed = planned.written.fixed
    if fixed is not None and (fixed.unsupported or fixed.waiting):
        raise UsageError("; ".join((*fixed.unsupported, *fixed.waiting)))
    report = analyse(planned.written, strict=not lax)
    if report.verdict is not DesignVerdict.COMPLETES:
        why = explain_hang(planned.written, report, strict=not lax)
        raise UserCodeError("\n".join([report.text(), *(why.lines() if why is not None else ())]))
    if not planned.tiles:
        raise NothingMovesError("nothing moves: no tile of the design has a DMA, so nothing runs on the engine")
    given = read_host_arrays(planned.written, dict(files[0]), np.random.default_rng(seed))
    memory = OriginMemory(planned.plan) if files[1] else None
    result = run_untimed(
        planned.written, given, iterations=iterations or None, strict=not lax, plan=planned.plan, memory=memory
    )
    if not result.streams:
        if fixed is not None:
            raise NothingMovesError("nothing moves: no transfer of the host and no program moves a word")
        raise UsageError(f"the design moves no word; {_what_is_missing(planned.written)}")
    if memory is None:
        return ExecutedDesign(planned, result)
    wrong, count = _differences(planned, result, memory, dict(files[1]))
    return ExecutedDesign(planned, result, wrong, count)


def _differences(
    planned: PlannedDesign, result: FunctionalResult, memory: OriginMemory, expected: Mapping[str, Path]
) -> tuple[tuple[str, ...], int]:
    """What differs from the expected arrays, a text for each, and how many elements were compared.

    Raises:
        UsageError: an array that the host has not.
    """
    found, count = [], 0
    kinds = {host.name: host.obj for host in planned.written.hosts}
    for name, path in expected.items():
        got = expected_array(result.hosts, name)
        wanted = _read(path, name, kinds[name], got.size)
        lines = wrong_element(memory, name, got, wanted, bfloat=kinds[name].bfloat)
        count += wanted.size
        found += ["\n".join(lines)] if lines else []
    return tuple(found), count


def named_files(items: Sequence[str], option: str = "--input") -> dict[str, Path]:
    """``NAME=FILE`` as paths by name.

    Raises:
        UsageError: no such form, or a name that is given twice.
    """
    found = {}
    for item in items:
        name, equals, file = str(item).partition("=")
        if not equals:
            raise UsageError(f"{option} {item}: expected NAME=FILE")
        if name in found:
            raise UsageError(f"{option} {item}: {name} is given twice")
        found[name] = Path(file)
    return found


def read_host_arrays(
    design: Written, files: Mapping[str, Path], rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """The host's arrays and the words of PLIO ports: from files (PLIO text or CSV, or ``.npy``), else random small numbers.

    Raises:
        UsageError: a name that nothing has, or a PLIO port without a file.
    """
    fed = {t.fifo for t in design.transfers}
    found: dict[str, npt.NDArray[Any]] = {}
    kinds = {h.name: h.obj for h in design.hosts}
    ports = {f.name: f for f in design.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed}
    sizes: dict[str, int | None] = {name: kind.elements for name, kind in kinds.items()}
    kinds |= {name: fifo.obj for name, fifo in ports.items()}
    for name, path in files.items():
        if name not in kinds:
            raise UsageError(f"--input {name}: no such input; there are: {', '.join(kinds) or 'none'}")
        found[name] = _read(path, name, kinds[name], sizes.get(name))
    for host in design.hosts:
        if host.name not in found:
            found[host.name] = rng.integers(0, 100, host.obj.shape).astype(host.obj.dtype)
    missing = [name for name, fifo in ports.items() if fifo.plio and name not in found]
    if missing:
        raise UsageError(f"the PLIO port {missing[0]} has no file; give --input {missing[0]}=FILE")
    return found


def _read(path: Path, name: str, kind: ObjectType, elements: int | None) -> npt.NDArray[Any]:
    """An array as the design takes it; PLIO files hold whatever type they are read as."""
    if path.suffix == ".npy":
        return array_file(path).as_type(name, kind, elements=elements)
    values = plio_file.read(path, kind.dtype.name, _STREAM_BITS).trace.samples(kind.dtype.name)
    return exact_values(values, name, kind, elements=elements, file=path)


def _what_is_missing(design: Written) -> str:
    """What would make a design move something."""
    fed = {t.fifo for t in design.transfers}
    idle = [f.name for f in design.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed]
    if idle:
        return f"fill {', '.join(idle)} from the host, or give --input {idle[0]}=FILE"
    return "no transfer, no input and no program does"
