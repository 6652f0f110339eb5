# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import NO_RESET, Sink, Source, Split, beats_of, run_split
from stream_cases import ACLK, check_output, check_rules, patterns

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.packet_header import make_header
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.plio import pkt_split
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace

IDS = (3, 7)


def params(width, keep_header, ids=IDS):
    return {"W": width, "N": len(ids), "KEEP_HEADER": keep_header, "IDS": ids}


def case(trace, ready=None):
    return Stimulus({"s_axis": trace}, ready or {}, {"aclk": ACLK})


def packets(width, *contents, end=True):
    """Each packet a list of words; the last beat's unused lanes hold rubbish without keep."""
    lanes = width // 32
    data, keep, last = [], [], []
    for words in contents:
        for at in range(0, len(words), lanes):
            part = words[at : at + lanes]
            data += [*part, *[0xEEEEEEEE] * (lanes - len(part))]
            keep.append([1] * 4 * len(part) + [0] * 4 * (lanes - len(part)))
            last.append(at + lanes >= len(words))
    if not end:
        last[-1] = False
    return Trace.from_bytes(
        np.array(data, "<u4").reshape(-1, lanes).view(np.uint8), keep=keep, last=last, clock_ps=1000
    )


def as_words(trace):
    """Per beat its kept words; everything else must be zero or unspecified."""
    lanes = trace.data.view("<u4")
    return [row[: k.sum() // 4].tolist() for row, k in zip(lanes, trace.keep, strict=True)]


A, B = int(make_header(3)), int(make_header(7))


def test_header_layout():
    # id 3, row 31 (5 ones), column 127 (7 ones): 2 + 12 ones are even, so the parity bit is set.
    assert A == 0x8FFF0003
    assert B == 0x0FFF0007


def test_keep_header_32_bit():
    out = pkt_split.predict(params(32, 1), case(packets(32, [A, 1, 2], [B, 3])))
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 4, 5]
    assert as_words(out.ports["m_axis_0"]) == [[A], [1], [2]]
    assert out.ports["m_axis_0"].cycle.tolist() == [3, 4, 5]
    assert out.ports["m_axis_0"].last.tolist() == [False, False, True]
    assert as_words(out.ports["m_axis_1"]) == [[B], [3]]
    assert out.ports["m_axis_1"].cycle.tolist() == [6, 7]
    assert out.status == {"packet_count": 2, "drop_count": 0, "parity_error_count": 0}


def test_header_removed_32_bit():
    out = pkt_split.predict(params(32, 0), case(packets(32, [A, 1, 2], [B], [B, 3])))
    assert as_words(out.ports["m_axis_0"]) == [[1], [2]]
    assert out.ports["m_axis_0"].cycle.tolist() == [4, 5]
    assert as_words(out.ports["m_axis_1"]) == [[3]]
    assert out.ports["m_axis_1"].cycle.tolist() == [8]
    assert out.status == {"packet_count": 3, "drop_count": 1, "parity_error_count": 0}


def test_header_removed_128_bit_with_and_without_flush():
    # v = 1 on the last beat: R - 1 + 1 words; v = 3: a full beat and a flush of 2; header alone with 3 words: 2.
    source = packets(128, [A, 1, 2, 3, 4], [A, 1, 2, 3, 4, 5, 6], [A, 1, 2])
    out = pkt_split.predict(params(128, 0), case(source))
    port = out.ports["m_axis_0"]
    assert as_words(port) == [[1, 2, 3, 4], [1, 2, 3, 4], [5, 6], [1, 2]]
    assert port.last.tolist() == [True, False, True, True]
    assert not port.data[~port.keep].any()
    # Core: header 2, x = 3; header 4, x = 5, flush 6; the third packet 7.
    assert port.cycle.tolist() == [4, 6, 7, 8]
    # accept[i] >= x[i-2] + 1: beat 4 needs x[2] = 4.
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 4, 5]


def test_last_beat_without_valid_words():
    source = packets(64, [A, 1, 2])
    source = Trace.from_bytes(source.data, last=source.last, keep=[[1] * 8, [0] * 8], clock_ps=1000)
    port = pkt_split.predict(params(64, 0), case(source)).ports["m_axis_0"]
    assert as_words(port) == [[1]]
    assert port.last.tolist() == [True]
    port = pkt_split.predict(params(64, 1), case(source)).ports["m_axis_0"]
    assert port.keep.sum(axis=1).tolist() == [8, 0]


def test_drops():
    bad = A ^ 1 << 20
    unknown = int(make_header(9))
    source = packets(32, [bad, 1], [unknown, 2, 3], [A, 4])
    out = pkt_split.predict(params(32, 1), case(source))
    assert as_words(out.ports["m_axis_0"]) == [[A], [4]]
    assert out.status == {"packet_count": 3, "drop_count": 2, "parity_error_count": 1}


def test_headerless_packet_is_no_parity_error():
    source = packets(64, [A ^ 1, 1])
    source = Trace.from_bytes(source.data, last=[True], keep=[[1, 1, 1, 0, 1, 1, 1, 1]], clock_ps=1000)
    for keep_header in (0, 1):
        out = pkt_split.predict(params(64, keep_header), case(source))
        assert out.status == {"packet_count": 1, "drop_count": 1, "parity_error_count": 0}


