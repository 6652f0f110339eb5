# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import NO_RESET, Merge, Sink, Source, beats_of, run_merge
from stream_cases import ACLK, check_output, check_rules, patterns, traces

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.packet_header import make_header
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.plio import pkt_merge, pkt_split
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace

IDS = (3, 7)
A, B = int(make_header(3)), int(make_header(7))


def params(width, ids=IDS, packet_type=0):
    return {"W": width, "N": len(ids), "IDS": ids, "PKT_TYPE": packet_type}


def case(*sources, pattern=None):
    inputs = {f"s_axis_{p}": s for p, s in enumerate(sources)}
    return Stimulus(inputs, {"m_axis": pattern} if pattern else {}, {"aclk": ACLK})


def packets(width, *contents):
    lanes = width // 32
    data, keep, last = [], [], []
    for words in contents:
        for at in range(0, len(words), lanes):
            part = words[at : at + lanes]
            data += [*part, *[0xEEEEEEEE] * (lanes - len(part))]
            keep.append([1] * 4 * len(part) + [0] * 4 * (lanes - len(part)))
            last.append(at + lanes >= len(words))
    return Trace.from_bytes(
        np.array(data, "<u4").reshape(-1, lanes).view(np.uint8), keep=keep, last=last, clock_ps=1000
    )


