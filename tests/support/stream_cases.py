# SPDX-License-Identifier: Apache-2.0
"""Random stimuli, and the checks that hold for every stream design."""

import numpy as np
from hypothesis import strategies as st
from naive_streams import beats_of

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace

ACLK = Clock(1000, 1000)

patterns = st.one_of(
    st.just(Pattern()),
    st.builds(Pattern, kind=st.just("random"), p=st.sampled_from([0.1, 0.5, 0.9]), seed=st.integers(0, 99)),
    st.builds(Pattern, kind=st.just("bursty"), burst=st.integers(1, 20), seed=st.integers(0, 99)),
    st.just(Pattern("worst")),
    st.builds(Pattern, kind=st.just("after-valid"), burst=st.integers(1, 5), seed=st.integers(0, 99)),
    st.lists(st.integers(0, 1), max_size=6).map(lambda v: Pattern("array", values=(*v, 1))),
)

clocks = st.integers(1, 40).flatmap(lambda half: st.builds(Clock, st.just(2 * half), st.integers(1, 2 * half)))


@st.composite
def traces(draw, width, most=40, sidebands=False, whole=None):
    """Any beats at all; gaps none, some or many; `whole`: keep of whole words from the low end, on TLAST beats."""
    n = draw(st.integers(0, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = width // 8
    data = rng.integers(0, 256, (n, size))
    last = rng.random(n) < draw(st.sampled_from([0, 0.1, 0.5, 1]))
    some = rng.random((n, size)) < 0.5
    runs = np.arange(size) < 4 * rng.integers(0, size // 4 + 1, (n, 1)) if size >= 4 else some
    keep = np.where(rng.random((n, 1)) < 0.6, runs, some)
    if draw(st.booleans()):
        keep = keep | ~last[:, None]
    gap = draw(st.sampled_from([0, 1, 4, 30]))
    extra = {s: rng.integers(0, 9, n) for s in ("tid", "tdest", "tuser")} if sidebands else {}
    trace = Trace.from_bytes(data, keep=keep, last=last, clock_ps=1000, **extra)
    return trace.with_gaps(rng.integers(0, gap + 1, n) * rng.integers(0, 2, n))


def stimulus(trace, pattern=None, clocks=None, settled=False):
    """One input, one output."""
    program = {"s_axil": (Access("read", 0),)} if settled else {}
    ready = {} if pattern is None else {"m_axis": pattern}
    return Stimulus({"s_axis": trace}, ready, clocks or {"aclk": ACLK}, program)


def check_rules(outcome, given):
    """No two transfers in a cycle, none before reset allows, outputs in ready cycles, the clock's times."""
    for name, trace in outcome.ports.items():
        assert not len(trace) or trace.cycle[0] >= 0
        assert (np.diff(trace.cycle) > 0).all()
        if name.startswith("m_axis") and len(trace) and not given.pattern(name).waits:
            assert given.pattern(name).ready(int(trace.cycle[-1]) + 1)[trace.cycle].all()
        if name.startswith("s_axis"):
            source = given.inputs[name]
            assert (trace.cycle >= source.cycle[: len(trace)]).all()
            assert (np.diff(trace.cycle) > source.gaps[1 : len(trace)]).all()


def check_same(outcome, source, sink):
    """The model against a simulation: beats, cycles of input and output."""
    assert outcome.ports["s_axis"].cycle.tolist() == source.cycles
    check_output(outcome.ports["m_axis"], sink)


def check_output(trace, sink):
    assert beats_of(trace) == sink.beats
    assert trace.cycle.tolist() == sink.cycles
