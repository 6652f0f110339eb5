# SPDX-License-Identifier: Apache-2.0
"""One design by five doors: script, text before lowering, text after it, compiled files, a recorded execution.

What cores compute is in the script alone. In the other forms its own functions stand for them: a ring's end is that of the
fifo whose DMA channel the ring has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.artefact.emit import configuration, instructions
from goldbeat.pymodels.objfifo.artefact.raw_design import CoreHandle
from goldbeat.pymodels.objfifo.compiled_array import open_file_array
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_file import RecordedRun, load_record, save_record
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode, recorded_scenes
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.access import LockAccess, backend_now, run_with
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.fifo_text import fifos_to_mlir
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

FILES = ("script", "fifos", "lowered", "compiled")
"""The doors that are files of a design."""


@dataclass(frozen=True)
class Door:
    """A file, its command line, and how its array is built."""

    path: Path
    arguments: tuple[str, ...]

    @property
    def design(self) -> FifoDesign:
        """For planning."""
        return open_fifo_design(self.path, self.arguments)

    @property
    def build(self) -> Callable[[], LiveArray]:
        """Makes fresh arrays."""
        if self.path.suffix == ".py":
            return ScriptArray(self.path, (), {}).build
        return open_file_array(self.path, self.arguments).build


class _Translated:
    """A core's own function on the handles of another form of its design."""

    def __init__(self, handles: Mapping[Any, CoreHandle], design: FifoDesign) -> None:
        self.handles, self.outer, self.design = handles, backend_now(), design

    def acquire(self, access: LockAccess) -> list[npt.NDArray[Any]]:
        obj, made = self.design.fifo(access.fifo).obj, []
        run_with(self.outer, lambda: made.append(self.handles[access.key].acquire(access.count)))
        found = made[0] if access.count > 1 else [made[0]]
        return [np.asarray(one).view(np.ndarray).reshape(-1).view(obj.dtype).reshape(obj.shape) for one in found]

    def release(self, access: LockAccess) -> None:
        run_with(self.outer, lambda: self.handles[access.key].release(access.count))

    def loop(self, numbers: range) -> Any:
        return self.outer.loop(numbers)


def stand_in(script: str, column: int, row: int) -> Callable[..., None]:
    """The function of a core of a script, for the other forms of the design."""
    design = _design(Path(script))
    core = next(c for c in design.cores if (c.tile.col, c.tile.row) == (column, row))
    names = _ring_names(design, core.tile)

    def body(*handles: CoreHandle) -> None:
        found = {names.get((h.fifo, h.port), (h.fifo, h.port, h.consumer)): h for h in handles}
        run_with(_Translated(found, design), core.body)

    return body


@cache
def _design(script: Path) -> FifoDesign:
    return open_fifo_design(script)


def _ring_names(design: FifoDesign, tile: Tile) -> dict[tuple[str, FifoEnd], tuple[str, FifoEnd, int]]:
    """The end of a fifo behind each of a core's rings, by the ring's name in lowered forms."""
    found = {}
    for fifo in lower(design).fifos:
        for end in fifo.ends:
            if end.tile == tile and end.channel is not None and not end.linked:
                way = "out" if end.port is FifoEnd.PRODUCE else "in"
                found[f"{tile.name}_{way}{end.channel}", end.port] = (fifo.name, end.port, end.consumer)
    return found


def doors(folder: Path, script: str, *, packets: bool = False) -> dict[str, Door]:
    """The files of a design in a folder, by door."""
    folder = folder.resolve()
    path = folder / "design.py"
    path.write_text(script)
    design = _design(path)
    plan = lower(design, packets=packets)
    (folder / "fifos.mlir").write_text(fifos_to_mlir(design))
    (folder / "lowered.mlir").write_text(to_mlir(plan))
    (folder / "insts.bin").write_bytes(instructions(design, plan))
    (folder / "main.cdo").write_bytes(configuration(plan))
    code = ["from tests.support.objfifo_doors import stand_in"]
    cores: list[str] = []
    for core in design.cores:
        name = f"core_{core.tile.col}_{core.tile.row}"
        code.append(f"{name} = stand_in({str(path)!r}, {core.tile.col}, {core.tile.row})")
        cores += ["--core", f"{core.tile.col},{core.tile.row}={folder / 'cores.py'}:{name}"]
    (folder / "cores.py").write_text("\n".join(code) + "\n")
    return {
        "script": Door(path, ()),
        "fifos": Door(folder / "fifos.mlir", tuple(cores)),
        "lowered": Door(folder / "lowered.mlir", tuple(cores)),
        "compiled": Door(folder / "insts.bin", ("--config", str(folder / "main.cdo"), *cores)),
    }


