# SPDX-License-Identifier: Apache-2.0
"""Random designs, most of them wrong somewhere: only typed errors, and check, plan and run agree on what is accepted."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from objfifo_designs import CONSUME, PRODUCE, make, ty

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.iron.placed import (
    core,
    npu_dma_memcpy_nd,
    object_fifo,
    object_fifo_link,
    runtime_sequence,
)
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.export import to_dot, to_json
from goldbeat.pymodels.objfifo.plan.lower import plan, violations
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.notes import notes
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.untimed.deadlock import analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed

SHIMS, MEMS = [ANY.tile(c, 0) for c in (0, 1)], [ANY.tile(c, 1) for c in (0, 1)]
CORES = [ANY.tile(c, r) for c, r in ((0, 2), (0, 3), (2, 2), (4, 2))]
TILES = [*SHIMS, *MEMS, *CORES]
SIZES = [1, 2, 4, 6, 8, 12, 16, 24]
TYPES = [np.int32, np.int32, np.int32, np.int16, np.int8, np.float32, np.int64]
MANY = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def rarely(draw, value, otherwise):
    """A strategy's value one time in twenty."""
    return draw(value) if draw(st.integers(0, 19)) == 13 else otherwise


pairs = st.lists(st.tuples(st.integers(-1, 12), st.integers(-1, 12)), max_size=5)
depths = st.one_of(st.integers(1, 3), st.lists(st.integers(1, 3), min_size=2, max_size=2))
odd_depths = st.one_of(st.integers(-1, 70), st.lists(st.integers(-1, 4), max_size=4))
offset_lists = st.lists(st.integers(-4, 24), max_size=3)


