# SPDX-License-Identifier: Apache-2.0
"""Runs of the TPU front end, cases of the tests' own, and what their episodes answered."""

from __future__ import annotations

from dataclasses import replace

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK
from goldbeat.tb.design.case import Case
from goldbeat.tb.designs.tpu import bench
from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.designs.tpu.damage import DAMAGES
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


def zero_behind(episode):
    """Whether the lanes behind the end of every command are 0; the scoreboard does not look at lanes without TKEEP."""
    ports = episode.record.outcome.ports
    return not any((t.data[~t.keep] != 0).any() for name, t in ports.items() if name.startswith("m_axis"))


def _refused(setting):
    """A stream without the right to read it, one that is nowhere, and ones of which only the beginning is there."""
    episodes = []
    whole = next(d for d in DAMAGES if d.name == "count one too great")
    for n, way in enumerate(("rights", "nowhere", "half", "half")):
        stimulus = bench.damaged(replace(setting, seed=setting.seed + n), whole)
        last = max(int(port.rsplit("_", 1)[1]) for port in stimulus.memories)
        image = stimulus.memories[f"m_axi_{last}"]
        *others, region = image.regions
        if way == "rights":
            regions = (*others, replace(region, readable=False))
        elif way == "nowhere":
            regions = tuple(others)
        else:
            regions = (*others, replace(region, data=region.data[: max(1, n - 1) * BLOCK].copy()))
        memories = {**stimulus.memories, f"m_axi_{last}": MemoryImage(regions, image.timing)}
        episodes.append(replace(stimulus, memories=memories))
    return episodes


BUS_CASE = Case(name="bus", summary="memories that refuse", make=_refused, options={"ready": "none"})
# All credits of the fetch are out at once.
LATE_CASE = DESIGN.case("rate").model_copy(
    update={"name": "late", "options": {**DESIGN.case("rate").options, "latency": 60, "commands": 200}}
)
SYNC_CASE = DESIGN.case("sync_all").model_copy(update={"name": "sync", "params": {}})


CASES = {"sync": SYNC_CASE, "bus": BUS_CASE, "late": LATE_CASE}


def without_refusals(result):
    """The failures of a run that are not about the refused accesses, which are meant."""
    return [text for text in result.failures if not any(rule in text for rule in ("mem_bounds", "mem_rights"))]