def array_state(array: LiveArray) -> dict[str, Any]:
    """Memory, locks, rings and streams of an array; not names, and not the host's part."""
    found: dict[str, Any] = {}
    for tile, words in array.memories.items():
        if tile.kind is not TileKind.SHIM:
            at = np.flatnonzero(words)
            found[f"memory of {tile}"] = (at.tolist(), words[at].tolist())
    for tile, locks in array.locks.items():
        found[f"locks of {tile}"] = {number: lock.value for number, lock in sorted(locks.items()) if lock.value}
    numbers = {id(lock): n for locks in array.locks.values() for n, lock in locks.items()}
    for (tile, direction, index), channel in array.channels.items():
        if tile.kind is TileKind.SHIM:
            continue
        keys = sorted({key for task in channel.queue for key in channel.chain(task.bd)}, key=str)
        ring = []
        for bd in (array.bds[tile][key] for key in keys):
            takes = None if bd.takes is None else (numbers[id(bd.takes[0])], *bd.takes[1:])
            gives = None if bd.gives is None else (numbers[id(bd.gives[0])], bd.gives[1])
            uses = [bd.addresses_of(use).tolist() for use in range(bd.bd.iteration.size)]
            ring.append((uses, takes, gives, bd.next, bd.bd.packet, bd.pad, bd.slot, bd.compress))
        tasks = [(task.bd, task.repeat, task.token) for task in channel.queue]
        found[f"{direction} {index} of {tile}"] = (dict(zip(keys, ring, strict=True)), tasks)
    for port, routes in array.streams.routes.items():
        ends = sorted((str(sink.port), route.id, route.keep) for route in routes for sink in route.sinks)
        found[f"streams of {port}"] = ends
    return {name: value for name, value in found.items() if value not in ({}, ({}, []), ([], []), [])}


@dataclass(frozen=True)
class Executed:
    """The array of a door before and after its run, and the record of the run."""

    before: dict[str, Any]
    after: dict[str, Any]
    run: RecordedRun


def executed(door: Door, inputs: Mapping[str, npt.NDArray[Any]]) -> Executed:
    """Execute a door's design and record it."""
    arrays: list[LiveArray] = []

    def build() -> LiveArray:
        arrays.append(door.build())
        return arrays[-1]

    with recorded_runs() as records:
        result = run_live(build, inputs)
    assert result.completes, (door.path, result.report)
    fresh = door.build()
    before = array_state(fresh)
    fresh.close()
    scenes = recorded_scenes(records[0])
    run = RecordedRun(door.path.name, result, scenes.episodes, scenes.refused)
    after = {**array_state(arrays[0]), "words": result.words}
    after |= {f"host {name}": one.tobytes().hex() for name, one in result.hosts.items()}
    return Executed(before, after, run)


def by_record(folder: Path, run: RecordedRun) -> RecordedRun:
    """The same through a file."""
    save_record(folder / "design.npz", run)
    return load_record(folder / "design.npz")


def episode_state(one: LiveEpisode) -> dict[str, Any]:
    """An episode as plain values, with no names of cores."""
    found = {name: getattr(one, name) for name in vars(one)}
    found |= {way: [(end.core or end.name) for end in found[way]] for way in ("sources", "sinks")}
    for name in ("memory", "words", "wanted", "final"):
        found[name] = {at: words.tolist() for at, words in found[name].items()}
    return found


def host_inputs(design: FifoDesign, seed: int = 0) -> dict[str, npt.NDArray[Any]]:
    """Random numbers for every host array."""
    rng = np.random.default_rng(seed)
    return {h.name: rng.integers(0, 100, h.obj.shape).astype(h.obj.dtype) for h in design.hosts}
