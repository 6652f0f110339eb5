# SPDX-License-Identifier: Apache-2.0
"""Every rule refused by name, with its numbers; what ``strict=False`` does where that is defined."""

import numpy as np
import pytest
from objfifo_designs import (
    CONSUME,
    FAR,
    MEM,
    PRODUCE,
    SHIM,
    C,
    distribute,
    forward,
    join,
    make,
    moves,
    one,
    program,
    ty,
)

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.iron.placed import (
    device,
    dma_wait,
    npu_dma_memcpy_nd,
    object_fifo,
    object_fifo_link,
    runtime_sequence,
)
from goldbeat.pymodels.objfifo.iron.placement import tile
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice
from goldbeat.pymodels.objfifo.plan.lower import plan, violations
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.rules import RULES, RuleError, rules_text
from goldbeat.pymodels.objfifo.untimed import functional
from goldbeat.pymodels.objfifo.untimed.deadlock import analyse


def plain(depth=2, obj=None, **kwargs):
    return object_fifo("x", FAR[0], FAR[1], depth, ty(8) if obj is None else obj, **kwargs)


def with_program(steps, depth=2, tiles=(FAR[0], FAR[1])):
    x = object_fifo("x", *tiles, depth, ty(8))
    program(tiles[1], *((x, CONSUME, n) for n in steps))


def streamed(end, producer=FAR[0], acquires=0, **kwargs):
    x = object_fifo("x", producer, FAR[1], 2, ty(8), **kwargs)
    x.set_aie_stream(end, 0)
    if acquires:
        program(FAR[1], (x, CONSUME, acquires))


def linked(ins, outs, src=(), dst=(), **kwargs):
    """Fifos from (name, producer, consumer, elements), and their link."""
    for name, producer, consumer, n in [*ins, *outs]:
        object_fifo(name, producer, consumer, 2, ty(n))
    object_fifo_link([n for n, *_ in ins], [n for n, *_ in outs], src, dst, **kwargs)


def twice():
    plain()
    plain()


def two_links():
    forward(8)
    object_fifo("c", MEM, FAR[1], 2, ty(8))
    object_fifo_link("a", "c")


def mem_to_mem():
    other = ANY.tile(1, 1)
    a, b = object_fifo("a", SHIM, MEM, 2, ty(8)), object_fifo("b", MEM, other, 2, ty(8))
    c = object_fifo("c", other, FAR[0], 2, ty(8))
    object_fifo_link(a, b)
    object_fifo_link(b, c)


def repeats():
    _, legs = distribute([8, 8])
    legs[1].set_repeat_count(2)


def repeated(fifo, n):
    fifo.set_repeat_count(n)


def iterated(n, **kwargs):
    forward(8, iter_count=n, **kwargs)


def types(first, last, into=None, out=None):
    """A link on a memory tile from objects of one type to objects of another, with dims at its ends."""
    a = object_fifo("a", SHIM, MEM, 2, first, None, [into or []])
    object_fifo_link(a, object_fifo("b", MEM, FAR[0], 2, last, out))


def core_in_a_link(which, port):
    a, b = object_fifo("a", S, A, 2, ty(8)), object_fifo("b", A, B, 2, ty(8))
    object_fifo_link(a, b)
    program(A, *one((a, b)[which], port))


def dims(to, n=24, dtype=np.int32, **kwargs):
    forward(n, dtype=dtype, dimensionsToStream=to, **kwargs)


def core_dims(walk, n=24, dtype=np.int32):
    plain(obj=ty(n, dtype=dtype), dimensionsFromStreamPerConsumer=[walk])


def tiles_of(device_name):
    with fresh():
        device(device_name)(lambda: tile(1, 2))


def many(count, build):
    for i in range(count):
        build(i)


def transfer(sizes, strides=None, n=16, obj=8, bd=None, times=1, drains=False):
    x = object_fifo("x", *((FAR[0], SHIM) if drains else (SHIM, FAR[0])), 2, ty(obj))

    def body(host):
        for _ in range(times):
            npu_dma_memcpy_nd(x, bd, host, sizes=sizes, strides=strides)

    runtime_sequence(ty(n))(body)


def seven_inputs():
    many(7, lambda i: object_fifo(f"x{i}", ANY.tile(i, 0), MEM, 2, ty(8)))


