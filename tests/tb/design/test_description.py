# SPDX-License-Identifier: Apache-2.0
"""TOML descriptions: what they give, and mistakes with file and line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, UnwrittenModelError, UsageError
from goldbeat.tb.build.harness import make_harness
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.description import Description, load_description
from goldbeat.tb.probe.write import to_toml
from goldbeat.tb.run.runs import Request

_HEAD = 'name = "x"\ntop = "x"\nfiles = ["x.sv"]\n'
_REST = """
[[clocks]]
name = "clk"

[[streams]]
name = "a"
clock = "clk"
direction = "in"

[[streams]]
name = "b"
clock = "clk"
direction = "out"

[traffic]
"""
_GOOD = _HEAD + 'model = "identity"\ncompare_time = false\n' + _REST


def load(folder: Path, text: str) -> str:
    """The message that a description gets."""
    path = folder / "x.toml"
    path.write_text(text)
    with pytest.raises(GoldbeatError) as caught:
        load_description(path)
    return str(caught.value).replace(str(folder) + "/", "")


def test_it_is_a_design(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(_GOOD)
    design = find_design(str(path))
    assert (design.name, design.timed, design.root) == ("x", False, tmp_path)
    # Without a reset, nothing can be cut off in mid-flight.
    assert [c.name for c in design.cases] == ["sweep", "random", "sizes"]
    path.write_text(_GOOD.replace('name = "clk"', 'name = "clk"\nreset = "rst"'))
    assert [c.name for c in find_design(str(path)).cases] == ["sweep", "random", "sizes", "reset"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_GOOD.replace("top =", "top ="[:-1]), "x.toml:2: found"),
        (
            _GOOD + 'keeep = "full"\n',
            "x.toml:21: unknown key traffic.keeep, expected one of kind, keep, frame, longest, finish",
        ),
        (_GOOD.replace('top = "x"\n', ""), "x.toml: missing key top"),
        (_GOOD.replace('direction = "out"\n', ""), "x.toml:15: missing key streams[1].direction"),
        (_GOOD.replace('"out"', '"up"'), "x.toml:18: found streams[1].direction = 'up', expected 'in' or 'out'"),
        (_GOOD + 'frame = [1, "x"]\n', "x.toml:21: found traffic.frame[1] = 'x', expected a whole number"),
        (
            _GOOD.replace('direction = "in"', 'direction = "in"\nwidth = 12'),
            "x.toml:10: streams[0]: width: found 12, expected whole bytes",
        ),
        (
            _GOOD.replace('clock = "clk"\ndirection = "in"', 'clock = "ck"\ndirection = "in"'),
            "a: clock 'ck' is not one",
        ),
        (_GOOD.replace('name = "b"', 'name = "a"'), "duplicate name 'a'"),
        (_GOOD.replace("[traffic]", ""), "neither traffic nor cases"),
        (_GOOD.replace("compare_time = false\n", ""), "model 'identity' predicts no cycles; set compare_time = false"),
        (_GOOD.replace('"identity"', '"merge"'), "model 'merge' predicts no order"),
        (_GOOD.replace('"identity"', '"echo"'), "expected file.py:function or one of identity, broadcast"),
        (_GOOD.replace('"identity"', '"m.py:f"'), "m.py: no such file"),
        (_GOOD + 'kind = "loud"\n', "traffic.kind: found 'loud', expected random, counting or file.py:function"),
        (_GOOD + '[[cases]]\nname = "r"\nmake = "ram:none"\n', "case r: no slave 'none'"),
        (
            _GOOD.replace('direction = "in"', 'direction = "in"\nsignals = { tdata = "d" }'),
            "signals: a stream needs tvalid",
        ),
        (
            _GOOD.replace('direction = "in"', 'direction = "in"\ntid = 3\nsignals = { tdata = "d", tvalid = "v" }'),
            "tid: a sideband needs both its width and its entry in signals",
        ),
        (
            _GOOD.replace('direction = "in"', 'direction = "in"\nsignals = { tdata = "d", tvalid = "v", tlast = "v" }'),
            "signals: v is tvalid of a and tlast of a, expected one of them",
        ),
        (_GOOD.replace("[traffic]", "[ties]\nb_tready = 1\n[traffic]"), "b_tready is tied in ties and tready of b"),
        (
            _GOOD.replace("\n[[clocks]]", 'ignored = ["b_tlast"]\n[[clocks]]', 1),
            "b_tlast is listed in ignored and tlast of b",
        ),
        (_GOOD + '[[status]]\nname = "a_tlast"\n', "a_tlast is a status and tlast of a"),
        (_GOOD + "[unchecked]\na_tlast = ' '\n", "x.toml:22: found unchecked.a_tlast = ' '"),
        (_GOOD + "[obligations]\n'a.hold' = ''\n", "x.toml:22: found obligations.a.hold = ''"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    assert message in load(tmp_path, text)


def test_a_width_by_a_parameter_is_whole_bytes(tmp_path: Path) -> None:
    text = _GOOD.replace("\n[[clocks]]", "parameters = { W = 8 }\n[[clocks]]", 1)
    (tmp_path / "x.toml").write_text(text.replace('direction = "in"', 'direction = "in"\nwidth = "W"'))
    design = load_description(tmp_path / "x.toml")
    assert [port.width for port in design.bundles({"W": 16})] == [16, 32]
    for width in (0, 12):
        with pytest.raises(UsageError, match=f"streams a: width = W: found {width}, expected whole bytes"):
            design.bundles({"W": width})


@pytest.mark.parametrize("steady", [False, True])
def test_frames_may_keep_their_tdest_and_tid(tmp_path: Path, steady: bool) -> None:
    path = tmp_path / "x.toml"
    wide = _GOOD.replace('direction = "in"', 'direction = "in"\ntdest = 2\ntid = 3\ntuser = 1')
    path.write_text(wide + f"steady = {str(steady).lower()}\n")
    design = find_design(str(path))
    asked = Request(design, design.case("random"))
    (made,) = asked.case.make(asked.setting(0))
    trace = made.inputs["a"]
    inside = ~trace.last[:-1]
    same = [np.array_equal(side[1:][inside], side[:-1][inside]) for side in (trace.tdest, trace.tid)]
    assert inside.any()
    assert same == [steady, steady]
    assert not np.array_equal(trace.tuser[1:][inside], trace.tuser[:-1][inside])


def test_functions_of_the_user(tmp_path: Path) -> None:
    text = _GOOD.replace('"identity"', '"m.py:predict"')
    (tmp_path / "m.py").write_text("1 / 0\n")
    assert "ZeroDivisionError: division by zero" in load(tmp_path, text)
    (tmp_path / "m.py").write_text("")
    assert "missing function 'predict'" in load(tmp_path, text)
    (tmp_path / "m.py").write_text(
        "from goldbeat.pymodels.errors import UnwrittenModelError\nraise UnwrittenModelError('mine')\n"
    )
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(UnwrittenModelError, match="mine"):
        load_description(tmp_path / "x.toml")


_FULL = """
name = "full"
top = "full"
files = ["full.sv"]
include_dirs = ["inc"]
library_dirs = ["lib"]
optimize = "-O1"
model = "merge"
compare_time = false
compare_order = false
cycles_per_beat = 3
ignored = ["open"]