@st.composite
def walks(draw, size):
    """Dims that visit an object once, or anything."""
    if draw(st.booleans()):
        return draw(pairs)
    inner = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
    return draw(st.permutations([(size // inner, inner), (inner, 1)]))


@st.composite
def fifos(draw, name, producer=None, consumer=None, size=None, kind=None):
    """Arguments of one fifo: its ends given or anywhere."""
    size = draw(st.sampled_from(SIZES)) if size is None else size
    kind = draw(st.sampled_from(TYPES)) if kind is None else rarely(draw, st.sampled_from(TYPES), kind)
    producer = draw(st.sampled_from(TILES)) if producer is None else producer
    consumers = [draw(st.sampled_from(TILES)) if consumer is None else consumer]
    consumers += [draw(st.sampled_from(TILES)) for _ in range(rarely(draw, st.integers(0, 2), 0))]
    extra = {
        "dimensionsToStream": rarely(draw, walks(size), None),
        "dimensionsFromStreamPerConsumer": rarely(draw, st.lists(walks(size), max_size=2), None),
        "padDimensions": rarely(draw, pairs, None),
        "iter_count": rarely(draw, st.integers(-1, 300), None),
        "via_DMA": rarely(draw, st.booleans(), None),
    }
    values = rarely(draw, st.integers(0, 3), None)
    if values is not None:
        extra["initValues"] = [np.ones(size)] * values
    repeat = rarely(draw, st.integers(-1, 4), None)
    return name, producer, consumers, rarely(draw, odd_depths, draw(depths)), size, kind, extra, repeat


@st.composite
def links(draw, number):
    """A link that may be right, with its fifos: sizes and offsets fit each other unless something else is drawn."""
    at = draw(st.sampled_from([*MEMS, *MEMS, *MEMS, *CORES]))
    kind, join = draw(st.sampled_from(TYPES)), draw(st.booleans())
    sizes = [draw(st.sampled_from(SIZES)) for _ in range(draw(st.integers(1, 3 if at in MEMS else 1)))]
    whole = sum(sizes) if len(sizes) > 1 or draw(st.booleans()) else draw(st.sampled_from(SIZES))
    offsets = [sum(sizes[:n]) for n in range(len(sizes))] if len(sizes) > 1 else []
    legs = [(f"leg{number}{n}", rarely(draw, st.sampled_from(SIZES), size)) for n, size in enumerate(sizes)]
    into, out = (legs, [(f"whole{number}", whole)]) if join else ([(f"whole{number}", whole)], legs)
    made = [draw(fifos(name, None, at, size, kind)) for name, size in into]
    made += [draw(fifos(name, at, None, size, kind)) for name, size in out]
    given = (rarely(draw, offset_lists, offsets if join else []), rarely(draw, offset_lists, [] if join else offsets))
    names = [n for n, _ in into], [n for n, _ in out]
    return made, (*names, *given, rarely(draw, st.booleans(), False))


@st.composite
def programs(draw, tile, made):
    """What a core's function does: mostly acquires and releases that fit each other, of fifos that end there."""
    mine = [(f[0], PRODUCE) for f in made if f[1] == tile] + [(f[0], CONSUME) for f in made if tile in f[2]]
    anything = st.tuples(st.sampled_from([f[0] for f in made]), st.sampled_from([PRODUCE, CONSUME]))
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        end = rarely(draw, anything, draw(st.sampled_from(mine)) if mine else None)
        count = rarely(draw, st.integers(-1, 4), 1)
        if end is not None:
            steps += [(*end, True, count), (*end, False, rarely(draw, st.integers(-1, 4), count))]
    return tile, steps, draw(st.sampled_from([None, 0, 1, 3, 2**31 - 1]))


@st.composite
def designs(draw):
    """What :func:`build` makes a design of."""
    made, joints = [], []
    for number in range(draw(st.integers(1, 2))):
        if draw(st.booleans()):
            made.append(draw(fifos(f"lone{number}")))
        else:
            more, link = draw(links(number))
            made += more
            joints.append(link)
    some = st.lists(st.sampled_from([*(f[0] for f in made), "nobody"]), max_size=2)
    odd = rarely(draw, st.tuples(some, some, offset_lists, offset_lists, st.booleans()), None)
    joints += [odd] if odd else []
    cores = [draw(programs(tile, made)) for tile in CORES if draw(st.integers(0, 2)) == 0]
    hosted = [f for f in made if f[1] in SHIMS or f[2][0] in SHIMS]
    moves = []
    for _ in range(draw(st.integers(0, 2))):
        fifo = rarely(draw, st.sampled_from(made), draw(st.sampled_from(hosted)) if hosted else None)
        if fifo is not None:
            count = rarely(draw, st.integers(-1, 60), fifo[4] * draw(st.integers(1, 2)))
            moves.append((fifo[0], count, rarely(draw, st.integers(-1, 9), 0)))
    return made, joints, cores, moves


def build(made, joints, cores, moves):
    """Declare it with mlir-aie's names."""
    known = {}
    for name, producer, consumers, depth, size, kind, extra, repeat in made:
        known[name] = object_fifo(name, producer, consumers, depth, ty(size, dtype=kind), **extra)
        if repeat is not None:
            known[name].set_repeat_count(repeat)
    for ins, outs, src, dst, rechunk in joints:
        object_fifo_link(ins, outs, src, dst, rechunk=rechunk)
    for tile, steps, loops in cores:

        def body(steps=steps, loops=loops):
            for _ in [0] if loops is None else range_(loops):
                for name, port, acquire, count in steps:
                    (known[name].acquire if acquire else known[name].release)(port, count)

        core(tile)(body)

    def sequence(host):
        for name, count, offset in moves:
            npu_dma_memcpy_nd(name, None, host, offsets=[0, 0, 0, offset], sizes=[1, 1, 1, count])

    runtime_sequence(ty(48))(sequence)


def refused(call):
    """The rule that a call breaks, the type of another typed error, or None; anything else is a failure."""
    try:
        call()
    except RuleError as error:
        return error.rule
    except GoldbeatError as error:
        return type(error).__name__
    return None


@pytest.mark.parametrize("strict", [True, False])
@settings(MANY, max_examples=20)
@given(designs())
def test_only_typed_errors_and_one_outcome(strict, parts):
    one_outcome(strict, parts)


@pytest.mark.slow
@pytest.mark.parametrize("strict", [True, False])
@settings(MANY, max_examples=300)
@given(designs())
def test_only_typed_errors_and_one_outcome_of_many(strict, parts):
    one_outcome(strict, parts)


def one_outcome(strict, parts):
    """Every way to look at a design says the same of it."""
    try:
        design = make(build, *parts)
    except GoldbeatError:
        event("refused while it is declared")
        return
    try:
        broken = [e.rule for e in violations(design, strict=strict)]
    except GoldbeatError as error:
        # A rule that is met while a program is recorded, such as acquire-count.
        broken = [getattr(error, "rule", type(error).__name__)]
    event("refused" if broken else "accepted")
    first = broken[0] if broken else None
    assert refused(lambda: plan(design, strict=strict)) == first
    if broken:
        assert refused(lambda: analyse(design, strict=strict)) == first
        assert refused(lambda: run_untimed(design, strict=strict)) == first
        return
    notes(design)
    found = plan(design, strict=strict)
    json.dumps(to_json(found))
    assert to_mlir(found)
    assert to_dot(found)
    limits = {"strict": strict, "iterations": 2}
    # Without a broken rule, the only refusal left is that of what cannot be executed.
    cannot = refused(lambda: analyse(design, search=False, **limits))
    assert cannot in (None, "UsageError")
    assert strict is False or cannot is None
    assert refused(lambda: run_untimed(design, **limits)) in (None, "UsageError")
