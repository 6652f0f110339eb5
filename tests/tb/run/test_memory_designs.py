# SPDX-License-Identifier: Apache-2.0
"""A described design with an AXI4 master port, end to end: memory before, memory after, the log, and what goes wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from copy_dma import BURST, DMA, SOURCE, TARGET, make, model

from goldbeat.pymodels.stimulus import MemoryContents, Outcome
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run


def _wrong(params, stimulus):
    right = model(params, stimulus).memories["m_axi"].regions
    return Outcome({}, {"done": 1}, {"m_axi": MemoryContents({**right, "target": right["target"] ^ 1})})


def _run(folder, design=DMA, **options):
    return run(Request(design, design.case(None), (1, 2), {}, options), folder)


@pytest.mark.sim
def test_memory_after_is_compared(tmp_path, monkeypatch):
    for result in _run(tmp_path):
        assert result.passed, result.failures
        (episode,) = result.episodes
        # About one byte in 256 was there already.
        assert result.compared > 480
        log = episode.record.outcome.memories["m_axi"].log
        assert sorted(zip(log["kind"].tolist(), log["address"].tolist(), strict=True)) == [
            (kind, base + i * BURST * 8) for kind, base in ((0, SOURCE), (1, TARGET)) for i in range(4)
        ]
        assert (log["first"] - log["cycle"])[log["kind"] == 0].min() >= 20
        assert not log["response"].any()
    report = write_report([result], tmp_path / "report")
    assert report["memory_plots"] == {"m_axi": "memory/m_axi.png"}
    assert (tmp_path / "report/memory/m_axi.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    report = write_report([result], tmp_path / "undrawn")
    assert report["memory_plots"] == {}
    assert report["not_drawn"].startswith(
        "the plot of m_axi needs the Python package matplotlib: pip install 'matplotlib"
    )
    assert not (tmp_path / "undrawn/memory").exists()


@pytest.mark.sim
def test_what_goes_wrong_is_named(tmp_path):
    wrong = DMA.model_copy(update={"model": _wrong})
    text = _run(tmp_path, wrong)[0].failures[0]
    assert text.startswith("memory m_axi, region target: 512 of 512 bytes differ, the first at 0x8000: expected 0x")
    short = "\n".join(_run(tmp_path, short=8)[0].failures)
    assert "mem_bounds: m_axi, cycle" in short
    assert "write at 0x8180 (INCR burst of 16 beats of 8 bytes, id 0) ends at 0x81ff, beyond region target" in short
    readonly = "\n".join(_run(tmp_path, readonly=True)[0].failures)
    assert "mem_rights: m_axi, cycle" in readonly
    assert "in region target, which is not writable" in readonly


def _refusing(setting):
    (stimulus,) = make(setting)
    return [replace(stimulus, memories={"m_axi": replace(stimulus.memories["m_axi"], refusals=True)})]


def _refused(params, stimulus):
    source, target = stimulus.memories["m_axi"].regions
    # Bursts that are not wholly inside write nothing.
    written = len(target.data) // (BURST * 8) * BURST * 8 if target.writable else 0
    contents = {"source": source.data, "target": np.concatenate([source.data[:written], target.data[written:]])}
    return Outcome({}, {"done": 1}, {"m_axi": MemoryContents(contents)})


@pytest.mark.sim
def test_refusals_that_are_meant_to_be_are_no_failures(tmp_path):
    case = DMA.case(None).model_copy(update={"make": _refusing})
    wanted = DMA.model_copy(update={"model": _refused, "cases": (case,)})
    for option, value, answer in (("readonly", True, [2] * 4), ("short", 8, [0, 0, 0, 3])):
        for result in _run(tmp_path / option, wanted, **{option: value}):
            assert result.passed, result.failures
            log = result.episodes[0].record.outcome.memories["m_axi"].log
            assert log["response"][log["kind"] == 1].tolist() == answer


@pytest.mark.sim
def test_a_write_whose_response_nobody_took(tmp_path):
    text = (DMA.root / "axi_dma.sv").read_text()
    broken = text.replace("assign m_axi_bready  = running;", "assign m_axi_bready = running && b_left != 1;")
    assert broken != text
    (tmp_path / "axi_dma.sv").write_text(broken)
    design = DMA.model_copy(update={"root": tmp_path})
    (result,) = run(Request(design, design.case(None)), tmp_path / "sim")
    assert len(result.failures) == 2
    assert result.failures[0].startswith("axi_outstanding: m_axi: 1 write outstanding")
