# SPDX-License-Identifier: Apache-2.0
"""What goes into a compiled model and what comes out of it, as numpy arrays and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.configuration import KINDS, NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.cpu_tasks import FORMATS, EmuNetwork, emu_network
from goldbeat.pymodels.nvdla.engines.cubes import (
    SMALL_FORM,
    ElementForm,
    feature_size,
    pack_feature,
    unpack_feature,
)
from goldbeat.pymodels.nvdla.loadable.loadable import Address, Loadable, LoadableMemory
from goldbeat.pymodels.nvdla.loadable.network import DLA1, EMU1, NetworkOperation, network, submitted
from goldbeat.pymodels.nvdla.loadable.placement import address_id
from goldbeat.tb.designs.nvdla.pictures import RUNTIME, Convention, read_picture
from goldbeat.tb.designs.nvdla.pixel_input import PixelTensor, pixel_tensor

_INPUT, _OUTPUT = "input", "output"
_FORMS = "a picture or a .npy file"
_SOURCE, _TARGET = "src_data", "dst_data"
_ATOM = 8
_EMU_FORMS = {"int8": ElementForm(32), "half": ElementForm(32, "<f2"), "int8_8": ElementForm()}
FEATURE = 36
"""The code of feature data in a convolution's descriptor; lower ones are pixels. Source: nvdla/sw, ``dla_interface.h``."""
_SHOWN = 6
_BEST = 5


