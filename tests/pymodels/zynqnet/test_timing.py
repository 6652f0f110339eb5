# SPDX-License-Identifier: Apache-2.0
"""The timed model against the page taken word by word, and what it says of the whole network."""

import naive_zynqnet
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.zynqnet.hardware import ErrorCode, Hardware, configuration_error
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import parse_network
from goldbeat.pymodels.zynqnet.networks import mini, zynqnet
from goldbeat.pymodels.zynqnet.timing import Accelerator

LONGEST = 1500
PATTERNS = [Pattern(), Pattern("random", p=0.4, seed=3), Pattern("bursty", burst=9, seed=4), Pattern("worst", seed=5)]


@st.composite
def networks(draw):
    stride = draw(st.sampled_from([1, 2]))
    split = draw(st.booleans())
    width, height = (draw(st.integers(1, 7)) * stride for _ in range(2))
    common = {
        "ch_out": 16 * draw(st.integers(1, 3)),
        "kernel": draw(st.sampled_from([1, 3])),
        "stride": stride,
        "gpool": draw(st.booleans()),
    }
    parts = [{"name": "a", "split": "first"}, {"name": "b", "split": "second"}] if split else [{"name": "a"}]
    size = {"width": width, "height": height, "channels": draw(st.integers(1, 12))}
    return parse_network({"input": size, "layer": [common | part for part in parts]})


@st.composite
def memories(draw):
    patterns = {n: draw(st.sampled_from(PATTERNS)) for n in ("aw_ready", "w_ready", "ar_ready", "r_gaps", "b_gaps")}
    if draw(st.booleans()):
        patterns = {}
    return MemoryTiming(
        read_latency=draw(st.integers(1, 30)),
        read_jitter=draw(st.sampled_from([0, 0, 9])),
        write_latency=draw(st.integers(1, 40)),
        write_jitter=draw(st.sampled_from([0, 0, 9])),
        max_reads=draw(st.sampled_from([2, 16])),
        max_writes=draw(st.sampled_from([1, 3, 16])),
        read_bandwidth=draw(st.sampled_from([(1, 1), (2, 3)])),
        write_bandwidth=draw(st.sampled_from([(1, 1), (3, 5)])) if not patterns else (1, 1),
        seed=draw(st.integers(0, 9)),
        **patterns,
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(
    network=networks(),
    timing=memories(),
    npe=st.sampled_from([4, 8, 16]),
    data_w=st.sampled_from([32, 64, 128]),
    lines=st.sampled_from([4, 8]),
    go=st.integers(0, 300),
)
def test_every_cycle_is_the_pages(network, timing, npe, data_w, lines, go):
    hardware, memory = Hardware(npe, data_w, lines=lines), MemoryMap(network)
    layer = network.layers[-1]
    assume(configuration_error(layer, memory, hardware) is ErrorCode.NONE)
    found = Accelerator(hardware, timing).run(layer, memory, go)
    # One cycle at a time takes its time.
    assume(found.cycles < LONGEST)
    done, counters = naive_zynqnet.run(npe, data_w // 32, lines, layer, memory, timing, go)
    assert found.counters() == counters
    assert found.done == done


def test_a_pixel_that_lacks_credits_delays_the_next_one():
    network = parse_network(
        {
            "input": {"width": 7, "height": 7, "channels": 1},
            "layer": [{"name": "a", "ch_out": 16, "kernel": 1, "gpool": True}],
        }
    )
    timing = MemoryTiming(read_latency=2, write_latency=24, max_reads=2, max_writes=3, write_bandwidth=(3, 5))
    layer, memory = network.layers[-1], MemoryMap(network)
    found = Accelerator(Hardware(npe=4, lines=4), timing).run(layer, memory, 0)
    assert (found.done, found.counters()) == naive_zynqnet.run(4, 4, 4, layer, memory, timing, 0)
    assert found.wait_write == 145


def test_a_bad_layer_is_over_after_the_setup():
    layer = mini().layers[0].model_copy(update={"mem_out": 4})
    found = Accelerator().run(layer, MemoryMap(mini()), 100)
    assert (found.error, found.done, found.cycles, found.issues) == (ErrorCode.OVERLAP, 116, 16, 0)


def test_the_memory_goes_on_from_layer_to_layer():
    timing = MemoryTiming(read_jitter=20, seed=1)
    accelerator = Accelerator(timing=timing)
    layer, memory = mini().layers[1], MemoryMap(mini())
    first, second = accelerator.run(layer, memory, 0), accelerator.run(layer, memory, 10_000)
    assert first.cycles != second.cycles
    assert Accelerator(timing=timing).run(layer, memory, 10_000).cycles == first.cycles


def test_counters_add_up():
    for hardware in (Hardware(), Hardware(data_w=32), Hardware(npe=4)):
        accelerator, memory, go = Accelerator(hardware), MemoryMap(mini()), 0
        for layer in mini().layers:
            found = accelerator.run(layer, memory, go)
            go = found.done + 40
            groups, pixels = layer.ch_out // hardware.npe, layer.width_out * layer.height_out
            passes = layer.ch_in if layer.kernel == 3 else -(-layer.ch_in // 8)
            assert found.issues == passes * groups * pixels
            sums = layer.ch_out if layer.gpool else 0
            assert found.write_beats == (pixels * layer.ch_out + sums) // hardware.lanes == found.writes[:, 1].sum()
            assert found.read_beats == (-(-layer.words_in // hardware.lanes) + layer.weights // hardware.lanes)
            assert found.read_beats == found.reads[:, 1].sum()
            waits = found.wait_weights + found.wait_pixels + found.wait_write + found.bubbles
            assert found.issues + waits < found.cycles
            assert (np.diff(found.tiles.first_issue) > 0).all()
            assert (found.tiles.last_step > found.tiles.last_issue).all()
            assert len(found.pixels) == pixels


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data_w", "goal", "bound"),
    [
        (128, 5_000_000, 3_767_424),
        pytest.param(32, 10_500_000, 9_430_560, marks=pytest.mark.slow),
    ],
)
def test_a_frame_keeps_its_goal(data_w, goal, bound):
    # Goal: the project's; bound: the multipliers at work in every cycle, or one word per cycle.
    accelerator, memory = Accelerator(Hardware(data_w=data_w)), MemoryMap(zynqnet())
    go, total = 0, 0
    for layer in zynqnet().layers:
        found = accelerator.run(layer, memory, go)
        assert found.error is ErrorCode.NONE
        go, total = found.done + 100, total + found.cycles
    assert bound < total < goal
