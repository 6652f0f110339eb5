# SPDX-License-Identifier: Apache-2.0
"""Several DMA engines in RTL: many random chains."""

from __future__ import annotations

import pytest
from turns import in_turn

from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.run.runs import Request, run

pytestmark = [pytest.mark.sim, pytest.mark.slow]


def test_many_seeds(tmp_path):
    results = run(Request(DESIGN, DESIGN.case("random"), in_turn(range(300))), tmp_path)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