[defines]
WITH = "1"

[parameters]
N = 2
KIND = "fast \\"one\\""
IDS = { default = [1, 2], bits = 5 }

[words.kind]
slow = { N = 1, KIND = "slow" }

[ties]
high = -1
five = 5

[[clocks]]
name = "clk"
reset = "rst"
active_high = true

[[streams]]
name = "in"
clock = "clk"
direction = "in"
lanes = "N"
width = 16
layout = "unpacked_down"
tid = 3
signals = { tdata = "I_DATA", tvalid = "I_VALID", tlast = "I_LAST", tid = "I_ID" }

[[streams]]
name = "out"
clock = "clk"
direction = "out"
width = 16
tid = 3
signals = { tdata = "O_DATA", tvalid = "O_VALID", tready = "O_READY", tlast = "O_LAST", tid = "O_ID" }

[[registers]]
name = "regs"
clock = "clk"
data_width = 64
signals = { araddr = "ra", arvalid = "rav", arready = "rar", rdata = "rd", rvalid = "rv", rready = "rr", arprot = "rp" }

[[memories]]
name = "mem"
clock = "clk"
direction = "out"
data_width = 128
id_width = 2
users = { awuser = 7 }

[[status]]
name = "count"
width = 12

[traffic]
kind = "counting"
frame = [2, 3]
"""


def test_everything_at_once_and_back_again() -> None:
    description = Description.model_validate(tomllib.loads(_FULL))
    assert Description.model_validate(tomllib.loads(to_toml(description, ["a comment"]))) == description


def test_a_module_is_found_in_a_library_folder(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "inner.v").write_text("module inner; endmodule\n")
    (tmp_path / "full.sv").write_text("module full; inner u (); endmodule\n")
    (tmp_path / "inc").mkdir()
    design = Description.model_validate(tomllib.loads(_FULL)).design(tmp_path)
    assert f"-y {tmp_path / 'lib'}" in " ".join(design.compile_flags())
    assert tmp_path / "lib" / "inner.v" in design.included_files()
    assert (design.optimize, design.words["kind"]["slow"]["N"]) == ("-O1", 1)


def test_harness_of_everything(tmp_path: Path) -> None:
    design = Description.model_validate(tomllib.loads(_FULL)).design(tmp_path)
    text = make_harness(design, design.params(design.cases[0], {}))
    for line in (
        "input  logic rst_n,",
        ".rst(~rst_n),",
        "input  logic [15:0] in_1_tdata,",
        "wire [15:0] in_tdata [1:0];",
        "assign in_tid[1] = in_1_tid;",
        ".I_DATA(in_tdata),",
        "output logic [15:0] out_tdata,",
        ".O_READY(out_tready),",
        "input  logic [2:0] regs_arprot,",
        "output logic [63:0] regs_rdata,",
        "output logic [127:0] mem_wdata,",
        "output logic [6:0] mem_awuser,",
        "input  logic [1:0] mem_rid,",
        ".high('1),",
        ".five(32'd5),",
        ".open()",
        '.KIND("fast \\"one\\""),',
        ".IDS({5'd2, 5'd1})",
    ):
        assert line in text
    for absent in ("in_0_tready", "in_0_tkeep", "regs_awaddr", "mem_awqos", "mem_wuser"):
        assert absent not in text
