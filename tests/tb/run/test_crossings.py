# SPDX-License-Identifier: Apache-2.0
"""Blurred clock crossings: the asynchronous FIFO holds, RTL that is wrong on purpose is found, by seed and again."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from breaks import broken
from commands import invoke

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.clocks import blurred
from goldbeat.tb.design.crossing import Crossing
from goldbeat.tb.design.description import load_description
from goldbeat.tb.designs.axis.bench_async_fifo import DESIGN
from goldbeat.tb.obligations.ports import port_obligations
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.crossings import crossings_of, find_crossings, resets_of
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "crossings_rtl"
SMALL = {"DEPTH": 4}
SEEDS = range(2)

FULL, LOAD = "(wgray_q ^ rgray_sync_q) != LapMask", "load   = wgray_sync_q != rgray_q"
# What stands in fifo_async.sv, and what stands there instead.
BREAKS = {
    "no synchroniser before full": (FULL, FULL.replace("rgray_sync_q", "rgray_q")),
    "no synchroniser before empty": (LOAD, LOAD.replace("wgray_sync_q", "wgray_q")),
    "one flip-flop before full": (FULL, FULL.replace("sync", "meta")),
}
# What no draw tells: every register sees one value of the flip-flop that has not settled, and a pointer that is asked for equality
# alone is wrong for one transfer that is legal.
UNSEEN = {
    "one flip-flop before empty": [(LOAD, LOAD.replace("sync", "meta"))],
    "binary pointers": [
        ("return b ^ (b >> 1);", "return b;"),
        ("ptr_t'(DEPTH | (DEPTH >> 1))", "ptr_t'(DEPTH)"),
        # The FIFO's own assertions would say so.
        ("$onehot0(wgray_q ^ bin_to_gray(wbin_d))", "1'b1"),
        ("$onehot0(rgray_q ^ bin_to_gray(rbin_d))", "1'b1"),
    ],
}
LATER = ("wgray_sync_q <= wgray_meta_q;", "wgray_third_q <= wgray_meta_q; wgray_sync_q <= wgray_third_q;")


def broken_fifo(tmp_path, *pairs):
    """The asynchronous FIFO with something else in fifo_async.sv."""
    return broken(DESIGN, tmp_path, "axis/fifo_async.sv", *pairs)


def attempt(design, tmp_path, case="sweep", params=None, metastability="auto", seeds=SEEDS, **options):
    request = Request(design, design.case(case), seeds, params or {}, options, metastability=metastability)
    return run(request, tmp_path / "run")


def torn(results):
    """Words that a flip-flop has taken while several bits changed, not by a reset."""
    whole = [e for r in results for e in r.episodes if e.stimulus.stop_ps is None]
    return {name for e in whole for name in e.record.torn_words}


def check(results):
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])


# -- what crosses ------------------------------------------------------------------------------------------------------


def test_crossings_are_found_in_the_elaborated_design():
    inside = "harness.dut.u_fifo_async."
    assert find_crossings(DESIGN, DESIGN.params(DESIGN.cases[0], {})) == (
        Crossing(inside + "mem", "m_aclk"),
        Crossing(inside + "rgray_q", "s_aclk", (inside + "rgray_meta_q",), (inside + "rgray_meta_q",)),
        Crossing(inside + "wgray_q", "m_aclk", (inside + "wgray_meta_q",), (inside + "wgray_meta_q",)),
    )


@pytest.mark.parametrize(
    ("body", "first", "used"),
    [
        ("if (rst) s <= 0; else s <= {s[0], d}; o <= s[1];", ["s[0]"], []),
        ("if (rst) s <= 0; else s <= {s[0], d}; o <= s[0] ^ i;", ["s[0]"], ["s[0]"]),
        ("if (rst) s <= 0; else s <= {s[0], d}; o <= |s;", ["s[0]"], ["s[0]"]),
        ("s <= {d, s[1]}; o <= s[0];", ["s[1]"], []),
        ("s <= {d, s[1]}; o <= s[1] ^ i;", ["s[1]"], ["s[1]"]),
        ("if (rst) o <= 0; else o <= d;", ["o"], ["o"]),
        ("if (!rst) o <= d; else o <= 1;", ["o"], ["o"]),
        ("if (i) o <= d; else o <= 0;", [], []),
        ("t <= {t[1:0], d}; o <= t[2];", ["t[0]"], []),
        ("t <= {t[1:0], d}; o <= t[2] ^ t[1];", ["t[0]"], []),
        ("t <= {t[1:0], d}; o <= t[d];", ["t[0]"], ["t[0]"]),
    ],
)
def test_synchronisers_in_one_vector(body, first, used, tmp_path):
    found = crossings_of_d(body, tmp_path)
    assert [name.rpartition(".")[2] for one in found for name in one.first] == first
    assert [name.rpartition(".")[2] for one in found for name in one.used] == used


@pytest.mark.parametrize(
    ("body", "beside"),
    [
        ("s <= {s[0], d}; t <= {t[1:0], d}; o <= s[1] ^ t[2];", ["s[0]", "t[0]"]),
        ("s <= {s[0], d}; t <= {t[1:0], s[1]}; o <= s[1] ^ t[2];", []),
        ("s <= {s[0], d}; if (s[1]) t[0] <= d; o <= s[1] ^ t[0];", []),
    ],
)
def test_a_second_synchroniser_of_one_value_is_named(body, beside, tmp_path):
    found = crossings_of_d(body, tmp_path)
    assert [name.rpartition(".")[2] for one in found for name in one.beside] == beside


@pytest.mark.parametrize(
    ("reset", "found"),
    [
        ("if (!rst) r <= 0; else r <= 1;", ["r"]),
        ("if (!rst) {r, s[0]} <= 0; else {r, s[0]} <= {s[0], 1'b1};", []),
        ("if (!rst) {r, s[0]} <= 0; else {r, s[0]} <= 2'b11;", ["r"]),
    ],
)
def test_a_reset_is_released_through_two_flip_flops(reset, found, tmp_path):
    tree = tree_of(
        "module m (input b, input rst, input i, output reg o); reg r; reg [1:0] s;\n"
        f"always @(posedge b or negedge rst) {reset}\n"
        "always @(posedge b or negedge r) if (!r) o <= 0; else o <= i;\nendmodule\n",
        tmp_path,
    )
    assert [name.rpartition(".")[2] for name, _ in resets_of(tree, ["b"])[0]] == found


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ("negedge ra", ["o"]),
        ("negedge rb", []),
        ("negedge rb or negedge ra", []),
        ("negedge s[1]", []),
        ("posedge i", []),
    ],
)
def test_a_register_has_a_reset_of_its_clock(edges, found, tmp_path):
    """One of both sides, or one that is brought over, is none of another clock."""
    tree = tree_of(
        "module m (input a, b, ra, rb, i, output reg o); reg [2:0] r; reg [1:0] s, t;\n"
        "always @(posedge a or negedge ra) if (!ra) r <= 0; else r <= {r[1:0], i};\n"
        "always @(posedge b or negedge rb) if (!rb) {s, t} <= 0; else {s, t} <= {s[0], 1'b1, t[0], i};\n"
        f"always @(posedge b or {edges}) if (!{edges.rpartition(' ')[2]}) o <= 0; else o <= i;\nendmodule\n",
        tmp_path,
    )
    assert [name.rpartition(".")[2] for name, _ in resets_of(tree, ["a", "b"])[1]] == found


def crossings_of_d(body, tmp_path):
    """Those of register d to clock b of a module with these assignments."""
    tree = tree_of(
        "module m (input a, input b, input rst, input i, output reg o); reg d; reg [1:0] s; reg [2:0] t;\n"
        f"always @(posedge a) d <= i;\nalways @(posedge b) begin {body} end\nendmodule\n",
        tmp_path,
    )
    found = crossings_of(tree, ("a", "b"), {"i": "a", "rst": "b"}, {"o": "b"})
    return [one for one in found if one.signal.endswith("d")]


def tree_of(text, tmp_path):
    """Of a module, as Verilator has it."""
    (tmp_path / "m.v").write_text(text)
    tool = verilator()
    command = [
        tool.executable,
        "--json-only",
        "--flatten",
        "--json-only-output",
        "tree.json",
        "-Wno-fatal",
        "-Mdir",
        ".",
    ]
    subprocess.run([*command, "m.v"], cwd=tmp_path, env=tool.environment(), check=True, capture_output=True)
    return json.loads((tmp_path / "tree.json").read_text())


@pytest.mark.parametrize("name", ["one flip-flop before full", "one flip-flop before empty"])
def test_a_flip_flop_that_is_used_at_once_is_named(name, tmp_path):
    pairs = {**UNSEEN, "one flip-flop before full": [BREAKS["one flip-flop before full"]]}[name]
    design = broken_fifo(tmp_path, *pairs)
    used = [one.used for one in find_crossings(design, design.params(design.cases[0], {})) if one.used]
    meta = "rgray_meta_q" if "full" in name else "wgray_meta_q"
    assert used == [(f"harness.dut.u_fifo_async.{meta}",)]


def test_logic_before_a_flip_flop_is_named(tmp_path):
    design = broken_fifo(tmp_path, ("wgray_meta_q <= wgray_q;", "wgray_meta_q <= bin_to_gray(wbin_q);"))
    found = find_crossings(design, design.params(design.cases[0], {}))
    named = [(one.signal, one.behind_logic) for one in found if one.behind_logic]
    assert named == [("harness.dut.u_fifo_async.wbin_q", ("harness.dut.u_fifo_async.wgray_meta_q",))]


def test_a_design_with_one_clock_has_none():
    fifo = find_design("axis_fifo")
    with pytest.raises(UsageError, match="axis_fifo: no signal crosses between its clocks: aclk"):
        find_crossings(fifo, fifo.params(fifo.cases[0], {}))


def test_a_window_must_not_hold_two_changes():
    clocks = {"s_aclk": Clock(4000, 4000, jitter_ps=100), "m_aclk": Clock(8000, 10)}
    stimulus = Stimulus({}, clocks=clocks)
    assert blurred(stimulus, "auto").blur_ps == 1900
    assert blurred(stimulus, 3799).blur_ps == 3799
    with pytest.raises(UsageError, match="two edges of a clock may be 3800 ps apart"):
        blurred(stimulus, 3800)


# -- what holds --------------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.parametrize("case", [c.name for c in DESIGN.cases])
def test_the_fifo_holds(case, tmp_path):
    results = attempt(DESIGN, tmp_path, case, SMALL)
    check(results)
    assert all(r.late_bits > 10 for r in results)
    assert torn(results) == set()
    for result in results:
        assert sum(result.late_crossings.values()) == result.late_bits
        assert {name.partition(" at ")[2] for name in result.late_crossings} <= {"s_aclk", "m_aclk"}


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("case", ["sweep", "reset", "random"])
@pytest.mark.parametrize("params", [{"W": 32, "DEPTH": 4}, {"W": 128}])
def test_the_plio_port_holds(case, params, tmp_path):
    check(attempt(find_design("plio_port"), tmp_path, case, params, seeds=range(4)))


@pytest.mark.slow
@pytest.mark.sim
def test_cycles_are_a_range_and_no_more_than_that(tmp_path):
    """A third flip-flop loses nothing: only the cycles tell it."""
    declare = ("ptr_t wgray_sync_q;", "ptr_t wgray_sync_q, wgray_third_q;")
    reset = ("wgray_sync_q <= '0;", "wgray_sync_q <= '0; wgray_third_q <= '0;")
    late = broken_fifo(tmp_path, LATER, declare, reset)
    (result,) = attempt(late, tmp_path, params=SMALL, seeds=[0])
    assert not result.passed
    outside = r"port m_axis: \d+ of 60 beats outside the cycles that blurred crossings allow, the first is beat 0: expected cycle"
    assert re.search(outside, "\n".join(result.failures))
    check(attempt(late.model_copy(update={"timed": False}), tmp_path, params=SMALL, seeds=[0]))


# -- what is wrong -----------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_synchroniser_is_found_in_every_seed(name, tmp_path):
    # Without cycles: a missing flip-flop is early, which the model of the FIFO sees anyway.
    design = broken_fifo(tmp_path, BREAKS[name]).model_copy(update={"timed": False})
    first = attempt(design, tmp_path, params=SMALL)
    assert not any(r.passed for r in first)
    assert first[1].request.command(1).count("--metastability auto") == 1
    # One seed by itself, in a process of its own, is the same to the last bit.
    (again,) = attempt(design, tmp_path, params=SMALL, seeds=[1])
    assert (again.failures, again.late_bits) == (first[1].failures, first[1].late_bits)
    check(attempt(design, tmp_path, params=SMALL, metastability=None))


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("name", UNSEEN)
def test_what_the_guide_says_is_not_found(name, tmp_path):
    design = broken_fifo(tmp_path, *UNSEEN[name]).model_copy(update={"timed": False})
    results = attempt(design, tmp_path, params=SMALL)
    check(results)
    both = {f"harness.dut.u_fifo_async.{p}gray_q at {c}_aclk" for p, c in (("r", "s"), ("w", "m"))}
    assert torn(results) == (both if name == "binary pointers" else set())
    opened = {one.place for one in port_obligations(results) if one.kind == "crossings" and one.refuted}
    assert opened == {name.removeprefix("harness.dut.").partition(" ")[0] for name in torn(results)}


@pytest.mark.sim
@pytest.mark.parametrize(("name", "wrong"), [("cdc_level", {"GRAY": 0}), ("cdc_word", {"BITWISE": 1})])
@pytest.mark.slow
def test_words_of_bits_that_cross_one_by_one_are_found_in_every_seed(name, wrong, tmp_path):
    """Binary pointers, and a word beside its toggle: both hold without the mode, and their right twins with it."""
    design = load_description(RTL / f"{name}.toml")
    found = attempt(design, tmp_path, params=wrong)
    assert not any(r.passed for r in found)
    (again,) = attempt(design, tmp_path, params=wrong, seeds=[1])
    assert (again.failures, again.late_bits) == (found[1].failures, found[1].late_bits)
    check(attempt(design, tmp_path, params=wrong, metastability=None))
    check(attempt(design, tmp_path))


@pytest.mark.sim
def test_a_model_without_a_range_has_its_data_compared_alone(tmp_path):
    request = Request(
        DESIGN.model_copy(update={"blurred": False}), DESIGN.case("random"), [0], SMALL, metastability="auto"
    )
    assert not request.design.timed
    (result,) = run(request, tmp_path)
    assert result.passed
    assert result.late_bits


def test_the_reference_back_end_refuses(tmp_path):
    request = Request(DESIGN, DESIGN.case("random"), [0], SMALL, transactors="cocotbext", metastability="auto")
    with pytest.raises(UsageError, match="native transactors"):
        run(request, tmp_path)


@pytest.mark.sim
def test_accesses_begin_behind_the_first_edge_out_of_reset(tmp_path):
    """Requests that the bench makes as a reset ends are not yet there at the edge of that moment."""
    rtl = REPOSITORY / "tests" / "benchmarks" / "planted" / "buses" / "axil_cdc.sv"
    assert invoke("new", tmp_path / "bench", rtl, "--top", "axil_cdc", "--model", "adapter").exit_code == 0
    design = load_description(tmp_path / "bench" / "axil_cdc.toml")
    (result,) = run(Request(design, design.case("random"), metastability=1), tmp_path)
    assert (result.failures, result.late_bits > 0) == ((), True)
