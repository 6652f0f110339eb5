# SPDX-License-Identifier: Apache-2.0
"""Bytes that an operation reads and writes, by its descriptors.

Channels that an atom has no room for make another surface. Operands of a channel end with the last channel: what lies in the
lanes behind it is fetched but does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.nvdla.driver.driver_steps import sizes, strides
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, INT8, Configuration
from goldbeat.pymodels.nvdla.engines.pixels import FORMATS
from goldbeat.pymodels.nvdla.loadable.network import FEATURE, Cube, LoadableNetwork, NetworkOperation
from goldbeat.pymodels.nvdla.loadable.placement import address_id
from goldbeat.pymodels.order.byte_walk import ByteWalk

WEIGHTS = "weight_data"
_WEIGHTS = (WEIGHTS, "wmb_data", "wgs_data")
_NOTHING, _BOTH, _PER_LAYER, _PER_KERNEL = 0, 3, 0, 1
_PRECISIONS = {
    "SDP": ("src_precision", "dst_precision"),
    "PDP": ("precision", "precision"),
    "CDP": ("in_precision", "out_precision"),
}


@dataclass(frozen=True)
class CubeWalk:
    """What an operation does with a cube.

    Attributes:
        name: of the cube.
        walk: its bytes; the memory is the id of the loadable's one.
        write: written, or else read.
    """

    name: str
    walk: ByteWalk
    write: bool

    @property
    def weights(self) -> bool:
        """Whether it is fetched beside the data."""
        return self.name in _WEIGHTS


def cube_walks(found: LoadableNetwork, operation: NetworkOperation, configuration: Configuration) -> list[CubeWalk]:
    """Everything that an operation reads and writes in memory.

    Raises:
        InputError: an address that the task does not have.
    """
    make = {"CONV": _conv, "SDP": _sdp, "RUBIK": _rubik}.get(operation.type, _plain)
    if operation.type == "BDMA":
        return list(_bdma(found, operation))
    return list(make(operation, configuration))


def _in_memory(cube: Cube) -> bool:
    return cube.entry is not None and not cube.on_the_fly


def _walk(cube: Cube, run: int, *steps: tuple[int, int]) -> ByteWalk:
    assert cube.entry is not None
    return ByteWalk(cube.entry.mem_id, cube.entry.offset + cube.offset, run, steps)


def _bytes(precision: int) -> int:
    return BYTES[precision] if precision < len(BYTES) else 1


def _feature(
    cube: Cube, size: tuple[int, int, int], precision: int, configuration: Configuration, *batch: tuple[int, int]
) -> ByteWalk:
    width, height, channels = size
    line, surface = strides(cube)
    surfaces = -(-channels * _bytes(precision) // configuration.atom)
    return _walk(cube, width * configuration.atom, (height, line), (surfaces, surface), *batch)


def _conv(operation: NetworkOperation, configuration: Configuration) -> Iterator[CubeWalk]:
    desc, source = operation.desc, operation.cubes["src_data"]
    if _in_memory(source) and not desc["data_reuse"]:
        if int(desc["data_format"]) == FEATURE:
            batch = int(desc["batch"]), int(desc["batch_stride"])
            walk = _feature(source, sizes(source), int(desc["in_precision"]), configuration, batch)
            yield CubeWalk("src_data", walk, write=False)
        else:
            yield from _pixels(operation)
    if not desc["weight_reuse"]:
        for name in _WEIGHTS[: 3 if desc["weight_format"] else 1]:
            cube = operation.cubes[name]
            if _in_memory(cube):
                yield CubeWalk(name, _walk(cube, int(cube.record["size"])), write=False)


def _pixels(operation: NetworkOperation) -> Iterator[CubeWalk]:
    source, surface = operation.cubes["src_data"], operation.surface
    (width, height, _), (line, _) = sizes(source), strides(source)
    form = FORMATS.get(int(operation.desc["data_format"]))
    for number, run in enumerate([line] if form is None else [width * len(plane) for plane in form.planes]):
        walk = _walk(source, run, (height, int(surface["in_line_uv_stride"]) if number else line))
        at = walk.first + (int(surface["offset_u"]) if number else 0)
        yield CubeWalk("src_data", ByteWalk(walk.memory, at, walk.run, walk.steps), write=False)


def _sdp(operation: NetworkOperation, configuration: Configuration) -> Iterator[CubeWalk]:
    desc, source, target = operation.desc, operation.cubes["src_data"], operation.cubes["dst_data"]
    size = sizes(source)
    into, out = (int(desc[name]) for name in _PRECISIONS["SDP"])
    batch = int(desc["batch_num"]) or 1, int(desc["batch_stride"])
    if _in_memory(source):
        yield CubeWalk("src_data", _feature(source, size, into, configuration), write=False)
    for unit in ("x1", "x2", "y"):
        op, cube = desc[f"{unit}_op"], operation.cubes[f"{unit}_data"]
        if op["enable"] and op["type"] != _NOTHING and op["mode"] != _PER_LAYER and _in_memory(cube):
            yield CubeWalk(f"{unit}_data", _operand(op, cube, size, into, out, configuration), write=False)
    if _in_memory(target):
        yield CubeWalk("dst_data", _feature(target, size, out, configuration, batch), write=True)


def _operand(
    op: Any, cube: Cube, size: tuple[int, int, int], into: int, out: int, configuration: Configuration
) -> ByteWalk:
    """An operand: per channel one behind the other, or a cube whose points have as many lanes as the pipeline."""
    width, height, channels = size
    element = (2 if op["type"] == _BOTH else 1) * (1 if int(op["precision"]) == INT8 else 2)
    if int(op["mode"]) == _PER_KERNEL:
        return _walk(cube, channels * element)
    lanes = configuration.lanes(INT8) if INT8 in (into, out) else configuration.atom // 2
    line, surface = strides(cube)
    return _walk(cube, width * lanes * element, (height, line), (-(-channels // lanes), surface))


def _plain(operation: NetworkOperation, configuration: Configuration) -> Iterator[CubeWalk]:
    """PDP and CDP: two feature cubes."""
    for name, field, write in zip(("src_data", "dst_data"), _PRECISIONS[operation.type], (False, True), strict=True):
        cube = operation.cubes[name]
        if _in_memory(cube):
            walk = _feature(cube, sizes(cube), int(operation.desc[field]), configuration)
            yield CubeWalk(name, walk, write)


def _rubik(operation: NetworkOperation, configuration: Configuration) -> Iterator[CubeWalk]:
    """A feature cube on both sides; of split and merge one side has planes, whose lines are whole atoms."""
    precision, atom = int(operation.desc["precision"]), configuration.atom
    planar = {1: "dst_data", 2: "src_data"}.get(int(operation.desc["mode"]))
    for name, write in (("src_data", False), ("dst_data", True)):
        cube = operation.cubes[name]
        if not _in_memory(cube):
            continue
        width, height, channels = sizes(cube)
        walk = _feature(cube, (width, height, channels), precision, configuration)
        if name == planar:
            run = -(-width * _bytes(precision) // atom) * atom
            planes = (channels, int(cube.record["plane_stride"]))
            walk = _walk(cube, run, (height, strides(cube)[0]), planes)
        yield CubeWalk(name, walk, write)


def _bdma(found: LoadableNetwork, operation: NetworkOperation) -> Iterator[CubeWalk]:
    for record in operation.surface["transfers"][: int(operation.surface["num_transfers"])]:
        for end, write in (("source", False), ("destination", True)):
            entry = found.loadable.address(address_id(found.loadable, found.task, int(record[f"{end}_address"])))
            steps = tuple((int(record[f"{side}_repeat"]), int(record[f"{end}_{side}"])) for side in ("line", "surface"))
            walk = ByteWalk(entry.mem_id, entry.offset, int(record["line_size"]), steps)
            yield CubeWalk(end, walk, write)
