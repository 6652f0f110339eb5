# SPDX-License-Identifier: Apache-2.0
"""Pipelines drawn from a seed: their stages, their traffic, a plain reckoning beat by beat, and the same as RTL with a bench."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldbeat.pymodels.curves.compose import PipelineStage, Prediction, arrival_curve, predict_pipeline
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.paths import REPOSITORY

BEATS = 600


@dataclass(frozen=True)
class DrawnPipeline:
    """A pipeline and its traffic: bursts of up to ``burst`` beats, at least ``gap`` cycles apart."""

    stages: list[PipelineStage]
    burst: int
    gap: int

    def traffic(self, seed: int) -> Trace:
        """Beats of one seed: nine bursts in ten are whole."""
        rng = np.random.default_rng(seed)
        step = np.ones(BEATS, np.int64)
        at = int(rng.integers(1, self.burst + 1))
        while at < BEATS:
            step[at] += self.gap + int(rng.integers(0, 40))
            at += self.burst if rng.random() < 0.9 else int(rng.integers(1, self.burst + 1))
        data = rng.integers(0, 256, (BEATS, 4), dtype=np.uint8)
        last = np.arange(BEATS) == BEATS - 1
        return Trace.from_bytes(data, last=last, cycle=np.cumsum(step) + 1, clock_ps=4000)

    def prediction(self, traffic: list[Trace]) -> Prediction:
        """From the traffic alone."""
        return predict_pipeline(self.stages, arrival_curve(traffic, BEATS))

    def reckoned(self, comes: list[int]) -> list[int]:
        """When each beat leaves, beat by beat as stage.sv works, whose beats take a cycle and whose latency is 2."""
        for stage in self.stages:
            leaves, free = list[int](), 0
            for done, cycle in enumerate(comes, 1):
                taken = max(cycle + stage.latency - 1, free)
                free = taken + stage.every + (0 if done % stage.work else stage.rest)
                leaves.append(taken + 1)
            comes = leaves
        return comes

    def write(self, folder: Path, depths: list[int]) -> Path:
        """RTL, model, traffic and description in a folder; the description."""
        shutil.copy(REPOSITORY / "examples" / "pipeline" / "stage.sv", folder)
        (folder / "chain.sv").write_text(_rtl(self.stages, depths))
        (folder / "model.py").write_text(_MODEL.format(stages=len(self.stages)))
        (folder / "chain.toml").write_text(_DESCRIPTION)
        return folder / "chain.toml"


def worst_seen(comes: np.ndarray, leaves: np.ndarray) -> tuple[int, int]:
    """Most cycles inside, and most beats inside right behind any input beat."""
    gone = np.searchsorted(leaves, comes, side="right")
    return int((leaves - comes).max()), int((np.arange(1, len(comes) + 1) - gone).max())


def draw_pipelines(count: int = 10, seed: int = 7) -> list[DrawnPipeline]:
    """One to three stages whose bursts have no common factor, so that their pauses meet in every way."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        works = rng.choice([5, 7, 9, 11, 13], 1 + number % 3, replace=False).tolist()
        stages = [PipelineStage(int(work), int(rng.integers(6, 21))) for work in works]
        slowest = max((s.work + s.rest) / s.work for s in stages)
        burst = int(rng.integers(24, 64))
        # Close to what the slowest stage keeps up with: what a burst leaves behind meets the next one.
        gap = int(burst * (slowest - 1)) + 2
        found.append(DrawnPipeline(stages, burst, gap))
    return found


def _rtl(stages: list[PipelineStage], depths: list[int]) -> str:
    body = []
    for n, (stage, depth) in enumerate(zip(stages, depths, strict=True)):
        body.append(
            f"  stage #(.DEPTH({depth}), .WORK({stage.work}), .REST({stage.rest})) u{n} (.clk(aclk), .rst_n(aresetn),\n"
            f"    .s_data(data[{n}]), .s_valid(valid[{n}]), .s_ready(ready[{n}]),\n"
            f"    .m_data(data[{n + 1}]), .m_valid(valid[{n + 1}]), .m_ready(ready[{n + 1}]));\n"
        )
    last = len(stages)
    return f"""module chain (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic [32:0] data [{last + 1}];
  logic valid [{last + 1}];
  logic ready [{last + 1}];
  assign data[0] = {{s_axis_tlast, s_axis_tdata}};
  assign valid[0] = s_axis_tvalid;
  assign s_axis_tready = ready[0];
  assign {{m_axis_tlast, m_axis_tdata}} = data[{last}];
  assign m_axis_tvalid = valid[{last}];
  assign ready[{last}] = m_axis_tready;
{"".join(body)}endmodule
"""


_MODEL = """
import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from goldbeat import Outcome, Stimulus


def predict(params, stimulus):
    taken = stimulus.inputs["s_axis"]
    words = taken.data.view("<u4") + np.uint32({stages})
    return Outcome({{"s_axis": taken, "m_axis": replace(taken, data=words.view(np.uint8))}})


@cache
def _traces():
    return pickle.loads((Path(__file__).parent / "traffic.pickle").read_bytes())


def traffic(setting):
    trace = _traces()[setting.seed]
    clock = setting.clocks["aclk"]
    return [Stimulus({{"s_axis": trace.on_edges(clock.period_ps, clock.offset_ps)}}, {{}}, setting.clocks)]
"""

_DESCRIPTION = """
name = "chain"
top = "chain"
files = ["stage.sv", "chain.sv"]
model = "model.py:predict"
compare_time = false
cycles_per_beat = 64

[[clocks]]
name = "aclk"
reset = "aresetn"
period_ps = 4000

[[streams]]
name = "s_axis"
direction = "in"
width = 32
signals = { tdata = "s_axis_tdata", tlast = "s_axis_tlast", tvalid = "s_axis_tvalid", tready = "s_axis_tready" }

[[streams]]
name = "m_axis"
direction = "out"
width = 32
signals = { tdata = "m_axis_tdata", tlast = "m_axis_tlast", tvalid = "m_axis_tvalid", tready = "m_axis_tready" }

[[cases]]
name = "bursts"
summary = "bursts that the pipeline keeps up with"
make = "model.py:traffic"
"""
