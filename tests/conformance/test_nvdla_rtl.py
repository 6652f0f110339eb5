# SPDX-License-Identifier: Apache-2.0
"""Compiled models on RTL: ours, and the vendor's nv_small where GOLDBEAT_NVDLA_RTL names a generated tree."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from loadable_runs import run_loadable
from nvdla_models import after_sdp, both, fused, pooled
from nvdla_network import classifier, memory, picture, reference

from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.rtl import find_rtl

RTL = os.environ.get("GOLDBEAT_NVDLA_RTL")
# The recorded runs' last access, counted from the first.
VENDOR_CYCLES = {"SDP_X1_L0_0_small": 2342, "PDP_L0_0_small": 2357, "CONV_D_L0_0_small": 39773}


def vendor(test):
    """Marks what needs the vendor's RTL, whose first build takes more than ten minutes on a busy machine."""
    reason = "GOLDBEAT_NVDLA_RTL does not name a generated nv_small"
    for mark in (
        pytest.mark.sim,
        pytest.mark.slow,
        pytest.mark.timeout(3600),
        pytest.mark.skipif(not RTL, reason=reason),
    ):
        test = mark(test)
    return test


@pytest.fixture
def data():
    folder = os.environ.get("GOLDBEAT_DATA")
    if not folder:
        pytest.skip("GOLDBEAT_DATA is not set")
    return Path(folder, "data", "nvdla")


def loadable(data, name):
    return data / "loadables" / f"{name}_fbuf"


def accesses(lines):
    return [line.split()[1:] for line in lines if not line.startswith("#")]


def recorded(data, name):
    return accesses((data / "cosim" / f"{name}.kmd_pre0.12_on_nv_small.trace").read_text().splitlines())


def output_region(data, name):
    return np.fromfile(data / "cosim" / f"{name}.output_region.bin", np.uint8)


def golden_covers(data, name, output):
    """The published golden, which was read out with a wrong atom: it holds 704 of the output's bytes."""
    raw = np.fromfile(data / "golden" / f"{name}.dimg", np.uint8)
    width, height, channels = raw[12:24].view("<u4").tolist()
    c, h, w = (a.ravel() for a in np.mgrid[:channels, :height, :width])
    at = h * 64 + w * 32 + c
    inside = at < len(output)
    golden = raw[36:][(c * height + h) * width + w]
    return int(inside.sum()), bool(np.array_equal(golden[inside], output[at[inside]]))


@pytest.mark.sim
@pytest.mark.parametrize("name", ["SDP_X1_L0_0_small", "PDP_L0_0_small"])
@pytest.mark.parametrize("jitter", [0, 25])
def test_our_rtl(data, name, jitter, tmp_path):
    result = run_loadable(loadable(data, name), DESIGN, tmp_path, read_jitter=jitter, write_jitter=jitter)
    assert result.failures == ()
    assert result.status == "pass"
    (output,) = result.outputs.values()
    assert np.array_equal(output.data, output_region(data, name))
    assert accesses(result.trace) == recorded(data, name)


@pytest.mark.sim
@pytest.mark.parametrize("name", ["SDP_X1_L0_0_small", "PDP_L0_0_small"])
def test_our_rtl_with_an_input_of_ones_own(data, name, tmp_path):
    """The memory that the operation reads is the input; results are compared with the functional models."""
    given = np.random.default_rng(5).integers(-128, 128, (32, 8, 8)).astype(np.int8)
    np.save(tmp_path / "in.npy", given)
    result = run_loadable(loadable(data, name), DESIGN, tmp_path, inputs=tmp_path / "in.npy")
    assert result.failures == ()
    (output,) = result.outputs.values()
    assert output.array.shape == (32, 8, 8)
    assert not np.array_equal(output.data, output_region(data, name))


@pytest.mark.sim
def test_a_convolution_runs_as_the_vendors_driver_runs_it(data, tmp_path):
    result = run_loadable(loadable(data, "CONV_D_L0_0_small"), DESIGN, tmp_path)
    assert (result.status, result.failures, result.partial) == ("pass", (), ())
    writes = [row for row in recorded(data, "CONV_D_L0_0_small") if row[0] == "write_reg" and row[1] != "0x0100c"]
    made = [row for row in accesses(result.trace) if row[0] == "write_reg" and row[1] != "0x0100c"]
    assert made == writes
    outputs = [one.data for one in result.outputs.values()]
    assert any(np.array_equal(one, output_region(data, "CONV_D_L0_0_small")) for one in outputs)


