# SPDX-License-Identifier: Apache-2.0
"""Scripts whose fifos are packets, and scripts with streams of their own."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

X = np.arange(32, dtype=np.int32)
FORWARD = """
import numpy as np
from aie.iron import ObjectFifo, Program, Runtime
from aie.iron.device import NPU1Col1

whole = np.ndarray[(32,), np.dtype[np.int32]]
part = np.ndarray[(8,), np.dtype[np.int32]]
fifos = [ObjectFifo(part, name=f"x{n}") for n in range(2)]
outs = [one.cons().forward(name=f"y{n}") for n, one in enumerate(fifos)]

def sequence(a, b, *handles):
    for n in range(2):
        handles[n].fill(a, sizes=[1, 1, 2, 8], strides=[0, 0, 16, 1], offset=8 * n)
    for n in range(2):
        handles[2 + n].drain(b, sizes=[1, 1, 1, 16], strides=[0, 0, 0, 1], offset=16 * n, wait=True)

ends = [*(one.prod() for one in fifos), *(one.cons() for one in outs)]
print(Program(NPU1Col1(), Runtime(sequence, [whole, whole, *ends])).resolve_program())
"""


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "design.py"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("packets", [False, True])
def test_fifos_as_packets(script, packets):
    found = ScriptArray(script(FORWARD), [], {}, packets=packets)
    array = found.build()
    assert any(way.id is not None for ways in array.streams.routes.values() for way in ways) is packets
    array.close()
    result = found.execute({"arg0": X})[0]
    assert result.completes
    np.testing.assert_array_equal(result.hosts["arg1"], X.reshape(2, 2, 8).transpose(1, 0, 2).reshape(-1))