S, M, A, B = SHIM, MEM, FAR[0], FAR[1]

# name: (rule, what the text holds, builder)
CASES = {
    "same name": ("name-unique", "2 fifos are called x", twice),
    "no shape": ("object-type", "no object type", lambda: plain(obj=np.int32)),
    "half word": ("object-words", "6 bytes", lambda: plain(obj=ty(3, dtype=np.int16))),
    "odd offset": ("object-words", "2 bytes", lambda: distribute([2, 6], dtype=np.int8)),
    "depth 0": ("depth-positive", "depth 0", lambda: plain(0)),
    "depth 0 in a list": ("depth-positive", "depth 0", lambda: plain([2, 0])),
    "depth below 0": ("depth-positive", "depth -1", lambda: plain(-1)),
    "short depth list": ("depth-list", "1 depths, expected 2", lambda: plain([2])),
    "long depth list": ("depth-list", "3 depths, expected 2", lambda: plain([2, 2, 2])),
    "no consumer": ("fifo-ends", "no consumer", lambda: object_fifo("x", A, [], 2, ty(8))),
    "acquire elsewhere": (
        "fifo-ends",
        "not where",
        lambda: program(C[3], *one(plain(), PRODUCE)),
    ),
    "tile outside": ("tile-exists", "1 columns and 6 rows", lambda: tiles_of(AIEDevice.npu1_1col)),
    "two programs": ("tile-exists", "both on", lambda: (program(A), program(A))),
    "acquire 0": ("acquire-count", "acquire of 0", lambda: program(A, (plain(), PRODUCE, 0))),
    "acquire above depth": ("acquire-depth", "acquire of 3 .* 2 deep", lambda: with_program([3, -3])),
    "acquire above an end's depth": ("acquire-depth", "acquire of 2 .* 1 deep", lambda: with_program([2, -2], [2, 1])),
    "acquire above depth in shared memory": (
        "acquire-depth",
        "acquire of 3",
        lambda: with_program([3, -3], 2, (C[0], C[1])),
    ),
    "release above depth": ("release-depth", "release of 3 .* 2 deep", lambda: with_program([2, -3])),
    "release without acquire": ("release-held", "0 are held", lambda: with_program([-1])),
    "release more than held": ("release-held", "1 are held", lambda: with_program([1, -2])),
    "join and distribute": (
        "link-sides",
        "2 inputs and 2 outputs",
        lambda: linked([("a", A, M, 8), ("b", B, M, 8)], [("c", M, A, 8), ("d", M, B, 8)], [0, 8], [0, 8]),
    ),
    "unknown fifo": ("link-fifos", "no fifo nobody", lambda: object_fifo_link(forward(8)[1], "nobody")),
    "fifo twice in a link": ("link-fifos", "2 times", lambda: object_fifo_link(plain(), ["x"])),
    "fifo in two links": ("link-once", "a stands in two links", two_links),
    "memory tile to memory tile": ("link-once", "b stands in two links", mem_to_mem),
    "no shared tile": ("link-shared-tile", "no tile is shared", lambda: linked([("a", S, M, 8)], [("b", A, B, 8)])),
    "outputs from two tiles": (
        "link-shared-tile",
        "no tile is shared",
        lambda: linked([("a", S, M, 16)], [("b", M, A, 8), ("c", A, B, 8)], (), [0, 8]),
    ),
    "join on a core": (
        "link-mem-tile",
        "join on core tile",
        lambda: linked([("a", B, A, 8), ("b", FAR[2], A, 8)], [("c", A, FAR[3], 16)], [0, 8]),
    ),
    "distribute on a core": (
        "link-mem-tile",
        "distribute on core tile",
        lambda: linked([("a", B, A, 16)], [("b", A, FAR[2], 8), ("c", A, FAR[3], 8)], (), [0, 8]),
    ),
    "link on a shim": ("link-mem-tile", "on shim tile", lambda: linked([("a", A, S, 8)], [("b", S, B, 8)])),
    "too few offsets": ("link-offsets", "1 offsets for 2 legs", lambda: distribute([8, 8], [0])),
    "no offsets": ("link-offsets", "0 offsets for 2 legs", lambda: join([8, 8], [])),
    "offsets on both sides": (
        "link-offsets",
        "and 1 for its other side",
        lambda: linked([("a", S, M, 16)], [("b", M, A, 8), ("c", M, B, 8)], [4], [0, 8]),
    ),
    "falling offsets": ("offsets-sorted", r"\[128, -128\]|-128", lambda: distribute([128, 128], [128, 0])),
    "equal offsets": ("offsets-sorted", r"\[0, 16\]", lambda: distribute([8, 8], [0, 0])),
    "offset past the end": ("offsets-sorted", "-4", lambda: join([8, 8], [0, 20])),
    "gap before": ("segments-cover", "first offset is 4", lambda: distribute([4, 12], [4, 8])),
    "sum too small": (
        "segments-cover",
        "add up to 12 elements, in has 16",
        lambda: linked([("in", S, M, 16)], [("b", M, A, 8), ("c", M, B, 4)], (), [0, 8]),
    ),
    "sum too large": (
        "segments-cover",
        "add up to 24 elements, out has 16",
        lambda: linked([("a", A, M, 8), ("b", B, M, 16)], [("out", M, S, 16)], [0, 8]),
    ),
    "offset of a forward": ("segments-cover", "offset 4", lambda: linked([("a", S, M, 8)], [("b", M, A, 8)], (), [4])),
    "offset of a forward's input": ("segments-cover", "offset 4", lambda: linked([("a", S, M, 8)], [("b", M, A, 8)], [4])),
    "offsets on both sides of a forward": (
        "link-offsets",
        "offsets on both sides of a 1:1 link",
        lambda: linked([("a", S, M, 8)], [("b", M, A, 8)], [0], [0]),
    ),
    "offset on a join's other side": (
        "link-offsets",
        "and 1 for its other side",
        lambda: linked([("a", A, M, 8), ("b", B, M, 8)], [("c", M, S, 16)], [0, 8], [0]),
    ),
    "offset on a distribute's other side": (
        "link-offsets",
        "and 1 for its other side",
        lambda: linked([("a", S, M, 16)], [("b", M, A, 8), ("c", M, B, 8)], [0], [0, 8]),
    ),
    "leg is not its segment": ("leg-size", "in0 has objects of 16 elements, its segment 12", lambda: distribute([16, 8], [0, 12])),
    "leg does not divide": (
        "leg-size",
        "must divide",
        lambda: linked([("a", S, M, 16)], [("b", M, A, 5), ("c", M, B, 8)], (), [0, 8], rechunk=True),
    ),
    "unequal repeats": ("repeat-equal", r"\[1, 2\]", repeats),
    "sizes differ on a core": (
        "rechunk-core",
        "16 elements, b of 8",
        lambda: linked([("a", S, A, 16)], [("b", A, B, 8)]),
    ),
    "elements differ on a core": (
        "rechunk-core",
        "16 elements, b of 32",
        lambda: object_fifo_link(
            object_fifo("a", S, A, 2, ty(16)), object_fifo("b", A, B, 2, ty(32, dtype=np.int16))
        ),
    ),
    "core uses a link's input": ("link-access", "acquire of a to consume; at core tile", lambda: core_in_a_link(0, CONSUME)),
    "core uses a link's output": ("link-access", "acquire of b to produce; at core tile", lambda: core_in_a_link(1, PRODUCE)),
    "dims of other elements into a link": (
        "type-equal",
        "dims .* of a, whose elements are int16, would count elements of b, which are int8",
        lambda: types(ty(16, dtype=np.int16), ty(32, dtype=np.int8), [(2, 8), (8, 1)]),
    ),
    "dims of other elements out of a link": (
        "type-equal",
        "of b, whose elements are int16, would count elements of a, which are int8",
        lambda: types(ty(32, dtype=np.int8), ty(16, dtype=np.int16), None, [(2, 8), (8, 1)]),
    ),
    "element sizes differ": (
        "type-equal",
        "int16 elements",
        lambda: object_fifo_link(
            object_fifo("a", S, M, 2, ty(16)),
            [object_fifo("b", M, A, 2, ty(8)), object_fifo("c", M, B, 2, ty(16, dtype=np.int16))],
            [],
            [0, 8],
        ),
    ),
    "repeat 0": ("repeat-positive", "repeat count 0", lambda: repeated(plain(), 0)),
    "too few initial values": ("init-count", "1 initial values .* depth of 2", lambda: plain(initValues=[[0] * 8])),
    "too many initial values": ("init-count", "3 initial values .* depth of 2", lambda: plain(initValues=[[0] * 8] * 3)),
    "initial value of another shape": ("init-shape", "initial value 1", lambda: plain(initValues=[[0] * 8, [0] * 7])),
    "initial values on a leg": (
        "init-leg",
        "2 initial values of in0",
        lambda: distribute([8, 8], initValues=[[0] * 8] * 2),
    ),
    "dims on the shim": (
        "shim-side",
        r"dims to the stream .* on shim",
        lambda: object_fifo("x", S, A, 2, ty(8), [(8, 1)]),
    ),
    "padding on the shim": (
        "pad-mem-tile",
        "sent by shim tile",
        lambda: object_fifo("x", S, A, 2, ty(8), padDimensions=[(1, 1)]),
    ),
    "dims into the shim": (
        "shim-side",
        r"dims from the stream .* on shim",
        lambda: object_fifo("x", A, S, 2, ty(8), None, [[(8, 1)]]),
    ),
    "repeat on the shim": ("shim-side", "repeat count of 2", lambda: repeated(object_fifo("x", S, A, 2, ty(8)), 2)),
    "initial values on the shim": (
        "shim-side",
        "2 initial values",
        lambda: object_fifo("x", S, A, 2, ty(8), initValues=[[0] * 8] * 2),
    ),
    "iterations 0": ("iter-range", "count 0", lambda: iterated(0)),
    "iterations 257": ("iter-range", "count 257", lambda: iterated(257)),
    "iterations without a memory tile": ("iter-mem-tile", "neither end", lambda: plain(iter_count=2)),
    "a stream port of a memory tile": ("stream-end", r"mem tile \(\d", lambda: streamed(0, MEM)),
    "a stream port that repeats": ("stream-plain", "count of 3", lambda: streamed(2, repeat_count=3)),
    "a stream port that is acquired": ("stream-access", "acquire of x", lambda: streamed(1, acquires=1)),
    "size 0": ("dims-form", "size 0", lambda: dims([(0, 1)])),
    "stride 0": ("dims-form", "stride 0", lambda: dims([(24, 0)])),
    "no pairs": ("dims-form", "pairs", lambda: dims([24, 1])),
    "a list for each consumer": (
        "dims-consumers",
        "1 lists .* 2 consumers",
        lambda: object_fifo("x", A, [B, FAR[2]], 2, ty(8), None, [[(8, 1)]]),
    ),
    "four dims on a core": ("dims-count", "4 dims", lambda: core_dims([(2, 12), (2, 6), (2, 3), (3, 1)])),
    "five dims on a memory tile": (
        "dims-count",
        "5 dims",
        lambda: dims([(2, 16), (2, 8), (2, 4), (2, 2), (2, 1)], 32),
    ),
    "inner stride of bytes": ("dims-words", "inner stride 2", lambda: dims([(2, 16), (3, 2)], 32, np.int8)),
    "inner run of bytes": ("dims-words", "inner run of 6", lambda: dims([(4, 8), (6, 1)], 24, np.int8)),
    "outer stride of bytes": ("dims-words", "stride of 6", lambda: dims([(4, 6), (8, 1)], 32, np.int8)),
    "16 bit": ("dims-words", "inner run of 3", lambda: dims([(8, 3), (3, 1)], 24, np.int16)),
    "walk too short": ("dims-product", "12 words, the transfer has 24", lambda: dims([(3, 8), (4, 1)])),
    "walk too long": ("dims-product", "32 words", lambda: dims([(4, 8), (8, 1)])),
    "walk of a leg": (
        "dims-product",
        "16 words, the transfer has 8",
        lambda: distribute([8, 8], dimensionsToStream=[(2, 8), (8, 1)]),
    ),
    "walk of unequal segments": (
        "dims-product",
        "8 words",
        lambda: join([8, 16], dimensionsToStream=[(2, 4), (4, 1)]),
    ),
    "padded product": (
        "dims-product",
        "padding",
        lambda: forward(48, 64, dimensionsToStream=[(6, 8), (8, 1)], padDimensions=[(1, 0), (0, 0)]),
    ),
    "walk leaves the object": ("dims-inside", "reaches word 27", lambda: dims([(3, 10), (8, 1)])),
    "walk goes on past the pool": (
        "dims-inside",
        "reaches word 69, the segment ends at 59",
        lambda: forward(60, 40, dimensionsToStream=[(1, 50), (40, 1)]),
    ),
    "walk from the stream into a larger pool": (
        "dims-once",
        "twice",
        lambda: types(ty(40), ty(60), [(2, 1), (20, 2)]),
    ),
    "walk leaves the segment": (
        "dims-inside",
        "ends at 7",
        lambda: distribute([8, 8], dimensionsToStream=[(2, 8), (4, 1)]),
    ),
    "initial pool too small": (
        "dims-inside",
        "256 words are moved",
        lambda: forward(256, 64, initValues=[[0] * 64] * 2),
    ),
    "words written twice": ("dims-once", "twice", lambda: core_dims([(3, 4), (8, 1)])),
    "padding on a core": (
        "pad-mem-tile",
        "core tile",
        lambda: plain(obj=ty(24), dimensionsToStream=[(3, 8), (8, 1)], padDimensions=[(1, 0), (0, 0)]),
    ),
    "padding without dims": ("pad-form", "without dims", lambda: forward(8, 16, padDimensions=[(4, 4)])),
    "padding of half words": (
        "pad-form",
        "not a multiple of 32 bits",
        lambda: forward((4, 8), (4, 12), dtype=np.int8, dimensionsToStream=[(4, 8), (8, 1)], padDimensions=[(0, 0), (2, 2)]),
    ),
    "padding for other dims": (
        "pad-form",
        "for each",
        lambda: forward(24, 32, dimensionsToStream=[(3, 8), (8, 1)], padDimensions=[(4, 4)]),
    ),
    "padding of dim 0": (
        "pad-bits",
        r"\(64, 0\) of dim 0",
        lambda: forward(64, 128, dimensionsToStream=[(64, 1)], padDimensions=[(64, 0)]),
    ),
    "padding of dim 1": (
        "pad-bits",
        r"\(0, 32\) of dim 1",
        lambda: forward(32, 64, dimensionsToStream=[(32, 1), (1, 1)], padDimensions=[(0, 32), (0, 0)]),
    ),
    "padding of dim 2": (
        "pad-bits",
        r"\(16, 0\) of dim 2",
        lambda: forward(16, 32, dimensionsToStream=[(16, 1), (1, 1), (1, 1)], padDimensions=[(16, 0), (0, 0), (0, 0)]),
    ),
    "another padding without padding": (
        "pad-value",
        "no dim has padding",
        lambda: forward(8, dimensionsToStream=[(8, 1)], padValue=7),
    ),
    "size on a core": ("wrap-bits", "size 256", lambda: core_dims([(2, 256), (256, 1)], 512)),
    "size on a memory tile": ("wrap-bits", "size 1024", lambda: dims([(2, 1024), (1024, 1)], 2048)),
    "step on a core": ("step-bits", "step 8200", lambda: plain(1, ty(16000), dimensionsToStream=[(2, 8200), (40, 1), (200, 1)])),
    "length on a core": ("length-bits", "16384 words", lambda: plain(1, ty(16384))),
    "core memory": ("memory", "core tile .*1024 of them for the stack.* has 65536: 1024 too many", lambda: plain(4, ty(4096))),
    "mem tile memory": ("memory", "mem tile .* has 524288: 131072 too many", lambda: forward(32768, depth=5)),
    "core channels": (
        "channels",
        "needs 3 MM2S channels and has 2: 1 too many",
        lambda: many(3, lambda i: object_fifo(f"x{i}", A, FAR[1 + i], 2, ty(8))),
    ),
    "mem tile channels": ("channels", "needs 7 S2MM channels and has 6", seven_inputs),
    "shim channels": ("channels", "shim tile .* needs 3", lambda: many(3, lambda i: object_fifo(f"x{i}", S, FAR[i], 2, ty(8)))),
    "core bds": ("bds", "needs 17 buffer descriptors and has 16: 1 too many", lambda: plain([17, 2])),
    "mem tile bds": (
        "bds",
        "needs 26 buffer descriptors of even channels and has 24: 2 too many",
        lambda: repeated(forward(8)[1], 12),
    ),
    "core locks": (
        "locks",
        "needs 18 locks and has 16: 2 too many",
        lambda: many(9, lambda i: object_fifo(f"x{i}", C[0], C[1], 1, ty(8))),
    ),
    "lock value": ("lock-range", "starts at 64", lambda: object_fifo("y", C[0], C[1], 64, ty(8))),
    "partial object": ("transfer-objects", "1.5 objects of 32", lambda: transfer([1, 1, 1, 12])),
    "past the host's array": ("transfer-inside", "to 31 of arg0, which has 16", lambda: transfer([1, 1, 1, 32])),
    "parts of objects": ("transfer-objects", "the last of 3: 144 bytes are 4.5 objects", lambda: transfer([1, 1, 1, 12], times=3)),
    "bd twice": ("transfer-shim", "bd_id 3", lambda: transfer([1, 1, 1, 8], bd=3, times=2, drains=True)),
    "no shim": ("transfer-shim", "end on a shim", lambda: moves((plain(), 8))),
    "transfer sizes": ("dims-form", "sizes from 1", lambda: transfer([1, 1, 0, 8])),
    "transfer stride": ("dims-form", "outermost of four", lambda: transfer([2, 2, 1, 8], [8, 0, 0, 1], n=32)),
}  # fmt: skip


