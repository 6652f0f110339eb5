# SPDX-License-Identifier: Apache-2.0
"""The model of the memory controller alone against cycles worked out by hand from docs/zynqnet-hardware.md."""

import numpy as np
import pytest

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.zynqnet.memctl import (
    END,
    FIRST_STEP,
    LAST_STEP,
    READ_BEAT,
    READ_ERROR,
    WRITE_BEAT,
    WRITE_ERROR,
    predict,
)

PARAMS = {"NPE": 16, "DATA_W": 128, "INT8": 0, "LINES": 8}
BASE, WEIGHTS, RESULTS = 0x1000, 64, 256
"""Byte address, words and words."""


def trace(rows, last=None):
    data = np.array(rows, np.uint32).view(np.uint8)
    return Trace.from_bytes(data, last=last, clock_ps=4000, offset_ps=4000)


def stimulus(ch_in=4, width=1, num_weights=None, image=0, frames=1, refused=(), **timing):
    """One row of ``width`` pixels, 1x1, 16 outputs; two drain steps in one burst."""
    words = (ch_in + 1) * 16 if num_weights is None else num_weights
    step = [[n, n, n, n, BASE + 4 * RESULTS, 1 | flag] for n, flag in ((1, FIRST_STEP), (2, LAST_STEP))]
    data = np.arange(320, dtype=np.uint32).view(np.uint8)
    edges = [0, 4 * WEIGHTS, 4 * RESULTS, len(data)]
    regions = tuple(
        Region(name, BASE + a, data[a:b], readable=name not in refused, writable=name not in refused)
        for name, a, b in zip(("image", "weights", "results"), edges[:-1], edges[1:], strict=True)
    )
    inputs = {
        "s_layer": trace(
            [[width | 1 << 16, ch_in | 16 << 16, 0b101, words, image, WEIGHTS, BASE, RESULTS, 0, 0, 320, 0]]
        ),
        "s_row": trace([[0]] * frames, last=[True] * frames),
        "s_drain": trace(step, last=[False, True]),
    }
    return Stimulus(inputs, memories={"m_axi": MemoryImage(regions, MemoryTiming(**timing), refusals=bool(refused))})


def events(outcome):
    port = outcome.ports["m_event"]
    return dict(zip(port.cycle.tolist(), port.data[:, 0].tolist(), strict=True))


def test_a_small_layer_by_hand():
    outcome = predict(PARAMS, stimulus(read_latency=8, write_latency=4))
    ports = outcome.ports
    # go = 1, so that the first decision and the first drain step come in cycle 17.
    assert [ports[name].cycle.tolist() for name in ("s_layer", "s_row", "s_drain")] == [[1], [17], [17, 18]]
    log = outcome.memories["m_axi"].log
    assert log["cycle"].tolist() == [
        18,  # the image: decided in 17, offered in 18
        20,  # results: d + AW_LATENCY, d = 17
        21,  # weights, 20 beats: two cycles behind the handshake, and one to the offer
        23,  # their second burst
    ]
    assert (log["address"] - BASE).tolist() == [0, 4 * RESULTS, 4 * WEIGHTS, 4 * WEIGHTS + 256]
    assert log["len"].tolist() == [0, 1, 15, 3]
    # Data of the first read after 8 cycles, then one beat per cycle from 21 + 8 on; handed on one cycle later.
    assert ports["m_words"].cycle.tolist() == [27, *range(30, 50)]
    assert ports["m_words"].tuser.tolist() == [0] + [1] * 20
    assert ports["m_words"].data.view(np.uint32)[:2].tolist() == [[0, 1, 2, 3], [64, 65, 66, 67]]
    # Write data at d + DRAIN_LATENCY; the reader has finished two cycles behind its last beat.
    assert events(outcome) == {
        25: WRITE_BEAT,
        26: READ_BEAT | WRITE_BEAT,
        **dict.fromkeys(range(29, 49), READ_BEAT),
        50: END,
    }
    written = outcome.memories["m_axi"].regions["results"][:32].view(np.uint32)
    assert written.tolist() == [1] * 4 + [2] * 4


def test_a_narrow_layer_hands_on_word_by_word_and_holds_the_port():
    ports = predict(PARAMS, stimulus(ch_in=3, width=2)).ports
    words = ports["m_words"]
    # Six words in two beats, each of which holds the port for three cycles more; two words behind the image come along.
    assert words.cycle[:8].tolist() == list(range(27, 35))
    assert words.data.view(np.uint32)[:8, 0].tolist() == list(range(8))
    assert (words.keep[:8].sum(axis=1) == 4).all()
    assert words.keep[8:].all()
    assert words.tuser.tolist() == [0] * 8 + [1] * 16


def test_errors_change_nothing_but_data():
    good = predict(PARAMS, stimulus())
    bad = predict(PARAMS, stimulus(refused=("image", "results")))
    assert bad.memories["m_axi"].log["response"].tolist() == [2, 2, 0, 0]
    added = {cycle: bits ^ events(good).get(cycle, 0) for cycle, bits in events(bad).items()}
    # The answer to the write comes four cycles behind its last beat, in 26.
    assert {cycle: bits for cycle, bits in added.items() if bits} == {26: READ_ERROR, 30: WRITE_ERROR}
    assert not bad.ports["m_words"].data[0].any()
    assert (bad.ports["m_words"].cycle == good.ports["m_words"].cycle).all()


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ({"num_weights": 16}, "num_weights: found 16, expected 80 for this layer"),
        ({"image": 2}, "expected multiples of 16 bytes"),
        ({"frames": 2}, "1 layers that run, 2 frames of base rows, 1 of drain steps: expected as many of each"),
    ],
)
def test_what_does_not_belong_together_is_refused(what, why):
    with pytest.raises(UsageError, match=why):
        predict(PARAMS, stimulus(**what))
