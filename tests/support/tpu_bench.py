# SPDX-License-Identifier: Apache-2.0
"""Runs of the TPU front end, cases of the tests' own, and what their episodes answered."""

from __future__ import annotations

from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.run.runs import Request, run


def attempt(case, seeds, tmp_path, params=None, options=None, design=DESIGN):
    case = design.case(case) if isinstance(case, str) else case
    return run(Request(design, case, seeds, params or {}, options or {}), tmp_path)


def check(*args, **options):
    results = attempt(*args, **options)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


def answers(episode, address):
    """What reads of a register gave, in order."""
    steps = (*episode.stimulus.program["s_axil"], *episode.stimulus.after["s_axil"])
    found = zip(steps, episode.record.accesses["s_axil"], strict=True)
    return [result.value for step, result in found if step.op == "read" and step.address == address]


# All credits of the fetch are out at once.
LATE_CASE = DESIGN.case("rate").model_copy(
    update={"name": "late", "options": {**DESIGN.case("rate").options, "latency": 60, "commands": 200}}
)
SYNC_CASE = DESIGN.case("sync_all").model_copy(update={"name": "sync", "params": {}})


CASES = {"sync": SYNC_CASE, "late": LATE_CASE}