def test_the_timed_model_runs_a_compiled_convolution_in_fewer_cycles(data):
    """The driver on the timed model with the convolution core: the recorded output, before the vendor's last access."""
    file = loadable(data, "CONV_D_L0_0_small")
    case = DESIGN.case("loadable")
    params = {name: one.default for name, one in DESIGN.parameters.items()}
    clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in DESIGN.clocks}
    options = {**case.options, "loadable": str(file)}
    outcome = predict(params, case.make(CaseContext(params, options, 1, clocks=clocks))[0])
    placement = place_memories(read_loadable(file))
    wanted = execute(placement, {})
    left = outcome.memories["dbb"].regions
    assert all(np.array_equal(left[f"memory{i}"][: len(w)], w) for i, w in wanted.items())
    found = [w for w in wanted.values() if np.array_equal(w, output_region(data, "CONV_D_L0_0_small"))]
    assert len(found) == 1
    assert (
        0.9 * VENDOR_CYCLES["CONV_D_L0_0_small"]
        < outcome.accesses["csb"][-1].cycle
        < VENDOR_CYCLES["CONV_D_L0_0_small"]
    )


@vendor
@pytest.mark.parametrize("name", VENDOR_CYCLES)
def test_the_vendors_rtl(data, name, tmp_path):
    result = run_loadable(loadable(data, name), find_rtl(Path(RTL)), tmp_path)
    assert result.failures == ()
    (output,) = result.outputs.values()
    assert np.array_equal(output.data, output_region(data, name))
    assert accesses(result.trace) == recorded(data, name)
    # The recorded harness took a few cycles more or less for an access.
    assert abs(result.cycles - VENDOR_CYCLES[name]) < 100


@vendor
@pytest.mark.parametrize("name", ["both", "gaps", "fused"])
def test_the_vendors_rtl_on_models_and_inputs_of_our_own(name, tmp_path):
    """Equal to the functional models, as run_loadable compares, and to plain numpy; on the fly from SDP to PDP, too."""
    model, shape = {
        "both": (both(11, 6), (11, 6, 6)),
        "gaps": (both(11, 6, gap=24), (11, 6, 6)),
        "fused": (fused(), (8, 4, 4)),
    }[name]
    (tmp_path / "model.nvdla").write_bytes(to_bytes(model))
    given = np.random.default_rng(len(name)).integers(-128, 128, shape).astype(np.int8)
    np.save(tmp_path / "in.npy", given)
    result = run_loadable(tmp_path / "model.nvdla", find_rtl(Path(RTL)), tmp_path, inputs=tmp_path / "in.npy")
    assert result.failures == ()
    (output,) = [one for one in result.outputs.values() if one.marked]
    assert np.array_equal(output.array, pooled(after_sdp(given)))


@vendor
@pytest.mark.parametrize("layout", ["cube28", "cube32"])
def test_the_vendors_rtl_on_a_classifier_of_our_own(layout, tmp_path):
    (tmp_path / "model.nvdla").write_bytes(to_bytes(classifier(layout)))
    np.save(tmp_path / "in.npy", picture(1))
    result = run_loadable(tmp_path / "model.nvdla", find_rtl(Path(RTL)), tmp_path, inputs=tmp_path / "in.npy")
    assert result.failures == ()
    assert result.status == "pass"
    for number, array in reference(picture(1), layout).items():
        assert np.array_equal(result.outputs[memory(number)].array, array)


@vendor
def test_the_vendors_rtl_on_a_public_network(tmp_path):
    """A compiled network of several layers that GOLDBEAT_NVDLA_NETWORK names, on GOLDBEAT_NVDLA_PICTURE where that is set."""
    file, given = os.environ.get("GOLDBEAT_NVDLA_NETWORK"), os.environ.get("GOLDBEAT_NVDLA_PICTURE")
    if not file:
        pytest.skip("GOLDBEAT_NVDLA_NETWORK does not name a compiled network")
    made = read_loadable(file)
    operations = [op for task in dla_tasks(made) for op in network(made, task).operations]
    assert len(operations) > 3
    result = run_loadable(Path(file), find_rtl(Path(RTL)), tmp_path, inputs=Path(given) if given else None)
    assert result.failures == ()
    assert result.status == "pass"
    assert result.compared > 1000
    (ranked,) = [one.ranking() for one in result.outputs.values() if one.ranking()]
    assert ranked[0][1] > 0


@pytest.mark.parametrize("name", VENDOR_CYCLES)
def test_published_goldens(data, name):
    count, equal = golden_covers(data, name, output_region(data, name))
    assert equal
    assert count >= 704
