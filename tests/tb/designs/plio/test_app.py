# SPDX-License-Identifier: Apache-2.0
"""One command for a PL kernel with several AI Engine ports: stimulus, run, sign-off, and the simulator's files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import goldbeat, plio
from console import share_simulators

from goldbeat.pymodels.plio_file import read
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.paths import REPOSITORY

OUT = Path("build/plio/app")
MADE = {"a.txt", "b.txt", "graph_in0.txt", "graph_in1.csv"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example, as the current folder."""
    here = shutil.copytree(REPOSITORY / "examples" / "aie", tmp_path / "aie")
    monkeypatch.chdir(here)
    share_simulators(here)
    return here


def edit(name: str, old: str, new: str) -> None:
    path = Path(name)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def app(*args: Any, code: int = 0) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(plio("app", "app.toml", "--json", *args, code=code).stdout)
    assert said["passed"] == (code == 0)
    return said


def numbers(name: str) -> np.ndarray:
    """The samples of a text file without times, by its lines."""
    lines = (OUT / name).read_text(encoding="utf-8").splitlines()
    return np.array([line.split() for line in lines if line != "TLAST"], np.int64)


def test_the_whole_loop(folder: Path) -> None:
    found = app("--junit", "signoff.xml")
    assert (found["run"]["status"], found["run"]["compared"], found["run"]["time_compared"]) == ("pass", 2048, True)
    assert found["signoff"]["passed"]
    assert {check["where"] for check in found["signoff"]["checks"]} == {
        *("run", "a", "b", "sum", "dif", "a->sum", "b->dif"),
    }
    assert {Path(path).name for path in found["files"].values()} == MADE
    assert set(found["run"]["sources"]["stimulus"]) >= {str(folder / OUT / f"stimulus/{n}.txt") for n in "ab"}
    a, b = numbers("a.txt"), numbers("b.txt")
    assert a.shape == (1024, 2)
    assert (numbers("graph_in0.txt") == (a + b + 0x8000) % 0x10000 - 0x8000).all()
    assert (OUT / "graph_in0.txt").read_text().count("TLAST") == 16
    # The CSV file has the RTL's own idle cycles.
    dif, ran = read(OUT / "graph_in1.csv", "cint16", 32).trace, Trace.load(Path("build/runs/app/traces/dif.trace"))
    assert (dif.samples("cint16") == (a - b + 0x8000) % 0x10000 - 0x8000).all()
    assert (dif.cycle == ran.cycle).all()
    assert np.diff(ran.cycle).max() == 9
    assert plio("app", "app.toml").stdout.count("limits kept: PASS") == 1


def test_only_its_own_files_are_replaced(folder: Path) -> None:
    app()
    mine = OUT / "graph_in0.txt"
    mine.write_text("1 2\n")
    assert "edited since" in plio("app", "app.toml", code=2).stderr
    assert mine.read_text() == "1 2\n"
    assert {path.name for path in OUT.glob("*.*")} == {*MADE, "app.json"}
    app("--force")
    assert len(numbers("graph_in0.txt")) == 1024
    (OUT / "app.json").write_text("{}")
    assert "app.json" in plio("app", "app.toml", code=2).stderr


def test_a_broken_limit_fails_and_names_the_port(folder: Path) -> None:
    edit("limits.toml", '"64 cycles" = 180', '"64 cycles" = 230')
    found = app(code=1)
    broken = {(c["where"], c["name"]) for c in found["signoff"]["checks"] if c["verdict"] != "pass"}
    assert broken == {(port, "least_rate in 64 cycles") for port in ("a", "b", "sum", "dif")}
    assert {path.name for path in OUT.glob("*.*")} == {*MADE, "app.json"}


def test_a_late_beat_fails_and_leaves_no_files_of_an_earlier_run(folder: Path) -> None:
    app()
    edit("model.py", "(accept + 1)", "(accept + 2)")
    found = app(code=1)
    assert found["signoff"] is None
    assert not found["files"]
    assert {path.name for path in OUT.glob("*.*")} == {"app.json"}
    assert "and no files for the simulator: the run failed" in plio("app", "app.toml", code=1).stdout


def test_samples_of_a_file_and_the_output_of_the_graph(folder: Path) -> None:
    values = np.arange(256, dtype=np.int16).reshape(128, 2)
    np.save("a.npy", values)
    Path("from_graph.txt").write_text("".join(f"T {8 * n} ns\n{n} {-n}\n" for n in range(128)))
    text = 'design = "butterfly.toml"\nlimits = "limits.toml"\nseeds = 2\nset = { ready = "none" }\n[input.a]\nvalues = "a.npy"\n'
    Path("app.toml").write_text(f'{text}[input.b]\nfile = "from_graph.txt"\n')
    Path("limits.toml").write_text('[port."*"]\nleast_rate = { "1 us" = 20 }\n')
    found = app()
    assert (found["run"]["compared"], len(found["run"]["seeds"])) == (512, 2)
    assert (numbers("a.txt") == values).all()
    n = np.arange(128)
    assert (numbers("sum.txt") == values + np.stack([n, -n], axis=1)).all()
    sign_off = ("signoff", "build/runs/app", "--limits", str(shutil.copy("limits.toml", "same.toml")))
    goldbeat(*sign_off)
    for name in ("a.npy", "from_graph.txt", "app.toml", "limits.toml", "butterfly.toml", "butterfly.sv", "model.py"):
        path = Path(name)
        kept = path.read_bytes()
        path.write_bytes(kept + b"\n")
        assert f"{folder / name} has changed; run it again" in goldbeat(*sign_off, code=1).stdout
        path.unlink()
        assert f"{folder / name} is missing" in goldbeat(*sign_off, code=1).stdout
        path.write_bytes(kept)
    goldbeat(*sign_off)


