# SPDX-License-Identifier: Apache-2.0
"""What goes into a compiled model and what comes out of it, as numpy arrays and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pymodels.errors import InputError, UsageError
from pymodels.nvdla.cubes import feature_size, pack_feature, unpack_feature
from pymodels.nvdla.loadable import Address, Loadable, Memory
from pymodels.nvdla.network import Operation, dla_tasks, network

_INPUT, _OUTPUT = "input", "output"
_SOURCE, _TARGET = "src_data", "dst_data"
_MIDDLE_GREY = 128
_MODES = {1: "L", 3: "RGB"}
"""Pictures by their number of channels."""
FEATURE = 36
"""The code of feature data in a convolution's descriptor; lower ones are pixels. Source: nvdla/sw, ``dla_interface.h``."""


@dataclass(frozen=True)
class Tensor:
    """A feature cube in a memory.

    Attributes:
        shape: channels, height, width.
        offset: in the memory, bytes.
        line, surface: strides in bytes.
    """

    shape: tuple[int, int, int]
    offset: int
    line: int
    surface: int

    @property
    def end(self) -> int:
        """Bytes of the memory up to its end."""
        return self.offset + feature_size(*self.shape, self.line, self.surface)[0]


def _cubes(loadable: Loadable, name: str) -> Iterator[tuple[Operation, Address, Tensor]]:
    """The cubes of a name in memory, with their operations, their entries in the address list and their forms."""
    for task in dla_tasks(loadable):
        for op in network(loadable, task).operations:
            cube = op.cubes.get(name)
            if cube is None or cube.entry is None or not cube.used:
                continue
            record = cube.record
            shape = (int(record["channel"]), int(record["height"]), int(record["width"]))
            strides = (int(record["line_stride"]), int(record["surf_stride"]))
            yield op, cube.entry, Tensor(shape, cube.entry.offset + cube.offset, *strides)


def tensor(loadable: Loadable, memory: Memory, cube: str) -> Tensor | None:
    """The feature cube that the operations read from (``src_data``), or write to (``dst_data``), a memory.

    None if there is none, or several of different form, or one that is no feature cube of the hardware's atoms.
    """
    found = set()
    for op, entry, made in _cubes(loadable, cube):
        if entry.mem_id != memory.id:
            continue
        try:
            fits = made.end <= memory.size
        except UsageError:
            fits = False
        if not fits or not all(made.shape) or (op.type == "CONV" and int(op.desc["data_format"]) != FEATURE):
            return None
        found.add(made)
    return found.pop() if len(found) == 1 else None


def input_memory(loadable: Loadable) -> Memory:
    """The memory that a user's input goes to: the one that is marked as input, or else the only one that is read and never written.

    Raises:
        UsageError: there is not just one.
    """
    marked = [m for m in loadable.memories if _INPUT in m.flag_names]
    if not marked:
        read, written = ({entry.mem_id for _, entry, _ in _cubes(loadable, name)} for name in (_SOURCE, _TARGET))
        marked = [m for m in loadable.memories if m.id in read - written]
    if len(marked) != 1:
        raise UsageError(f"{loadable.file} has {len(marked)} input memories; --input fills exactly one")
    return marked[0]


def read_input(loadable: Loadable, file: Path) -> dict[int, npt.NDArray[np.uint8]]:
    """A user's file as the first bytes of the input memory, by the memory's id.

    Args:
        loadable: the model.
        file: ``.npy`` with bytes as they lie in memory, one dimension, or int8 (C, H, W) of the model's input; or a picture
            of the input's height and width, one channel (grey) or three (RGB), from which 128 is taken.

    Raises:
        InputError: no such form, or not the model's.
        UsageError: the model has not just one input, or pictures cannot be read.
    """
    memory = input_memory(loadable)
    cube = tensor(loadable, memory, _SOURCE)
    array = _array(file) if file.suffix == ".npy" else _picture(file, cube)
    raw = f"up to {memory.size} bytes in one dimension"
    if array.dtype in (np.int8, np.uint8) and array.ndim == 1:
        data = array.view(np.uint8)
        if len(data) > memory.size:
            raise InputError(f"{len(data)} bytes", raw, file=file)
        return {memory.id: data}
    if cube is None:
        raise InputError(
            f"{array.dtype} of shape {array.shape}", f"{raw}: the input is no single feature cube", file=file
        )
    if array.dtype != np.int8 or array.shape != cube.shape:
        raise InputError(f"{array.dtype} of shape {array.shape}", f"int8 of shape {cube.shape}, or {raw}", file=file)
    before = loadable.image(memory)[: cube.offset]
    return {memory.id: np.concatenate((before, pack_feature(array, cube.line, cube.surface)))}


def _array(file: Path) -> npt.NDArray[np.generic]:
    try:
        return np.asarray(np.load(file, allow_pickle=False))
    except FileNotFoundError as error:
        raise InputError("no such file", "a picture or a .npy file", file=file) from error
    except (OSError, ValueError, EOFError) as error:
        raise InputError(str(error), "a .npy file", file=file) from error


def _picture(file: Path, cube: Tensor | None) -> npt.NDArray[np.int8]:
    """(C, H, W) int8: one channel if the input has one, else three."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError as error:
        raise UsageError(f"{file}: pictures need the Python package pillow") from error
    mode = _MODES.get(cube.shape[0] if cube else 3)
    if cube is not None and mode is None:
        raise InputError("a picture", f"int8 of shape {cube.shape} as .npy: pictures have 1 or 3 channels", file=file)
    try:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert(mode), np.int16)
    except FileNotFoundError as error:
        raise InputError("no such file", "a picture or a .npy file", file=file) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise InputError(str(error), "a picture or a .npy file", file=file) from error
    return (pixels.reshape(*pixels.shape[:2], -1) - _MIDDLE_GREY).astype(np.int8).transpose(2, 0, 1)


def read_outputs(
    loadable: Loadable, contents: Mapping[int, npt.NDArray[np.uint8]]
) -> dict[int, npt.NDArray[np.generic]]:
    """Output memories as arrays by id.

    Args:
        loadable: the model.
        contents: (size,) bytes of the memories by id, others than outputs among them.

    Returns:
        int8 (C, H, W) of the feature cube that is written there, or the (size,) bytes where it is not just one.
    """
    found: dict[int, npt.NDArray[np.generic]] = {}
    for memory in loadable.memories:
        if _OUTPUT not in memory.flag_names or not memory.size:
            continue
        cube = tensor(loadable, memory, _TARGET)
        data = contents[memory.id]
        found[memory.id] = data
        if cube is not None:
            found[memory.id] = unpack_feature(data[cube.offset :], *cube.shape, cube.line, cube.surface)
    return found
