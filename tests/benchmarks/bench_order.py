# SPDX-License-Identifier: Apache-2.0
"""Planted faults of order: what the order checks of object FIFOs, NVDLA and TPU find, and what they miss.

Each fault takes one synchronisation away, doubles it, moves it or changes its value. It counts if some schedule matters: for
object FIFOs if it changes the data, with random data and random sets of slow programs and channels; for NVDLA and TPU if
operations that share bytes are done in different orders, or some run hangs. ``differ`` of NVDLA: some schedule, on the
functional model, leaves other bytes; ``shown``: the timed model knows such a timing of the memory. With GOLDBEAT_DATA, public
loadables and streams take part; with GOLDBEAT_MLIR_AIE, a clone of mlir-aie, its tests are looked at for false alarms.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from measured import Row, Skipped, benchmark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from nvdla_chain import chain
from nvdla_models import both, fused
from nvdla_network import classifier
from nvdla_schedules import ScheduledEngines, random_network
from nvdla_schedules import order_faults as nvdla_faults
from order_designs import OrderFault, order_faults, sound_designs
from tpu_faults import FaultPlanter
from tpu_messages import always_ended, barriers, engine, message_faults, regular
from tpu_safe import SafeMaker

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.nvdla.engines.configuration import NV_FULL, NV_SMALL
from goldbeat.pymodels.nvdla.engines.target import target
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, read_loadable, to_bytes
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.order_check import array_findings
from goldbeat.pymodels.objfifo.live.order_record import OrderRecorder
from goldbeat.pymodels.objfifo.live.random_data import random_array, random_buffers
from goldbeat.pymodels.objfifo.live.timings import OwnersAtOnce
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.order.watched_memory import watched_memories
from goldbeat.pymodels.tpu.hazards.order import Order
from goldbeat.pymodels.tpu.hazards.report import HAZARD_ADVICE, check_hazards
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.checks import ADVICE, bare, check_streams
from goldbeat.pymodels.tpu.streams.tables import chip
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.designs.nvdla.order_command import predicted, schedules
from goldbeat.tb.run.runs import Request

FILES = (
    "pymodels/order/*.py",
    "pymodels/objfifo/live/*.py",
    "pymodels/nvdla/order_check.py",
    "pymodels/nvdla/loadable/*.py",
)
FILES += ("pymodels/tpu/hazards/*.py", "tests/support/order_designs.py", "tests/support/nvdla_schedules.py")
COLUMNS = ("planted", "refused", "matter", "found", "missed", "differ", "shown")
_REPEATS = 20
_RACES = {"read-after-write", "write-after-read", "write-after-write"}
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


class Tally:
    """Counts by kind of fault; without timings nothing is tried that shows a difference."""

    def __init__(self, table: str, *, timings: bool = True) -> None:
        self.table, self.started, self.alarms = table, process_time(), 0
        self.counts = {column: Counter[str]() for column in COLUMNS if timings or column not in ("differ", "shown")}

    def add(
        self,
        kind: str,
        where: str,
        *,
        refused: bool,
        matters: bool,
        found: bool,
        differs: bool = False,
        shown: bool = False,
    ) -> None:
        """Count a fault; one that matters and is not found is missed."""
        row = {
            "planted": True,
            "refused": refused,
            "matter": matters,
            "found": found,
            "differ": differs,
            "shown": shown,
        }
        row["missed"] = matters and not found and not refused
        for column, counts in self.counts.items():
            counts[kind] += row[column]
        if matters and not refused and (not found or (differs and not shown)):
            print(f"{self.table}: {where}: {kind}: {'not shown' if found else 'missed'}", file=sys.stderr)

    def rows(self) -> Iterator[Row]:
        """One line per kind."""
        for kind in (*sorted(self.counts["planted"]), "all"):
            for column, counts in self.counts.items():
                goal = "0" if (kind, column) == ("all", "missed") else ""
                count = counts.total() if kind == "all" else counts[kind]
                yield Row(kind, count, column=column, table=self.table, goal=goal)
        yield Row(f"{self.table}: false alarms", self.alarms, table="sound inputs", goal="0")
        yield Row(f"{self.table}: processor time of all", process_time() - self.started, "s", table="sound inputs")


def measure(every: int, schedules: int, systems: tuple[str, ...]) -> Iterator[Row | Skipped]:
    """All figures."""
    data = os.environ.get("GOLDBEAT_DATA")
    public = None if data is None else Path(data) / "data"
    if public is None:
        yield Skipped("GOLDBEAT_DATA, public files", "public loadables and streams")
    with tempfile.TemporaryDirectory() as place:
        if "objfifo" in systems:
            yield from _object_fifos(Path(place), every, schedules)
        if "nvdla" in systems:
            yield from _nvdla(Path(place), every, public)
        if "tpu" in systems:
            yield from _tpu(every, public)
    clone = os.environ.get("GOLDBEAT_MLIR_AIE")
    if clone is None:
        yield Skipped("GOLDBEAT_MLIR_AIE, a clone of mlir-aie", "public object FIFOs")
    elif "objfifo" in systems:
        yield from _public_designs(Path(clone))


def _time_of_check(folder: Path, name: str, text: str) -> Row:
    """Processor time of one recorded execution and the search of its record, against the execution alone."""
    path = folder / "timed.mlir"
    path.write_text(text)
    build = TextArray(path, {}, None, None).build

    def recorded() -> None:
        with watched_memories():
            array = build()
            recorder = OrderRecorder(array, str)
            executed(array)
        array_findings(recorder)

    def executed(array: LiveArray) -> None:
        try:
            if not array.run():
                raise SystemExit(f"{name} hangs")
        finally:
            array.close()

    times = []
    for work in (recorded, lambda: executed(build())):
        work()
        started = process_time()
        for _ in range(_REPEATS):
            work()
        times.append((process_time() - started) / _REPEATS)
    return Row(f"check of {name}", 1e3 * times[0], "ms", "execution alone", 1e3 * times[1], table="time of the check")


def _object_fifos(folder: Path, every: int, schedules: int) -> Iterator[Row]:
    tally = Tally("object FIFO")
    for name, text in sound_designs().items():
        yield _time_of_check(folder, name, text)
        said, _ = judged(OrderFault(name, "sound", 0, text), folder, 1)
        tally.alarms += said != "nothing"
        for fault in itertools.islice(order_faults(name, text), 0, None, every):
            said, matters = judged(fault, folder, schedules)
            refused = said in ("refused", "hangs")
            found = said in ("shown", "pair")
            tally.add(
                *(fault.kind, f"{name} line {fault.line}"),
                refused=refused, matters=matters, found=found, differs=found and matters, shown=said == "shown",
            )  # fmt: skip
    yield from tally.rows()


def _public_designs(clone: Path) -> Iterator[Row]:
    from run_upstream import run_case
    from upstream_cases import upstream_cases
    from upstream_example_cases import example_cases
    from upstream_late_cases import late_cases
    from upstream_older_cases import older_cases
    from upstream_text_cases import text_cases

    found = Counter[str]()
    for made in (upstream_cases, example_cases, late_cases, older_cases, text_cases):
        for case in made():
            with tempfile.TemporaryDirectory() as folder:
                status, said = run_case(case, clone, Path(folder))
            found[status] += 1
            if status in ("undecided", "unordered"):
                print(f"{case.name}: {said}", file=sys.stderr)
    run = found["right"] + found["undecided"] + found["unordered"]
    yield Row("mlir-aie's tests that run", run, table="public object FIFOs")
    yield Row("undecided", found["undecided"], table="public object FIFOs")
    yield Row("false alarms", found["unordered"], table="public object FIFOs", goal="0")


def _nvdla(folder: Path, every: int, public: Path | None) -> Iterator[Row]:
    tally, rng = Tally("NVDLA"), np.random.default_rng(3)
    made: dict[str, Loadable] = {
        "classifier": classifier(),
        "chain": chain(),
        "both": both(11, 6, 24),
        "fused": fused(),
    }
    drawn = (random_network(rng, rng.integers(-4, 5, 128).astype(np.int8).view(np.uint8)) for _ in range(400))
    for number, one in enumerate(itertools.islice((d for d in drawn if not order_findings(d)), 24)):
        made[f"random {number}"] = one
    for path in () if public is None else sorted((public / "nvdla" / "loadables").iterdir()):
        with suppress(GoldbeatError):
            made[path.name] = read_loadable(path)
            tally.alarms += bool(order_findings(made[path.name]))
    for name, sound in made.items():
        large = not target(sound).small
        for kind, one in itertools.islice(_dependency_faults(sound), 0, None, every):
            try:
                findings = order_findings(one)
            except GoldbeatError:
                tally.add(kind, name, refused=True, matters=True, found=False)
                continue
            stuck = any(not f.unordered for f in findings)
            matters = not stuck and bool(ScheduledEngines(one, *([NV_FULL] if large else [])).racing(rng, 20))
            found = bool(findings) and not stuck
            differs = found and not large and _results_differ(one, rng)
            shown = differs and _shown_by_memory(one, findings, folder)
            tally.add(kind, name, refused=stuck, matters=matters, found=found, differs=differs, shown=shown)
    yield from tally.rows()


def _dependency_faults(sound: Loadable) -> Iterator[tuple[str, Loadable]]:
    with suppress(GoldbeatError):
        yield from nvdla_faults(sound)


def _results_differ(loadable: Loadable, rng: np.random.Generator) -> bool:
    """Whether some schedules leave other bytes than others; False also for what the driver refuses."""
    with suppress(GoldbeatError):
        return len(set(ScheduledEngines(loadable).results(loadable, NV_SMALL, rng))) > 1
    return False


def _shown_by_memory(loadable: Loadable, findings: list[Any], folder: Path) -> bool:
    """Whether the timed model leaves other bytes under a timing of the memory."""
    (folder / "model.nvdla").write_bytes(to_bytes(loadable))
    design = find_design("nvdla")
    options = {"loadable": str(folder / "model.nvdla"), "order": "by_id"}
    asked = Request(design, design.case("loadable"), (0,), {}, options)
    usual = predicted(asked)
    late = (predicted(replace(asked, options={**options, **slow})) for slow in schedules(loadable, findings))
    return any(any(not np.array_equal(left[ident], data) for ident, data in usual.items()) for left in late)


def _tpu(every: int, public: Path | None) -> Iterator[Row]:
    tally = Tally("TPU", timings=False)
    groups = [(name, SafeMaker(name, seed).make(10).streams()) for name in ("BM1690", "BM1688") for seed in range(2)]
    for name, streams in [*groups, *(() if public is None else _public_streams(public))]:
        tally.alarms += bool(_said(name, streams))
        planter = FaultPlanter(chip(name), streams)
        if planter.messages:
            continue
        faults = itertools.chain(planter.dependencies(), planter.deletions(), planter.duplicates())
        for fault in itertools.islice(faults, 0, None, every):
            said = _said(name, fault.streams)
            found = bool(said & _RACES)
            tally.add(fault.kind, name, refused=bool(said) and not found, matters=bool(fault.races), found=found)
    for messages in ((0,), (0, 1), (0, 1, 0)):
        for kind, programs in itertools.islice(message_faults(barriers(messages)), 0, None, every):
            lanes = [engine(core, "tiu", program) for core, program in enumerate(programs)]
            sure, ends = always_ended(lanes)
            order = Order(lanes)
            refused = not regular(lanes) or not order.complete
            wrong = not refused and any(
                (order.before(a, b)[row] > sure[a, row][b])
                for a, b in itertools.permutations(range(len(lanes)), 2)
                for row in range(len(lanes[a]))
                if (a, row) in sure
            )
            tally.add(kind, str(messages), refused=refused, matters=not ends or wrong, found=bool(order.early))
    yield from tally.rows()


def _said(name: str, streams: list[CommandStream]) -> set[str]:
    found = {one.rule for one in (*check_hazards(chip(name), streams).findings, *check_streams(chip(name), streams))}
    return found - ADVICE - HAZARD_ADVICE


def _public_streams(public: Path) -> Iterator[tuple[str, list[CommandStream]]]:
    found: dict[tuple[str, str], list[CommandStream]] = {}
    for entry in json.loads((public / "tpu" / "cmdbuf" / "MANIFEST.json").read_text()):
        raw = np.fromfile(public / "tpu" / "cmdbuf" / entry["model"] / entry["file"], np.uint8)
        of = chip(entry["chip"])
        stream = CommandStream(entry["file"].removesuffix(".bin"), of.engine(entry["engine"]).name, raw, 0)
        found.setdefault((entry["model"], of.name), []).append(bare(stream))
    for (_, name), streams in found.items():
        yield name, streams


if __name__ == "__main__":
    all_systems = ("objfifo", "nvdla", "tpu")
    full = {"every": 1, "schedules": 24, "systems": all_systems}
    benchmark(measure, FILES, full, {"every": 24, "schedules": 12})
