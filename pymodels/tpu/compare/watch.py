# SPDX-License-Identifier: Apache-2.0
"""Tensors of layers, taken from the memories when the last command of their layer has run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from goldbeat.pymodels.tpu.compare.layers import LayerSlices, LayerTensor, TpuLayer
from goldbeat.pymodels.tpu.execute.machine import TpuProgram
from goldbeat.pymodels.tpu.execute.memories import Array, Extent, TpuMemories
from goldbeat.pymodels.tpu.execute.model import ExecutedNet, StaticNet
from goldbeat.pymodels.tpu.execute.numbers import Element, to_numbers
from goldbeat.pymodels.tpu.hazards.memory import ChipMemory

Owners = Mapping[int, Array]
"""By the identity of an engine's commands: (n,) the line of each one's layer, 0 where the profile does not say."""
CommandKey = tuple[int, int, int]
"""Program, member and row."""
_LOCAL = 1
"""Number of the local memory of the first core."""


@dataclass(frozen=True)
class TensorPiece:
    """A part of a tensor, and the bytes where it lies; ``when``: number of commands that have run before it was taken."""

    where: tuple[slice, ...]
    extent: Extent
    when: int


@dataclass
class TakenTensor:
    """A tensor as it was when its last command had run.

    Attributes:
        name, element: of the tensor.
        scale, zero: of :class:`LayerTensor`.
        layer: None if no file of layers tells it.
        place: which memory it was in.
        values: its numbers: float32 or int64.
        pieces: where they lay.
    """

    name: str
    element: Element
    scale: float
    zero: int
    layer: TpuLayer | None
    place: str
    values: Array
    pieces: list[TensorPiece] = field(default_factory=list)

    @property
    def when(self) -> int:
        """Commands that had run when it was whole."""
        return max((piece.when for piece in self.pieces), default=0)


def command_order(net: StaticNet) -> list[CommandKey]:
    """All commands of a net in the order in which they are executed."""
    return [(number, *place) for number, program in enumerate(net.programs) for place in program.order]


class TensorWatch:
    """Looks at the memories behind the commands that end a layer.

    Args:
        net: that will run.
        layers: by line.
        owners: the layer of each command.
        names: tensors that are wanted.
    """

    def __init__(self, net: StaticNet, layers: Mapping[int, TpuLayer], owners: Owners, names: Collection[str]) -> None:
        self.taken: list[TakenTensor] = []
        self.done = 0
        self._net = net
        self._due: dict[CommandKey, list[tuple[TakenTensor, TensorPiece]]] = defaultdict(list)
        self._number = {id(program): number for number, program in enumerate(net.programs)}
        runs = _layer_runs(net, owners)
        for line, layer in layers.items():
            for tensor in layer.tensors:
                if tensor.name in names and tensor.element is not None and line in runs:
                    self._plan(layer, tensor, tensor.element, runs[line])

    def _plan(self, layer: TpuLayer, tensor: LayerTensor, element: Element, runs: list[list[CommandKey]]) -> None:
        place = "global" if tensor.address is not None else "local"
        kind = np.float32 if element.floating else np.int64
        made = TakenTensor(
            *(tensor.name, element, tensor.scale, tensor.zero, layer, place),
            np.zeros(tensor.shape, kind),
        )
        if tensor.address is not None:
            self._due[runs[-1][-1]].append(
                (made, TensorPiece((), flat_extent(tensor.address, tensor.shape, element), 0))
            )
            return
        pieces = list(_local_pieces(self._net.programs[0].memory, tensor, element))
        ends = _slice_ends(self._net, runs, len(pieces)) if self._net.cores == 1 else []
        plain = tensor.slices is not None and not tensor.slices.kind
        if not plain and not all(_writes(self._net, *both) for both in zip(ends, pieces, strict=False)):
            return
        for end, piece in zip(ends, pieces, strict=False):
            self._due[end].append((made, piece))

    def __call__(self, program: TpuProgram, member: int, row: int, memories: TpuMemories) -> None:
        """Take what is whole now."""
        self.done += 1
        for made, piece in self._due.get((self._number[id(program)], member, row), ()):
            x = piece.extent
            numbers = to_numbers(memories.read(x, made.element.stored), made.element)
            part = made.values[piece.where]
            part[...] = numbers.reshape(part.shape)
            if not made.pieces:
                self.taken.append(made)
            made.pieces.append(TensorPiece(piece.where, x, self.done))

    def with_outputs(self, found: ExecutedNet) -> list[TakenTensor]:
        """All that was taken, in the order of time, with the outputs of the net behind them."""
        made = list(self.taken)
        for place in self._net.outputs:
            piece = TensorPiece((), flat_extent(place.address, place.shape, place.element), self.done)
            values = np.asarray(found.outputs[place.name])
            known = next((one for one in made if one.name == place.name), None)
            made = [one for one in made if one.name != place.name or one.place != "global"]
            scale, zero = (known.scale, known.zero) if known else (0.0, 0)
            kept = TakenTensor(place.name, place.element, scale, zero, known.layer if known else None, "output", values)
            kept.pieces.append(piece)
            made.append(kept)
        return sorted(made, key=lambda one: one.when)


def flat_extent(address: int, shape: tuple[int, ...], element: Element) -> Extent:
    """A tensor in global memory, its elements one behind the other."""
    count, size = int(np.prod(shape, dtype=np.int64)), element.stored.itemsize
    return Extent(0, True, 0, 1, 0, address, 1, 1, 1, count, 0, 0, 0, size, size, False)


def _layer_runs(net: StaticNet, owners: Owners) -> dict[int, list[list[CommandKey]]]:
    """By layer, its commands in the order of execution, cut where the TIU works for another layer in between."""
    made: dict[int, list[list[CommandKey]]] = {}
    last: dict[int, int] = {}
    for key in command_order(net):
        number, member, row = key
        stream, found = net.programs[number].members[member]
        lines = owners.get(id(found))
        line = int(lines[row]) if lines is not None else 0
        if not line:
            continue
        runs = made.setdefault(line, [[]])
        if found.engine.name == "tiu":
            if last.get(stream.core, line) != line and any(_tiu(net, one) for one in runs[-1]):
                runs.append([])
            last[stream.core] = line
        runs[-1].append(key)
    return made


def _tiu(net: StaticNet, key: CommandKey) -> bool:
    return net.programs[key[0]].members[key[1]][1].engine.name == "tiu"


def _writes(net: StaticNet, key: CommandKey, piece: TensorPiece) -> bool:
    """Whether a command has just these bytes as its result."""
    number, member, row = key
    written = [
        x for batch in net.programs[number].batches[member].values() for x in batch.extents.get(row, ()) if x.write
    ]
    return [x.bytes_alike for x in written] == [piece.extent.bytes_alike]


def _slice_ends(net: StaticNet, runs: list[list[CommandKey]], slices: int) -> list[CommandKey]:
    """The last command of the TIU for each slice; none if the commands cannot be dealt to slices."""
    own = [[key for key in run if _tiu(net, key)] for run in runs]
    own = [run for run in own if run]
    if len(own) == slices:
        return [run[-1] for run in own]
    if len(own) == 1 and slices and len(own[0]) % slices == 0:
        each = len(own[0]) // slices
        return own[0][each - 1 :: each]
    return []


def _local_pieces(memory: ChipMemory, tensor: LayerTensor, element: Element) -> Iterator[TensorPiece]:
    """The slices of a tensor in local memory, in the order of time; none if they do not cover it."""
    slices = tensor.slices
    shape = (*tensor.shape, *(1,) * (4 - len(tensor.shape)))
    if slices is None or len(shape) != 4 or not _covers(slices, shape):
        return
    size = element.stored.itemsize
    ranges = [[*zip(*axis, strict=True)] for axis in zip(slices.begin, slices.size, strict=True)]
    for n in ranges[0]:
        for c in ranges[1]:
            for h in ranges[3]:
                for w in ranges[4]:
                    begin, many = zip(n, c, h, w, strict=True)
                    row = many[2] * many[3] * size
                    row = -(-row // memory.unit) * memory.unit if slices.aligned else row
                    strides = (-(-many[1] // memory.lanes) * row, row, many[3] * size, size)
                    x = Extent(0, True, _LOCAL, memory.lanes, 0, slices.address, *many, *strides, size, False)
                    cut = tuple(slice(a, a + b) for a, b in zip(begin, many, strict=True))
                    yield TensorPiece(cut[: len(tensor.shape)], x, 0)


def _covers(slices: LayerSlices, shape: tuple[int, ...]) -> bool:
    """Whether slices of n, c, h and w go over a shape, in their order and without a hole; depth is not cut."""
    if slices.size[2] != (1,):
        return False
    for axis, extent in zip((0, 1, 3, 4), shape, strict=True):
        parts = list(zip(slices.begin[axis], slices.size[axis], strict=True))
        if not parts or parts[0][0] or parts[-1][0] + parts[-1][1] != extent:
            return False
        if any(two[0] > one[0] + one[1] for one, two in pairwise(parts)):
            return False
    return True
