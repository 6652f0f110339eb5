# SPDX-License-Identifier: Apache-2.0
"""The hardware repository's trace tests on the functional models and on our RTL: a checksum of what they leave.

``GOLDBEAT_NVDLA_TRACES`` names a folder of trace tests, ``verif/tests/trace_tests/nv_small`` of nvdla/hw's branch nv_small; those
of other configurations lie beside it. ``GOLDBEAT_NVDLA_TRANSACTIONS`` names ``verif/traces/traceplayer`` of its branch nvdlav1.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.configuration import NV_FULL, NV_LARGE, NV_SMALL, NV_SMALL_256
from goldbeat.pymodels.nvdla.traces.play import play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.run.runs import Request, run

ROOT, PLAYER = os.environ.get("GOLDBEAT_NVDLA_TRACES"), os.environ.get("GOLDBEAT_NVDLA_TRANSACTIONS")
needs_traces = pytest.mark.skipif(not ROOT, reason="GOLDBEAT_NVDLA_TRACES does not name a folder of trace tests")
needs_transactions = pytest.mark.skipif(
    not PLAYER, reason="GOLDBEAT_NVDLA_TRANSACTIONS does not name a folder of transactions"
)
TRACES = sorted(Path(ROOT).glob("*/*.cfg")) if ROOT else []
OTHERS = [
    pytest.param(file, one, id=f"{one.name}-{file.stem}")
    for one in (NV_SMALL_256, NV_LARGE)
    for file in (sorted((Path(ROOT).parent / one.name).glob("*/*.cfg")) if ROOT else [])
]
GOLDEN = ("conv_8x8_fc_int16", "googlenet_conv2_3x3_int16", "pdp_max_pooling_int16", "sdp_relu_int16")
GOLDEN += ("sanity3", "sanity3_cvsram")
"""Transactions that compare memory and whose data are in every copy of the repository."""


def without_data(file):
    """Data files that the test names and that are not there: the largest ones are not in every copy of the repository."""
    names = [part.split('"')[1] for part in file.read_text().splitlines() if part.startswith("mem_load")]
    return [name for name in names if not (file.parent / name).is_file()]


def passes(trace):
    found = play_trace(trace)
    assert found.checks
    assert (found.failures, found.notes) == ((), ())


@needs_traces
@pytest.mark.parametrize("file", TRACES, ids=lambda file: file.stem)
def test_a_trace_leaves_what_it_says(file):
    if missing := without_data(file):
        pytest.skip(f"{missing[0]} is not there")
    trace = read_nvdla_trace(file)
    if "_ew_" in file.name:
        with pytest.raises(UsageError, match="EW"):
            play_trace(trace)
        # nv_small does not have the stage, but these are its tests of it.
        trace = replace(trace, configuration=replace(NV_SMALL, element_wise=True))
    passes(trace)


@needs_traces
@pytest.mark.parametrize(("file", "configuration"), OTHERS)
def test_a_trace_of_another_configuration_leaves_what_it_says(file, configuration):
    if missing := without_data(file):
        pytest.skip(f"{missing[0]} is not there")
    if "_ew_" in file.name and not configuration.element_wise:
        configuration = replace(configuration, element_wise=True)
    passes(read_nvdla_trace(file, configuration))


@needs_transactions
@pytest.mark.parametrize("name", GOLDEN)
def test_transactions_of_nv_full_leave_what_they_say(name):
    assert PLAYER
    passes(read_nvdla_trace(Path(PLAYER) / name / "input.txn", NV_FULL))


@needs_traces
@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.timeout(3600)
def test_all_of_them_pass_on_our_rtl(tmp_path):
    (result,) = run(Request(DESIGN, DESIGN.case("trace"), options={"trace": ROOT}), tmp_path)
    assert result.failures == ()
    ran = {one["name"] for one in result.answer.facts["tests"]}
    assert ran == {file.stem for file in TRACES if "_ew_" not in file.name and not without_data(file)}
    assert all(one["checks"] == one["checks_passed"] >= 1 for one in result.answer.facts["tests"])


@needs_traces
def test_every_kind_of_operation_is_among_them():
    assert {file.name.partition("_")[0] for file in TRACES} >= {"dc", "img", "sdp", "pdp", "cdp"}
