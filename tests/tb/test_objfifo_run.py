# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo run`` and pictures: a user's design on the RTL, its PLIO ports as text files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from pymodels import plio
from tb.cli import app
from tb.objfifo import user

PORTS = """
import numpy as np
from pymodels.objfifo import object_fifo, object_fifo_link, tile

shim, mem, far = tile(0, 0), tile(0, 1), tile(1, 0)
matrix = np.ndarray[(4, 6), np.dtype[np.int16]]
words = np.ndarray[(24,), np.dtype[np.int16]]
source = object_fifo("samples", shim, mem, 2, words, plio=True)
result = object_fifo("columns", mem, far, 2, words, [(3, 2), (4, 6), (2, 1)], plio=True)
object_fifo_link(source, result)
"""

HANGS = """
import numpy as np
from pymodels.objfifo import ObjectFifo, Worker

x = ObjectFifo(np.ndarray[(8,), np.dtype[np.int32]], depth=1, name="x")

def loop(put, get):
    for _ in range(2):
        put.acquire(1)
        put.release(1)
    get.acquire(1)
    get.release(1)

Worker(loop, [x.prod(), x.cons()])
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
    monkeypatch.setattr("tb.cli.objfifo.build_root", lambda: tmp_path / "build")
    result = call("run", "ports.py", "--input", "samples=in.txt", "--ready", "random:0.4", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["status"] == "pass"
    assert report["compared"] > 36
    path = tmp_path / "build/runs/ports" / report["files"]["columns"]
    found = plio.read(path, "int16", 32)
    assert found.trace.samples("int16").tolist() == ports.swapaxes(1, 2).reshape(-1).tolist()
    # Each object ends with TLAST, and the time stamps are those of the RTL.
    assert np.flatnonzero(found.trace.last).tolist() == [11, 23, 35]
    assert path.read_text().startswith("T ")
    (tile,) = report["tiles"]
    assert (tile["tile"], [s["words"] for s in tile["streams"]]) == ("mem_tile_0_1", [36, 36])
    picture = tmp_path / "build/runs/ports" / tile["picture"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    # A design that says something else moved is not passed over.
    real = user.run

    def lies(*args, **kwargs):
        told = real(*args, **kwargs)
        return replace(told, streams={**told.streams, "columns": told.streams["columns"] + 1})

    monkeypatch.setattr(user, "run", lies)
    wrong = call("run", "ports.py", "--input", "samples=in.txt")
    assert wrong.exit_code == 1
    assert "the words of columns are not those of the design" in wrong.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "the PLIO port samples has no file"),
        (("--input", "nothing=in.txt"), "no such input"),
        (("--input", "samples"), "expected NAME=FILE"),
        (("--input", "samples=away.txt"), "away.txt"),
    ],
)
def test_wrong_inputs(ports, arguments, text, tmp_path, monkeypatch):
    monkeypatch.setattr("tb.cli.objfifo.build_root", lambda: tmp_path / "build")
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
