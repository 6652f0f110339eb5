# SPDX-License-Identifier: Apache-2.0
"""The commands for traces, and the traces that runs write."""

import json
from pathlib import Path

import pytest

from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource, trace_text
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import (
    ModuleTrace,
    read_raw_trace,
    read_trace_json,
    trace_json,
    write_trace_words,
)
from tests.support.objfifo_cli import goldbeat

DESIGN = """
import numpy as np
from goldbeat.pymodels.objfifo import object_fifo, object_fifo_link, tile, runtime_sequence, npu_dma_memcpy_nd

kind = np.ndarray[(16,), np.dtype[np.int32]]
a = object_fifo("a", tile(0, 0), tile(0, 1), 2, kind)
b = object_fifo("b", tile(0, 1), tile(0, 0), 2, kind)
object_fifo_link(a, b)
arg = np.ndarray[(64,), np.dtype[np.int32]]

@runtime_sequence(arg, arg)
def sequence(x, y):
    npu_dma_memcpy_nd(metadata=a, bd_id=0, mem=x, sizes=[1, 1, 1, 64])
    npu_dma_memcpy_nd(metadata=b, bd_id=1, mem=y, sizes=[1, 1, 1, 64])
"""
BD = "DMA_S2MM_SEL0_FINISHED_BD"


def modules(*cycles: int) -> list[ModuleTrace]:
    return [ModuleTrace(TraceSource(TraceKind.MEMTILE, 1, 0), {BD: [(c, c + 1) for c in cycles]})]


def test_read_trace(tmp_path: Path) -> None:
    raw, out = tmp_path / "trace.txt", tmp_path / "out.json"
    raw.write_text(trace_text(write_trace_words(modules(20, 37))))
    done = goldbeat("objfifo", "read-trace", raw, "-o", out, "--json")
    assert done.code == 0
    found = json.loads(done.stdout)["modules"]
    assert found[0]["events"]["SLOT_0"] == [[21, 22], [38, 39]]
    assert read_trace_json(out)[0].events["SLOT_0"] == [(21, 22), (38, 39)]
    assert goldbeat("objfifo", "read-trace", raw, "-o", out).code == 2
    assert "2 times, 2 cycles, from 21 to 39" in goldbeat("objfifo", "read-trace", raw).stdout
    raw.write_text("12345678\n" * 8)
    damaged = goldbeat("objfifo", "read-trace", raw)
    assert damaged.code == 2
    assert "byte 0: found the word 12345678" in " ".join(damaged.stderr.split())


def test_compare_trace(tmp_path: Path) -> None:
    first, second = tmp_path / "silicon.json", tmp_path / "run.json"
    first.write_text(json.dumps(trace_json(modules(1020, 1037, 1054))))
    second.write_text(json.dumps(trace_json(modules(20, 37, 60))))
    done = goldbeat("objfifo", "compare-trace", first, second, "--bound", "4", "--json")
    assert done.code == 1
    (parting,) = json.loads(done.stdout)["partings"]
    assert (parting["kind"], parting["index"], parting["cycle"], parting["other"]) == ("drift", 2, 1054, 60)
    text = goldbeat("objfifo", "compare-trace", first, second, "--bound", "4").stdout
    assert f"drift: memtile_trace for tile1,0 {BD}, occurrence 2" in text
    same = goldbeat("objfifo", "compare-trace", first, second)
    assert (same.code, "no event is more than 8 cycles apart" in same.stdout) == (0, True)
    assert goldbeat("objfifo", "compare-trace", first, tmp_path).code == 2


@pytest.mark.sim
def test_a_run_writes_both_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pass.py").write_text(DESIGN)
    assert goldbeat("objfifo", "run", "pass.py").code == 0
    output = tmp_path / "build" / "runs" / "pass" / "output"
    (found,) = read_trace_json(output / "trace.json")
    assert found.key == (TraceKind.MEMTILE, 1, 0)
    assert len(found.events[BD]) == len(found.events["DMA_MM2S_SEL0_FINISHED_BD"]) == 4
    assert sum(e - b for b, e in found.events["PORT_RUNNING_0"]) == 64
    assert sum(e - b for b, e in found.events["PORT_RUNNING_4"]) == 64
    # The words hold the same events in the order of the rows, one cycle later: the first cycle follows the start.
    (raw,) = read_raw_trace(output / "trace.txt")
    for slot, spans in enumerate([*found.events.values()][:8]):
        assert raw.events[f"SLOT_{slot}"] == [(b + 1, e + 1) for b, e in spans]
    same = goldbeat("objfifo", "compare-trace", "build/runs/pass", output / "trace.json", "--bound", "0")
    assert same.code == 0, same.stdout
