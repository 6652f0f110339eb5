# SPDX-License-Identifier: Apache-2.0
"""A source that waits for ready before it raises valid fails by a rule's name; sinks that withhold ready find it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from copy_dma import DMA, make

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import stream_cases, withheld
from goldbeat.tb.run.runs import Request, run

HERE = Path(__file__).resolve().parent
EACH = ["native", pytest.param("cocotbext", marks=pytest.mark.slow)]
STREAM = HERE / "valid_waits_rtl" / "slice.sv"
SOUND = "assign m_axis_tvalid = full_q;"
WAITS = {
    "combinational": "assign m_axis_tvalid = full_q && m_axis_tready;",
    "registered": "assign m_axis_tvalid = full_q && seen_q;",
}
MASTER = (DMA.root / "axi_dma.sv").read_text()
# The line as it is, and one that waits.
MASTER_WAITS = {
    "ar": ("ar_move ? 1'b0 : ar_room;", "!ar_move && ar_room && m_axi_arready;"),
    "aw": ("aw_move ? aw_left > 1 : aw_left != 0;", "!aw_move && aw_left != 0 && m_axi_awready;"),
    "w": ("assign m_axi_wvalid  = level != 0;", "assign m_axi_wvalid  = level != 0 && m_axi_wready;"),
}


def _traffic(setting, rng, beats):
    data = rng.integers(0, 256, (beats, 1), dtype=np.uint8)
    return Stimulus({"s_axis": Trace.from_bytes(data, clock_ps=4000, offset_ps=4000)}, clocks=setting.clocks)


def _model(output, params, stimulus):
    given = stimulus.inputs["s_axis"]
    return Outcome({"s_axis": given, output: given})


def _stream(name, way):
    signals = {role: f"{name}_{role}" for role in ("tdata", "tvalid", "tready")}
    return StreamPort(name=name, direction=way, width=8, signals=signals)


def _sweep(folder, output, transactors="native"):
    text = STREAM.read_text()
    assert SOUND in text
    return _swept(folder, text.replace(SOUND, output), _stream("m_axis", "out"), transactors)


def _swept(folder, text, sink, transactors="native"):
    folder.mkdir(parents=True)
    (folder / "slice.sv").write_text(text)
    design = Design(
        name="slice",
        summary="one register",
        top="slice",
        files=("slice.sv",),
        root=folder,
        streams=(_stream("s_axis", "in"), sink),
        model=partial(_model, sink.name),
        timed=False,
        cases=stream_cases(_traffic),
    )
    request = Request(design, design.case("sweep"), options={"beats": 20}, transactors=transactors)
    (result,) = run(request, folder / "sim")
    return result


@pytest.mark.sim
@pytest.mark.parametrize("transactors", EACH)
@pytest.mark.parametrize("how", WAITS)
def test_a_stream_source_that_waits_for_ready(tmp_path, how, transactors):
    result = _sweep(tmp_path / how, WAITS[how], transactors)
    found = [text for text in result.failures if "axis_valid_waits: m_axis, cycle " in text]
    probed = [text for text in found if "tvalid was low for 64 cycles without tready, and rose" in text]
    # One for each gap pattern; sinks that are ready on their own let a source with a flip-flop pass.
    assert len(probed) == 4, result.failures
    follows = [text for text in found if text.endswith("tvalid follows tready within the cycle")]
    assert len(found) == 4 + len(follows)
    assert bool(follows) == (how == "combinational")
    assert max(len(e.record.outcome.ports["m_axis"]) for e in result.episodes) == 20


@pytest.mark.sim
@pytest.mark.parametrize(
    ("output", "rule"),
    [
        ("assign out_valid = full_q && out_ready;", "axis_valid_waits"),
        (
            "logic odd_q; always_ff @(posedge aclk) odd_q <= !odd_q; assign out_valid = full_q && odd_q;",
            "axis_valid_held",
        ),
    ],
    ids=["waits", "falls"],
)
def test_rules_of_axi_stream_fail_nothing_where_names_are_others(tmp_path, output, rule):
    """The rest of the run is judged as ever, and the rule is listed; wrong data still fail."""
    text = STREAM.read_text().replace(SOUND, output.replace("out_", "m_axis_t")).replace("m_axis_t", "out_")
    house = StreamPort(
        name="out",
        direction="out",
        width=8,
        house=True,
        signals={role: f"out_{role[1:]}" for role in ("tdata", "tvalid", "tready")},
    )
    result = _swept(tmp_path / "own", text, house)
    assert (result.failures, result.status) == ((), "partial")
    assert [said.partition(", which")[0] for said in result.unmodelled] == [f"out: {rule} fails"]
    assert any(said.startswith(f"{rule}: out, cycle ") for said in result.warnings)
    wrong = _swept(tmp_path / "wrong", text.replace("<= s_axis_tdata", "<= s_axis_tdata & 8'hFE"), house)
    assert any("data differs" in said for said in wrong.failures)


@pytest.mark.sim
@pytest.mark.parametrize("transactors", EACH)
def test_a_stream_source_that_does_not_wait_passes(tmp_path, transactors):
    result = _sweep(tmp_path / "sound", SOUND, transactors)
    assert result.passed, result.failures


@pytest.mark.sim
@pytest.mark.parametrize("transactors", EACH)
def test_a_valid_in_and_behind_reset(tmp_path, transactors):
    early = (
        "logic up_q; always_ff @(posedge aclk) up_q <= aresetn; assign m_axis_tvalid = full_q || (aresetn && !up_q);"
    )
    for rule, output in (
        ("axis_valid_in_reset", "assign m_axis_tvalid = full_q || !aresetn;"),
        ("axis_valid_after_reset", early),
    ):
        result = _sweep(tmp_path / rule, output, transactors)
        rules = {text.split(": ")[1] for text in result.failures if text.split(": ")[1].startswith("axis_")}
        # A beat that nobody took falls with the register.
        assert rules - {"axis_valid_held"} == {rule}, result.failures


def _withholding(setting):
    (stimulus,) = make(setting)
    memories = {name: withheld(image, setting.seed) for name, image in stimulus.memories.items()}
    return [replace(stimulus, memories=memories, least_ps=2 * stimulus.least_ps)]


def _copy(folder, text, maker):
    folder.mkdir(parents=True)
    (folder / "axi_dma.sv").write_text(text)
    case = DMA.case(None).model_copy(update={"make": maker})
    design = DMA.model_copy(update={"root": folder, "cases": (case,)})
    (result,) = run(Request(design, case), folder / "sim")
    return result


@pytest.mark.sim
@pytest.mark.parametrize(
    "channel", [name if name == "w" else pytest.param(name, marks=pytest.mark.slow) for name in MASTER_WAITS]
)
def test_a_master_that_waits_for_ready(tmp_path, channel):
    sound, waits = MASTER_WAITS[channel]
    assert sound in MASTER
    text = MASTER.replace(sound, waits)
    follows = [f": {channel}valid follows {channel}ready within the cycle"] if channel == "w" else []
    assert [text[text.index(": ", 20) :] for text in _copy(tmp_path / "before", text, make).failures] == follows
    result = _copy(tmp_path / "after", text, _withholding)
    found = [text for text in result.failures if text.startswith("axi_valid_waits: m_axi, cycle ")]
    assert len(found) == 1, result.failures
    assert f": {channel}valid was low for 64 cycles without {channel}ready, and rose" in found[0]


@pytest.mark.sim
def test_a_master_that_does_not_wait_passes(tmp_path):
    result = _copy(tmp_path / "sound", MASTER, _withholding)
    assert result.passed, result.failures
