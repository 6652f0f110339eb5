# SPDX-License-Identifier: Apache-2.0
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import Sink, Source, beats_of
from stream_cases import ACLK, check_rules, patterns, stimulus, traces

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.plio import fir
from goldbeat.pymodels.plio import fir_registers as reg
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace

PARAMS = {"W": 32, "NTAPS": 4}


def setting(taps, shift=0, rounding=0, saturation=1, frame_clear=False):
    """A register program."""
    values = {0x0C: shift, 0x10: rounding, 0x14: saturation, 0x08: 2 * frame_clear}
    values |= {0x40 + 4 * k: tap & 0xFFFFFFFF for k, tap in enumerate(taps)}
    return tuple(Access("write", a, v) for a, v in values.items())


def case(trace, program, pattern=None, after=()):
    ready = {"m_axis": pattern} if pattern else {}
    return Stimulus({"s_axis": trace}, ready, {"aclk": ACLK}, {"s_axil": program}, {"s_axil": after})


def samples(*values, width=32, last=None, keep=None):
    data = np.array([(v, -v) for v in values], "<i2").reshape(-1, width // 16).view(np.uint8)
    return Trace.from_bytes(data, clock_ps=1000, last=last, keep=keep)


def real_parts(trace):
    return trace.samples("cint16")[:, 0].tolist()


@pytest.mark.parametrize(
    ("ntaps", "latency", "depth"), [(4, 8, 16), (6, 9, 16), (8, 9, 16), (16, 10, 16), (18, 11, 16), (64, 12, 16)]
)
def test_geometry(ntaps, latency, depth):
    assert (fir.fir_latency(ntaps), fir.fifo_depth(ntaps)) == (latency, depth)
    read = fir.registers({"W": 64, "NTAPS": ntaps}).apply([Access("read", 0x004)])
    assert read == [(ntaps | 2 << 8 | latency << 16 | depth << 24, False)]


def test_impulse():
    out = fir.predict(PARAMS, case(samples(1, 0, 0, 0, 0), setting([10, 20])))
    assert real_parts(out.ports["m_axis"]) == [10, 20, 20, 10, 0]
    assert out.ports["m_axis"].samples("cint16")[:, 1].tolist() == [-10, -20, -20, -10, 0]
    assert out.ports["s_axis"].cycle.tolist() == [0, 1, 2, 3, 4]
    assert out.ports["m_axis"].cycle.tolist() == [8, 9, 10, 11, 12]


def test_without_a_program_it_waits_for_reset_and_gives_zeros():
    out = fir.predict(PARAMS, stimulus(samples(1, 2)))
    assert out.ports["s_axis"].cycle.tolist() == [1, 2]
    assert out.ports["m_axis"].cycle.tolist() == [9, 10]
    assert real_parts(out.ports["m_axis"]) == [0, 0]


def test_credits():
    # 16 credits: beats 0..15 in at 0..15; the sink takes one in cycles 39, 79, ...: credit back one cycle later.
    out = fir.predict(PARAMS, case(samples(*range(18)), setting([1, 1]), Pattern("array", values=(0,) * 39 + (1,))))
    assert out.ports["s_axis"].cycle.tolist() == [*range(16), 40, 80]
    assert out.ports["m_axis"].cycle.tolist() == [39 + 40 * i for i in range(18)]


def test_short_last_beat_moves_the_history_by_its_samples():
    # 128 bit: 4 + 2 samples, then 1. Lanes without keep are no samples.
    keep = [[1] * 16, [1] * 8 + [0] * 8, [1] * 4 + [0] * 12]
    source = samples(1, 2, 3, 4, 5, 6, 99, 99, 7, 99, 99, 99, width=128, last=[0, 1, 1], keep=keep)
    out = fir.predict({"W": 128, "NTAPS": 4}, case(source, setting([1, 0]))).ports["m_axis"]
    # h = 1 0 0 1: y[n] = x[n] + x[n-3]
    assert real_parts(out) == [1, 2, 3, 5, 7, 9, 11]
    assert out.keep.sum(axis=1).tolist() == [16, 8, 4]
    assert out.last.tolist() == [False, True, True]
    assert not out.data[~out.keep].any()


def test_keep_outside_last_beats_is_ignored():
    source = samples(1, 2, width=64, keep=[[0] * 8])
    out = fir.predict({"W": 64, "NTAPS": 4}, case(source, setting([3, 0]))).ports["m_axis"]
    assert real_parts(out) == [3, 6]


def test_last_beat_without_samples():
    source = samples(1, 9, 2, last=[0, 1, 0], keep=[[1] * 4, [0] * 4, [1] * 4])
    out = fir.predict(PARAMS, case(source, setting([1, 1]))).ports["m_axis"]
    assert out.keep.any(axis=1).tolist() == [True, False, True]
    assert real_parts(out) == [1, 3]
    assert not out.data[1].any()


def test_frame_clear():
    source = samples(1, 2, 3, 4, 5, last=[0, 1, 0, 0, 0])
    out = fir.predict(PARAMS, case(source, setting([1, 1], frame_clear=True))).ports["m_axis"]
    assert real_parts(out) == [1, 3, 3, 7, 12]
    out = fir.predict(PARAMS, case(source, setting([1, 1]))).ports["m_axis"]
    assert real_parts(out) == [1, 3, 6, 10, 14]


def test_saturation_and_its_counter():
    source = samples(20000, 20000, -20000)
    after = (Access("read", 0x18), Access("read", 0x1C), Access("write", 0x1C, 5), Access("read", 0x1C))
    # h = 2 1 1 2: re 40000, 40000 + 20000, -40000 + 20000 + 20000; im the same negated.
    for mode, values, count in (
        (1, [32767, 32767, 0], 4),
        (3, [32767, 32767, 0], 4),
        (0, [40000 - 65536, 60000 - 65536, 0], 0),
        (2, [40000 - 65536, 60000 - 65536, 0], 0),
    ):
        given_ = case(source, setting([2, 1], saturation=mode), after=after)
        assert real_parts(fir.predict(PARAMS, given_).ports["m_axis"]) == values
        assert fir.predict_accesses(PARAMS, given_)[1] == [(3, False), (count, False), (None, False), (0, False)]
    low = fir.predict(PARAMS, case(source, setting([2, 1], saturation=1))).ports["m_axis"].samples("cint16")
    assert low[:, 1].tolist() == [-32768, -32768, 0]
    low = fir.predict(PARAMS, case(source, setting([2, 1], saturation=3))).ports["m_axis"].samples("cint16")
    assert low[:, 1].tolist() == [-32767, -32767, 0]


def rounded(value, shift, mode):
    """Rounding by its definition, in fractions."""
    exact = Fraction(value, 1 << shift)
    low, high = math.floor(exact), math.ceil(exact)
    if mode == 0:
        return low
    if mode == 1:
        return high
    if exact - low != high - exact:
        return low if exact - low < high - exact else high
    even, away = (low, high) if low % 2 == 0 else (high, low), low if exact < 0 else high
    return {2: high, 3: low, 4: even[0], 5: even[1], 6: away, 7: low + high - away}[mode]


def direct(beats, lanes, taps, shift, mode, saturation, frame_clear):
    """Output data per beat and saturated values, sample by sample in Python integers."""
    history, out, changed = [], [], 0
    for data, keep, last in beats:
        full = [all(keep[4 * w : 4 * w + 4]) if last else True for w in range(lanes)]
        valid = [*full, False].index(False)
        row = []
        for w in range(valid):
            part = [int.from_bytes(bytes(data[4 * w + o : 4 * w + o + 2]), "little", signed=True) for o in (0, 2)]
            history.append(part)
            for c in (0, 1):
                exact = sum(h * history[-1 - k][c] for k, h in enumerate(taps) if k < len(history))
                value = rounded(exact, shift, mode)
                if saturation in (1, 3):
                    kept = min(max(value, -32768 if saturation == 1 else -32767), 32767)
                    changed += kept != value
                else:
                    kept = (value + 32768) % 65536 - 32768
                row += kept.to_bytes(2, "little", signed=True)
        out.append(
            (tuple(row) + (0,) * (4 * (lanes - valid)), (True,) * 4 * valid + (False,) * 4 * (lanes - valid), last)
        )
        if last and frame_clear:
            history = []
    return out, changed


class Pipeline:
    """The filter's flow: credits, a pipeline that never stalls, memory and output register."""

    def __init__(self, stages, depth, up):
        self.line, self.memory, self.register = [None] * stages, [], None
        self.credits, self.depth, self.up, self.most = depth, depth, up, 0

    ready = property(lambda self: self.up and self.credits > 0)
    valid = property(lambda self: self.register is not None)

    def edge(self, push, pop):
        if pop:
            self.register = None
        if self.memory and self.register is None:
            self.register = self.memory.pop(0)
        self.line.insert(0, push)
        arrived = self.line.pop()
        if arrived is not None:
            self.memory.append(arrived)
        self.credits += bool(pop) - (push is not None)
        self.up = True
        self.most = max(self.most, len(self.memory))


@given(
    st.sampled_from([32, 64, 128]),
    st.sampled_from([4, 6, 16, 64]),
    st.data(),
    patterns,
    st.integers(0, 7),
    st.integers(0, 3),
    st.booleans(),
)
def test_against_direct_form(width, ntaps, data, pattern, mode, saturation, frame_clear):
    trace = data.draw(traces(width))
    half = data.draw(st.lists(st.integers(-32768, 32767), min_size=ntaps // 2, max_size=ntaps // 2))
    shift = data.draw(st.sampled_from([0, 1, 2, 15, 20, 47, 63]))
    params = {"W": width, "NTAPS": ntaps}
    after = (Access("read", 0x18), Access("read", 0x1C))
    given_ = case(trace, setting(half, shift, mode, saturation, frame_clear), pattern, after)
    out = fir.predict(params, given_)
    expected, changed = direct(
        beats_of(trace), width // 32, half + half[::-1], min(shift, 47), mode, saturation, frame_clear
    )
    assert beats_of(out.ports["m_axis"]) == expected
    assert fir.predict_accesses(params, given_)[1] == [(len(trace), False), (changed, False)]
    check_rules(out, given_)


@given(traces(32), patterns, st.sampled_from([4, 16, 64]), st.booleans())
def test_timing_against_simulation(trace, pattern, ntaps, settled):
    given_ = stimulus(trace, pattern, settled=settled)
    out = fir.predict({"W": 32, "NTAPS": ntaps}, given_)
    # An accept is in the memory L - 2 edges after its own, in the register one later, and goes one later still.
    pipe = Pipeline(fir.fir_latency(ntaps) - 2, fir.fifo_depth(ntaps), settled)
    source, sink = Source(beats_of(trace), trace.gaps), Sink(pattern)
    for cycle in range(10000):
        took, gave = source.valid and pipe.ready, sink.takes(pipe.valid)
        beat, head = source.head if took else None, pipe.register if gave else None
        pipe.edge(beat, gave)
        source.edge(cycle, took)
        sink.edge(head)
        if source.done and len(sink.beats) == len(trace):
            break
    assert out.ports["s_axis"].cycle.tolist() == source.cycles
    assert out.ports["m_axis"].cycle.tolist() == sink.cycles
    assert pipe.most <= pipe.depth


def test_one_beat_a_cycle():
    rng = np.random.default_rng(5)
    trace = Trace.from_bytes(rng.integers(0, 256, (500, 4)), clock_ps=1000)
    for pattern in (Pattern(), Pattern("array", values=(1,))):
        out = fir.predict({"W": 32, "NTAPS": 64}, case(trace, setting([0] * 32), pattern))
        assert out.ports["m_axis"].cycle.tolist() == [12 + i for i in range(500)]


# -- registers ------------------------------------------------------------------------------------------------------


def test_registers_after_reset():
    file = fir.registers(PARAMS)
    reads = [Access("read", a) for a in (0x00, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x40, 0x44)]
    assert [value for value, _ in file.apply(reads)] == [0x47424652, 0, 0, 0, 1, 0, 0, 0, 0]
    assert file.settings == reg.FirSettings((0, 0, 0, 0), 0, 0, 1, False)


def test_writes_keep_only_the_bits_there_are():
    file = fir.registers(PARAMS)
    registers = (0x08, 0x0C, 0x10, 0x14, 0x40)
    file.apply([Access("write", a, 0xFFFFFFFF) for a in registers])
    assert file.apply([Access("read", a) for a in registers]) == [
        (2, False),
        (0x3F, False),
        (7, False),
        (3, False),
        (0xFFFFFFFF, False),
    ]
    assert file.settings == reg.FirSettings((-1, 0, 0, -1), 47, 7, 3, True)


def test_byte_strobes():
    file = fir.registers(PARAMS)
    file.apply([Access("write", 0x44, 0x1234ABCD, strobe=0b0010)])
    assert file.apply([Access("read", 0x44)]) == [(0xFFFFAB00, False)]
    file.apply([Access("write", 0x44, 0x77777777, strobe=0b1101)])
    assert file.apply([Access("read", 0x44)]) == [(0xFFFFAB77, False)]
    file.apply([Access("write", 0x0C, 0x15, strobe=0b1110)])
    assert file.apply([Access("read", 0x0C)]) == [(0, False)]


@pytest.mark.parametrize("address", [0x20, 0x3C, 0x48, 0x80, 0xFFC])
def test_outside_the_map(address):
    file = fir.registers(PARAMS)
    assert file.apply([Access("read", address), Access("write", address, 1)]) == [(None, True), (None, True)]


@pytest.mark.parametrize("address", [0x00, 0x04, 0x18])
def test_read_only(address):
    file = fir.registers(PARAMS)
    (before, error), (_, refused), (after, _) = file.apply(
        [Access("read", address), Access("write", address, 0xFFFFFFFF), Access("read", address)]
    )
    assert (error, refused) == (False, True)
    assert before == after


def test_all_coefficients():
    file = fir.registers({"W": 32, "NTAPS": 64})
    replies = file.apply([Access("write", 0x40 + 4 * k, k - 16) for k in range(33)])
    assert [error for _, error in replies] == [False] * 32 + [True]
    assert file.settings.taps == (*range(-16, 16), *range(15, -17, -1))


def test_counters_wrap_and_stop():
    file = fir.registers(PARAMS)
    file.run((1 << 32) - 1, (1 << 32) - 2)
    file.run(3, 5)
    reads = [Access("read", 0x18), Access("read", 0x1C)]
    assert file.apply(reads) == [(2, False), (0xFFFFFFFF, False)]


def test_wrong_requests():
    file = fir.registers(PARAMS)
    with pytest.raises(UsageError, match="0x1000"):
        file.apply([Access("read", 0x1000)])
    with pytest.raises(UsageError, match="'peek'"):
        file.apply([Access("peek", 0)])
    for ntaps in (2, 5, 66):
        with pytest.raises(UsageError, match="NTAPS"):
            fir.predict({"W": 32, "NTAPS": ntaps}, stimulus(samples(1)))


@pytest.mark.parametrize("clear", [False, True])
@pytest.mark.parametrize("width", [32, 128])
def test_blocks_filter_as_the_whole_does(clear, width, monkeypatch):
    rng = np.random.default_rng(width)
    n = 300
    words = rng.integers(0, width // 32 + 1, n)
    trace = Trace.from_bytes(
        rng.integers(0, 256, (n, width // 8), np.uint8),
        keep=np.arange(width // 8) < 4 * words[:, None],
        last=rng.integers(0, 9, n) == 0,
        clock_ps=4000,
    )
    registers = fir.registers({"W": width, "NTAPS": 16})
    registers.apply(setting(rng.integers(-32768, 32768, 8).tolist(), shift=9, frame_clear=clear))
    settings = registers.settings
    assert settings.frame_clear == clear
    assert len(settings.taps) == 16
    whole = fir.filtered(trace, settings)
    for block in (1, 5, 16, 64, 1000):
        monkeypatch.setattr(fir, "_BLOCK", block)
        found = fir.filtered(trace, settings)
        assert found[1] == whole[1] > 0
        assert np.array_equal(found[0].data, whole[0].data)
