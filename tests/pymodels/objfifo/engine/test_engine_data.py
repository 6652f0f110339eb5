# SPDX-License-Identifier: Apache-2.0
"""What the cases of the DMA engine must give, by numpy indexing alone, and what a run may never do."""

from dataclasses import replace

import numpy as np
import pytest
from engine_cases import PARAMS, check_against_naive, cycles, episode, ints
from hypothesis import given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.alone import final_state, hanging, predict
from goldbeat.pymodels.objfifo.engine.engine import header_word
from goldbeat.pymodels.objfifo.engine.registers import Code, Descriptor, EngineShape, EngineTask
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.designs.objfifo.bench_engine import (
    CHAIN_PACKETS,
    CHAIN_SLOTS,
    DESIGN,
    OOO_IDS,
    PAD_AFTER,
    PAD_BEFORE,
    PADDED,
)
from goldbeat.tb.run.runs import Request

VARIANTS = [{}, {"NS": 1, "NM": 1, "NBANK": 1}, {"NS": 3, "NM": 4, "WORD_W": 128}]
TRAFFIC = [{}, {"gaps": "random:0.5", "ready": "random:0.7"}, {"gaps": "worst", "ready": "worst"}]


def parts(trace):
    """(words, 32-bit parts of a word)"""
    return trace.data.view("<u4")


def objects(trace, size):
    words = parts(trace)
    return words.reshape(-1, size, words.shape[1])


def forward(shape, options, inputs, _):
    return {0: objects(inputs[0], options["words"])}


def distribute(shape, options, inputs, _):
    whole = objects(inputs[0], shape.nm * options["words"])
    return {p: whole[:, p * options["words"] : (p + 1) * options["words"]] for p in range(shape.nm)}


def join(shape, options, inputs, _):
    return {0: np.concatenate([objects(inputs[c], options["words"]) for c in range(shape.ns)], axis=1)}


def broadcast(shape, options, inputs, _):
    return dict.fromkeys(range(shape.nm), objects(inputs[0], options["words"]))


def transpose(shape, options, inputs, _):
    rows, columns = options["rows"], options["columns"]
    whole = objects(inputs[0], rows * columns).reshape(-1, rows, columns, shape.lanes)
    return {0: whole.swapaxes(1, 2)}


def padding(shape, options, inputs, _):
    a, b, c = PADDED
    whole = objects(inputs[0], a * b * c).reshape(-1, c, b, a, shape.lanes)
    around = [(0, 0), *reversed(list(zip(PAD_BEFORE, PAD_AFTER, strict=True))), (0, 0)]
    return {0: np.pad(whole, around, constant_values=np.uint32(options["value"]))}


def repeat(shape, options, inputs, _):
    return {0: np.repeat(objects(inputs[0], options["words"]), options["times"], axis=0)}


def init_values(shape, options, inputs, stimulus):
    first = [a.value for a in stimulus.program["s_axil"] if a.address == 0x404]
    return {0: np.concatenate([np.array(first, np.uint32).reshape(-1, shape.lanes), parts(inputs[0])])}


def rechunk(shape, options, inputs, _):
    return {0: parts(inputs[0])}


def chain(shape, options, inputs, _):
    whole = objects(inputs[0], options["words"])
    headers = np.zeros((CHAIN_SLOTS, 1, shape.lanes), np.uint32)
    headers[:, 0, 0] = [header_word(*CHAIN_PACKETS[n % 2]) for n in range(CHAIN_SLOTS)]
    return {0: np.concatenate([headers, whole], axis=1)}


def out_of_order(shape, options, inputs, _):
    """Packets by their slots, in the order in which those of a slot came; then the first packet's words with a header."""
    words, per = options["words"], options["packets"]
    packets = objects(inputs[0], words + 1)
    ids = packets[:, 0, 0] >> 5 & 63
    whole = np.concatenate([packets[ids == number, 1:] for number in OOO_IDS]).reshape(-1, shape.lanes)
    assert len(whole) == len(OOO_IDS) * per * words
    header = np.zeros((1, shape.lanes), np.uint32)
    header[0, 0] = header_word(7, 1, 45)
    return {0: np.concatenate([whole, header, whole[:words]])}


CASES = {
    f.__name__: f
    for f in (
        forward,
        distribute,
        join,
        broadcast,
        transpose,
        padding,
        repeat,
        init_values,
        rechunk,
        chain,
        out_of_order,
    )
}
# Words from one TLAST to the next on output 0.
FRAMES = {
    "forward": lambda o, s: o["words"],
    "join": lambda o, s: s.ns * o["words"],
    "transpose": lambda o, s: o["rows"] * o["columns"],
    "rechunk": lambda o, s: 4,
    "chain": lambda o, s: o["words"] + 1,
}


@pytest.mark.parametrize("traffic", TRAFFIC, ids=["plain", "random", "worst"])
@pytest.mark.parametrize("params", VARIANTS, ids=["default", "small", "wide"])
@pytest.mark.parametrize("name", CASES)
def test_data(name, params, traffic):
    request = Request(DESIGN, DESIGN.case(name), (5,), params, traffic)
    setting = request.setting(5)
    shape = EngineShape.of(setting.params)
    for stimulus in request.case.make(setting):
        check_data(name, setting, shape, stimulus)


