# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo run`` and pictures: a user's design on the RTL, its PLIO ports as text files."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels import plio_file
from goldbeat.tb.cli import app
from goldbeat.tb.designs.objfifo import user_design

PORTS = """
import numpy as np
from goldbeat.pymodels.objfifo import object_fifo, object_fifo_link, tile

shim, mem, far = tile(0, 0), tile(0, 1), tile(1, 0)
matrix = np.ndarray[(4, 6), np.dtype[np.int16]]
words = np.ndarray[(24,), np.dtype[np.int16]]
source = object_fifo("samples", shim, mem, 2, words, plio=True)
result = object_fifo("columns", mem, far, 2, words, [(3, 2), (4, 6), (2, 1)], plio=True)
object_fifo_link(source, result)
"""

HANGS = """
import numpy as np
from goldbeat.pymodels.objfifo import ObjectFifo, Worker

x = ObjectFifo(np.ndarray[(8,), np.dtype[np.int32]], depth=1, name="x")

def loop(put, get):
    for _ in range(2):
        put.acquire(1)
        put.release(1)
    get.acquire(1)
    get.release(1)

Worker(loop, [x.prod(), x.cons()])
"""


TABLE = """
import numpy as np
from goldbeat.pymodels.objfifo import npu_dma_memcpy_nd, object_fifo, runtime_sequence, tile

kind = np.ndarray[(8,), np.dtype[np.int32]]
values = [np.arange(8) + 1, np.arange(8) * 10]
x = object_fifo("x", tile(0, 2), TO, 2, kind, initValues=values, disable_synchronization=True)

@runtime_sequence(np.ndarray[(COUNT,), np.dtype[np.int32]])
def sequence(host):
    npu_dma_memcpy_nd(x, None, host, sizes=[1, 1, 1, COUNT])
"""


@pytest.fixture
def ports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ports.py").write_text(PORTS)
    values = np.arange(-36, 36, dtype=np.int16)
    lines = "".join(f"{a} {b}\n" for a, b in values.reshape(-1, 2))
    (tmp_path / "in.txt").write_text(lines)
    return values.reshape(3, 4, 3, 2)


def call(*arguments):
    return CliRunner().invoke(app, ["objfifo", *arguments])


