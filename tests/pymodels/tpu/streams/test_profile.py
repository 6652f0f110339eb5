# SPDX-License-Identifier: Apache-2.0
"""The compiler's timelines: sections, groups and cores, and what does not belong to a model's streams."""

import time

import numpy as np
import pytest
from tpu_profile import entry, section
from tpu_streams import segmented

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.profile import core_of, fit, parse_profile, parse_sections, read_sections
from goldbeat.pymodels.tpu.streams.schedule import MAX_CYCLES, Cost, Lane, costs, schedule
from goldbeat.pymodels.tpu.streams.tables import chip

TWO = section([(1, 1, 5), (2, 1, 3)], [(1, 0, 10)]) + section([(1, 1, 4)], [(1, 0, 6), (2, 1, 2)])


def subnet(name: str, tiu: list[int], gdma: list[int]) -> tuple[str, list[Commands]]:
    """A sub-net of BM1690 whose commands wait for the ids given."""
    streams = segmented("BM1690", [(tiu, gdma)])
    return name, [decode_stream(chip("BM1690").engine(one.engine), one.data) for one in streams]


def test_each_section_has_ids_of_its_own():
    first, second = parse_sections(TWO)
    assert [run.duration.tolist() for run in first.runs["tiu"]] == [[5, 3]]
    assert [run.duration.tolist() for run in second.runs["gdma"]] == [[6, 2]]
    with pytest.raises(InputError, match="sections of 2 sub-nets, expected one sub-net"):
        parse_profile(TWO)


def test_durations_go_to_the_sub_nets_in_their_order():
    subnets = [subnet("core0.sub0", [1, 1], [0]), subnet("core0.sub1", [1], [0, 1])]
    found = fit(parse_sections(TWO), subnets)
    assert [(one.engine.name, part.rows.tolist(), part.cycles.tolist()) for one, part in found] == [
        ("tiu", [0, 1], [5, 3]),
        ("gdma", [0], [10]),
        ("tiu", [0], [4]),
        ("gdma", [0, 1], [6, 2]),
    ]


def test_sub_nets_without_work_may_have_no_section_or_an_empty_one():
    busy = [subnet("core0.sub0", [1, 1], [0]), subnet("core0.sub2", [1], [0, 1])]
    subnets = [busy[0], subnet("core0.sub1", [], []), busy[1]]
    halves = TWO.partition("API_END")
    empty = halves[0] + "API_END\nAPI_END" + halves[2]
    for text in (TWO, empty):
        assert [part.cycles.tolist() for _, part in fit(parse_sections(text), subnets)] == [[5, 3], [10], [4], [6, 2]]
    assert len(fit(parse_sections(empty), busy)) == 4


def test_groups_of_a_sub_net_begin_again_within_its_section():
    text = section([(1, 1, 5), (1, 0, 7)], [(1, 0, 10), (1, 0, 3), (2, 1, 4)])
    with pytest.raises(InputError, match="ids that begin again"):
        parse_profile(text)
    streams = segmented("SG2380", [([1], [0]), ([0], [0, 1])])
    found = [decode_stream(chip("SG2380").engine(one.engine), one.data) for one in streams]
    made = fit(parse_sections(text), [("core0.sub0", found)])
    assert [part.rows.tolist() for _, part in made] == [[0], [2], [0], [2, 3]]
    assert [part.cycles.tolist() for _, part in made] == [[5], [7], [10], [3, 4]]
    with pytest.raises(InputError, match="2 times tiu ids from the beginning, expected 1, the groups of"):
        fit(parse_sections(text), [subnet("core0.sub0", [1], [0])])


@pytest.mark.parametrize(
    ("subnets", "complaint"),
    [
        ([subnet("a", [1, 1], [0])], "2 sections, expected 1, one per sub-net"),
        ([subnet("a", [1], [0]), subnet("b", [1], [0, 1])], "tiu command 3, expected 1 to 2"),
        (
            [subnet("a", [1, 0], [0]), subnet("b", [1], [0, 1])],
            "line 2: found tiu command 2 that waits for gdma command 1",
        ),
        ([subnet("a", [1, 1], [0]), subnet("b", [1], [0, 0])], "gdma command 2 that waits for tiu command 1"),
    ],
    ids=["sub-nets", "commands", "tiu waits", "gdma waits"],
)
def test_a_profile_of_other_streams_is_refused(subnets, complaint):
    text = TWO if complaint[:3] != "tiu" else TWO.replace("|b:2|", "|b:3|")
    with pytest.raises(InputError, match=complaint):
        fit(parse_sections(text), subnets)


def test_a_wait_that_is_switched_off_is_not_held_against_the_profile():
    engine = chip("SG2380").engine("tiu")
    raw = decode_stream(engine, segmented("SG2380", [([3], [])])[0].data).data.copy()
    raw[37 // 8] &= ~(1 << 37 % 8) & 0xFF
    found = decode_stream(engine, raw)
    assert found.dep.tolist() == [0, 0]
    for said in (0, 3):
        assert len(fit(parse_sections(section([(1, said, 2)], [])), [("a", [found])])) == 1
    with pytest.raises(InputError, match="gdma command 2, expected gdma command 0"):
        fit(parse_sections(section([(1, 2, 2)], [])), [("a", [found])])


def test_files_that_are_no_profile(tmp_path):
    path = tmp_path / "compiler_profile_12.txt"
    assert (core_of(path), core_of("profile.txt")) == (12, None)
    path.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(InputError, match="byte 0x80, expected the text of a compiler_profile") as caught:
        read_sections(path)
    assert caught.value.offset == 128
    path.write_bytes(bytes(1000))
    with pytest.raises(InputError, match="missing entry"):
        read_sections(path)
    path.write_text(TWO)
    assert len(read_sections(path)) == 2


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("t:10", "t:" + "9" * 5000, "a number of 5000 digits"),
        ("e:9|t:10", f"e:{MAX_CYCLES}|t:{MAX_CYCLES + 1}", "cycles, expected at most"),
        ("e:9", "e:8", "e = s"),
    ],
)
def test_entries_that_cannot_be(old, new, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        parse_sections(TWO.replace(old, new, 1))
    assert caught.value.line == 1


def test_a_long_line_without_entries_takes_no_time():
    begin = time.process_time()
    with pytest.raises(InputError, match="missing entry"):
        parse_sections("a" * 2_000_000 + "\n" + "x|" * 500_000)
    assert time.process_time() - begin < 5


def test_costs_and_durations_that_no_number_holds():
    made = CodeGen(chip("BM1690"))
    made.emit("tiu", "sAR", {"res0_n": 65535, "res0_c": 65535, "res0_h": 65535, "res0_w": 65535})
    found = decode_stream(chip("BM1690").engine("tiu"), made.lookup("tiu0")[0])
    for cost in (Cost(1, 1), Cost(float("inf")), Cost(float("nan")), Cost(-1)):
        with pytest.raises(UsageError, match="cost of sAR"):
            costs(found, {"sAR": cost}, Cost())
    zeros = np.zeros(9, np.int64)
    lane = Lane(0, "tiu", np.arange(1, 10), zeros, zeros.astype(np.int8), zeros, zeros)
    with pytest.raises(UsageError, match="more than 64 bits hold"):
        schedule([lane], [1 << 62])
    for given in (1 << 70, float("nan"), [1, 2], ["a"] * 9):
        with pytest.raises(UsageError, match="not 9 numbers of 64 bits"):
            schedule([lane], [given])
    assert entry(1, 0, 3).count("|") == 6