@dataclass(frozen=True)
class FeatureTensor:
    """A feature cube in a memory.

    Attributes:
        shape: channels, height, width.
        offset: in the memory, bytes.
        line, surface: strides in bytes.
        form: of its elements.
    """

    shape: tuple[int, int, int]
    offset: int
    line: int
    surface: int
    form: ElementForm = SMALL_FORM

    @property
    def end(self) -> int:
        """Bytes of the memory up to its end."""
        return self.offset + feature_size(*self.shape, self.line, self.surface, self.form)[0]

    def read(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """(C, H, W) elements, from the bytes of the memory."""
        return unpack_feature(data[self.offset :], *self.shape, self.line, self.surface, self.form)


@dataclass(frozen=True)
class _Use:
    """A buffer of an operation: ``task0.op3``, where it lies, and its form if it is a feature cube."""

    who: str
    memory: int
    tensor: FeatureTensor | None


_PRECISIONS = {
    "CONV": ("in_precision", "out_precision"),
    "SDP": ("src_precision", "dst_precision"),
    "PDP": ("precision", "precision"),
    "CDP": ("in_precision", "out_precision"),
}
"""Fields with the precision of source and destination."""


def _uses(loadable: Loadable, name: str, configuration: Configuration = NV_SMALL) -> Iterator[_Use]:
    """The buffers of a name (``src_data`` or ``dst_data``) in memory, of all operations in the order of the tasks."""
    for task in submitted(loadable):
        if task.interface == EMU1:
            yield from _emu_uses(emu_network(loadable, task), name)
        elif task.interface == DLA1:
            for op in network(loadable, task).operations:
                cube = op.cubes.get(name)
                if cube is None or cube.entry is None or not cube.used:
                    continue
                form, made = _form(op, name, configuration), None
                if form is not None:
                    made = _tensor(loadable, cube.record, cube.entry, cube.offset, form)
                yield _Use(f"task{task.id}.op{op.index}", cube.entry.mem_id, made)


def _form(op: NetworkOperation, name: str, configuration: Configuration) -> ElementForm | None:
    """The form of an operation's feature cube; None for pixels, planes and precisions that there are not."""
    if op.type == "CONV" and int(op.desc["data_format"]) != FEATURE and name == _SOURCE:
        return None
    if op.type not in _PRECISIONS:
        return None
    code = int(op.desc[_PRECISIONS[op.type][name == _TARGET]])
    return ElementForm(configuration.atom, KINDS[code]) if code < len(KINDS) else None


def _emu_uses(found: EmuNetwork, name: str) -> Iterator[_Use]:
    for op in found.operations:
        buffer = op.source if name == _SOURCE else op.target
        entry = found.loadable.address(address_id(found.loadable, found.task, int(buffer["addressIndex"])))
        offset = int(buffer["addressIndexOffset"]) if found.choice.layout == "cube32" else 0
        code, names = int(buffer["format"]), FORMATS[found.choice.layout]
        form = names[code] if code < len(names) else ""
        made = None
        if op.type == "softmax" and form in ("int8", "int8_8"):
            # One element after the other, whatever the strides say.
            plain = FeatureTensor((int(buffer["channel"]), 1, 1), entry.offset + offset, _ATOM, _ATOM)
            made = _fitting(found.loadable, plain, entry)
        elif form in _EMU_FORMS:
            made = _tensor(found.loadable, buffer, entry, offset, _EMU_FORMS[form])
        yield _Use(f"task{found.task.id}.op{op.index}", entry.mem_id, made)


def _tensor(loadable: Loadable, record: Any, entry: Address, offset: int, form: ElementForm) -> FeatureTensor | None:
    shape = (int(record["channel"]), int(record["height"]), int(record["width"]))
    strides = (int(record["line_stride"]), int(record["surf_stride"]))
    return _fitting(loadable, FeatureTensor(shape, entry.offset + offset, *strides, form), entry)


def _fitting(loadable: Loadable, made: FeatureTensor, entry: Address) -> FeatureTensor | None:
    """A tensor of the hardware's atoms that lies in its memory, else None."""
    try:
        return made if all(made.shape) and made.end <= loadable.memory(entry.mem_id).size else None
    except UsageError:
        return None


def tensor(
    loadable: Loadable, memory: LoadableMemory, cube: str, configuration: Configuration = NV_SMALL
) -> FeatureTensor | None:
    """The feature cube that the operations read from (``src_data``), or write to (``dst_data``), a memory.

    None if there is none, or several of different form, or one that is no feature cube of the hardware's atoms.
    """
    found = {use.tensor for use in _uses(loadable, cube, configuration) if use.memory == memory.id}
    return found.pop() if len(found) == 1 else None


# -- into the model -------------------------------------------------------------------------------------------------


def input_memory(loadable: Loadable) -> LoadableMemory:
    """The memory that a user's input goes to: the one that is marked as input, or else the only one that is read and never written.

    Raises:
        UsageError: there is not just one.
    """
    marked = [m for m in loadable.memories if _INPUT in m.flag_names]
    if not marked:
        read, written = ({use.memory for use in _uses(loadable, name)} for name in (_SOURCE, _TARGET))
        marked = [m for m in loadable.memories if m.id in read - written]
    if len(marked) != 1:
        raise UsageError(f"{loadable.file} has {len(marked)} input memories; --input fills exactly one")
    return marked[0]


@dataclass(frozen=True)
class _Place:
    """Where an input goes: the memory, and the feature cube or the pixels that are read there."""

    loadable: Loadable
    memory: LoadableMemory
    cube: FeatureTensor | None
    pixels: PixelTensor | None

    def read(self, file: Path, convention: Convention) -> npt.NDArray[Any]:
        if not file.exists():
            # Before what a picture must be like.
            raise InputError("no such file", _FORMS, file=file)
        if file.suffix == ".npy":
            return load_array(file, _FORMS)
        if self.pixels is not None:
            return self.pixels.picture(file, convention)
        return read_picture(file, self.cube.shape if self.cube else None, convention)

    def batch(self, array: npt.NDArray[Any]) -> bool:
        """Whether it has a leading axis of inputs."""
        return array.ndim == 4 or (array.ndim == 2 and array.shape[1] == self.memory.size)

    def fill(self, array: npt.NDArray[Any], file: Path) -> dict[int, npt.NDArray[np.uint8]]:
        raw = f"up to {self.memory.size} bytes in one dimension"
        if array.dtype in (np.int8, np.uint8) and array.ndim == 1:
            data = np.ascontiguousarray(array).view(np.uint8)
            if len(data) > self.memory.size:
                raise InputError(f"{len(data)} bytes", raw, file=file)
            return {self.memory.id: data}
        cube, what = self.cube, f"{array.dtype} of shape {array.shape}"
        if self.pixels is not None:
            channels = self.pixels.channels(array)
            if channels is None:
                raise InputError(what, f"{self.pixels.expected}, or {raw}", file=file)
            data = self.loadable.image(self.memory)
            self.pixels.put(channels, data)
            return {self.memory.id: data}
        if cube is None:
            raise InputError(what, f"{raw}: the input is no single feature cube", file=file)
        if array.dtype != cube.form.dtype or array.shape != cube.shape:
            raise InputError(what, f"{cube.form.dtype} of shape {cube.shape}, or {raw}", file=file)
        before = self.loadable.image(self.memory)[: cube.offset]
        return {self.memory.id: np.concatenate((before, pack_feature(array, cube.line, cube.surface, cube.form)))}


def _place(loadable: Loadable, configuration: Configuration) -> _Place:
    memory = input_memory(loadable)
    cube = tensor(loadable, memory, _SOURCE, configuration)
    return _Place(loadable, memory, cube, None if cube else pixel_tensor(loadable, memory))


def read_tensors(
    loadable: Loadable,
    files: Sequence[Path],
    convention: Convention = RUNTIME,
    configuration: Configuration = NV_SMALL,
) -> tuple[list[dict[int, npt.NDArray[np.uint8]]], bool]:
    """Users' files as the first bytes of the input memory, by the memory's id.

    Args:
        loadable: the model.
        files: ``.npy`` with bytes as they are in memory, one dimension, or int8 (C, H, W) of the model's input, or with a batch of
            them: (N, size) bytes, int8 (N, C, H, W); or a picture of the input's height and width, one channel (grey) or three
            (colours). For a model that reads pixels: int8 or uint8, channels first or last, or a picture.
        convention: how a picture becomes numbers.
        configuration: of the hardware; elements have the input's precision there.

    Returns:
        what goes into memory, run after run (without a file one run of nothing); whether there was more than one file, or a
        batch.

    Raises:
        InputError: no such form, or not the model's; a batch of nothing.
        UsageError: the model has not just one input, or pictures cannot be read.
    """
    if not files:
        return [{}], False
    place = _place(loadable, configuration)
    runs, several = [], len(files) > 1
    for file in files:
        array = place.read(file, convention)
        batch = place.batch(array)
        if batch and not len(array):
            raise InputError("a batch of no inputs", "one at least", file=file)
        several |= batch
        runs += [place.fill(one, file) for one in (array if batch else [array])]
    return runs, several


# -- out of the model -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Output:
    """A memory that operations write, or that the file marks as output.

    Attributes:
        memory: its id.
        name: of the tensor that lies there, or nothing.
        marked: the file marks it as output.
        data: (size,) bytes.
        array: (C, H, W) elements of the feature cube that is written there, or the bytes where it is not just one.
        cubes: (C, H, W) elements by ``task<id>.op<index>``, where several are written there: those that no later one overwrites.
    """

    memory: int
    name: str
    marked: bool
    data: npt.NDArray[np.uint8]
    array: npt.NDArray[np.generic]
    cubes: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """``output memory 4 (prob)``, or ``written memory 2``."""
        return f"{'output' if self.marked else 'written'} memory {self.memory}" + (
            f" ({self.name})" if self.name else ""
        )

    def ranking(self) -> list[tuple[int, int | float]]:
        """Class and value of the highest values of a classifier's output, highest first; nothing where it is none."""
        if not self.marked or self.array.ndim != 3 or self.array.shape[1:] != (1, 1) or len(self.array) < 2:
            return []
        values = self.array.reshape(-1).astype(np.float64)
        whole = self.array.dtype.kind == "i"
        return [
            (int(i), int(values[i]) if whole else float(values[i])) for i in np.argsort(-values, kind="stable")[:_BEST]
        ]

    @property
    def all_equal(self) -> bool:
        """Whether a classifier's output has one value for all classes, so that their order means nothing."""
        return bool(self.ranking()) and len(np.unique(self.array)) == 1

    def facts(self) -> dict[str, Any]:
        """For a report."""
        return {
            "bytes": len(self.data),
            "shape": list(self.array.shape),
            "name": self.name,
            "marked": self.marked,
            "cubes": {who: list(cube.shape) for who, cube in self.cubes.items()},
            "classes": [{"class": one, "value": value} for one, value in self.ranking()],
            "all_equal": self.all_equal,
        }


def read_outputs(
    loadable: Loadable, contents: Mapping[int, npt.NDArray[np.uint8]], configuration: Configuration = NV_SMALL
) -> dict[int, Output]:
    """Every memory that operations write or that is marked as output, by id: those that are marked first.

    Args:
        loadable: the model.
        contents: (size,) bytes of the memories by id, others than outputs among them.
        configuration: of the hardware.
    """
    written: dict[int, list[_Use]] = {}
    for use in _uses(loadable, _TARGET, configuration):
        written.setdefault(use.memory, []).append(use)
    names = {t.mem_id: t.name for t in reversed(loadable.tensors)}
    found = [
        _output(memory.id, names.get(memory.id, ""), _OUTPUT in memory.flag_names, contents[memory.id], uses)
        for memory in loadable.memories
        if memory.size and ((uses := written.get(memory.id, [])) or _OUTPUT in memory.flag_names)
    ]
    return {one.memory: one for one in sorted(found, key=lambda one: not one.marked)}


def _output(ident: int, name: str, marked: bool, data: npt.NDArray[np.uint8], uses: list[_Use]) -> Output:
    forms = {use.tensor for use in uses}
    first = uses[0].tensor if uses else None
    if len(forms) == 1 and first is not None:
        return Output(ident, name, marked, data, first.read(data))
    return Output(ident, name, marked, data, data, {who: one.read(data) for who, one in _surviving(uses).items()})


def _surviving(uses: Sequence[_Use]) -> dict[str, FeatureTensor]:
    """The cubes written to a memory that no later operation overwrites, by operation."""
    last: dict[str, FeatureTensor] = {}
    for use in uses:
        new = use.tensor
        if new is None:
            # No telling which bytes it writes.
            last = {}
            continue
        last = {who: old for who, old in last.items() if old.end <= new.offset or new.end <= old.offset}
        last[use.who] = new
    return last


def first_wrong(
    loadable: Loadable,
    got: Mapping[int, npt.NDArray[np.uint8]],
    want: Mapping[int, npt.NDArray[np.uint8]],
) -> str:
    """The first operation whose tensor differs, with the first element; nothing if no tensor that is left in memory does.

    Args:
        loadable: the model.
        got: bytes of the memories by id.
        want: what they should be.
    """
    uses = list(_uses(loadable, _TARGET))
    left = {use.memory: _surviving([one for one in uses if one.memory == use.memory]) for use in uses}
    for use in uses:
        tensor = left[use.memory].get(use.who)
        if tensor is None:
            continue
        found, wanted = (tensor.read(data[use.memory]) for data in (got, want))
        wrong = np.argwhere(found != wanted)
        if len(wrong):
            at = tuple(int(i) for i in wrong[0])
            return (
                f"the first wrong tensor is that of {use.who}: channel {at[0]}, line {at[1]}, column {at[2]}: "
                f"expected {wanted[at]}, got {found[at]}; {len(wrong)} of {found.size} elements differ"
            )
    return ""


def output_lines(outputs: Sequence[Output], *, raw: bool = False) -> list[str]:
    """A line for each memory, for people; of those that are not marked as output just a few.

    Args:
        outputs: of one run.
        raw: bytes are kept, too.

    Returns:
        lines in which ``{folder}`` stands for the run's folder.
    """
    few = [one for i, one in enumerate(outputs) if one.marked or i < _SHOWN]
    lines = []
    for one in few:
        text = f"{one.title}: {one.array.dtype} {one.array.shape} in {{folder}}/output/memory{one.memory}.npy"
        lines.append(text + (f", {len(one.data)} bytes in memory{one.memory}.bin" if raw else ""))
        if one.ranking():
            lines.append(f"  classes {rank_text(one)}")
    if left := len(outputs) - len(few):
        lines.append(f"{left} more memories that operations write in {{folder}}/output")
    return lines


def rank_text(output: Output) -> str:
    """``5 (113), 2 (5)``: classes with their values, highest first; equal values everywhere are said."""
    if output.all_equal:
        return f"none: all {output.array.size} values are {output.ranking()[0][1]}"
    return ", ".join(f"{one} ({value})" for one, value in output.ranking())