def test_lowest_port_wins():
    out = pkt_split.predict(params(32, 1, (7, 3, 3)), case(packets(32, [A, 1])))
    assert [len(out.ports[f"m_axis_{p}"]) for p in range(3)] == [0, 2, 0]


def test_a_blocked_port_blocks_what_comes_after_but_not_before():
    # Port 0 ready in cycles 19, 39, ...: its skid buffer holds 2 (emitted at 2 and 3), the third waits for 20.
    ready = {"m_axis_0": Pattern("array", values=(0,) * 19 + (1,))}
    out = pkt_split.predict(params(32, 1), case(packets(32, [A, 1, 2], [B, 3]), ready))
    assert out.ports["m_axis_0"].cycle.tolist() == [19, 39, 59]
    assert out.ports["m_axis_1"].cycle.tolist() == [22, 23]
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 4, 21]


def test_dropped_packets_need_no_room():
    ready = {f"m_axis_{p}": Pattern("array", values=(0,) * 99 + (1,)) for p in (0, 1)}
    source = packets(32, [A, 1], [int(make_header(30)), *range(20)])
    assert pkt_split.predict(params(32, 1), case(source, ready)).ports["s_axis"].cycle.tolist() == [*range(1, 24)]


def test_unfinished_packet():
    source = packets(128, [A, 1, 2, 3, 4, 5, 6, 7], end=False)
    out = pkt_split.predict(params(128, 0), case(source))
    assert as_words(out.ports["m_axis_0"]) == [[1, 2, 3, 4]]
    assert not out.ports["m_axis_0"].last.any()
    assert out.status["packet_count"] == 1


def test_settled():
    given_ = case(packets(32, [A, 1]))
    given_ = Stimulus(given_.inputs, {}, given_.clocks, {"s_axil": (Access("read", 0),)})
    out = pkt_split.predict(params(32, 1), given_)
    assert out.ports["s_axis"].cycle.tolist() == [0, 1]
    assert out.ports["m_axis_0"].cycle.tolist() == [2, 3]


def test_nothing():
    for keep_header in (0, 1):
        out = pkt_split.predict(params(64, keep_header), Stimulus({}, {}, {"aclk": ACLK}))
        assert [len(t) for t in out.ports.values()] == [0, 0, 0]
        assert set(out.status.values()) == {0}


def test_wrong_parameters():
    for wrong in ({"IDS": (1,)}, {"IDS": (1, 32)}, {"KEEP_HEADER": 2}, {"W": 16}):
        with pytest.raises(UsageError, match="parameter"):
            pkt_split.predict(params(32, 1) | wrong, case(packets(32, [A, 1])))


@st.composite
def streams(draw, width):
    """Packets with good, wrong and unknown headers; any keep on last beats, sometimes on the others."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, lanes = draw(st.integers(0, 40)), width // 32
    data = rng.integers(0, 2**32, (n, lanes), dtype=np.uint64).astype("<u4")
    last = rng.random(n) < draw(st.sampled_from([0.05, 0.3, 0.8]))
    head = np.concatenate([[True], last[:-1]])[:n]
    for at in np.flatnonzero(head):
        word = int(make_header(int(rng.choice([3, 7, 12, 20]))))
        data[at, 0] = word ^ (1 << int(rng.integers(32)) if rng.random() < 0.1 else 0)
    keep = np.arange(width // 8) < 4 * rng.integers(0, lanes + 1, (n, 1))
    ragged = rng.random((n, 1)) < 0.2
    keep = np.where(ragged, keep ^ (rng.random((n, width // 8)) < 0.1), keep)
    gap = draw(st.sampled_from([0, 0, 3]))
    trace = Trace.from_bytes(data.view(np.uint8), keep=keep, last=last, clock_ps=1000)
    return trace.with_gaps(rng.integers(0, gap + 1, n))


@given(st.sampled_from([32, 64, 128]), st.integers(0, 1), st.data(), patterns, patterns, st.booleans())
def test_against_simulation(width, keep_header, data, ready0, ready1, settled):
    ids = (3, 7, 12)
    trace = data.draw(streams(width))
    ready = {"m_axis_0": ready0, "m_axis_1": ready1}
    program = {"s_axil": (Access("read", 0),)} if settled else {}
    given_ = Stimulus({"s_axis": trace}, ready, {"aclk": ACLK}, program)
    out = pkt_split.predict(params(width, keep_header, ids), given_)
    split = Split(width // 32, ids, bool(keep_header), NO_RESET if settled else 0)
    source, sinks = Source(beats_of(trace), trace.gaps), [Sink(given_.pattern(f"m_axis_{p}")) for p in range(3)]
    run_split(split, source, sinks)
    assert out.ports["s_axis"].cycle.tolist() == source.cycles
    for p, sink in enumerate(sinks):
        check_output(out.ports[f"m_axis_{p}"], sink)
    assert out.status == {
        "packet_count": split.packets,
        "drop_count": split.drops,
        "parity_error_count": split.parity,
    }
    check_rules(out, given_)
    assert all(o.most <= 2 for o in (split.input, *split.outputs))