def broken(build, strict=True):
    plan(make(build), strict=strict)


@pytest.mark.parametrize("name", CASES)
def test_refused_by_name(name):
    rule, text, build = CASES[name]
    with pytest.raises(RuleError, match=text) as caught:
        broken(build)
    assert caught.value.rule == rule
    assert str(caught.value).endswith(f"[{rule}]")
    assert isinstance(caught.value, GoldbeatError)


def test_every_rule_of_a_design_has_a_case():
    # These are met on other ways: handles, the placer, packets, test_fifo_way.py.
    others = {"handle-kind", "leg-counts", "packet-ids", "transport", "channel-pin"}
    assert set(RULES) - {rule for rule, _, _ in CASES.values()} == others
    assert len(CASES) >= 40


def test_the_numbers_are_in_the_text():
    assert sum(any(c.isdigit() for c in text) for _, text, _ in CASES.values()) > 60


def test_padding_values_are_for_devices_that_have_them():
    build = lambda: forward(8, 16, dimensionsToStream=[(8, 1)], padDimensions=[(4, 4)], padValue=7)  # noqa: E731
    for device_, there in (("npu2", True), ("npu2_1col", True), ("npu1", False), ("npu1_1col", False)):
        design = make(build)
        design.device = AIEDevice[device_].value
        # mlir-aie checks it too.
        found = [e.text for e in violations(design, strict=False) if e.rule == "pad-value"]
        assert found == ([] if there else [f"b: padding of 7, on {device_} it is 0"])


