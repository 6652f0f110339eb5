# SPDX-License-Identifier: Apache-2.0
"""The hardware repository's trace tests on the functional models and on our RTL: a checksum of what they leave.

``GOLDBEAT_NVDLA_TRACES`` names a folder of trace tests, such as ``verif/tests/trace_tests/nv_small`` of nvdla/hw's branch nv_small.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.traces.play import play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.run.runs import Request, run

ROOT = os.environ.get("GOLDBEAT_NVDLA_TRACES")
pytestmark = pytest.mark.skipif(not ROOT, reason="GOLDBEAT_NVDLA_TRACES does not name a folder of trace tests")
TRACES = sorted(Path(ROOT).glob("*/*.cfg")) if ROOT else []


def without_data(file):
    """Data files that the test names and that are not there: the largest ones are not in every copy of the repository."""
    names = [part.split('"')[1] for part in file.read_text().splitlines() if part.startswith("mem_load")]
    return [name for name in names if not (file.parent / name).is_file()]


@pytest.mark.parametrize("file", TRACES, ids=lambda file: file.stem)
def test_a_trace_leaves_what_it_says(file):
    if missing := without_data(file):
        pytest.skip(f"{missing[0]} is not there")
    trace = read_nvdla_trace(file)
    if "_ew_" in file.name:
        with pytest.raises(UsageError, match="EW"):
            play_trace(trace)
    else:
        found = play_trace(trace).checks
        assert found
        assert [one.failure for one in found if one.failure] == []


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.timeout(3600)
def test_all_of_them_pass_on_our_rtl(tmp_path):
    (result,) = run(Request(DESIGN, DESIGN.case("trace"), options={"trace": ROOT}), tmp_path)
    assert result.failures == ()
    ran = {one["name"] for one in result.answer.facts["tests"]}
    assert ran == {file.stem for file in TRACES if "_ew_" not in file.name and not without_data(file)}
    assert all(one["checks"] == one["checks_passed"] >= 1 for one in result.answer.facts["tests"])


def test_every_kind_of_operation_is_among_them():
    assert {file.name.partition("_")[0] for file in TRACES} >= {"dc", "img", "sdp", "pdp", "cdp"}
