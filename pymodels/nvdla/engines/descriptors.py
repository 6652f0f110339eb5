# SPDX-License-Identifier: Apache-2.0
"""Fields of a descriptor that contradict each other, the hardware or their own range.

No register has the size of SDP's and CDP's output: D_DATA_CUBE_WIDTH, _HEIGHT and _CHANNEL hold that of input and output. PDP's
output follows from input, padding, kernel and stride. Source: register manual of nvdla/hw; nvdla/sw, ``dla_interface.h``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.configuration import Configuration
from goldbeat.pymodels.nvdla.loadable.layouts import MEM_HW, MEM_SRAM, MEM_TYPES
from goldbeat.pymodels.nvdla.loadable.network import FEATURE, NetworkOperation

_FLAGS = (
    *("enable", "conv_mode", "data_reuse", "weight_reuse", "skip_data_rls", "skip_weight_rls", "weight_format"),
    *("bypass_sqsum", "bypass_out_mul"),
)
_DIRECT = 0
_PADDINGS = 8
"""Values of a field with the padding of a side."""
_SIDES = ("width", "height", "channel")
_Finding = tuple[str, object, str]
"""A field, its value and what was expected."""


def check_descriptors(operation: NetworkOperation, configuration: Configuration, file: Path | None) -> None:
    """Refuse an operation whose descriptors contradict themselves or the hardware.

    Raises:
        InputError: the field, its value and what was expected.
    """
    for field, value, expected in _findings(operation, configuration):
        raise InputError(f"operation {operation.index} ({operation.type}) {field} {value}", expected, file=file)


def _findings(operation: NetworkOperation, configuration: Configuration) -> Iterator[_Finding]:
    yield from _memories(operation, configuration)
    yield from _flags("", operation.desc)
    if operation.type in ("SDP", "CDP"):
        yield from _same_sides(operation, _SIDES)
    if operation.type == "PDP":
        yield from _same_sides(operation, ("channel",))
        yield from _pooled_sides(operation)
        yield from _parts(operation)
    if operation.type == "CONV":
        yield from _convolved_sides(operation)


def _memories(operation: NetworkOperation, configuration: Configuration) -> Iterator[_Finding]:
    """Codes of memories: known ones, of memories that the hardware has."""
    used = [
        (f"{cube.name}.type", int(cube.record["type"]), cube.entry is not None) for cube in operation.cubes.values()
    ]
    most = MEM_HW
    if operation.type == "BDMA":
        ends = ("source_type", "destination_type")
        used, most = [(end, int(operation.surface[end]), True) for end in ends], MEM_SRAM
    for field, code, placed in used:
        if code > most:
            yield field, code, ", ".join(f"{i} ({name})" for i, name in enumerate(MEM_TYPES[: most + 1]))
        elif code == MEM_SRAM and placed and not configuration.second_memory:
            yield field, code, f"0 (DRAM): {configuration.name} has no second memory"


def _flags(prefix: str, record: Any) -> Iterator[_Finding]:
    for name in record.dtype.names:
        if record[name].dtype.names:
            yield from _flags(f"{prefix}{name}.", record[name])
        elif name in _FLAGS and record[name] > 1:
            yield prefix + name, int(record[name]), "0 or 1"


def _side(operation: NetworkOperation, end: str, side: str) -> int:
    return int(operation.cubes[f"{end}_data"].record[side])


def _same_sides(operation: NetworkOperation, sides: tuple[str, ...]) -> Iterator[_Finding]:
    for side in sides:
        source, target = _side(operation, "src", side), _side(operation, "dst", side)
        if source != target:
            yield f"dst_data.{side}", target, f"{source}, that of src_data"


def _pooled_sides(operation: NetworkOperation) -> Iterator[_Finding]:
    """Windows leave nothing over: the constraints of the trace generator of nvdla/hw say so, and no public file does else."""
    desc = operation.desc
    for side, axis, low, high in (("width", "x", "left", "right"), ("height", "y", "top", "bottom")):
        kernel, stride = int(desc[f"pool_{side}"]) + 1, int(desc[f"stride_{axis}"])
        pads = int(desc[f"pad_{low}"]) + int(desc[f"pad_{high}"])
        padding, rest = int(desc[f"pad_{high}"]), (_side(operation, "src", side) + pads - kernel) % max(stride, 1)
        if rest and _side(operation, "src", side) + pads > kernel:
            wanted = [n for n in (padding - rest, padding + stride - rest) if 0 <= n < _PADDINGS]
            why = f"src_data.{side}, padding, kernel {kernel} and stride {stride} leave {rest} over"
            yield f"pad_{high}", padding, f"{' or '.join(map(str, wanted)) or 'another'}: {why}"
        yield from _windows(operation, side, pads, kernel, stride)


def _convolved_sides(operation: NetworkOperation) -> Iterator[_Finding]:
    """Kernels over pixels and of Winograd are written in another shape; the sums have that of the output in any case."""
    desc = operation.desc
    for side, axis, low, high in (("width", "x", "left", "right"), ("height", "y", "top", "bottom")):
        found = _side(operation, "dst", side)
        if int(desc[f"input_{side}_cmac"]) != found:
            yield f"input_{side}_cmac", int(desc[f"input_{side}_cmac"]), f"{found}, dst_data.{side}"
        if int(desc["data_format"]) == FEATURE and int(desc["conv_mode"]) == _DIRECT:
            kernel = (int(desc[f"kernel_{side}_csc"]) - 1) * max(1, int(desc[f"dilation_{axis}"])) + 1
            pads = int(desc[f"pad_{axis}_{low}"]) + int(desc[f"pad_{axis}_{high}"])
            yield from _windows(operation, side, pads, kernel, int(desc[f"conv_stride_{axis}"]))


def _windows(operation: NetworkOperation, side: str, pads: int, kernel: int, stride: int) -> Iterator[_Finding]:
    """The output has one value for each place of the kernel within input and padding."""
    padded, found = _side(operation, "src", side) + pads, _side(operation, "dst", side)
    steps = max(padded - kernel, 0)
    wanted = steps // stride + 1 if stride else found
    if found != wanted:
        why = f"src_data.{side} is {padded} with padding, kernel {kernel}, stride {stride}"
        yield f"dst_data.{side}", found, f"{wanted}: {why}"


def _parts(operation: NetworkOperation) -> Iterator[_Finding]:
    """Widths of the parts of a split operation: all are given, and those of the output make up its width."""
    desc, count = operation.desc, int(operation.desc["split_num"])
    if count < 2:
        return
    middle = count - 2
    for prefix, end in (("partial_in_width", "src"), ("partial_width", "dst")):
        widths = {part: int(desc[f"{prefix}_{part}"]) for part in ("first", "mid", "last")}
        for part, width in widths.items():
            if not width and (part != "mid" or middle):
                yield f"{prefix}_{part}", width, f"at least 1, as split_num is {count}"
        total, whole = widths["first"] + widths["mid"] * middle + widths["last"], _side(operation, end, "width")
        if total != whole:
            yield f"{prefix}_first, _mid and _last", f"of {count} parts, {total} in all", f"{whole}, {end}_data.width"
