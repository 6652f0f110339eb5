# SPDX-License-Identifier: Apache-2.0
"""EMU tasks: operations that the runtime works out on the processor: power and softmax.

Source: nvdla/sw, ``umd/core/src/runtime/Emulator.cpp`` and ``umd/core/src/common`` (descriptors). Old descriptors have
no scale factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.address_space import LARGEST_CUBE
from goldbeat.pymodels.nvdla.loadable.layouts import (
    EMU_BUFFER_STRIDE,
    EMU_OPERATION_STRIDES,
    EMU_OPERATIONS,
    LAYOUTS,
    Layout,
    emu_dtype,
)
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, LoadableTask
from goldbeat.pymodels.nvdla.loadable.network import LayoutChoice, listed
from goldbeat.pymodels.nvdla.loadable.placement import address_id

FORMATS: dict[Layout, tuple[str, ...]] = {
    "cube28": ("int8", "int16", "half"),
    "cube32": ("int8", "int8_8", "int16", "half", "uint8", "uint16"),
}
"""Buffer formats by code; the 8-byte atom was put in between with the offset."""
_ATOM_BYTES = {"int8": 32, "half": 32, "int8_8": 8}


@dataclass(frozen=True, eq=False)
class EmuOperation:
    """An operation: its descriptor (of softmax for unknown types) and its two buffers."""

    index: int
    type: str
    desc: Any
    source: Any
    target: Any


@dataclass(frozen=True, eq=False)
class EmuNetwork:
    """An EMU task with its operations."""

    loadable: Loadable
    task: LoadableTask
    choice: LayoutChoice
    operations: tuple[EmuOperation, ...]


def emu_network(loadable: Loadable, task: LoadableTask, layout: Layout | None = None) -> EmuNetwork:
    """Decode an EMU task.

    Raises:
        InputError: a list that is not there.
    """
    kind = emu_dtype("network", "cube28")
    entry = loadable.address(address_id(loadable, task, 0))
    desc = loadable.window(entry, kind.itemsize, "EMU network descriptor").view(kind)[0]
    count = max(int(desc["num_operations"]), 0)
    operations = loadable.address(address_id(loadable, task, int(desc["operation_desc_index"])))
    buffers = loadable.address(address_id(loadable, task, int(desc["operation_buffer_desc_index"])))
    raw = listed(loadable, buffers, count, EMU_BUFFER_STRIDE, "EMU buffer descriptors").reshape(-1)
    room = loadable.memory(operations.mem_id).size - operations.offset
    choice = _detect(loadable, task, raw, count, room) if layout is None else LayoutChoice(layout, ("asked for",), {})
    stride = EMU_OPERATION_STRIDES[choice.layout]
    entries = listed(loadable, operations, count, stride, "EMU operation descriptors")
    pairs = raw.view(emu_dtype("buffer", choice.layout)).reshape(count, 2)
    found = []
    for i in range(count):
        code = int(entries[i, 0])
        name = EMU_OPERATIONS.get(code, f"type {code}")
        record = entries[i].view(emu_dtype("power" if name == "power" else "softmax", choice.layout))[0]
        found.append(EmuOperation(i, name, record, pairs[i, 0], pairs[i, 1]))
    return EmuNetwork(loadable, task, choice, tuple(found))


def _detect(loadable: Loadable, task: LoadableTask, raw: npt.NDArray[np.uint8], count: int, room: int) -> LayoutChoice:
    doubts: dict[Layout, tuple[str, ...]] = {}
    for layout in LAYOUTS:
        found = []
        if room < count * EMU_OPERATION_STRIDES[layout]:
            found.append(f"{count} operations of {EMU_OPERATION_STRIDES[layout]} bytes in {room}")
        for i, buffer in enumerate(raw.view(emu_dtype("buffer", layout))):
            position = int(buffer["addressIndex"])
            where = f"operation {i // 2} {'dst' if i % 2 else 'src'}"
            if not 0 <= position < len(task.address_list):
                found.append(f"{where}.addressIndex {position}")
                continue
            memory = loadable.memory(loadable.address(task.address_list[position]).mem_id)
            if int(buffer["size"]) > memory.size or not buffer["size"]:
                found.append(f"{where}.size {int(buffer['size'])} of {memory.size} bytes")
            if int(buffer["format"]) >= len(FORMATS[layout]):
                found.append(f"{where}.format {int(buffer['format'])}")
            found += [f"{where}.{side} 0" for side in ("width", "height", "channel") if not buffer[side]]
        doubts[layout] = tuple(found)
    layout = min(LAYOUTS, key=lambda one: len(doubts[one]))
    reasons = ["the version of EMU descriptors does not tell the layouts apart"]
    reasons += [
        f"as {one}: {len(doubts[one])} field(s) make no sense" + (f", first {doubts[one][0]}" if doubts[one] else "")
        for one in LAYOUTS
    ]
    return LayoutChoice(layout, tuple(reasons), doubts)


def run_emu(found: EmuNetwork, contents: dict[int, npt.NDArray[np.uint8]]) -> None:
    """Carry out the operations of a task in order.

    Args:
        found: the task.
        contents: (size,) bytes of each memory by id; changed.

    Raises:
        InputError: an operation or a format that the runtime does not know, or a buffer outside of its memory.
    """
    for operation in found.operations:
        if operation.type not in ("power", "softmax"):
            raise InputError(f"EMU operation {operation.index} of {operation.type}", "power or softmax")
        source = _Cube(found, operation.source, contents)
        target = _Cube(found, operation.target, contents)
        if source.format != target.format:
            raise InputError(f"EMU operation {operation.index} from {source.format} to {target.format}", "one format")
        if operation.type == "power":
            if source.shape != target.shape:
                raise InputError(
                    f"EMU power from {source.shape} to {target.shape}", "one shape", file=found.loadable.file
                )
            target.store(power(source.load(), operation.desc, source.format))
        else:
            # The runtime takes as many elements as there are channels from the beginning of the buffer.
            if target.elements < source.elements:
                raise InputError(
                    f"EMU softmax of {source.elements} elements into {target.elements}",
                    "at least as many",
                    file=found.loadable.file,
                )
            target.store_plain(softmax_task(source.load_plain(), operation.desc, source.format))


class _Cube:
    def __init__(self, found: EmuNetwork, buffer: Any, contents: dict[int, npt.NDArray[np.uint8]]) -> None:
        layout = found.choice.layout
        code = int(buffer["format"])
        names = FORMATS[layout]
        self.format = names[code] if code < len(names) else f"format {code}"
        if self.format not in _ATOM_BYTES:
            raise InputError(f"EMU buffer of {self.format}", "half, int8 or int8_8")
        entry = found.loadable.address(address_id(found.loadable, found.task, int(buffer["addressIndex"])))
        base = entry.offset + (int(buffer["addressIndexOffset"]) if layout == "cube32" else 0)
        if entry.mem_id not in contents:
            raise InputError(f"EMU buffer in memory {entry.mem_id}", "one that holds bytes", file=found.loadable.file)
        self._bytes = contents[entry.mem_id]
        self._check(buffer, base, found.loadable.file)
        size = 2 if self.format == "half" else 1
        lanes = _ATOM_BYTES[self.format] // size
        channels, height, width = (int(buffer[side]) for side in ("channel", "height", "width"))
        line, surface = int(buffer["line_stride"]), int(buffer["surf_stride"])
        c, h, w = np.ogrid[:channels, :height, :width]
        at = base + c // lanes * surface + h * line
        at = at + w * _ATOM_BYTES[self.format] + c % lanes * size
        self._at = at[..., None] + np.arange(size)
        self._dtype = np.dtype(np.float16) if size == 2 else np.dtype(np.int8)

        self._plain = base + np.arange(int(buffer["channel"]) * size)
        if self._plain.size and int(self._plain[-1]) >= len(self._bytes):
            raise InputError(f"EMU buffer up to byte {int(self._plain[-1])}", f"at most {len(self._bytes) - 1}")

    def _check(self, buffer: Any, base: int, file: Path | None) -> None:
        """Before anything is allocated: no side is 0, the cube is not too large, its last byte is in memory."""
        width, height, channel = (int(buffer[side]) for side in ("width", "height", "channel"))
        size = 2 if self.format == "half" else 1
        atom = _ATOM_BYTES[self.format]
        most, total = len(self._bytes), width * height * channel * size
        if total > most:
            raise InputError(f"EMU buffer up to byte {base + total - 1}", f"at most {most - 1}", file=file)
        if not 0 < total <= LARGEST_CUBE:
            raise InputError(f"EMU buffer of {width} x {height} x {channel}", f"1..{LARGEST_CUBE} bytes", file=file)
        end = base + (channel - 1) // (atom // size) * int(buffer["surf_stride"])
        end += (height - 1) * int(buffer["line_stride"]) + (width - 1) * atom + min(channel * size, atom) - 1
        if end >= most:
            raise InputError(f"EMU buffer up to byte {end}", f"at most {most - 1}", file=file)

    def load(self) -> npt.NDArray[Any]:
        """(channels, height, width)."""
        raw: npt.NDArray[Any] = np.ascontiguousarray(self._bytes[self._at]).view(self._dtype)
        return raw[..., 0]

    def store(self, values: npt.NDArray[Any]) -> None:
        self._bytes[self._at] = np.ascontiguousarray(values.astype(self._dtype))[..., None].view(np.uint8)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height, width."""
        channels, height, width = self._at.shape[:3]
        return channels, height, width

    @property
    def elements(self) -> int:
        """Elements one after the other: as many as there are channels."""
        return len(self._plain) // self._dtype.itemsize

    def load_plain(self) -> npt.NDArray[Any]:
        """(channels,) one after the other."""
        raw: npt.NDArray[Any] = self._bytes[self._plain].view(self._dtype)
        return raw

    def store_plain(self, values: npt.NDArray[Any]) -> None:
        self._bytes[self._plain[: values.size * self._dtype.itemsize]] = values.astype(self._dtype).view(np.uint8)


