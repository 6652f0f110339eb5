# SPDX-License-Identifier: Apache-2.0
"""Descriptions of the user's own NVDLA RTL: found, checked early, with clear messages. No simulator."""

from __future__ import annotations

from pathlib import Path

import pytest
from nvdla_models import both

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.loadable.loadable import to_bytes
from goldbeat.tb.cli import main
from goldbeat.tb.designs.nvdla.rtl import RtlDescription, find_rtl, load_rtl_description


@pytest.fixture
def tree(tmp_path):
    for name in ("nvdla/top/NV_nvdla.v", "nvdla/nocif/NV_NVDLA_XXIF_libs.v", "fifos/a.v", "vlibs/b.v", "include/c.vh"):
        path = tmp_path / "vmod" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "vmod" / "rams" / "fpga" / "model").mkdir(parents=True)
    return tmp_path


def test_the_defaults_fit_a_generated_tree(tree):
    design = find_rtl(tree)
    assert design.top == "NV_nvdla"
    assert design.files[0] == "vmod/nvdla/top/NV_nvdla.v"
    assert "vmod/nvdla/nocif" in design.library_dirs
    assert "FPGA" in design.defines
    assert design.clocks[0].also == ("dla_csb_clk",)
    assert design.memories[0].len_width == 4


def test_a_description_in_the_folder_counts(tree):
    (tree / "goldbeat.toml").write_text('sources = ["vmod/fifos/*.v"]\noptimize = "-O3"\n[defines]\nX = ""\n')
    design = find_rtl(tree, top="other")
    assert (design.top, design.files, design.optimize, dict(design.defines)) == (
        "other",
        ("vmod/fifos/a.v",),
        "-O3",
        {"X": ""},
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("sauces = []", "sauces"),
        ("top = 3", "top"),
        ("top = ", "Invalid value"),
    ],
)
def test_a_wrong_description_is_told(tmp_path, text, word):
    file = tmp_path / "d.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=word):
        load_rtl_description(file)


def test_what_is_not_there_is_told_early(tree, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_rtl_description(tmp_path / "none.toml")
    with pytest.raises(UsageError, match="no such folder"):
        find_rtl(tmp_path / "none")
    with pytest.raises(UsageError, match=r"no file fits 'x/\*.v' of sources"):
        RtlDescription(sources=("x/*.v",)).design(tree)
    with pytest.raises(UsageError, match="no folder fits 'rams' of libraries"):
        RtlDescription(libraries=("rams",)).design(tree)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "plio_fir", "--loadable", "x"],
        ["run", "nvdla", "--rtl", "x"],
        ["run", "nvdla", "--loadable", "x", "--top", "y"],
        ["run", "nvdla", "--loadable", "x", "--set", "speed=1"],
        ["run", "nvdla", "--loadable", "/nowhere/x"],
    ],
)
def test_bad_usage(arguments, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["goldbeat", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def refused(monkeypatch, capsys, *arguments):
    """What is said of a run that must end before anything is compiled."""

    def never(*_, **__):
        raise AssertionError("a build was begun")

    monkeypatch.setattr("goldbeat.tb.run.runs.build", never)
    monkeypatch.setattr("sys.argv", ["goldbeat", "run", "nvdla", "--loadable", "model.nvdla", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def test_a_wrong_folder_is_refused_before_anything_is_compiled(tree, tmp_path, monkeypatch, capsys):
    (tmp_path / "model.nvdla").write_bytes(to_bytes(both(8, 4)))
    monkeypatch.chdir(tmp_path)
    assert "--rtl none: no such folder" in refused(monkeypatch, capsys, "--rtl", "none")
    inner = refused(monkeypatch, capsys, "--rtl", "vmod")
    assert "no file fits 'vmod/nvdla/top/NV_nvdla.v' of sources; is it a generated tree, with vmod in it?" in inner
    (tree / "vmod" / "rams" / "fpga" / "model").rmdir()
    assert "no folder fits 'vmod/rams/fpga/model' of libraries" in refused(monkeypatch, capsys, "--rtl", ".")
    (tree / "goldbeat.toml").write_text("library = []")
    assert "goldbeat.toml" in refused(monkeypatch, capsys, "--rtl", ".")


def test_a_folder_may_be_named_from_where_one_is(tree, monkeypatch):
    monkeypatch.chdir(tree)
    design = find_rtl(Path())
    assert design.root == tree
    assert design.sources()[0] == tree / "vmod/nvdla/top/NV_nvdla.v"