def test_packet_ids():
    def build():
        many(17, lambda i: (object_fifo(f"x{i}", ANY.tile(2 * i, 2), ANY.tile(2 * i, 4), 1, ty(8)),
                            object_fifo(f"y{i}", ANY.tile(2 * i, 4), ANY.tile(2 * i, 2), 1, ty(8))))  # fmt: skip

    with pytest.raises(RuleError, match="34 packet streams") as caught:
        plan(make(build), packets=True)
    assert caught.value.rule == "packet-ids"


LAX = {name: case for name, case in CASES.items() if RULES[case[0]].lax is not None}


@pytest.mark.parametrize("name", LAX)
def test_lax_plans_what_mlir_aie_accepts(name):
    rule, _, build = CASES[name]
    found = violations(make(build), strict=False)
    assert rule not in {e.rule for e in found}


@pytest.mark.parametrize("strict", [True, False])
def test_dims_of_a_whole_object_on_a_join_of_three(strict):
    """Dims of a join's output belong to one segment; mlir-aie checks it as well, so lax is no way round it."""
    build = lambda: join([8, 8, 8], dimensionsToStream=[(8, 1), (3, 8)])  # noqa: E731
    with pytest.raises(RuleError, match="the sizes make 24 words, the transfer has 8") as caught:
        plan(make(build), strict=strict)
    assert caught.value.rule == "dims-product"
    # For each segment on its own it is right.
    assert violations(make(lambda: join([8, 8, 8], dimensionsToStream=[(4, 1), (2, 4)]))) == []


