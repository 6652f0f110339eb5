# SPDX-License-Identifier: Apache-2.0
"""What is left out of the simulator's Python is there for whoever imports it later."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

from goldbeat.tb.design.ports.stream import StreamPort

LEAN = """
import sys
from importlib.metadata import version
from goldbeat.tb.inside import lean
lean.import_cocotb()
# asyncio is there to be loaded, and is not.
print(sorted(name for name in ("pytest", "pdb", "cProfile", "asyncio.events") if name in sys.modules))
import cocotb, cocotb.task
import asyncio, cProfile, pdb, pytest
assert cocotb.task.CancelledError is asyncio.CancelledError is asyncio.exceptions.CancelledError
assert cocotb.__version__ == version("cocotb")
assert pytest.raises and pdb.Pdb and cProfile.Profile
async def waits():
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.001)
    except asyncio.TimeoutError:
        return "in time"
print(asyncio.run(waits()))
"""
PLAIN = """
import pickle, sys
from goldbeat.tb.inside import plain_models
plain_models.enter()
port = pickle.load(open(sys.argv[1], "rb"))
plain_models.leave()
print(port.name, port.width, port.lanes, port.harness()["tdata"], [wire.width for wire in port.wires()][:1])
other = port.model_copy(update={"name": "other"})
print(other.name, other == port, port == port.model_copy(update={}))
try:
    type(port)(name="x")
except TypeError as error:
    print(error)
from pydantic import BaseModel
print(BaseModel.__module__)
"""


def said(code: str, *words: object) -> list[str]:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_what_cocotb_does_without_is_the_real_thing_afterwards() -> None:
    assert said(LEAN) == ["[]", "in time"]


def test_ports_come_out_of_a_job_without_pydantic(tmp_path: Path) -> None:
    port = StreamPort(name="s_axis", direction="in", width=32)
    (tmp_path / "port").write_bytes(pickle.dumps(port))
    assert said(PLAIN, tmp_path / "port") == [
        f"s_axis 32 None s_axis_tdata [{port.wires()[0].width}]",
        "other False True",
        "StreamPort: descriptions are not made inside the simulator",
        "pydantic.main",
    ]
