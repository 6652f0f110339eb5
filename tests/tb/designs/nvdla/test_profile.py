# SPDX-License-Identifier: Apache-2.0
"""Profiles of operations: nothing is lost, and what can be counted otherwise is the same."""

import csv

import numpy as np
import nvdla_network
import pytest
from commands import goldbeat

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.layer_tensor import layer_tensor
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.profile import profile_operations
from goldbeat.pymodels.nvdla.timed.activity import ENGINES, OPERATIONS, WAITS, WORK
from goldbeat.pymodels.nvdla.timed.model import DBB, predict
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.designs.nvdla.profile_command import profile_of
from goldbeat.tb.run.runs import Request, made_stimuli

NVDLA = find_design("nvdla")
SDP = ENGINES.index("SDP")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    file = tmp_path_factory.mktemp("profile") / "classifier.nvdla"
    file.write_bytes(to_bytes(nvdla_network.classifier()))
    return file


@pytest.mark.parametrize("case", ["conv", "engines", "conv_network", "cdp_engines", "conv_stalled", "conv_reuse"])
def test_every_cycle_and_every_byte_is_counted_once(case):
    request = Request(NVDLA, NVDLA.case(case), (3,))
    for stimulus in made_stimuli(request, request.setting(3)):
        outcome = predict(request.all_params, stimulus)
        rows, log = outcome.details[OPERATIONS], outcome.memories[DBB].log
        assert len(rows) >= 2
        counted = sum(rows[name] for name in (WORK, *(f"wait_{one}" for one in WAITS)))
        assert np.array_equal(counted, rows["done"] - rows["start"])
        assert rows["read"].sum() + rows["weights_read"].sum() == 8 * (log["len"][log["kind"] == READ] + 1).sum()
        assert rows["written"].sum() == 8 * (log["len"][log["kind"] == WRITE] + 1).sum()
        sdp = rows[rows["engine"] == SDP]
        assert np.array_equal(sdp[WORK], sdp["written"] // 8)


def test_a_network_has_its_operations_with_what_they_need(classifier):
    found = profile_of({"loadable": str(classifier)})
    assert sorted((one.task, one.index) for one in found) == [(0, n) for n in range(len(found))]
    convolutions = [one for one in found if one.engine == "CONV"]
    channels, height, width = nvdla_network.SHAPE
    first, dense = nvdla_network.WEIGHTS, nvdla_network.DENSE_WEIGHTS
    assert [one.macs for one in convolutions] == [first.size * height * width, dense.size]
    assert [one.weights_read for one in convolutions] == [-(-w.size // 8) * 8 for w in (first, dense)]
    assert convolutions[0].read == 8 * height * width * -(-channels // 8)
    # 3 channels of 8 and 20 kernels of 24 are at work at best.
    assert convolutions[0].work == 3 * 9 * height * width
    assert all(0 < one.mac_use < 1 for one in convolutions)
    assert {one.shape for one in found if one.engine == "PDP"} == {(4, 4, 20)}
    assert all(one.fetch <= one.start < one.done for one in found)


def test_a_slower_memory_is_waited_for(classifier):
    fast, slow = (profile_of({"loadable": str(classifier), "read_latency": latency}) for latency in (32, 300))
    for one, other in zip(fast, slow, strict=True):
        assert (one.engine, one.work, one.read, one.written) == (other.engine, other.work, other.read, other.written)
    pools = [next(one for one in found if one.engine == "PDP") for found in (fast, slow)]
    assert pools[1].waits["read"] > pools[0].waits["read"] + 250
    assert pools[1].cycles - pools[0].cycles >= pools[1].waits["read"] - pools[0].waits["read"]


def test_rows_of_another_run_are_refused(classifier):
    request = Request(NVDLA, NVDLA.case("loadable"), (0,), {}, {"loadable": str(classifier)})
    (stimulus,) = made_stimuli(request, request.setting(0))
    rows = predict(request.all_params, stimulus).details[OPERATIONS]
    loadable = read_loadable(classifier)
    with pytest.raises(InputError, match=r"missing operation 0\."):
        profile_operations(loadable, rows[:-1])
    with pytest.raises(InputError, match="one more operation of"):
        profile_operations(loadable, np.concatenate([rows, rows[-1:]]))


def test_a_tensor_in_the_middle(classifier, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    loadable = read_loadable(classifier)
    image = nvdla_network.packed(4)
    inputs = {nvdla_network.memory(nvdla_network.DATA): image}
    found = {n: layer_tensor(place_memories(loadable), inputs, 0, n) for n in (1, 2, 4)}
    wanted = nvdla_network.reference(nvdla_network.picture(4))
    for index, memory in ((1, nvdla_network.ACTIVE), (2, nvdla_network.POOLED), (4, nvdla_network.LOGITS)):
        assert np.array_equal(found[index], wanted[memory])
    with pytest.raises(UsageError, match="hands its output on"):
        layer_tensor(place_memories(loadable), inputs, 0, 0)
    with pytest.raises(UsageError, match=r"no operation 0\.9; there are: 0\.0, 0\.1"):
        layer_tensor(place_memories(loadable), inputs, 0, 9)
    np.save("in.npy", nvdla_network.picture(4))
    goldbeat("nvdla", "profile", str(classifier), "--input", "in.npy", "--dump", "0.2", "--csv", "all.csv")
    assert np.array_equal(np.load("task0.op2.npy"), found[2])
    with open("all.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert sum(int(row["macs"]) for row in rows) > 0
    assert {row["engine"] for row in rows} == {"CONV", "SDP", "PDP"}
    again = goldbeat("nvdla", "profile", str(classifier), "--csv", "all.csv", code=2)
    assert "all.csv exists" in again.stdout + again.stderr
