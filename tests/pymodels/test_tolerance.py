# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from goldbeat.pymodels.align import align, by_sample, find_offset
from goldbeat.pymodels.compare import Near, compare
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.samples import SAMPLE_TYPES, sample_type
from goldbeat.pymodels.tolerance import Tolerance
from goldbeat.pymodels.trace import Trace


def trace(values, name="int16", width=64, **options) -> Trace:
    return Trace.from_samples(values, name, width, clock_ps=4000, **options)


def near(name: str, packets: bool = False, **values: float) -> Near:
    return Near(sample_type(name), Tolerance(**values), packets)


def test_lsb() -> None:
    a, b = trace([0, 10, -32768, 4]), trace([1, 10, -32767, 4])
    assert not compare(a, b).equal
    found = compare(a, b, near=near("int16", lsb=1))
    assert (found.equal, found.tolerated, found.worst) == (True, 2, 1.0)
    far = compare(a, trace([2, 10, -32767, 4]), near=near("int16", lsb=1))
    assert (far.equal, far.mismatches, far.tolerated, far.worst) == (False, 1, 1, 2.0)


def test_a_wrap_is_no_small_difference() -> None:
    for name in ("int8", "int16", "int32", "int64", "uint64", "int4"):
        low, high = SAMPLE_TYPES[name].part_range
        size = 128 // SAMPLE_TYPES[name].bits
        dtype = SAMPLE_TYPES[name].part_dtype
        a, b = (trace(np.full(size, v, dtype), name, 128) for v in (low, high))
        assert not compare(a, b, near=near(name, lsb=2)).equal, name


def test_absolute_and_relative() -> None:
    a, b = trace([100.0, 0.0], "float"), trace([100.5, 0.001], "float")
    assert compare(a, b, near=near("float", absolute=0.5)).equal
    assert not compare(a, b, near=near("float", relative=0.01)).equal
    assert compare(a, b, near=near("float", relative=0.01, absolute=0.001001)).equal
    ints = [trace(v, "int32") for v in ([1000, -1000], [1009, -1010])]
    assert compare(*ints, near=near("int32", relative=0.01)).equal
    assert not compare(*ints, near=near("int32", relative=0.0099)).equal


@pytest.mark.parametrize("name", ["float", "bfloat16", "float16", "float8_e4m3", "float8_e5m2", "cfloat", "cbfloat16"])
def test_ulp(name: str) -> None:
    kind = SAMPLE_TYPES[name]
    one = kind.from_float(np.ones(16 * 8 // kind.part_bits, np.float32))
    patterns = one.view(f"<u{one.dtype.itemsize}")
    traces = [
        Trace.from_bytes((patterns + d).astype(patterns.dtype).view(np.uint8).reshape(1, 16), clock_ps=1)
        for d in range(3)
    ]
    assert compare(traces[0], traces[1], near=near(name, ulp=1)).equal
    assert not compare(traces[0], traces[2], near=near(name, ulp=1)).equal
    # The smallest numbers around zero are two apart, and 0 and -0 are equal.
    zero, minus = (np.full(16 * 8 // kind.part_bits, v, patterns.dtype) for v in (0, 1 << (kind.part_bits - 1)))
    around = [Trace.from_bytes(p.view(np.uint8).reshape(1, 16), clock_ps=1) for p in (zero, minus, zero + 1, minus + 1)]
    assert compare(around[0], around[1], near=near(name)).equal
    assert compare(around[2], around[3], near=near(name, ulp=2)).equal
    assert not compare(around[2], around[3], near=near(name, ulp=1)).equal


def test_nan_and_infinity() -> None:
    nan, inf = np.nan, np.inf
    anything = near("float", absolute=1e30, relative=1e30, ulp=1 << 30)
    assert compare(trace([nan, inf], "float"), trace([nan, inf], "float"), near=anything).equal
    for a, b in ((nan, 1.0), (1.0, nan), (inf, 1.0), (inf, -inf), (3.4e38, inf)):
        found = compare(trace([a, 0.0], "float"), trace([b, 0.0], "float"), near=anything)
        assert (found.equal, found.worst) == (False, inf)


def test_tlast_is_ignored_on_request() -> None:
    a, b = trace(np.arange(16), frame=8), trace(np.arange(16))
    assert compare(a, b).first.what == "last"
    assert compare(a, b, tlast=False).equal


def test_bytes_that_do_not_count_are_not_compared() -> None:
    a = trace(np.arange(6), frame=6)
    b = Trace.from_bytes(np.where(a.keep, a.data, 77), keep=a.keep, last=a.last, clock_ps=4000)
    assert compare(a, b, near=near("int16", lsb=1)).worst == 0.0


def test_a_packet_header_has_no_tolerance() -> None:
    a, b = (trace([h, 5, 6, 7], "int32", 32, last=True) for h in (8, 9))
    assert compare(a, b, near=near("int32", lsb=1)).equal
    assert not compare(a, b, near=near("int32", lsb=1, packets=True)).equal


def test_what_a_type_does_not_have() -> None:
    for name, values in (("float", {"lsb": 1}), ("int16", {"ulp": 1})):
        with pytest.raises(UsageError, match=r"for (integers|floats)"):
            compare(trace([1, 2, 3, 4], name), trace([1, 2, 3, 4], name), near=near(name, **values))
    with pytest.raises(UsageError, match="at least 0"):
        Tolerance(lsb=-1)


@pytest.mark.parametrize("late", [-5, -1, 0, 1, 3, 6])
@pytest.mark.parametrize("name", ["int4", "int16", "cint16", "float"])
def test_a_late_stream_is_found_and_compared(name: str, late: int) -> None:
    kind = SAMPLE_TYPES[name]
    rng = np.random.default_rng(4)
    raw = kind.decode(rng.integers(0, 100, 64 * kind.bits // 8, dtype=np.uint8))
    samples = raw.reshape(64, -1) if raw.ndim == 2 else raw
    moved = np.roll(samples, late, axis=0)
    a, b = trace(samples, name), trace(moved, name)
    assert find_offset(a, b, name, 8) == late
    found = align(a, b, name, late)
    assert compare(found.expected, found.got, time="ignore").equal
    assert len(found.expected) == 64 - abs(late)
    assert sum(found.left_out) == 2 * abs(late)
    assert len(found.beat_got) == len(found.got)


def test_samples_that_are_missing_beyond_the_offset_are_missing() -> None:
    a, b = trace(np.arange(32)), trace(np.arange(-1, 27))
    found = align(a, b, "int16", 1)
    result = compare(found.expected, found.got, time="ignore")
    assert (result.compared, result.first.what, result.mismatches) == (27, "missing", 5)
    with pytest.raises(UsageError, match="offset of 99 samples leaves nothing"):
        align(a, b, "int16", 99)


def test_tlast_by_sample() -> None:
    single, beat = by_sample(trace(np.arange(6), frame=6), "int16")
    assert single.last.tolist() == [False] * 5 + [True]
    assert beat.tolist() == [0, 0, 0, 0, 1, 1]
    assert np.array_equal(single.samples("int16"), np.arange(6))