def test_inputs_of_unequal_length_are_named_and_never_pass(folder: Path) -> None:
    edit("app.toml", "samples = 1024\nframe = 64\nseed = 1", "samples = 960\nframe = 64\nseed = 1")
    said = plio("app", "app.toml", code=1).stdout
    assert "shorter than argument 1 (model.py:40); its inputs: a 1024 beats, b 960 beats" in said
    edit("model.py", "a.gaps.tolist(), b.gaps.tolist(), strict=True", "a.gaps.tolist(), b.gaps.tolist(), strict=False")
    edit("model.py", 'a.data.view("<i2"), b', 'a.data.view("<i2")[:960], b')
    said = plio("app", "app.toml", code=1).stdout
    assert "model.py:predict made a trace: found last of shape (1024,), expected shape (960,) (model.py:" in said
    edit("model.py", 'stimulus.inputs["a"], stimulus', 'stimulus.inputs["a"][:960], stimulus')
    found = app(code=3)
    assert found["run"]["partial"] == ["a: 64 of 1024 beats that were offered never transferred"]
    assert "not transferred: a: 64 of 1024 beats" in plio("app", "app.toml", code=3).stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[input.b]", "[input.c]", "[input.c] for an unknown port, expected one of a, b"),
        ("[output.sum]", "[output.a]", "[output.a] for an unknown port, expected one of sum, dif"),
        ('pattern = "chirp"', 'pattern = "chirp"\nvalues = "a.npy"', "[input.a] with pattern and values"),
        ('pattern = "chirp"', 'file = "a.txt"', "[input.a] frame beside file, expected it left out"),
        ('pattern = "chirp"\nsamples = 1024', 'pattern = "chirp"', "[input.a] pattern without samples"),
        ('"graph_in0.txt"', '"../graph_in0.txt"', "expected a file name ending in .txt or .csv"),
        ('"graph_in0.txt"', '"a.txt"', "two ports with the file a.txt"),
        ('"graph_in0.txt"', '"./graph_in1.csv"', "two ports with the file graph_in1.csv"),
        ('"graph_in0.txt"', '""', '[output.sum] plio = "", expected a file name ending in .txt or .csv'),
        ("stall = ", "stal = ", "unknown setting input.a.stal, expected one of plio, pattern"),
        ("every:64:8", "every:64", "app.toml: [input.a]: --stall every:64: expected every:N:M"),
        ("limits.toml", "other.toml", "other.toml: no such file"),
        ("samples = 1024", 'samples = "1024"', "samples = '1024'"),
        ('gaps = "none"', 'gap = "none"', "neither a parameter of butterfly nor an option"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_written(folder: Path, old: str, new: str, said: str) -> None:
    edit("app.toml", old, new)
    assert said in plio("app", "app.toml", code=2).stderr
    assert not OUT.exists()


def test_a_file_in_place_of_the_folder_is_refused(folder: Path) -> None:
    said = plio("app", "app.toml", "--out", "limits.toml", code=2).stderr
    assert "limits.toml is a file, expected a folder" in said


def test_files_of_an_earlier_run_under_other_names_are_deleted(folder: Path) -> None:
    edit("app.toml", '"graph_in0.txt"', '"old0.txt"')
    app()
    assert (OUT / "old0.txt").exists()
    edit("app.toml", '"old0.txt"', '"graph_in0.txt"')
    (OUT / "own.txt").write_text("mine")
    app()
    assert not (OUT / "old0.txt").exists()
    assert (OUT / "own.txt").read_text() == "mine"


def test_a_name_that_leads_elsewhere_is_refused_before_anything_is_written(folder: Path) -> None:
    before = set(folder.rglob("*"))
    assert "expected letters, digits" in plio("app", "app.toml", "--name", "../../x", code=2).stderr
    assert set(folder.rglob("*")) == before


def test_an_input_that_the_run_would_write_over_is_kept(folder: Path) -> None:
    app()
    made = (OUT / "graph_in0.txt").read_bytes()
    text = Path("app.toml").read_text()
    begin, end = text.index("[input.b]"), text.index("[output.sum]")
    Path("app.toml").write_text(f'{text[:begin]}[input.b]\nfile = "{OUT}/graph_in0.txt"\n\n{text[end:]}')
    assert "of [input.b], which this command writes, expected a copy" in plio("app", "app.toml", code=2).stderr
    assert (OUT / "graph_in0.txt").read_bytes() == made
    for name in ("app.toml", "limits.toml", "butterfly.toml"):
        said = plio("app", "app.toml", "--junit", name, "--force", code=2).stderr
        assert "would be lost" in said or "which this command writes" in said
    for name in ("graph_in0.txt", "app.json"):
        said = plio("app", "app.toml", "--junit", OUT / name, "--force", code=2).stderr
        assert "is also an input" in said or "writes that file itself" in said


def test_an_input_without_a_table_and_a_limit_of_no_port_are_refused(folder: Path) -> None:
    edit("limits.toml", '"a->sum"', '"a->none"')
    assert "a limit for unknown port 'none', expected one of a, b, sum, dif" in plio("app", "app.toml", code=2).stderr
    text = Path("app.toml").read_text()
    Path("app.toml").write_text(text[: text.index("[input.b]")])
    assert "missing [input.b]" in plio("app", "app.toml", code=2).stderr
    assert not OUT.exists()
