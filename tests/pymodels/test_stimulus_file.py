# SPDX-License-Identifier: Apache-2.0
"""Stimulus files: what is written is read, of every design; what cannot be is refused with its place."""

from __future__ import annotations

import json

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MasterTiming, MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.stimulus_file import KeptStimulus, read_stimulus, write_stimulus
from goldbeat.pymodels.trace import Trace


def everything() -> Stimulus:
    data = np.arange(6, dtype=np.uint8).reshape(3, 2)
    whole = Trace.from_bytes(data, clock_ps=4000, cycle=[0, 3, 4], tid=[1, 2, 1 << 40], tstrb=[3, 1, 2])
    empty = Trace.from_bytes(np.zeros((0, 4), np.uint8), clock_ps=3000)
    bursts = Bursts(kind=[WRITE, READ], address=[1 << 40, 8], len=[1, 0], size=1, barrier=[True, False])
    block = np.ones((3, 2), np.uint8)
    timing = MasterTiming(r_ready=Pattern("random", seed=3))
    program = BurstProgram(bursts, block, block > 0, block > 1, np.array([0, -1]), np.array([0, 5, 0]), timing)
    memory = MemoryTiming(read_bandwidth=(1, 2), aw_ready=Pattern("array", values=(1, 0)))
    return Stimulus(
        {"s": whole, "e": empty},
        {"m": Pattern("bursty", burst=4, seed=9)},
        {"aclk": Clock(4000, 4000, 100, 7)},
        {"r": (Access("write", 4, 7, 0x3), Access("wait_for", port="irq", value=1, cycles=9))},
        {"r": (Access("read", 4, None, register="CTRL", fields=(("MODE", 0, 2),)),)},
        12_000,
        {"m_axi": MemoryImage((Region("all", 0x1000, np.arange(8, dtype=np.uint8), writable=False),), memory, True)},
        traffic={"r": RegisterTraffic(gap=2)},
        bursts={"s_axi": program},
        together=True,
        label="all of it",
    )


def plain(value):
    """What can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def test_everything_comes_back(tmp_path):
    path = tmp_path / "kept.json"
    kept = KeptStimulus("my_fifo", "sweep", 4, (everything(), Stimulus({})), {"W": 16}, {"ready": "none"}, "m: wrong")
    write_stimulus(path, kept)
    assert plain(read_stimulus(path)) == plain(kept)
    assert "drivers" not in path.read_text()


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda d: d.update(kind="x"), "missing stimulus"),
        (lambda d: d.update(version=9), "version 9"),
        (lambda d: d.update(colour=1), "colour: found a key|colour: a key"),
        (lambda d: d.pop("seed"), "seed: nothing"),
        (lambda d: d.update(seed="a"), "seed: a"),
        (lambda d: d["episodes"][0].update(drivers={}), r"episodes\[0\].drivers: a key"),
        (lambda d: d["episodes"][0]["inputs"]["s"].update(data=["00", "0001"]), "rows of several lengths"),
        (lambda d: d["episodes"][0]["inputs"]["s"].update(data=["xx"]), "'xx'"),
        (lambda d: d["episodes"][0]["inputs"]["s"].update(last="012"), "s.last: 012"),
        (lambda d: d["episodes"][0]["inputs"]["s"].update(cycle=[3, 2, 1]), "increasing cycles"),
        (lambda d: d["episodes"][0]["inputs"]["s"].update(tid=[-1, 0, 0]), "too large|out of"),
        (lambda d: d["episodes"][0]["ready"].update(m={"kind": "odd"}), "odd"),
        (lambda d: d["episodes"][0]["bursts"]["s_axi"]["bursts"].update(len=["a"]), "whole numbers"),
        (lambda d: d["episodes"][0]["bursts"]["s_axi"]["bursts"].pop("len"), "len: nothing"),
    ],
)
def test_damaged_files_are_refused_with_their_place(tmp_path, change, found):
    path = tmp_path / "kept.json"
    write_stimulus(path, KeptStimulus("my_fifo", "sweep", 4, (everything(),)))
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=found) as caught:
        read_stimulus(path)
    assert str(path) in str(caught.value)


def test_what_is_no_file_or_holds_functions_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file, expected a stimulus"):
        read_stimulus(tmp_path / "none.json")
    (tmp_path / "text").write_text("{\n,")
    with pytest.raises(InputError, match="text:2"):
        read_stimulus(tmp_path / "text")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_stimulus(tmp_path / "bytes")
    host = Stimulus({}, program={"r": (Access("host", port="m", call=print),)})
    with pytest.raises(UsageError, match="by functions"):
        write_stimulus(tmp_path / "k", KeptStimulus("d", "c", 0, (host,)))
    assert not (tmp_path / "k").exists()
