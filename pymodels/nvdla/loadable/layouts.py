# SPDX-License-Identifier: Apache-2.0
"""The firmware's descriptors as numpy structures, in both layouts.

Source: the public header of nvdla/sw (``kmd/firmware/include/dla_interface.h``) before and after an offset was put into the data
cube (``data/structs.json``); EMU descriptors: ``umd/core/src/common/include/priv/emu``, which changed alike.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np

Layout = Literal["cube28", "cube32"]
LAYOUTS: tuple[Layout, ...] = ("cube28", "cube32")

OP_TYPES = ("BDMA", "CONV", "SDP", "PDP", "CDP", "RUBIK")
"""By the code in the dependency graph."""
EVENTS = {1: "completed", 2: "programmed", 3: "enabled", 4: "CDMA weights done", 5: "CDMA data done"}
OP_COMPLETED, OP_PROGRAMMED, OP_ENABLED, WEIGHTS_DONE, DATA_DONE = 1, 2, 3, 4, 5
MEM_DRAM, MEM_SRAM, MEM_HW = 0, 1, 2
"""Types of a data cube; the last one stands for a neighbouring engine."""
MEM_TYPES = ("DRAM", "SRAM", "HW")

OPERATION_STRIDE, SURFACE_STRIDE, DEPENDENCY_STRIDE, LUT_STRIDE = 116, 644, 36, 700
EMU_OPERATIONS = {0: "power", 1: "softmax", 2: "log"}
EMU_OPERATION_STRIDES = {"cube28": 16, "cube32": 24}
EMU_BUFFER_STRIDE = 512


@cache
def _structs() -> Any:
    return json.loads(files("goldbeat.pymodels.nvdla").joinpath("data/structs.json").read_text(encoding="utf-8"))


@cache
def dtype(name: str, layout: Layout = "cube32") -> np.dtype[Any]:
    """The numpy structure of a descriptor, e.g. ``dtype("sdp_surface_desc", "cube28")``."""
    structs = _structs()
    spec = structs["both"].get(name) or structs[layout][name]
    fields = []
    for field, (offset, kind) in spec["fields"].items():
        base, _, count = kind.partition("[")
        inner: Any = np.dtype(base) if base[-1].isdigit() else dtype(base, layout)
        fields.append((field, offset, (inner, (int(count[:-1]),)) if count else inner))
    return _structure(fields, spec["bytes"])


@cache
def emu_dtype(name: str, layout: Layout) -> np.dtype[Any]:
    """The structure of an EMU descriptor: ``network``, ``power``, ``softmax`` or ``buffer``."""
    if name == "network":
        return np.dtype([(f, "<i2") for f in ("operation_desc_index", "operation_buffer_desc_index", "num_operations")])
    new = layout == "cube32"
    if name == "buffer":
        kinds = [("addressIndex", "<i2"), *([("addressIndexOffset", "<u4")] if new else []), ("size", "<u4")]
        kinds += [(f, "<u2") for f in ("format", "width", "height", "channel")]
        kinds += [("line_stride", "<u4"), ("surf_stride", "<u4")]
        return _structure(_packed(kinds), EMU_BUFFER_STRIDE // 2)
    fields: list[tuple[str, int, Any]] = [("op_type", 0, "u1")]
    if new:
        fields += [("input_scale_factor", 4, "<f4"), ("output_scale_factor", 8, "<f4")]
    own = [(f, "<f4") for f in ("power", "scale", "shift")] if name == "power" else [("axis", "u1")]
    fields += _packed(own, 12 if new else 1)
    return _structure(fields, EMU_OPERATION_STRIDES[layout])


def _packed(kinds: list[tuple[str, str]], at: int = 0) -> list[tuple[str, int, Any]]:
    fields = []
    for name, kind in kinds:
        fields.append((name, at, kind))
        at += np.dtype(kind).itemsize
    return fields


def _structure(fields: list[tuple[str, int, Any]], size: int) -> np.dtype[Any]:
    names, offsets, formats = zip(*fields, strict=True)
    spec: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
    made: np.dtype[Any] = np.dtype(spec)
    return made


UNIONS = {t: t.lower() for t in OP_TYPES}
"""Name of the union member of each operation type: ``sdp`` of ``sdp_op_desc`` and ``sdp_surface_desc``."""

CUBES = {
    "CONV": ("src_data", "dst_data", "weight_data", "wmb_data", "wgs_data"),
    "SDP": ("src_data", "dst_data", "x1_data", "x2_data", "y_data"),
    "PDP": ("src_data", "dst_data"),
    "CDP": ("src_data", "dst_data"),
    "RUBIK": ("src_data", "dst_data"),
    "BDMA": (),
}
"""Data cubes of each type's surface descriptor."""


def layout_dict(record: Any) -> dict[str, Any]:
    """A record as plain numbers and lists, reserved fields left out."""
    return {name: _plain(record[name]) for name in record.dtype.names if not name.startswith("reserved")}


def _plain(value: Any) -> Any:
    if value.dtype.names:
        return [layout_dict(v) for v in value] if value.shape else layout_dict(value)
    return value.tolist()
