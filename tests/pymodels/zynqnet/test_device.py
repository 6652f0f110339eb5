# SPDX-License-Identifier: Apache-2.0
"""The accelerator behind its registers: what a host reads, and what it leaves in memory."""

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet import synth
from goldbeat.pymodels.zynqnet.device import predict
from goldbeat.pymodels.zynqnet.golden import Golden
from goldbeat.pymodels.zynqnet.hardware import ErrorCode
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.networks import mini
from goldbeat.pymodels.zynqnet.registers import COUNTERS, layer_rows, setup_rows
from goldbeat.pymodels.zynqnet.timing import Accelerator

PARAMS = {"NPE": 16, "DATA_W": 128, "INT8": 0, "LINES": 8, "MEM_WORDS": 1 << 20}
SETUP = [row.access() for row in setup_rows(MemoryMap(mini()))]
INTERRUPTS = [Access("write", reg.GIE, 1), Access("write", reg.IER, 1)]
WAIT = Access("wait_for", port="irq")


def golden():
    return Golden(mini(), synth.weights(mini()), synth.image(mini().input))


def run(*accesses, timing=None, params=PARAMS):
    words = golden().dram
    image = MemoryImage((Region("all", MemoryMap(mini()).base, words.view(np.uint8)),), timing or MemoryTiming())
    given = Stimulus({}, clocks={"aclk": Clock(4000, 4000)}, program={"s_axil": accesses}, memories={"m_axi": image})
    return predict(params, given)


def layer_program(layer, **changed):
    rows = [row.access() for row in layer_rows(layer)]
    return rows[:-1] + [Access("write", getattr(reg, name), value) for name, value in changed.items()] + rows[-1:]


def read(*addresses):
    return [Access("read", address) for address in addresses]


def values(outcome, count):
    return [answer.value for answer in outcome.accesses["s_axil"][-count:]]


def test_accesses_take_their_cycles():
    outcome = run(Access("write", reg.WIDTH, 5), *read(reg.WIDTH), Access("wait", cycles=10), *read(reg.ID, 0xFC))
    # A write ends one cycle after it is offered, a read three; the first one is offered in cycle 1.
    found = [(a.value, a.cycle) for a in outcome.accesses["s_axil"]]
    assert found == [(None, 2), (5, 6), (None, 16), (reg.ID_RESET, 20), (None, 24)]


def test_registers_keep_their_bits_and_bytes():
    outcome = run(
        Access("write", reg.MEM_IN, 0xFFFF_FFFF),
        Access("write", reg.DRAM_BASE, 0x1234_5678),
        Access("write", reg.DRAM_BASE, 0xAAAA_AAAA, strobe=0b0100),
        *read(reg.MEM_IN, reg.DRAM_BASE, reg.MEM_WORDS, reg.CONFIG),
    )
    assert values(outcome, 4) == [0x7F_FFFF, 0x12AA_5678, 1 << 20, 16 | 4 << 8 | 8 << 20]


def test_a_layer_from_start_to_acknowledge():
    layer = mini().layers[0]
    outcome = run(
        *SETUP,
        *INTERRUPTS,
        *layer_program(layer),
        *read(reg.AP_CTRL),
        WAIT,
        *read(reg.ISR, reg.AP_CTRL, reg.AP_CTRL),
        Access("write", reg.ISR, 1),
        *read(reg.ISR, reg.ERROR, COUNTERS["CYCLES"], COUNTERS["LAYERS"]),
    )
    answers = outcome.accesses["s_axil"]
    start = next(
        a.cycle
        for a, step in zip(answers, [*SETUP, *INTERRUPTS, *layer_program(layer)], strict=False)
        if step.address == 0
    )
    # Data handshake one cycle before the answer, go two cycles after it.
    expected = Accelerator().run(layer, MemoryMap(mini()), start + 1)
    ended = answers[len(SETUP) + len(INTERRUPTS) + len(layer_program(layer)) + 1]
    assert ended.cycle == expected.done + 1
    assert answers[len(SETUP) + len(INTERRUPTS) + len(layer_program(layer))].value == reg.AP_CTRL_START
    busy = reg.AP_CTRL_DONE | reg.AP_CTRL_READY
    assert values(outcome, 8) == [1, busy | reg.AP_CTRL_IDLE, reg.AP_CTRL_IDLE, None, 0, 0, expected.cycles, 1]
    assert outcome.status == {"irq": 0}