@pytest.mark.parametrize(("name", "at"), [("padding on a core", A), ("padding on the shim", S)])
def test_lax_drops_padding(name, at):
    _, _, build = CASES[name]
    found = plan(make(build), strict=False)
    assert all(bd.padding == () for bd in found.tile(at).channel(Direction.MM2S, 0).bds)


def test_lax_ignores_the_offset_of_a_forward():
    _, _, build = CASES["offset of a forward"]
    found = plan(make(build), strict=False)
    assert [(s.offset, s.length) for s in found.pool("a_cons").segments] == [(0, 8)]
    # Offsets of 0 on either side say what is done anyway; the compiler reads none of them.
    for offsets in (([0], []), ([], [0]), ([], [0, 0])):
        assert violations(make(lambda o=offsets: linked([("a", S, M, 8)], [("b", M, A, 8)], *o))) == []


def test_lax_lengths_below_1_are_planned_but_not_executed():
    _, _, build = CASES["falling offsets"]
    assert min(bd.length for bd in plan(make(build), strict=False).tile(M).channel(Direction.S2MM, 0).bds) == -128
    for execute in (functional.run_untimed, analyse):
        with pytest.raises(UsageError, match="has -128 words; it cannot be executed"):
            execute(make(build), strict=False)


def test_lax_moves_own_lengths_on_a_core():
    """Of the pool's objects of 16 words, only 8 are sent."""
    _, _, build = CASES["sizes differ on a core"]
    found = plan(make(build), strict=False).tile(A)
    assert [bd.length for bd in found.channel(Direction.S2MM, 0).bds] == [16, 16]
    assert [bd.length for bd in found.channel(Direction.MM2S, 0).bds] == [8, 8]


