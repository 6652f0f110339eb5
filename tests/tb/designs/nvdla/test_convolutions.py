# SPDX-License-Identifier: Apache-2.0
"""Random convolutions through the timed model, against the functional models; what the cases hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from nvdla_network import classifier, picture
from turns import in_turn

from goldbeat.pymodels.nvdla.engines.hardware import run_operation
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.nvdla import convolution_mixes as mixes
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.convolution_cases import CONVOLUTION_CASES
from goldbeat.tb.designs.nvdla.convolutions import random_convolution_shape
from goldbeat.tb.designs.nvdla.tensors import read_tensors
from goldbeat.tb.designs.nvdla.traffic import MemorySpace, dbb_timing, operations_program

PARAMS = {"LINE_ATOMS": 1024}
MIXES = ("some", "chained", "stripe", "buffer", "pixels")


def mix_of(name):
    return getattr(mixes, "convolutions_of_pixels" if name == "pixels" else f"{name}_convolutions")


def check(mix, seed, count=3):
    """Draws, runs and compares; how many bytes the functional models changed."""
    rng = np.random.default_rng(seed)
    space = MemorySpace(rng)
    drawn = mix(rng, space, count)
    steps = operations_program(mixes.alternate(drawn, rng), rng)
    image = space.image(dbb_timing(rng, seed))
    got = predict(PARAMS, Stimulus({}, program={"csb": steps}, memories={"dbb": image}))
    memory = list(image.regions)
    for one in drawn:
        sums = run_operation("CONV", one.seen.values(), memory).output
        after = run_operation("SDP", one.sdp.values(), memory, sums).memory
        memory = [replace(r, data=after[r.name]) for r in memory]
    for region in memory:
        wrong = np.flatnonzero(got.memories["dbb"].regions[region.name] != region.data)
        assert not len(wrong), f"seed {seed}: {len(wrong)} bytes differ"
    return int(np.count_nonzero(memory[0].data != image.regions[0].data))


@pytest.mark.parametrize("name", MIXES)
def test_sums_are_those_of_the_functional_models(name):
    assert sum(check(mix_of(name), seed) for seed in range(8)) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", MIXES)
def test_many_convolutions_of_all_kinds(name):
    assert sum(check(mix_of(name), seed, 4) for seed in in_turn(range(1000, 1100))) > 1_000


@pytest.mark.slow
def test_sums_saturate_as_the_functional_model_says():
    assert sum(check(mixes.saturating_convolutions, seed, 2) for seed in range(2)) > 10


def contexts(case, seeds):
    clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in DESIGN.clocks}
    return [CaseContext(PARAMS, dict(case.options), seed, clocks=clocks) for seed in seeds]


@pytest.mark.parametrize("case", [c for c in CONVOLUTION_CASES if not c.slow], ids=lambda c: c.name)
def test_every_case_comes_to_its_end(case):
    for context in contexts(case, range(2)):
        for stimulus in case.make(context):
            # An episode that is cut off is predicted whole: the run is compared up to the cut.
            answers = predict(PARAMS, stimulus).accesses["csb"]
            assert len(answers) == len(stimulus.program["csb"])


def test_what_does_not_count_does_not_count():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        space = MemorySpace(rng)
        drawn = mixes.some_convolutions(rng, space, 2)
        operations = [op for one in drawn for op in (one.sdp, one.conv)]
        image = space.image(dbb_timing(rng, seed))
        found = []
        for fill in (False, True):
            steps = operations_program(operations, np.random.default_rng(seed))
            written = sum(1 for step in steps if step.op in ("post", "write"))
            outcome = predict(PARAMS, Stimulus({}, program={"csb": steps}, memories={"dbb": image}))
            log = outcome.memories["dbb"].log
            found.append(
                (written, len(log), log["address"].tolist(), log["len"].tolist(), outcome.memories["dbb"].regions)
            )
            if not fill:
                operations = [
                    mixes.fill_ignored_convolution(op, rng) if op.engine == "CONV" else op for op in operations
                ]
        (before, *plain), (after, *filled) = found
        assert after > before
        assert sorted(plain[1]) == sorted(filled[1])
        assert all(np.array_equal(plain[3][name], filled[3][name]) for name in plain[3])


def test_shapes_reach_all_parameters():
    rng = np.random.default_rng(1)
    seen = Counter()
    for _ in range(1500):
        shape = random_convolution_shape(rng)
        seen.update(f"kernel {k}" for k in shape.kernel)
        seen.update(f"stride {s}" for s in shape.stride)
        seen.update(["dilated"] if shape.dilation != (1, 1) else [])
        seen.update(["padded"] if any(shape.pad) else [])
        seen.update([f"form {shape.form}", f"joined {shape.joined}", f"odd {shape.channels % 8 != 0}"])
        assert min(shape.out) > 0
        assert max(shape.pad[:2]) < 32
    wanted = [f"kernel {k}" for k in range(1, 12)] + [f"stride {s}" for s in range(1, 9)] + ["dilated", "padded"]
    forms = (0, 12, 13, 14, 15, 16, 17, 18, 19, 26, 27, 28, 29)
    wanted += (
        [f"form {code}" for code in (*forms, None)] + [f"joined {j}" for j in range(3)] + ["odd True", "odd False"]
    )
    assert [name for name in wanted if not seen[name]] == []


def test_a_compiled_network_runs_through_the_model_alone(tmp_path):
    """The driver acts on the timed model's answers; what is in memory in the end is what the functional models leave."""
    file, given = tmp_path / "model.nvdla", tmp_path / "in.npy"
    file.write_bytes(to_bytes(classifier()))
    np.save(given, picture(3))
    case = DESIGN.case("loadable")
    context = contexts(case, [1])[0]
    context.options.update(loadable=str(file), input=str(given))
    outcome = predict(PARAMS, case.make(context)[0])
    loadable = read_loadable(file)
    wanted = execute(place_memories(loadable), read_tensors(loadable, [given])[0][0])
    left = outcome.memories["dbb"].regions
    wrong = [i for i, data in wanted.items() if len(data) and not np.array_equal(left[f"memory{i}"][: len(data)], data)]
    assert len(left) > 5
    assert wrong == []


def test_images_that_go_round_have_an_output():
    """Seeds that would draw kernels higher than their image."""
    for seed in (43, 64, 82, 109, 176):
        rng = np.random.default_rng(seed)
        for one in mixes.ring_convolutions(rng, MemorySpace(rng), 4):
            assert 0 <= one.sdp.fields["SDP", "D_DATA_CUBE_HEIGHT", "HEIGHT"] < 14, f"seed {seed}"