@pytest.mark.sim
def test_plio_ports_read_and_write_text_files(ports, tmp_path, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    result = call("run", "ports.py", "--input", "samples=in.txt", "--ready", "random:0.4", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["status"] == "pass"
    assert report["compared"] > 36
    path = tmp_path / "build/runs/ports" / report["files"]["columns"]
    found = plio_file.read(path, "int16", 32)
    assert found.trace.samples("int16").tolist() == ports.swapaxes(1, 2).reshape(-1).tolist()
    # Each object ends with TLAST, and the time stamps are those of the RTL.
    assert np.flatnonzero(found.trace.last).tolist() == [11, 23, 35]
    assert path.read_text().startswith("T ")
    (tile,) = report["tiles"]
    assert (tile["tile"], [s["words"] for s in tile["streams"]]) == ("mem_tile_0_1", [36, 36])
    picture = tmp_path / "build/runs/ports" / tile["picture"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    with monkeypatch.context() as without:
        without.setattr("importlib.util.find_spec", lambda name: None)
        bare = call("run", "ports.py", "--input", "samples=in.txt", "--name", "bare")
    assert bare.exit_code == 0, bare.output
    assert "not drawn: the picture of a tile needs the Python package matplotlib: pip install" in bare.output
    assert list((tmp_path / "build/runs/bare/output").glob("*.txt"))
    assert not list((tmp_path / "build/runs/bare/output").glob("*.png"))
    # A design that says something else moved is not passed over.
    real = user_design.run_untimed

    def lies(*args, **kwargs):
        told = real(*args, **kwargs)
        return replace(told, streams={**told.streams, "columns": told.streams["columns"] + 1})

    monkeypatch.setattr(user_design, "run_untimed", lies)
    # Cases remember what a design does with a file until the file changes.
    os.utime("in.txt", ns=(0, 0))
    wrong = call("run", "ports.py", "--input", "samples=in.txt")
    assert wrong.exit_code == 1
    assert "the words of columns are not those of the design" in wrong.output


RAGGED = """
import numpy as np
from goldbeat.pymodels.objfifo import object_fifo, object_fifo_link, tile

def words(n):
    return np.ndarray[(n,), np.dtype[np.int32]]

shim, mem, far = tile(0, 0), tile(0, 1), tile(1, 0)
for name, into, out in (("down", 60, 40), ("up", 40, 60)):
    source = object_fifo(name, shim, mem, 2, words(into))
    object_fifo_link(source, object_fifo(name + "_out", mem, far, 2, words(out), plio=True))
# An offset that mlir-aie ignores: --lax runs it as mlir-aie does.
idle = object_fifo("idle", tile(2, 0), tile(2, 1), 2, words(8))
object_fifo_link(idle, object_fifo("idle_out", tile(2, 1), tile(3, 0), 2, words(8)), [], [4])
"""


@pytest.mark.sim
def test_ragged_links_lax_and_a_tile_that_stands_still(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    (tmp_path / "ragged.py").write_text(RAGGED)
    for name, start in (("down", 0), ("up", 1000), ("idle", 2000)):
        np.save(tmp_path / f"{name}.npy", np.arange(start, start + 240, dtype=np.int32))
    inputs = ["--input", "down=down.npy", "--input", "up=up.npy"]
    refused = call("run", "ragged.py", *inputs)
    assert refused.exit_code == 2
    assert "offset 4 of a link with one leg" in refused.output
    # One tile moves nothing: the run fails, and says which.
    still = call("run", "ragged.py", "--lax", *inputs)
    assert still.exit_code == 1
    assert "(mem_tile_2_1): no word left it, so nothing of it was verified" in still.output
    assert "moved no word: idle at mem_tile_2_1, idle_out at mem_tile_2_1" in still.output
    assert "FAIL objfifo design, ragged.py: " in still.output
    result = call("run", "ragged.py", "--lax", "--json", *inputs, "--input", "idle=idle.npy", "--ready", "random:0.3")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    for name, start in (("down", 0), ("up", 1000)):
        found = plio_file.read(tmp_path / "build/runs/ragged" / report["files"][f"{name}_out"], "int32", 32)
        assert found.trace.samples("int32").tolist() == list(range(start, start + 240))
        assert np.flatnonzero(found.trace.last).tolist() == [59, 119, 179, 239]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "the PLIO port samples has no file"),
        (("--input", "nothing=in.txt"), "no such input"),
        (("--input", "samples"), "expected PORT=FILE"),
        (("--input", "samples=in.txt", "--input", "samples=in.txt"), "samples is given twice"),
        (("--input", "samples=away.txt"), "away.txt"),
    ],
)
def test_wrong_inputs(ports, arguments, text, tmp_path, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    result = call("run", "ports.py", *arguments)
    assert result.exit_code != 0
    assert text in str(result.exception) + result.output


def test_a_design_that_hangs_is_not_run(tmp_path):
    (tmp_path / "hangs.py").write_text(HANGS)
    result = call("run", str(tmp_path / "hangs.py"))
    assert result.exit_code == 1
    assert "the design hangs" in result.output


def test_the_picture_of_a_plan(ports, tmp_path):
    assert call("plan", "ports.py", "--picture", "plan.svg").exit_code == 0
    assert "<svg" in (tmp_path / "plan.svg").read_text()
    assert "exists" in call("plan", "ports.py", "--picture", "plan.svg").output
    assert "exclude" in call("plan", "ports.py", "--picture", "p.png", "--json").output


@pytest.mark.sim
def test_a_fifo_without_locks(tmp_path, monkeypatch):
    """What a core's memory holds from the start is sent as long as the host takes it, and no longer than it can be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.py").write_text(TABLE.replace("TO", "tile(0, 0)").replace("COUNT", "40"))
    result = call("run", "table.py")
    assert result.exit_code == 0, result.output
    assert "│ out x │    48 │" in result.output  # three rounds of two objects
    (tmp_path / "long.py").write_text(TABLE.replace("TO", "tile(0, 0)").replace("COUNT", str(257 * 16)))
    result = call("run", "long.py")
    assert result.exit_code == 2
    assert "sends x without locks 257 times round; the engine repeats a chain at most 256 times" in result.output
