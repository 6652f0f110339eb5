# SPDX-License-Identifier: Apache-2.0
"""The DMA engine in RTL: its cases under gaps and back-pressure, many random scenes, and breaks that must be seen."""

from __future__ import annotations

import shutil

import pytest

from goldbeat.tb.designs.objfifo.bench_engine import DESIGN, LARGEST
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, run

DATA = [
    "forward",
    "distribute",
    "join",
    "broadcast",
    "transpose",
    "padding",
    "repeat",
    "init_values",
    "rechunk",
    "chain",
]
FULL = {"gaps": "random:0.5", "ready": "bursty:8"}
SMALL = {"NS": 1, "NM": 2, "NBD": 16, "NLOCK": 16}

# file, what stands there, what stands there instead, case that must notice
QUICK = [
    # Tasks that forget their repeats.
    ("sequencer", "assign bd_final   = !bd_chained && task_left_q == '0;", "assign bd_final   = !bd_chained;", "chain"),
]
SLOW = [
    # Banks that serve the lowest channel first.
    ("bank_arbiter", "behind_d     = ~(grant | (grant - N'(1)));", "behind_d     = '0;", "scenes"),
    ("locks", "if (able[other] && acquire_lock[other]", "if (1'b0 && acquire_lock[other]", "scenes"),
    ("locks", "acquire_value[c] <= held[", "acquire_value[c] < held[", "forward"),
    ("locks", "over[l] ? 6'd63 : sum[5:0]", "sum[5:0]", "errors"),
    ("locks", "running && values_d != values_q", "running && release_valid != '0", "forward"),
    ("mm2s", "OutDepth = 8;", "OutDepth = 16;", "sweep"),
    ("mm2s", "<= !header_issue && !word_padding;", "<= !header_issue;", "padding"),
    ("mm2s", "{~^header, header}", "{^header, header}", "chain"),
    ("sequencer", "fetch_full_q && (!next_full_q || hand_over)", "fetch_full_q && !next_full_q", "scenes"),
    ("sequencer", "!(bd_padded && table_words[2][9:0] == '0)", "1'b1", "errors"),
    ("iteration", "stepped = '0;", "stepped = index;", "corners"),
    ("walk", "in_front[d] ? pointer_q[d] : move(pointer_q[d], step_q[d])", "move(pointer_q[d], step_q[d])", "padding"),
    ("status", "if (error_clear || code_q == '0) begin", "begin", "errors"),
    ("status", "irq_token_q <= token | (", "irq_token_q <= (", "chain"),
]
VARIANTS = [
    pytest.param(v, id="-".join(f"{k}{x}" for k, x in v.items()) or "default") for v in (*DESIGN.variants, LARGEST)
]
MUTANTS = [*(pytest.param(*m, id=f"{m[0]}-{i}") for i, m in enumerate(QUICK))]
MUTANTS += [pytest.param(*m, id=f"{m[0]}-slow{i}", marks=pytest.mark.slow) for i, m in enumerate(SLOW)]


def check(case, seeds, tmp_path, params=None, options=None):
    results = run(Request(DESIGN, DESIGN.case(case), seeds, params or {}, options or {}), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


@pytest.mark.sim
@pytest.mark.parametrize("case", DATA)
def test_gaps_and_back_pressure(case, tmp_path):
    assert check(case, range(3), tmp_path, options=FULL) > 100


@pytest.mark.sim
@pytest.mark.parametrize(("case", "options"), [("forward", {"depth": 1}), ("forward", {"depth": 4, "words": 1})])
def test_other_rings(case, options, tmp_path):
    assert check(case, range(2), tmp_path, options=options) > 20


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS)
@pytest.mark.parametrize("case", ["random", "scenes"])
def test_300_seeds(case, params, tmp_path):
    assert check(case, range(300), tmp_path, params) > 10_000


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS[1:])
@pytest.mark.parametrize("case", [*DATA, "errors", "corners", "registers"])
def test_every_variant(case, params, tmp_path):
    options = FULL if case in DATA else {}
    assert check(case, range(2), tmp_path, params, options) > 20


@pytest.mark.sim
@pytest.mark.parametrize(("file", "old", "new", "case"), MUTANTS)
def test_the_bench_sees(file, old, new, case, tmp_path):
    root = tmp_path / "hdl"
    shutil.copytree(HDL, root)
    path = root / "objfifo" / f"objfifo_{file}.sv"
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name}: {old!r} stands there {text.count(old)} times"
    path.write_text(text.replace(old, new))
    design = DESIGN.model_copy(update={"root": root})
    results = run(Request(design, design.case(case), range(12 if case == "scenes" else 1), SMALL), tmp_path / "run")
    assert not all(r.passed for r in results)
    assert all(r.failures for r in results if not r.passed)