def test_memory_and_bursts_of_a_whole_network():
    timing = MemoryTiming(read_latency=11, read_jitter=5, seed=3)
    steps = [*SETUP, *INTERRUPTS]
    for layer in mini().layers:
        steps += [*layer_program(layer), WAIT, Access("write", reg.ISR, 1)]
    outcome = run(*steps, timing=timing)
    model = golden()
    for _ in model.run():
        pass
    contents = outcome.memories["m_axi"]
    assert contents.regions["all"].tobytes() == model.dram.tobytes()
    log = contents.log
    assert (np.diff(log["cycle"]) >= 0).all()
    assert (log["first"] > log["cycle"]).all()
    assert (log["last"] - log["first"] >= log["len"]).all()
    # No burst crosses a multiple of 16 beats.
    beats = log["address"] // 16
    assert ((beats % 16) + log["len"] < 16).all()
    written = sum((layer.width_out * layer.height_out + layer.gpool) * layer.ch_out for layer in mini().layers)
    assert ((log["len"] + 1) * log["kind"]).sum() * 4 == written


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"NUM_WEIGHTS": 1}, ErrorCode.NUM_WEIGHTS),
        ({"FIRST_SPLIT": 1, "SECOND_SPLIT": 1}, ErrorCode.SPLIT),
        ({"FIRST_SPLIT": 1, "SECOND_SPLIT": 1, "NUM_WEIGHTS": 1, "MEM_OUT": 1}, ErrorCode.NUM_WEIGHTS),
        ({"KERNEL": 2, "NUM_WEIGHTS": 1}, ErrorCode.KERNEL),
        ({"MEM_OUT": 2}, ErrorCode.ALIGNMENT),
        ({"MEM_WORDS": 64}, ErrorCode.MEMORY),
    ],
)
def test_bad_layers_do_not_start(changed, code):
    layer = mini().layers[0]
    outcome = run(*SETUP, *INTERRUPTS, *layer_program(layer, **changed), WAIT, *read(reg.ERROR, *COUNTERS.values()))
    assert values(outcome, 11) == [code, 16, *[0] * 9]
    assert outcome.memories["m_axi"].regions["all"].tobytes() == golden().dram.tobytes()
    assert len(outcome.memories["m_axi"].log) == 0


def test_shifts_matter_to_int8_alone():
    layer = mini().layers[0]
    steps = [*SETUP, *INTERRUPTS, *layer_program(layer, SHIFTS=0x10), WAIT, *read(reg.ERROR)]
    assert values(run(*steps), 1) == [0]
    assert values(run(*steps, params=PARAMS | {"INT8": 1}), 1) == [ErrorCode.SHIFTS]


def test_a_second_start_is_ignored():
    layer = mini().layers[0]
    again = Access("write", reg.AP_CTRL, reg.AP_CTRL_START)
    outcome = run(*SETUP, *INTERRUPTS, *layer_program(layer), again, WAIT, *read(COUNTERS["LAYERS"]))
    assert values(outcome, 1) == [1]


def ended(*steps):
    """The cycle in which the layer that these steps start is done."""
    return run(*SETUP, *INTERRUPTS, *steps, WAIT).accesses["s_axil"][-1].cycle - 1


def poll(address, value, mask=None):
    return Access("poll", address, value, mask=mask)


def test_a_poll_counts_its_reads():
    layer = mini().layers[0]
    begun = [*SETUP, *INTERRUPTS, *layer_program(layer)]
    done = ended(*layer_program(layer))
    for pause in range(1, 6):
        steps = [
            *begun,
            Access("wait", cycles=pause),
            poll(reg.AP_CTRL, reg.AP_CTRL_DONE, reg.AP_CTRL_DONE),
            *read(reg.AP_CTRL),
        ]
        answers = run(*steps).accesses["s_axil"]
        first = answers[-3].cycle + 1
        # Looks come every four cycles, the first one a cycle after the address.
        look = first + 1
        while look <= done:
            look += 4
        assert answers[-2].cycle == look + 2
        assert (answers[-2].value, answers[-1].value) == (
            reg.AP_CTRL_DONE | reg.AP_CTRL_IDLE | reg.AP_CTRL_READY,
            reg.AP_CTRL_IDLE,
        )


def test_done_stays_until_it_is_read():
    layer = mini().layers[0]
    layers = COUNTERS["LAYERS"]
    once = [*layer_program(layer), poll(layers, 1)]
    outcome = run(
        *SETUP, *once, *layer_program(layer), *read(reg.AP_CTRL), poll(layers, 2), *read(reg.AP_CTRL, reg.AP_CTRL)
    )
    found = values(outcome, 4)
    assert found[0] == reg.AP_CTRL_START | reg.AP_CTRL_DONE | reg.AP_CTRL_READY
    assert found[2:] == [reg.AP_CTRL_IDLE | reg.AP_CTRL_DONE | reg.AP_CTRL_READY, reg.AP_CTRL_IDLE]