def as_words(trace):
    assert not trace.data[~trace.keep].any()
    return [row[: k.sum() // 4].tolist() for row, k in zip(trace.data.view("<u4"), trace.keep, strict=True)]


def test_32_bit_round_robin():
    # IDLE at 1: port 0, header emitted. DATA 2, 3; IDLE 4: port 1's header, DATA 5; IDLE 6: port 0 again, DATA 7.
    out = pkt_merge.predict(params(32), case(packets(32, [1, 2], [3]), packets(32, [4])))
    assert as_words(out.ports["m_axis"]) == [[A], [1], [2], [B], [4], [A], [3]]
    assert out.ports["m_axis"].cycle.tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert out.ports["m_axis"].last.astype(int).tolist() == [0, 0, 1, 0, 1, 0, 1]
    assert out.ports["s_axis_0"].cycle.tolist() == [2, 3, 7]
    assert out.ports["s_axis_1"].cycle.tolist() == [5]
    assert out.status == {"packet_count": 3}


def test_128_bit_with_and_without_flush():
    # IDLE 1, DATA 2 (3 words and the header: no flush), IDLE 3: port 1, DATA 4, FLUSH 5, IDLE 6.
    out = pkt_merge.predict(params(128), case(packets(128, [1, 2, 3], [9]), packets(128, [5, 6, 7, 8])))
    assert as_words(out.ports["m_axis"]) == [[A, 1, 2, 3], [B, 5, 6, 7], [8], [A, 9]]
    assert out.ports["m_axis"].last.astype(int).tolist() == [1, 0, 1, 1]
    assert out.ports["m_axis"].cycle.tolist() == [3, 5, 6, 8]
    assert out.ports["s_axis_0"].cycle.tolist() == [2, 7]
    assert out.ports["s_axis_1"].cycle.tolist() == [4]


def test_header_with_packet_type():
    out = pkt_merge.predict(params(32, (31,), 5), case(packets(32, [1])))
    header = as_words(out.ports["m_axis"])[0][0]
    assert header & 0x7FFFFFFF == 31 | 5 << 12 | 31 << 16 | 127 << 21
    assert bin(header).count("1") % 2 == 1


def test_last_beat_without_valid_words():
    empty = Trace.from_bytes([[1, 2, 3, 4]], keep=[[0, 1, 1, 1]], last=[True], clock_ps=1000)
    out = pkt_merge.predict(params(32), case(empty))
    assert as_words(out.ports["m_axis"]) == [[A], []]
    wide = Trace.from_bytes([range(16)], keep=[[0] * 16], last=[True], clock_ps=1000)
    out = pkt_merge.predict(params(128), case(wide))
    assert as_words(out.ports["m_axis"]) == [[A]]
    assert out.ports["m_axis"].last.tolist() == [True]


def test_the_winner_is_chosen_when_there_is_room():
    # 32 bit: header at 1 and beat at 2 fill the output (outputs at 19, 39). The header of the next packet needs 20; by
    # then port 1, which comes in at cycle 10, is offering too and is next in turn.
    ready = Pattern("array", values=(0,) * 19 + (1,))
    out = pkt_merge.predict(params(32), case(packets(32, [1], [2]), packets(32, [3]).with_gaps([10]), pattern=ready))
    assert as_words(out.ports["m_axis"]) == [[A], [1], [B], [3], [A], [2]]
    assert out.ports["m_axis"].cycle.tolist() == [19, 39, 59, 79, 99, 119]
    assert out.ports["s_axis_1"].cycle.tolist() == [40]
    # 64 bit: nothing is emitted when the winner is chosen, at 3, when only port 0 offers.
    sources = packets(64, [1], [2]), packets(64, [3]).with_gaps([10])
    out = pkt_merge.predict(params(64), case(*sources, pattern=ready))
    assert as_words(out.ports["m_axis"]) == [[A, 1], [A, 2], [B, 3]]


def test_unfinished_packet_holds_the_merger():
    endless = Trace.from_bytes(np.zeros((2, 4)), clock_ps=1000)
    out = pkt_merge.predict(params(32), case(endless, packets(32, [4])))
    assert len(out.ports["m_axis"]) == 3
    assert len(out.ports["s_axis_1"]) == 0
    assert out.status == {"packet_count": 0}


def test_settled():
    given_ = Stimulus({"s_axis_0": packets(32, [1])}, {}, {"aclk": ACLK}, {"s_axil": (Access("read", 0),)})
    out = pkt_merge.predict(params(32), given_)
    assert out.ports["m_axis"].cycle.tolist() == [1, 2]
    assert out.ports["s_axis_0"].cycle.tolist() == [1]


def test_nothing():
    out = pkt_merge.predict(params(64), case())
    assert {name: len(t) for name, t in out.ports.items()} == {"s_axis_0": 0, "s_axis_1": 0, "m_axis": 0}


def test_wrong_parameters():
    with pytest.raises(UsageError, match="PKT_TYPE"):
        pkt_merge.predict(params(32, packet_type=8), case())
    with pytest.raises(UsageError, match="IDS"):
        pkt_merge.predict(params(32) | {"IDS": (1, 2, 3)}, case())


@given(st.sampled_from([32, 64, 128]), st.integers(1, 4), st.data(), patterns, st.booleans())
def test_against_simulation(width, ports, data, pattern, settled):
    ids = tuple(range(5, 5 + ports))
    sources = [data.draw(traces(width, most=15)) for _ in ids]
    program = {"s_axil": (Access("read", 0),)} if settled else {}
    inputs = {f"s_axis_{p}": s for p, s in enumerate(sources)}
    given_ = Stimulus(inputs, {"m_axis": pattern}, {"aclk": ACLK}, program)
    out = pkt_merge.predict(params(width, ids, 2), given_)
    merge = Merge(width // 32, [int(make_header(i, 2)) for i in ids], NO_RESET if settled else 0)
    players, sink = [Source(beats_of(s), s.gaps) for s in sources], Sink(pattern)
    run_merge(merge, players, sink)
    for p, player in enumerate(players):
        assert out.ports[f"s_axis_{p}"].cycle.tolist() == player.cycles
    check_output(out.ports["m_axis"], sink)
    assert out.status == {"packet_count": merge.packets}
    check_rules(out, given_)
    assert merge.output.most <= 2


@given(st.sampled_from([32, 64, 128]), st.integers(0, 2**32), patterns)
def test_merge_then_split_gives_the_packets_back(width, seed, pattern):
    rng = np.random.default_rng(seed)
    ids = (3, 7, 9)

    def some():
        return [rng.integers(0, 2**32, rng.integers(1, 12)).tolist() for _ in range(rng.integers(1, 5))]

    sources = [packets(width, *some()) for _ in ids]
    through = pkt_merge.predict(params(width, ids), case(*sources, pattern=pattern)).ports["m_axis"]
    split = {"W": width, "N": 3, "KEEP_HEADER": 0, "IDS": ids}
    out = pkt_split.predict(split, Stimulus({"s_axis": through}, {}, {"aclk": ACLK}))
    assert out.status["drop_count"] == 0
    for p, source in enumerate(sources):
        assert beats_of(out.ports[f"m_axis_{p}"]) == beats_of(source.masked())