def check_data(name, setting, shape, stimulus):
    out = predict(setting.params, stimulus)
    inputs = [stimulus.inputs[f"s_axis_{c}"] for c in range(shape.ns)]
    for c in range(shape.ns):
        assert len(out.ports[f"s_axis_{c}"]) == len(inputs[c])
    want = CASES[name](shape, setting.options, inputs, stimulus)
    for n in range(shape.nm):
        got = parts(out.ports[f"m_axis_{n}"])
        assert got.reshape(-1).tolist() == want.get(n, np.zeros(0)).reshape(-1).tolist()
    assert final_state(setting.params, stimulus).error == 0
    assert {h.state for h in hanging(setting.params, stimulus)} <= {"input", "lock"}
    if name in FRAMES:
        size = FRAMES[name](setting.options, shape)
        last = out.ports["m_axis_0"].last
        assert np.array_equal(np.flatnonzero(last), np.arange(size - 1, len(last), size))


def test_the_edges_of_packets():
    """From a header to the words behind it, and from one packet to the next header (objfifo-engine.md, Out of order)."""
    bds = {1: Descriptor(0, 3), 2: Descriptor(8, 2, acquire=(0, 1), release=(0, 1))}
    packets = [header_word(0, 0, 1), 11, 12, 13, header_word(0, 0, 2), 21, 22, header_word(0, 0, 1), 31, 32, 33]
    stimulus = episode(bds, [EngineTask(0, 0, repeat=2)], words=[packets], locks={0: 1})
    order = {"s_axil": (Access("write", reg.OUT_OF_ORDER, 1), *stimulus.program["s_axil"])}
    stimulus = replace(stimulus, program=order)
    check_against_naive(PARAMS, stimulus)
    out = predict(PARAMS, stimulus)
    # Running behind edge 0: pop 1, head 2, header 3 (its word was there at 1), fetch 4, NEXT 5, CUR 6, words 7 to 9.
    # The finish at 9 is the edge of the next head: header 10, fetch 11, NEXT 12, acquire 13, CUR 14, words 15 and 16.
    events = [(int(k), ints(out.ports["evt_0"])[n]) for n, k in enumerate(cycles(out, "evt_0"))]
    assert events == [(10, 1), (17, 2), (24, 1 | 256)]
    assert [int(w) for w in final_state(PARAMS, stimulus).memory.view("<u4").reshape(-1)[[0, 1, 2, 8, 9]]] == [
        *(31, 32, 33),
        *(21, 22),
    ]
    # A word goes into the buffer of two as soon as one has left it.
    assert cycles(out, "s_axis_0")[:4] == [0, 1, 4, 8]


def test_planned_tiles():
    request = Request(DESIGN, DESIGN.case("planned"), (0,), {"NS": 3, "NM": 4})
    setting = request.setting(0)
    split, joined = request.case.make(setting)
    shape, options = EngineShape.of(setting.params), setting.options
    for stimulus, rule in ((split, distribute), (joined, join)):
        out = predict(setting.params, stimulus)
        want = rule(shape, options, [stimulus.inputs[f"s_axis_{c}"] for c in range(3)], stimulus)
        for n, words in want.items():
            assert parts(out.ports[f"m_axis_{n}"]).reshape(-1).tolist() == words.reshape(-1).tolist()


def test_a_ring_of_two_keeps_up_with_its_input():
    request = Request(DESIGN, DESIGN.case("forward"), (0,), {}, {"words": 64, "objects": 20})
    (stimulus,) = request.case.make(request.setting(0))
    edges = predict(request.all_params, stimulus).ports["m_axis_0"].cycle
    # Fill and drain take turns on two buffers; each hand-over from one to the other costs a few edges.
    assert edges[-1] - edges[0] < 1.1 * 64 * 20


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 20))
def test_rules_that_hold_in_any_run(seed):
    request = Request(DESIGN, DESIGN.case("scenes"), (seed,))
    (stimulus,) = request.case.make(request.setting(seed))
    params = request.all_params
    out = predict(params, stimulus)
    check_against_naive(params, stimulus)
    for name, trace in out.ports.items():
        if name.startswith("m_axis") and len(trace):
            assert stimulus.pattern(name).ready(int(trace.cycle[-1]) + 1)[trace.cycle].all()
        if name.startswith("s_axis"):
            assert (trace.cycle >= stimulus.inputs[name].cycle[: len(trace)]).all()
    assert not len(out.ports["lock"]) or out.ports["lock"].data.max() <= 63
    state = final_state(params, stimulus)
    finals = [sum(int(e[1]) for e in out.ports[f"evt_{c}"].data) for c in range(6)]
    assert all(tokens <= final for tokens, final in zip(state.tokens, finals, strict=True))
    stopped = [h for h in hanging(params, stimulus) if h.state == "stopped"]
    assert bool(stopped) == (state.error & 0xF in (Code.BAD_BD, Code.BAD_ADDRESS)) or state.error & 0xF == 3
