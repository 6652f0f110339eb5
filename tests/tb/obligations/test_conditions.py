# SPDX-License-Identifier: Apache-2.0
"""Obligations of the RTL's text from counts, and how obligations are merged and waived."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.ports.bundle import lanes
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.obligations.conditions import condition_obligations
from goldbeat.tb.obligations.obligation import Obligation, merge_obligations, with_waivers
from goldbeat.tb.run.code_coverage import Point

TEXT = """\
module m;
  always_comb case (state)
    2'd0: next = 1;
    default: next = 0;
  endcase
  if (count == 200) lost = 1; // never in a short run
  assign full = a && b;
  logic [19:0] count;
endmodule
"""


def obligations(tmp_path: Path, *points: tuple[Point, int], pins: tuple[str, ...] = ()) -> dict[str, bool]:
    path = tmp_path / "m.sv"
    path.write_text(TEXT)
    counts = {Point(p.kind, str(path), p.line, p.column, p.what).text(): hits for p, hits in points}
    design = SimpleNamespace(sources=lambda: [path], ties={"bypass": 0})
    return {one.key: one.met for one in condition_obligations(counts, design, pins)}


def test_chains_of_conditions_count_though_they_are_lines(tmp_path: Path) -> None:
    """So does Verilator count arms that are blocks; a reset alone has obligations of its own, unless it is tied."""
    (tmp_path / "c.sv").write_text(
        "if (rst)\n a = 1;\nelse if (flush) begin\nend else if (go)\n a = 2;\nelse begin\nend\n"
        "if (first)\n a = 1;\nelse if (!soft_reset)\n a = 2;\nelse if (rst && full)\n a = 3;\n"
    )
    points = [
        (Point("line", "", 1, 1, "elsif"), 0),
        (Point("line", "", 3, 6, "elsif"), 0),
        (Point("line", "", 4, 10, "if"), 3),
        (Point("line", "", 4, 11, "else"), 0),
        (Point("line", "", 8, 1, "elsif"), 0),
        (Point("line", "", 10, 6, "elsif"), 0),
        (Point("line", "", 12, 6, "elsif"), 0),
    ]
    counts = {replace(p, file=str(tmp_path / "c.sv")).text(): hits for p, hits in points}
    design = SimpleNamespace(sources=lambda: [tmp_path / "c.sv"], ties={"soft_reset": 0})
    assert {one.key: one.met for one in condition_obligations(counts, design)} == {
        "values c.sv:3: `if (flush)` is true": False,
        "values c.sv:4: `if (go)` is true": True,
        "values c.sv:4: `if (go)` is false": False,
        "values c.sv:8: `if (first)` is true": False,
        "values c.sv:10: `if (!soft_reset)` is true": False,
        "values c.sv:12: `if (rst && full)` is true": False,
    }


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("if (b) x = 1; else return 2;", False),
        ("if (b) begin x = 1; end else begin return 2; end", False),
        ("if (b) return 1; else x = 2;", True),
    ],
)
def test_what_returns_is_not_asked_for(text: str, asked: bool, tmp_path: Path) -> None:
    (tmp_path / "c.sv").write_text(text)
    points = [
        (Point("branch", str(tmp_path / "c.sv"), 1, 1, "if"), 0),
        (Point("branch", str(tmp_path / "c.sv"), 1, 2, "else"), 0),
    ]
    design = SimpleNamespace(sources=lambda: [tmp_path / "c.sv"], ties={})
    found = {one.key for one in condition_obligations({p.text(): hits for p, hits in points}, design)}
    assert ("values c.sv:1: `if (b)` is false" in found) is asked


def test_branches_arms_conditions_and_signals(tmp_path: Path) -> None:
    found = obligations(
        tmp_path,
        (Point("branch", "", 6, 3, "if"), 0),
        (Point("branch", "", 6, 4, "else"), 7),
        (Point("line", "", 3, 9, "case"), 1),
        (Point("line", "", 4, 12, "case"), 0),
        (Point("line", "", 1, 1, "block"), 0),
        (Point("expr", "", 7, 19, "(a==1 && (b != 4'h3)==1) => 1"), 2),
        (Point("expr", "", 7, 19, "((b != 4'h3)==0) => 0"), 0),
        (Point("expr", "", 7, 19, "(a==0) => 0"), 0),
        (Point("expr", "", 7, 19, "((32'sh1 == 32'sh0)==1) => 1"), 0),
        (Point("branch", "", 7, 19, "cond_then"), 0),
        (Point("branch", "", 7, 20, "cond_else"), 0),
        (Point("toggle", "", 8, 16, "count[15]:0->1"), 0),
        (Point("toggle", "", 8, 16, "count[16]:0->1"), 0),
        (Point("toggle", "", 8, 16, "ready:1->0"), 0),
        pins=("ready",),
    )
    assert found == {
        "values m.sv:6: `if (count == 200)` is true": False,
        "values m.sv:6: `if (count == 200)` is false": True,
        "values m.sv:3: the arm `2'd0`": True,
        "values m.sv:7: (b != 4'h3) is true": True,
        "values m.sv:7: (b != 4'h3) is false": False,
        "values m.sv:8: count[15] rises": False,
    }


def test_one_run_that_meets_it_is_enough() -> None:
    still = Obligation("reset", "rst_n", "fell", met=False, how="more")
    done = Obligation("reset", "rst_n", "fell", met=True)
    first = Obligation("handshake", "tready", "fell", met=False)
    assert merge_obligations([still, first, done, still]) == [first, done]


def test_what_a_run_refutes_no_other_meets() -> None:
    met = Obligation("handshake", "a_tready", "served", met=True)
    broken = Obligation("handshake", "a_tready", "served", met=False, refuted=True)
    for order in ([met, broken, met], [broken, met]):
        assert merge_obligations(order) == [broken]


def test_bundles_of_an_array_have_obligations_of_their_own() -> None:
    signals = {role: f"s_{role}" for role in ("tdata", "tvalid", "tready")}
    packed = lanes(StreamPort(name="s", direction="in", width=8, lanes=2, signals=signals), {})
    assert [one.place("tready") for one in packed] == ["s_tready[0]", "s_tready[1]"]
    assert [one.payload_place("tdata") for one in packed] == ["s_tdata[0]", "s_tdata[1]"]
    alone = lanes(StreamPort(name="s", direction="in", width=8, signals=signals), {})
    assert [one.place("tready") for one in alone] == ["s_tready"]


def test_waivers_have_reasons_and_must_match() -> None:
    one, other = (Obligation("values", f"m.sv:{n}", "a", met=False) for n in (1, 2))
    found = with_waivers([one, other], {"values m.sv:1: *": "not built"})
    assert [(o.waived, o.open) for o in found] == [("not built", False), (None, True)]
    with pytest.raises(UsageError, match="matches no obligation"):
        with_waivers([one, other], {"values m.sv:3: *": "gone"})
    # A run that counts nothing in the RTL has only some of them.
    assert with_waivers([one], {"values m.sv:3: *": "gone"}, whole=False) == [one]
    # A pattern is what is printed, brackets of bits too.
    bit = Obligation("values", "m.sv:1", "count[0] rises", met=False)
    assert with_waivers([bit], {bit.key: "tied"})[0].waived == "tied"