def test_stars_are_on_what_mlir_aie_does_not_check():
    stars = {name for name, rule in RULES.items() if rule.unchecked}
    assert stars >= {"dims-words", "rechunk-core", "pad-form", "pad-bits", "release-held", "pad-mem-tile"}
    assert not stars & {"dims-inside", "dims-product", "wrap-bits", "shim-side", "link-access", "link-offsets"}
    # What mlir-aie checks is not left out.
    assert {name for name, rule in RULES.items() if rule.lax is not None} <= stars


def test_lax_drops_initial_values_of_a_leg():
    _, _, build = CASES["initial values on a leg"]
    found = plan(make(build), strict=False)
    assert [k.initial for k in found.tile(M).locks] == [2, 0, 2, 0]
    assert all(b.initial is None for b in found.tile(M).buffers)


def test_several_rules_at_once():
    def build():
        object_fifo("x", A, B, 2, ty(3, dtype=np.int8), [(3, 2)], initValues=[[1, 2, 3]])

    assert [e.rule for e in violations(make(build))] == ["object-words", "init-count", "dims-words"]


def test_table_lists_every_rule():
    lines = rules_text().splitlines()
    assert len(lines) == len(RULES)
    assert all(line.split()[0] in RULES for line in lines)


@pytest.mark.parametrize(
    "build",
    [
        lambda: core_dims([(2, 255), (255, 1)], 510),
        lambda: dims([(2, 1023), (1023, 1)], 2046),
        lambda: plain(1, ty(15 * 1024)),
        lambda: plain([16, 2]),
        lambda: repeated(forward(8)[1], 11),
        lambda: iterated(256),
        lambda: object_fifo("y", C[0], C[1], 63, ty(8)),
        lambda: many(8, lambda i: object_fifo(f"x{i}", C[0], C[1], 1, ty(8))),
        lambda: forward(63, 126, dimensionsToStream=[(63, 1)], padDimensions=[(63, 0)]),
        lambda: forward(16384, depth=8, target=ANY.tile(1, 1)),
        lambda: dims([(1500, 1), (1, 1), (1, 1), (1, 1)], 1500),
    ],
)
def test_at_the_limit(build):
    assert violations(make(build)) == []


def test_two_transfers_may_share_an_object():
    assert violations(make(lambda: transfer([1, 1, 1, 12], times=2))) == []


def test_a_descriptor_of_a_drain_may_be_used_again_after_a_wait():
    def design():
        x = object_fifo("x", FAR[0], SHIM, 2, ty(8))

        def body(host):
            for waits in (True, True, False, False):
                npu_dma_memcpy_nd(x, 3, host, sizes=[1, 1, 1, 8])
                if waits:
                    dma_wait(x)

        runtime_sequence(ty(16))(body)

    (broken_rule,) = violations(make(design))
    assert (broken_rule.rule, "transfer 3" in broken_rule.text) == ("transfer-shim", True)
