# SPDX-License-Identifier: Apache-2.0
"""The ZynqNet accelerator in RTL against its golden model: every byte of memory, register, burst and cycle."""

import pytest

from pymodels.zynqnet.hardware import Hardware
from pymodels.zynqnet.memory_map import MemoryMap
from pymodels.zynqnet.networks import mini
from pymodels.zynqnet.timing import Accelerator
from tb.benches.zynqnet import DESIGN
from tb.run import Request, run

# The smallest build: the default one takes more than a minute.
SMALL = {"NPE": 4, "DATA_W": 64, "LINES": 4}


def passed(case, params, folder, seed=1, **options):
    (result,) = run(Request(DESIGN, DESIGN.case(case), [seed], params, options), folder)
    assert result.passed, "\n".join([*result.failures[:3], result.request.command(seed)])
    assert result.compared > 100
    return result


@pytest.mark.sim
def test_a_small_build(tmp_path):
    result = passed("mini", SMALL, tmp_path / "mini")
    (table,) = result.findings()
    model, go = Accelerator(Hardware.of(SMALL | {"INT8": 0})), 0
    for row, layer in zip(table.rows, mini().layers, strict=False):
        times = model.run(layer, MemoryMap(mini()), go)
        go = times.done + 1
        assert row[:3] == (layer.name, str(times.cycles), str(times.issues))
    assert table.rows[-1][0] == "all"
    passed("random", SMALL, tmp_path / "random", layers=30)
    passed("errors", SMALL, tmp_path / "errors")


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(
    "params", DESIGN.variants, ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()) or "default"
)
def test_200_random_layers(params, tmp_path):
    passed("random", params, tmp_path, layers=200)
    passed("errors", params, tmp_path)


@pytest.mark.sim
@pytest.mark.slow
def test_the_whole_network(tmp_path):
    passed("full", {}, tmp_path)


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("layer", ["f3/s1", "f7/e3", "c10/p2"])
def test_whole_layers_behind_a_memory_that_holds_back(layer, tmp_path):
    passed("layer", {}, tmp_path, layer=layer, memory="random")
