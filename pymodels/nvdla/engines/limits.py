# SPDX-License-Identifier: Apache-2.0
"""Sizes that a file or its registers ask for, checked before anything is allocated."""

from __future__ import annotations

from math import prod

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.address_space import LARGEST_CUBE, OVERLAPS, shared_bytes
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.pixels import FORMATS
from goldbeat.pymodels.nvdla.loadable.network import FEATURE, LARGEST_SIDE, Cube, NetworkOperation
from goldbeat.pymodels.nvdla.loadable.placement import Placement

LARGEST_WORK = 1 << 33
"""Multiply-accumulates of a convolution that the model takes on; the largest layers of VGG-16 have a quarter of it."""
_CHECKED = ("src_data", "dst_data")
_STRIDES = ("line_stride", "surf_stride")
_PER_POINT, _BOTH, _INT8 = 2, 3, 0
"""Codes of an operand of SDP that has a value for each point, of one for adder and multiplier, and of its precision."""
_PRECISIONS = {
    "CONV": ("in_precision", "out_precision"),
    "SDP": ("src_precision", "dst_precision"),
    "PDP": ("precision", "precision"),
    "CDP": ("in_precision", "out_precision"),
}
"""Fields with the precision of source and destination."""


def check_work(kernels: int, depth: int, points: int, out: tuple[int, int], padded: tuple[int, ...]) -> None:
    """Refuse a convolution that is too large for the model.

    Args:
        kernels: number of kernels.
        depth: their channels.
        points: rows times columns of a kernel.
        out: width and height of the output.
        padded: shape of the input with its padding.

    Raises:
        UsageError: which size is too large.
    """
    for what, size, most in (
        ("output values", kernels * prod(out), LARGEST_CUBE),
        ("input values with padding", prod(padded), LARGEST_CUBE),
        ("multiply-accumulates", kernels * depth * points * prod(out), LARGEST_WORK),
    ):
        if size > most:
            raise UsageError(f"a convolution of {size} {what}: the model takes at most {most}")


def check_sizes(placement: Placement, operation: NetworkOperation, configuration: Configuration = NV_SMALL) -> None:
    """Refuse an operation whose cubes do not fit into their memories.

    Args:
        placement: where the memories lie.
        operation: one of the network.
        configuration: of the hardware.

    Raises:
        InputError: the field, its value and what there is room for.
    """
    for name in _CHECKED:
        cube = operation.cubes.get(name)
        if cube is not None:
            _check_cube(placement, operation, cube, configuration)
    for name in ("x1", "x2", "y") if operation.type == "SDP" else ():
        cube, op = operation.cubes.get(f"{name}_data"), operation.desc[f"{name}_op"]
        if cube is not None and cube.entry is not None and op["enable"] and op["mode"] == _PER_POINT:
            lanes = configuration.lanes(_precision(operation, operation.cubes["dst_data"]))
            _check_strides(
                placement,
                operation,
                cube,
                lanes * (1 + (op["type"] == _BOTH)) * (1 + (op["precision"] != _INT8)),
                lanes,
            )
    weights = operation.cubes.get("weight_data")
    if weights is not None and weights.entry is not None:
        size, room = int(weights.record["size"]), _room(placement, weights)
        if size > room:
            raise _error(
                placement, operation, weights, "size", f"at most {room}, the bytes of its memory from there on"
            )


def _check_cube(placement: Placement, operation: NetworkOperation, cube: Cube, configuration: Configuration) -> None:
    record = cube.record
    if not cube.on_the_fly and cube.entry is None:
        return
    for side in ("width", "height", "channel"):
        if not 1 <= int(record[side]) <= LARGEST_SIDE:
            raise _error(placement, operation, cube, side, f"1..{LARGEST_SIDE}")
    if cube.on_the_fly:
        return
    width, height, channel = (int(record[side]) for side in ("width", "height", "channel"))
    if operation.type == "RUBIK":
        return  # Planes and blocks are checked by what is read and written.
    atom, lanes = configuration.atom, configuration.lanes(_precision(operation, cube))
    surfaces = -(-channel // lanes)
    steps = {"line_stride": height - 1, "surf_stride": surfaces - 1}
    last, code = (width - 1) * atom, FEATURE
    if cube.name == "src_data" and operation.type == "CONV":
        code = int(operation.desc["data_format"])
    if code != FEATURE and code not in FORMATS:
        return  # The format itself is refused, by its name.
    if code in FORMATS:
        steps["surf_stride"] = 0
        last = width * len(FORMATS[code].planes[0]) - 1
    room, needed = _room(placement, cube), last + sum(int(record[f]) * n for f, n in steps.items())
    if needed >= room:
        spans = {"width": last} | {f: int(record[f]) * n for f, n in steps.items()}
        field = max(spans, key=lambda f: spans[f])
        wanted = f"a cube of {width} x {height} x {channel} within {room} bytes, not up to byte {needed}"
        raise _error(placement, operation, cube, field, wanted)
    if not needed < int(record["size"]) <= room:
        what = f"a cube of {width} x {height} x {channel}"
        wanted = f"{needed + 1} to {room}: {what} with these strides needs {needed + 1} bytes, its memory has {room}"
        raise _error(placement, operation, cube, "size", wanted)
    if width * height * surfaces * atom > LARGEST_CUBE:
        raise _error(placement, operation, cube, "width", f"a cube of at most {LARGEST_CUBE} bytes")
    pixels = len(FORMATS[code].planes[0]) if code in FORMATS else 0
    _check_strides(placement, operation, cube, pixels or atom, channel if pixels else lanes)


def _check_strides(placement: Placement, operation: NetworkOperation, cube: Cube, point: int, lanes: int) -> None:
    """Refuse lines or surfaces that share bytes; ``point`` bytes and ``lanes`` channels are at each point of a surface."""
    width, height, channel = (int(cube.record[side]) for side in ("width", "height", "channel"))
    line, surface = (int(cube.record[name]) for name in _STRIDES)
    found = shared_bytes((width, height, -(-channel // lanes)), line, surface, point)
    if found is not None:
        raise _error(
            placement, operation, cube, _STRIDES[found[0]], f"at least {found[1]}: {OVERLAPS[found[0]]} overlap"
        )


def _precision(operation: NetworkOperation, cube: Cube) -> int:
    """The code of a cube's precision, int8 for one that is none."""
    fields = _PRECISIONS[operation.type]
    code = int(operation.desc[fields[cube.name == "dst_data"]])
    return code if code < len(BYTES) else 0


def _room(placement: Placement, cube: Cube) -> int:
    """Bytes from a cube's place to the end of its memory."""
    assert cube.entry is not None
    return placement.loadable.memory(cube.entry.mem_id).size - cube.entry.offset - cube.offset


def _error(placement: Placement, operation: NetworkOperation, cube: Cube, field: str, expected: str) -> InputError:
    found = f"operation {operation.index} ({operation.type}) {cube.name}.{field} {int(cube.record[field])}"
    return InputError(found, expected, file=placement.loadable.file)
