# SPDX-License-Identifier: Apache-2.0
"""CviModels with all that the format has."""

from __future__ import annotations

import hashlib
from typing import Any

from goldbeat.pymodels.flatbuffer import Writer
from goldbeat.pymodels.tpu.streams.cvimodel import HEADER, SCHEMA
from goldbeat.pymodels.tpu.streams.encode import encode_commands
from goldbeat.pymodels.tpu.streams.tables import chip

WEIGHT_BASE = 1 << 40
"""What the compiler adds to the offsets of weights: the number of the memory."""


def records(name: str, commands: list[tuple[str, str, dict[str, int]]]) -> bytes:
    """A command section: (engine, form, fields) each, ids counted per engine."""
    of = chip(name)
    counts: dict[str, int] = {}
    raw = b""
    for engine_name, form, fields in commands:
        engine = of.engine(engine_name)
        kind = engine.kind(form)
        counts[engine_name] = counts.get(engine_name, 0) + 1
        number = next(n for n, one in of.record_engines.items() if one == engine_name)
        raw += bytes([of.magic or 0, kind.bytes, number, 0, 0, 0, 0, 0])
        raw += encode_commands(engine, kind, fields, id=counts[engine_name]).tobytes()
    return raw


def container(name: str, sections: list[tuple[dict[str, Any], bytes]], **model: Any) -> bytes:
    """A file with these sections, one behind the other, and further fields of the root table."""
    body, tables = b"", []
    for fields, raw in sections:
        tables.append({**fields, "size": len(raw), "offset": len(body)})
        body += raw
    root = {"version": (1, 4, 0), "name": "m", "sections": tables, "target": name.lower(), **model}
    flat = Writer(SCHEMA).write("Model", root)
    digest = hashlib.md5(flat + body, usedforsecurity=False).digest()
    return HEADER.pack(b"CviModel", len(flat), 1, 4, digest, name.lower().encode()) + flat + body


def tensor(name: str, dtype: int, *dim: int, **more: Any) -> dict[str, Any]:
    """An entry of a program's tensor map."""
    return {"name": name, "dtype": dtype, "shape": {"dim": list(dim)}, **more}


def whole(name: str = "CV181X", programs: int = 2) -> bytes:
    """Two batch sizes with a command section each, weights, a section for the CPU, and one that is packed."""
    commands = records(name, [("gdma", "tdma", {}), ("tiu", "pooling", {}), ("gdma", "tdma_store", {})])
    weights = bytes(range(200))
    made = [
        {
            "batch_num": batch,
            "input_tensors": ["x", "mask"],
            "output_tensors": ["y"],
            "tensor_map": [
                tensor(
                    "x", 7, batch, 3, 8, 8, pixel_format="RGB_PLANAR", scale=[1.0], mean=[0.5], aligned=True, size=256
                ),
                tensor("inner", 6, batch, 4),
                tensor("mask", 3, batch, 2),
                tensor("y", 0, -1, 10),
            ],
        }
        for batch in range(1, programs + 1)
    ]
    weight_map = [
        {"name": "w", "offset": WEIGHT_BASE + 16, "size": 32, "shape": {"dim": [4, 8]}, "type": 6},
        {"name": "b", "offset": WEIGHT_BASE + 48, "size": 16, "shape": {"dim": [4]}, "type": 1},
        {"name": "far", "offset": WEIGHT_BASE + 199, "size": 2, "shape": {"dim": [1]}, "type": 4},
    ]
    sections: list[tuple[dict[str, Any], bytes]] = [({"type": 0, "name": "weight"}, weights)]
    sections += [({"type": 1, "name": f"subfunc_{n}"}, commands) for n in range(programs)]
    sections += [
        ({"type": 2, "name": "../cpu"}, b"\x7fELF"),
        ({"type": 1, "name": "packed", "compress": True, "decompressed_size": 99}, b"xyz"),
    ]
    return container(name, sections, programs=made, weight_map=weight_map)