def test_auto_restart_takes_what_stands_in_the_registers():
    first, second = mini().layers[:2]
    layers = COUNTERS["LAYERS"]
    again = [Access("write", reg.AP_CTRL, reg.AP_CTRL_START | reg.AP_CTRL_AUTO_RESTART), *layer_program(second)[:-1]]
    steps = [
        *SETUP,
        *layer_program(first)[:-1],
        *again,
        poll(layers, 1),
        Access("write", reg.AP_CTRL, 0),
        poll(layers, 2),
    ]
    outcome = run(*steps, *read(reg.AP_CTRL, COUNTERS["ISSUES"]))
    model = golden()
    for layer in (first, second):
        model.run_layer(layer)
    assert outcome.memories["m_axi"].regions["all"].tobytes() == model.dram.tobytes()
    # go of the second layer is two cycles after the end of the first one.
    timed = Accelerator()
    start = next(a.cycle for a, s in zip(outcome.accesses["s_axil"], steps, strict=False) if s.address == 0)
    one = timed.run(first, MemoryMap(mini()), start + 1)
    two = timed.run(second, MemoryMap(mini()), one.done + 2)
    assert values(outcome, 2) == [reg.AP_CTRL_IDLE | reg.AP_CTRL_DONE | reg.AP_CTRL_READY, two.issues]
    log = outcome.memories["m_axi"].log
    assert log["done"].max() == max(two.reads[:, 4].max(), two.writes[:, 5].max())


def refusing(address, size, *, write):
    """The memory with a stretch that must not be read, or written."""
    base, words = MemoryMap(mini()).base, golden().dram.view(np.uint8)
    first, end = address - base, address - base + size
    bad = Region("bad", address, words[first:end], readable=write, writable=not write)
    regions = (Region("low", base, words[:first]), bad, Region("high", address + size, words[end:]))
    return MemoryImage(regions, refusals=True)


@pytest.mark.parametrize("write", [False, True])
def test_a_refused_burst_is_reported_and_the_layer_goes_on(write):
    layer, memory = mini().layers[0], MemoryMap(mini())
    # The first burst of the image; the first one of the results.
    at = memory.layer_output(layer) if write else memory.layer_input(layer)
    size = 256 - memory.byte(at.first) % 256
    image = refusing(memory.byte(at.first), size, write=write)
    early = [Access("wait", cycles=30), *read(reg.ERROR)]
    steps = [*SETUP, *INTERRUPTS, *layer_program(layer), *early, WAIT, *read(reg.ERROR, COUNTERS["LAYERS"])]
    steps += [Access("write", reg.ISR, 1), *layer_program(mini().layers[1], NUM_WEIGHTS=1), WAIT, *read(reg.ERROR)]
    given = Stimulus(
        {}, clocks={"aclk": Clock(4000, 4000)}, program={"s_axil": tuple(steps)}, memories={"m_axi": image}
    )
    outcome = predict(PARAMS, given)
    answers = [a.value for s, a in zip(steps, outcome.accesses["s_axil"], strict=True) if s.op == "read"]
    code = ErrorCode.WRITE_RESPONSE if write else ErrorCode.READ_RESPONSE
    # The image is read before anything is written.
    assert answers == [0 if write else code, code, 0, ErrorCode.NUM_WEIGHTS]
    model = golden()
    if not write:
        model.dram[at.first : at.first + size // 4] = 0
    model.run_layer(layer)
    expected = model.dram
    expected[at.first : at.first + size // 4] = golden().dram[at.first : at.first + size // 4]
    found = b"".join(outcome.memories["m_axi"].regions[name].tobytes() for name in ("low", "bad", "high"))
    assert found == expected.tobytes()


@pytest.mark.parametrize(
    "step",
    [
        poll(reg.AP_CTRL, reg.AP_CTRL_DONE),
        poll(0x0FC, 1),
        Access("wait_for", 0, 0, port="irq"),
        Access("wait_for", port="irq"),
        Access("wait_for", port="something"),
    ],
)
def test_what_never_comes(step):
    irq = [Access("write", reg.GIE, 1), Access("write", reg.ISR, 1)] if step.value == 0 else []
    with pytest.raises(UsageError):
        run(*SETUP, *irq, step)


def test_layers_without_end():
    with pytest.raises(UsageError, match="without end"):
        run(
            *SETUP,
            *layer_program(mini().layers[0])[:-1],
            Access("write", reg.AP_CTRL, reg.AP_CTRL_START | reg.AP_CTRL_AUTO_RESTART),
        )
