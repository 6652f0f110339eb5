# SPDX-License-Identifier: Apache-2.0
"""Planted faults of order: what the order check of object FIFOs finds, and what it misses.

Each fault takes one synchronisation away, doubles it, moves it or changes its value. It counts if some schedule changes the
data: programs and channels are made slow in random sets, with random data. With GOLDBEAT_MLIR_AIE, a clone of mlir-aie, its
tests are false alarms if something is found.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from measured import Row, Skipped, benchmark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from order_designs import OrderFault, order_faults, sound_designs

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.random_data import random_array, random_buffers
from goldbeat.pymodels.objfifo.live.timings import OwnersAtOnce
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray

FILES = ("pymodels/order/*.py", "pymodels/objfifo/live/*.py", "tests/support/order_designs.py")
Hosts = dict[str, npt.NDArray[Any]]


def outcome(build: Callable[[], LiveArray], prepare: Callable[[LiveArray], None]) -> tuple[bool, Hosts]:
    """Run with random data: whether it completes, and the host's arrays."""
    array, rng = build(), np.random.default_rng(7)
    try:
        array.hand_in({name: random_array(rng, kind) for name, kind in array.host_types.items()})
        random_buffers(array)
        prepare(array)
        array.restart()
        good = array.run()
        return good, {name: array.host_view(name).copy() for name in array.hosts}
    finally:
        array.close()


def slow(seed: int) -> Callable[[LiveArray], None]:
    """A random set of channels and at most one program are slow; owners may begin at once."""
    rng = np.random.default_rng(seed)

    def prepare(array: LiveArray) -> None:
        names = [channel.name for channel in array.channels.values()]
        held = {name for name in names if rng.random() < rng.random()}
        if rng.random() < 0.5:
            OwnersAtOnce(array)
        programs = ["", "the host's sequence", *(core.name for core in array.cores)]
        array.held_program = programs[int(rng.integers(len(programs)))]
        array.hold_channels(lambda channel: channel.name in held)

    return prepare


def depends(build: Callable[[], LiveArray], schedules: int) -> bool:
    """Whether some schedule changes what the host gets, or hangs."""
    usual = outcome(build, lambda array: None)
    for seed in range(schedules):
        good, hosts = outcome(build, slow(seed))
        if good != usual[0] or any(not np.array_equal(hosts[name], usual[1][name]) for name in hosts):
            return True
    return False


def judged(fault: OrderFault, folder: Path, schedules: int) -> tuple[str, bool]:
    """What the check says of a fault (refused, hangs, shown, pair, nothing), and whether some schedule changes data."""
    path = folder / "design.mlir"
    path.write_text(fault.text)
    try:
        text = TextArray(path, {}, None, None)
        found = run_live(text.build, {})
    except GoldbeatError:
        return "refused", False
    if not found.completes:
        return "hangs", False
    try:
        matters = depends(text.build, schedules)
    except GoldbeatError:
        matters = True
    return "shown" if found.order.unordered else "pair" if found.order.pairs else "nothing", matters


def measure(every: int, schedules: int) -> Iterator[Row | Skipped]:
    """All figures."""
    with tempfile.TemporaryDirectory() as place:
        yield from _planted(Path(place), every, schedules)
    clone = os.environ.get("GOLDBEAT_MLIR_AIE")
    if clone is None:
        yield Skipped("GOLDBEAT_MLIR_AIE, a clone of mlir-aie", "public designs")
        return
    yield from _public(Path(clone))


def _planted(folder: Path, every: int, schedules: int) -> Iterator[Row]:
    table = {column: Counter[str]() for column in ("planted", "refused", "data differ", "shown", "pair only", "missed")}
    alarms, started = 0, process_time()
    for name, text in sound_designs().items():
        said, _ = judged(OrderFault(name, "sound", 0, text), folder, 1)
        alarms += said != "nothing"
        for number, fault in enumerate(order_faults(name, text)):
            if number % every:
                continue
            said, matters = judged(fault, folder, schedules)
            table["planted"][fault.kind] += 1
            table["refused"][fault.kind] += said in ("refused", "hangs")
            table["data differ"][fault.kind] += matters
            table["shown"][fault.kind] += said == "shown"
            table["pair only"][fault.kind] += said == "pair"
            if matters and said != "shown":
                table["missed"][fault.kind] += said == "nothing"
                print(f"{said}: {fault.design} line {fault.line}: {fault.kind}", file=sys.stderr)
    for kind in (*sorted(table["planted"]), "all"):
        for column, counts in table.items():
            count = counts.total() if kind == "all" else counts[kind]
            goal = "0" if (kind, column) == ("all", "missed") else ""
            yield Row(kind, count, column=column, table="object FIFO", goal=goal)
    yield Row("object FIFO: false alarms on sound designs", alarms, goal="0")
    yield Row("object FIFO: processor time", process_time() - started, "s")


def _public(clone: Path) -> Iterator[Row]:
    from run_upstream import all_cases, executed_case

    alarms = Counter[str]()
    for case in all_cases():
        order = executed_case(case, clone)
        if order is not None:
            alarms["designs"] += 1
            alarms["alarms"] += bool(order.unordered or order.pairs)
            for line in order.lines:
                print(f"{case.name}: {line}", file=sys.stderr)
    yield Row("public designs", alarms["designs"])
    yield Row("false alarms on public designs", alarms["alarms"], goal="0")


if __name__ == "__main__":
    benchmark(measure, FILES, {"every": 1, "schedules": 24}, {"every": 12, "schedules": 12})