def power(data: npt.NDArray[Any], desc: Any, form: str) -> npt.NDArray[Any]:
    """``(shift + scale * x) ** power`` in float32; int8 is scaled before and after, and cut off at its ends.

    Args:
        data: (channels, height, width) int8 or float16.
        desc: with power, scale and shift; scale factors for int8 where they are there, 1 otherwise.
        form: of the data.
    """
    into, out = _factors(desc)
    x = data.astype(np.float32)
    with np.errstate(all="ignore"):
        if form != "half":
            x = x * into
        y = np.power(np.float32(desc["shift"]) + np.float32(desc["scale"]) * x, np.float32(desc["power"]))
        return _narrow(y, out, form)


def softmax_task(data: npt.NDArray[Any], desc: Any, form: str) -> npt.NDArray[Any]:
    """Exponents and sum in float32, the sum from the first element on; int8 goes through half precision.

    Args:
        data: (channels, ...) int8 or float16; one softmax over the channels for everything behind them.
        desc: with scale factors for int8 where they are there, 1 otherwise; ``axis`` is ignored.
        form: of the data.
    """
    into, out = _factors(desc)
    x = data.astype(np.float32)
    with np.errstate(all="ignore"):
        if form != "half":
            x = (x * into).astype(np.float16).astype(np.float32)
        e = np.exp(x - x.max(axis=0, keepdims=True))
        total = np.zeros_like(e[0])
        for channel in e:
            # One after the other: the order matters in float32.
            total = total + channel
        y = (e / total).astype(np.float16)
        return y if form == "half" else _narrow(y.astype(np.float32), out, form)


def _factors(desc: Any) -> tuple[np.float32, np.float32]:
    if "input_scale_factor" not in desc.dtype.names:
        return np.float32(1), np.float32(1)
    return np.float32(desc["input_scale_factor"]), np.float32(desc["output_scale_factor"])


def _narrow(y: npt.NDArray[Any], out: np.float32, form: str) -> npt.NDArray[Any]:
    if form == "half":
        return y.astype(np.float16)
    # Cut off, then the fraction dropped; what is no number becomes the lowest one.
    cut: npt.NDArray[Any] = np.trunc(np.clip(np.nan_to_num(y / out, nan=-128.0), -128, 127))
    return cut.astype(np.int8)
