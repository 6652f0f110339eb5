# SPDX-License-Identifier: Apache-2.0
"""SDP to PDP on the fly through the timed model, against the functional models, and against the page's rules."""

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.timed.model import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.designs.nvdla.convolution_mixes import small_convolution
from goldbeat.tb.designs.nvdla.flying import flying_pdp, input_size, pooled, to_pdp
from goldbeat.tb.designs.nvdla.traffic import MemorySpace, dbb_timing, operations_program

PARAMS = {"LINE_ATOMS": 64}


def draw(rng, space):
    """A convolution now and then, SDP, PDP, as the functional models need them and in the order in which they are programmed."""
    size = (
        (int(rng.integers(1, 9)), int(rng.integers(1, 7)), int(rng.integers(1, 18))) if rng.integers(3) == 0 else None
    )
    pdp = flying_pdp(rng, space, size)
    if size is None:
        order = pooled(rng, space, pdp)
        return None, next(op for op in order if op is not pdp), pdp, order
    small = small_convolution(rng, space, input_size(pdp))
    return small.seen, to_pdp(small.sdp), pdp, [small.conv, small.sdp, pdp]


def check(seed, count=3):
    rng = np.random.default_rng(seed)
    space = MemorySpace(rng)
    chains = [draw(rng, space) for _ in range(count)]
    steps = operations_program([op for chain in chains for op in chain[3]], rng)
    image = space.image(dbb_timing(rng, seed))
    got = predict(PARAMS, Stimulus({}, program={"csb": steps}, memories={"dbb": image}))
    memory = list(image.regions)
    for conv, sdp, pdp, _ in chains:
        flowing = None if conv is None else run_operation("CONV", conv.values(), memory).output
        for engine, op in (("SDP", sdp), ("PDP", pdp)):
            result = run_operation(engine, op.values(), memory, flowing)
            flowing = result.output
            memory = [replace(r, data=result.memory[r.name]) for r in memory]
    for region in memory:
        wrong = np.flatnonzero(got.memories["dbb"].regions[region.name] != region.data)
        assert not len(wrong), f"seed {seed}: {len(wrong)} bytes differ"
    return int(np.count_nonzero(memory[0].data != image.regions[0].data))


def test_results_are_those_of_the_functional_models():
    assert sum(check(seed) for seed in range(20)) > 1000


@pytest.mark.slow
def test_results_are_those_of_the_functional_models_for_many():
    assert sum(check(seed) for seed in range(100, 500)) > 20_000
