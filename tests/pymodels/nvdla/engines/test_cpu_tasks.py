# SPDX-License-Identifier: Apache-2.0
"""Power and softmax of EMU tasks, in both layouts of their descriptors."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.cpu_tasks import emu_network, run_emu
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.layouts import emu_dtype
from goldbeat.pymodels.nvdla.loadable.loadable import Address, Blob, Loadable, LoadableMemory, LoadableTask, Version
from goldbeat.pymodels.nvdla.loadable.placement import place_memories

SHAPE = {"width": 1, "height": 1, "channel": 10, "line_stride": 32, "surf_stride": 32}


def loadable(layout, kind, desc, form, data, **shape):
    net = np.zeros(1, emu_dtype("network", layout))
    net[0] = (1, 2, 1)
    operation = np.zeros(1, emu_dtype(kind, layout))
    operation["op_type"] = 0 if kind == "power" else 1
    for name, value in desc.items():
        operation[name] = value
    buffers = np.zeros(2, emu_dtype("buffer", layout))
    for i, buffer in enumerate(buffers):
        buffer["addressIndex"], buffer["size"], buffer["format"] = 3 + i, len(data), form
        for name, value in {**SHAPE, **shape}.items():
            buffer[name] = value
    raw = [net.view(np.uint8), operation.view(np.uint8), buffers.view(np.uint8), data]
    blobs = tuple(Blob(f"b{i}", len(r), 2, 0, Version(0, 0, 1), r) for i, r in enumerate(raw))
    memories = [
        LoadableMemory(i, flags=3, size=len(b.data), contents=(b.name,), offsets=(0,)) for i, b in enumerate(blobs)
    ]
    memories.append(LoadableMemory(4, flags=1, size=len(data)))
    addresses = tuple(Address(i, i) for i in range(5))
    return Loadable(
        Version(0, 7, 0), (LoadableTask(0, 2, 0, tuple(range(5))),), tuple(memories), addresses, blobs=blobs
    )


@pytest.mark.parametrize(("layout", "form"), [("cube28", 2), ("cube32", 3)])
def test_softmax_of_half(layout, form):
    x = np.linspace(-3, 4, 16).astype(np.float16)
    made = loadable(layout, "softmax", {"axis": 1}, form, x.view(np.uint8))
    found = emu_network(made, made.tasks[0])
    assert found.choice.layout == layout
    out = execute(place_memories(made))[4].view(np.float16)
    e = np.exp(x[:10].astype(np.float32) - np.float32(x[:10].max()))
    assert np.allclose(out[:10].astype(float), e / e.sum(), atol=1e-3)
    assert not out[10:].any()
    assert abs(float(out[:10].sum()) - 1) < 0.01


def test_power_of_half_in_atoms():
    x = np.arange(64, dtype=np.float16)
    desc = {"power": 2, "scale": 0.5, "shift": 1}
    made = loadable("cube28", "power", desc, 2, x.view(np.uint8), channel=20, width=2, line_stride=64, surf_stride=64)
    out = execute(place_memories(made))[4].view(np.float16)
    expected = np.zeros(64, np.float16)
    # 16 channels an atom of 32 bytes: two surfaces of two atoms, the second surface with 4 channels.
    there = [s * 32 + w * 16 + c for s in range(2) for w in range(2) for c in range(16 if s == 0 else 4)]
    expected[there] = (1 + 0.5 * x[there].astype(np.float32)) ** 2
    assert np.array_equal(out, expected)


def test_int8_is_scaled_and_cut_off():
    x = np.array([-128, -5, 0, 3, 100, 127, 1, 2], np.int8)
    desc = {"power": 1, "scale": 1, "shift": 0, "input_scale_factor": 2.0, "output_scale_factor": 1.5}
    made = loadable("cube32", "power", desc, 1, x.view(np.uint8), channel=8, line_stride=8, surf_stride=8)
    out = execute(place_memories(made))[4].view(np.int8)
    assert out.tolist() == [int(np.clip(v * 2 / 1.5, -128, 127)) for v in x.tolist()]
    desc = {"axis": 0, "input_scale_factor": 0.1, "output_scale_factor": 1 / 127}
    made = loadable("cube32", "softmax", desc, 0, x.view(np.uint8), channel=8)
    out = execute(place_memories(made))[4].view(np.int8)
    assert out.argmax() == 5
    assert 110 < int(out.astype(int).sum()) <= 127


def test_what_the_runtime_does_not_know():
    made = loadable("cube28", "softmax", {}, 1, np.zeros(32, np.uint8))
    with pytest.raises(InputError, match="EMU buffer of int16, expected half, int8 or int8_8"):
        execute(place_memories(made))
    made = loadable("cube28", "softmax", {"op_type": 2}, 2, np.zeros(32, np.uint8))
    found = emu_network(made, made.tasks[0])
    assert found.operations[0].type == "log"
    with pytest.raises(InputError, match="EMU operation 0 of log, expected power or softmax"):
        run_emu(found, {})
    made = loadable("cube28", "power", {}, 2, np.zeros(32, np.uint8), channel=40)
    with pytest.raises(InputError, match="EMU buffer up to byte"):
        execute(place_memories(made))


def test_a_buffer_larger_than_its_memory_is_refused_before_anything_is_made():
    made = loadable(
        "cube32", "softmax", {"axis": 1}, 1, np.zeros(32, np.uint8), width=60000, height=60000, line_stride=0
    )
    with pytest.raises(InputError, match="EMU buffer up to byte 35999999999, expected at most 31"):
        execute(place_memories(made))
