# SPDX-License-Identifier: Apache-2.0
"""Several DMA engines in RTL: many random chains, and breaks that must be seen."""

from __future__ import annotations

import shutil

import pytest

from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, run

SMALL = {"NX": 1, "NS": 2, "NM": 2, "NBD": 16, "NLOCK": 8, "NBANK": 2, "MEM_WORDS": 1024}

pytestmark = [pytest.mark.sim, pytest.mark.slow]


def test_300_seeds(tmp_path):
    results = run(Request(DESIGN, DESIGN.case("random"), range(300)), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        # A core that needs no time.
        ("worker", "pause_q <= work;", "pause_q <= '0;"),
    ],
)
def test_the_bench_sees(file, old, new, tmp_path):
    root = tmp_path / "hdl"
    shutil.copytree(HDL, root)
    path = root / "objfifo" / f"objfifo_{file}.sv"
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name}: {old!r} stands there {text.count(old)} times"
    path.write_text(text.replace(old, new))
    design = DESIGN.model_copy(update={"root": root})
    (result,) = run(Request(design, design.case("chain"), (0,), SMALL), tmp_path / "run")
    assert not result.passed
    assert result.failures
