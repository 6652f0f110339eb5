# SPDX-License-Identifier: Apache-2.0
"""The compiler's timelines: sections, groups and cores, and what does not belong to a model's streams."""

import re
import time

import numpy as np
import pytest
from tpu_profile import entry, section
from tpu_streams import segmented

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.profile import (
    choose_section,
    core_of,
    fit,
    missing_commands,
    parse_profile,
    parse_sections,
    read_sections,
    unclosed,
    untimed_moves,
)
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
    empty = halves[0] + "API_END" + halves[2].replace("\n", "\nAPI_END total_cycle:0|b:0|g:0\n", 1)
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
    with pytest.raises(InputError, match="line 2: found tiu command 1 again, expected it once, as on line 1"):
        fit(parse_sections(text), [subnet("core0.sub0", [1], [0])])
    with pytest.raises(InputError, match="1 times tiu ids from the beginning, expected 2, the groups of"):
        fit(parse_sections(section([(1, 1, 5)], [(1, 0, 10), (1, 0, 3), (2, 1, 4)])), [("core0.sub0", found)])


@pytest.mark.parametrize(
    ("subnets", "complaint"),
    [
        ([subnet("a", [1, 1], [0])], "2 sections, expected 1, one per sub-net"),
        ([subnet("a", [1], [0]), subnet("b", [1], [0, 1])], "tiu command 3, expected 1 to 1"),
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
    with pytest.raises(InputError, match=r"compiler_profile_12[.]txt:1: found '") as caught:
        read_sections(path)
    assert len(str(caught.value)) < 500
    path.write_text("API_END total_cycle:0|b:0|g:0\n\n")
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


SUMS = """Cast|AR|s:0|b:1|g:0|e:9|t:10|bw:1.50
API_END total_cycle:10|b:1|g:0
TCYC : 10. (bdc_cycle:10, gdma_cycle:0)
GDMA SUMMARY : |dr[0] S2L:0|dr[1] L2S:0
flops: 0, runtime: 0.003010ms
"""


@pytest.mark.parametrize(
    ("old", "line"),
    [
        *((f"{key}:{value}", 1) for key, value in {"s": 0, "b": 1, "g": 0, "e": 9, "t": 10, "bw": "1.50"}.items()),
        *((text, 2) for text in ("total_cycle:10", "b:1|g:0", "g:0\n")),
        *((text, 3) for text in ("TCYC : 10", "bdc_cycle:10", "gdma_cycle:0")),
        *((text, 4) for text in ("S2L:0", "L2S:0")),
        ("flops: 0", 5),
    ],
)
@pytest.mark.parametrize("before", ["-", "+", "0", "0x", "0_", "\u0661", "\u2003"])
def test_numbers_as_no_compiler_writes_them(old: str, line: int, before: str):
    rows = SUMS.split("\n")
    rows[line - 1] = (
        (rows[line - 1] + "\n").replace(old, re.sub(r"(?<=[: ])(?=\d)", before, old, count=1), 1).rstrip("\n")
    )
    with pytest.raises(InputError) as caught:
        parse_sections("\n".join(rows), "p.txt")
    assert (str(caught.value.file), caught.value.line) == ("p.txt", line)


def test_only_line_feeds_end_a_line():
    found = parse_sections("A\u2028B|AR|s:0|b:1|g:0|e:9|t:10\r\n\r\nC|AR|s:10|b:2|g:0|e:19|t:10")
    assert found[0].runs["tiu"][0].line.tolist() == [1, 3]
    assert core_of("compiler_profile_\uff11.txt") is None


def test_a_long_line_without_entries_takes_no_time():
    begin = time.process_time()
    for text in ("a" * 2_000_000, "x|" * 500_000, "a|b" + "|c:" * 500_000, "a " * 500_000):
        with pytest.raises(InputError, match="line 1"):
            parse_sections(text)
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


BM1690 = """\
--------------------------------------
s: start time, b: bd_id, g: gdma_id, h: hau_id, sd: sdma_id, e: end time, t: cmd cost time, dr: direction, sz: memsize
--------------------------------------
ENGINE_BD                                       ENGINE_GDMA                                    ENGINE_HAU     ENGINE_SDMA
|BD_SEND_MSG|s:0|b:1|g:0|h:0|sd:0|e:-1|t:0
|BD_WAIT_MSG|s:0|b:2|g:0|h:0|sd:0|e:-1|t:0      Pad|GDMA_CONSTANT|s:0|b:0|g:1|h:0|sd:0|e:104|t:105
                                                x|STORE|s:105|b:0|g:2|h:0|sd:0|e:109|t:5
Cast|AR|s:105|b:3|g:1|h:0|sd:0|e:106|t:2

                                                                                                                 |SDMA_SEND_MSG|s:9|b:3|g:2|h:0|sd:1|e:8|t:0
API_END total_cycle:110|b:3|g:2
#######################################
GDMA SUMMARY : |dr[0] SNL:0.00|dr[1] LNS:1.00
TCYC : 110 (bdc_cycle:2, gdma_cycle:110)
flops: 1, runtime: 0.1ms, ComputationAbility: 0.7T
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_entry_belongs_to_its_operation_or_its_column(end: str):
    """Not to ``dr:``, which constants and messages do not have; what takes no time ends a cycle before it starts."""
    (found,) = parse_sections(BM1690.replace("\n", end))
    runs = {engine: parts[0] for engine, parts in found.runs.items()}
    assert {engine: one.id.tolist() for engine, one in runs.items()} == {"tiu": [1, 2, 3], "gdma": [1, 2], "sdma": [1]}
    assert runs["tiu"].duration.tolist() == [0, 0, 2]
    assert runs["gdma"].duration.tolist() == [105, 5]
    assert runs["tiu"].dep.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hello", "found 'hello', expected NAME"),
        ("Cast|AR|s:1|b:1|g:1|e:", "Cast|AR with e:"),
        ("Cast|AR|s:1|b:x|g:1|e:1|t:1", "Cast|AR with b:x"),
        ("Cast|AR|s:1|g:1|e:1|t:1", "Cast|AR without b"),
        ("Cast|AR|s:-1|b:1|g:1|e:-1|t:1", "Cast: -1 to -1 in 1 cycles"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|dr:O", "Cast|AR with dr:O"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|sz:1.5", "Cast|AR with sz:1.5"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|sz:-1", "Cast|AR with sz:-1, expected a size of at least 0"),
        ("ENGINE_BD  ENGINE_XX", "found 'ENGINE_XX', expected one of ENGINE_BD, ENGINE_GDMA"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|bw:6.O4", "Cast|AR with bw:6.O4"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|bw:nan", "Cast|AR with bw:nan, expected a bandwidth: it takes 1 cycles"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|bw:-1", "Cast|AR with bw:-1"),
        ("GDMA SUMMARY : |dr[0] S2L:0\nGDMA SUMMARY : |dr[0] S2L:0", "found GDMA SUMMARY again, expected it once per"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|h:x", "Cast|AR with h:x"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|h:-1", "Cast|AR with h:-1, expected h of at least 0"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|sd:-1", "Cast|AR with sd:-1, expected sd of at least 0"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1|zz:1", "Cast|AR with zz:1, expected the fields s, b, g, h, sd, e, t, dr, sz, bw"),
        ("Cast|AR|s:0|b:1|g:1|e:-2|t:-1", "Cast: 0 to -2 in -1 cycles, expected t of at least 0"),
        ("Cast|AR|s:0|b:1|g:1|e:5|t:5", "Cast: 0 to 5 in 5 cycles, expected e = s + t - 1 = 4"),
        ("Cast|AR|s:1|s:1|b:1|g:1|e:1|t:1", "Cast|AR with a field twice"),
        ("TCYC : 27O9. (bdc_cycle:1, gdma_cycle:1)", "found 'TCYC : 27O9. (bdc_cycle:1, gdma_cycle:1)'"),
        ("TCYC : 2709. (bdc_cycle:1, gdma_cycle:l)", "expected TCYC : N. (bdc_cycle:N, gdma_cycle:N)"),
        ("TCYC : 1" + "0" * 15, "expected TCYC : N."),
        ("TCYC : 1\nTCYC : 1", "found TCYC again, expected it once per API_END, as on line 7"),
        ("API_END", "found 'API_END', expected API_END total_cycle:N|b:N|g:N"),
        ("API_END b:1|g:1", "found 'API_END b:1|g:1'"),
        ("API_END total_cycle:1|b:1|g:O", "found 'API_END total_cycle:1|b:1|g:O'"),
        ("API_END total_cycle:9|b:1|g:2", "found API_END without an entry before it, expected one per section"),
        ("GDMA SUMMARY : |dr[0] S2L:38O|dr[1] L2S:8", "found '38O', expected a number"),
        ("GDMA SUMMARY : |dr[0] S2L:-8", "|dr[0] S2L:-8', expected GDMA SUMMARY : |dr[0] S2L:N"),
        ("GDMA SUMMARY : |dr[0] L2S:0", "|dr[0] L2S:0', expected GDMA SUMMARY : |dr[0] S2L:N"),
        ("GDMA SUMMARY :", "found 'GDMA SUMMARY :', expected GDMA SUMMARY : |dr[0] S2L:N"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1\nGDMA SUMMARY : |dr[0] S2L:0", "found GDMA SUMMARY before API_END"),
        ("DDR BW USAGE : 17.2x%", "found '17.2x%', expected a number"),
        ("flops: 1, runtime: 0.O1ms, ComputationAbility: 0.7T", "found '0.O1ms', expected a number"),
        ("Cast|AR|s:1|b:1|g:1|e:1|t:1 rest", "found 'rest'"),
    ],
)
def test_a_line_that_is_no_part_of_a_profile_is_named(tmp_path, line: str, said: str):
    path = tmp_path / "compiler_profile_0.txt"
    path.write_text(TWO + line + "\n")
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_sections(path)
    assert (caught.value.file, caught.value.line) == (path, 7 + line.count("\n"))


def test_an_entry_left_of_the_column_of_its_engine_is_refused():
    left = BM1690.replace(" " * 48 + "x|STORE", "x|GDMA_STORE")
    with pytest.raises(InputError, match=r"x\|GDMA_STORE at character 1, expected 49 or later, the column of gdma"):
        parse_sections(left)


def test_sums_of_cycles_come_after_their_section():
    with pytest.raises(InputError, match="line 1: found TCYC before API_END"):
        parse_sections("TCYC : 18\n" + TWO)


def test_entries_in_any_order_but_once():
    given = [subnet("core0.sub0", [1, 1], [0])]
    lines = section([(1, 1, 5), (2, 1, 3)], [(1, 0, 10)]).splitlines()
    mixed = "\n".join(["", lines[1], "", lines[0], lines[2]])
    found = {one.engine.name: part.cycles.tolist() for one, part in fit(parse_sections(mixed), given)}
    assert found == {"tiu": [5, 3], "gdma": [10]}
    again = "\n".join([*lines[:2], lines[1], lines[2]])
    with pytest.raises(InputError, match="line 3: found tiu command 2 again, expected it once, as on line 2"):
        fit(parse_sections(again), given)


def test_the_section_of_one_sub_net():
    sections = parse_sections(TWO)
    first, second = subnet("core0.sub0", [1, 1], [0]), subnet("core0.sub1", [1], [0, 1])
    assert [choose_section(sections, [one]) for one in (first, second)] == [0, 1]
    # Another name: the only one that fits.
    assert choose_section(sections, [("core0.sub7", second[1])]) == 1
    assert choose_section(sections, [first], section=1) == 1
    once = section([(1, 1, 5)], [(1, 0, 10)])
    with pytest.raises(InputError, match=r"line 3: found section 1, whose entries are those of section 0 again"):
        choose_section(parse_sections(once * 2), [subnet("core0.sub0", [1], [0])])
    both = parse_sections(once + section([(1, 1, 6)], [(1, 0, 10)]))
    with pytest.raises(
        InputError, match=r"sections 0, 1 that fit core0[.]sub7, expected one; choose it with --section"
    ):
        choose_section(both, [("core0.sub7", first[1])])
    with pytest.raises(InputError, match="tiu command 2, expected 1 to 1, the commands of"):
        choose_section(sections, [subnet("core0.sub0", [1], [0])])
    for wrong in (2, -1):
        with pytest.raises(InputError, match=f"section {wrong} of 2, expected a section with entries"):
            choose_section(sections, [first], section=wrong)
    with pytest.raises(InputError, match="2 sub-nets, expected one"):
        choose_section(sections, [first, second])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "Op_2|BD_NOP",
            "Op_2|CONV",
            "line 2: found tiu command 2 with the operation CONV, expected system.spb, as in core0.sub0",
        ),
        ("Op_2|BD_NOP", "Op_2|FOO", "line 2: found tiu command 2 with the operation FOO, expected system.spb"),
        ("Load_1|GDMA_NOP", "Load_1|GDMAX", "line 1: found gdma command 1 with the operation GDMAX, expected dma."),
        (
            "|s:15|b:2|g:1|e:17|t:3",
            "|s:14|b:2|g:1|e:16|t:3",
            "line 2: found tiu command 2 that starts at 14, expected at least 15",
        ),
        (
            "|s:10|b:1|g:1|e:14|t:5",
            "|s:9|b:1|g:1|e:13|t:5",
            "line 1: found tiu command 1 that starts at 9, expected at least 10, after the end of gdma command 1",
        ),
        ("GDMA_NOP", "GDMA_FOO", "line 1: found gdma command 1 with the operation GDMA_FOO, expected dma.sys.nop"),
        ("|dr:3", "|dr:7", "line 1: found Load_1|GDMA_NOP with dr:7, expected a direction of 0 to 3"),
        ("total_cycle:18", "total_cycle:19", "line 3: found API_END with total_cycle:19, expected 18, the end of"),
        ("total_cycle:18", "total_cycle:17", "line 3: found API_END with total_cycle:17, expected 18"),
        ("TCYC : 18.", "TCYC : 17.", "line 4: found TCYC : 17, expected 18, as API_END on line 3"),
        ("bdc_cycle:8", "bdc_cycle:9", "line 4: found bdc_cycle:9, expected 8, the cycles of the tiu entries"),
        ("gdma_cycle:10", "gdma_cycle:9", "line 4: found gdma_cycle:9, expected 10, the cycles of the gdma entries"),
        ("|b:2|g:1\n", "|b:3|g:1\n", "line 3: found API_END with b:3, expected 2, the tiu commands of core0.sub0"),
        ("|b:2|g:1\n", "|b:2|g:0\n", "line 3: found API_END with g:0, expected 1, the gdma commands of core0.sub0"),
    ],
)
def test_entries_of_other_operations_times_and_sums(old, new, complaint):
    given = [subnet("core0.sub0", [1, 1], [0])]
    text = section([(1, 1, 5), (2, 1, 3)], [(1, 0, 10)]) + "TCYC : 18. (bdc_cycle:8, gdma_cycle:10)\n"
    assert fit(parse_sections(text), given, alone=True)
    # A line for several sections does not say of which; entries that are missing have some of the cycles.
    assert fit(parse_sections(text + text.partition("TCYC")[0]), [given[0]] * 2, alone=True)
    assert fit(parse_sections(text.replace("Op_2|BD_NOP|s:15|b:2|g:1|e:17|t:3", "")), given, alone=True)
    assert old in text
    with pytest.raises(InputError, match=re.escape(complaint)):
        fit(parse_sections(text.replace(old, new)), given, alone=True)


def test_a_blank_text_is_that_of_no_commands():
    assert parse_sections(" \n") == []
    assert not unclosed([])
    with pytest.raises(InputError, match="missing entry"):
        parse_profile("")
    with pytest.raises(InputError, match="found 0 sections, expected 1, one per sub-net"):
        fit([], [subnet("core0.sub0", [1], [0])])


def test_a_text_that_ends_before_its_end():
    assert [unclosed(parse_sections(text)) for text in (TWO, TWO[: TWO.rindex("API_END")])] == [False, True]


def test_commands_without_an_entry_are_counted():
    name, found = subnet("core0.sub0", [1, 1, 1], [0])
    said = fit(parse_sections(section([(1, 1, 5), (3, 1, 1)], [(1, 0, 10)])), [(name, found)])
    parts = {id(one): part for one, part in said}
    assert [missing_commands(one, [parts[id(one)]]) for one in found] == [1, 0]


REVERSED = """\
ENGINE_BD                                         ENGINE_GDMA                                       ENGINE_HAU
                                                  Reverse_11||s:0|b:0|g:1|h:0|sd:0|e:-1|t:0
                                                  Load_4|GDMA_TENSOR|s:0|b:0|g:2|h:0|sd:0|e:-1|t:0|dr:0|sz:4|bw:inf
                                                  Load_5|GDMA_TENSOR|s:0|b:0|g:3|h:0|sd:0|e:9|t:10|dr:0|sz:4|bw:1
API_END total_cycle:10|b:0|g:3
"""


def test_moves_that_the_compiler_has_no_time_for():
    """A reversed move has no name either; an entry without a name is of no other move, and takes no time."""
    gen = CodeGen(chip("BM1690"))
    gen.emit("gdma", "DMA_reverse", {})
    for _ in range(2):
        gen.emit("gdma", "DMA_tensor", {"src_data_format": 2})
    given = [("sub0", [decode_stream(gen.chip.engine("gdma"), gen.lookup("gdma")[0])])]
    (section,) = parse_sections(REVERSED)
    ((_, said),) = fit([section], given, alone=True)
    assert (said.cycles.tolist(), said.layer[0], untimed_moves(section)) == ([0, 0, 10], "Reverse_11", 2)
    for old, new, complaint in (
        ("|e:-1|t:0\n", "|e:4|t:5\n", "line 2: found Reverse_11 without an operation in 5 cycles"),
        ("4|GDMA_TENSOR", "4|", "line 3: found gdma command 2 without an operation, expected dma.tensor"),
    ):
        with pytest.raises(InputError, match=re.escape(complaint)):
            fit(parse_sections(REVERSED.replace(old, new)), given, alone=True)


QUIRKS = """\
ENGINE_BD                                         ENGINE_GDMA
Interp_9|TRANS|s:0|b:1|g:0|e:0|t:1                Cast_8|GDMA_MATRIX|s:0|b:0|g:1|e:9|t:10|dr:1|sz:9408|bw:1.00
                                                  Pad_7|GDMA_CONSTANT|s:10|b:0|g:2|e:13|t:4
API_END total_cycle:14|b:1|g:2
TCYC : 14. (bdc_cycle:5, gdma_cycle:10)
"""


def quirks() -> list[Commands]:
    """A transpose; a matrix of 2,352 columns in 32 channels of 74, so that the last channel is shorter; a constant."""
    gen = CodeGen(chip("BM1688"))
    gen.nodes[0].ids["gdma"] = 0
    gen.emit("tiu", "sCW&sBC", {}, func=1)
    gen.nodes[0].ids["tiu"] = 0
    matrix = {"src_nsize": 1, "src_csize": 32, "src_wsize": 74, "dst_hsize": 1, "dst_wsize": 2352}
    gen.emit("gdma", "DMA_matrix", matrix | {"src_data_format": 2})
    gen.emit("gdma", "DMA_tensor", {"fill_constant_en": 1, "dst_nsize": 1, "dst_csize": 1, "dst_hsize": 1})
    return [decode_stream(gen.chip.engine(engine), b"".join(gen.lookup(engine))) for engine in ("tiu", "gdma")]


def test_layers_matrices_and_constants():
    """Columns of a matrix count without padding; one chip's sums have moves of constants among the TIU's."""
    made = fit(parse_sections(QUIRKS), [("sub0", quirks())], alone=True)
    assert [part.layer for _, part in made] == [["Interp_9"], ["Cast_8", "Pad_7"]]
    for old, new, said in (
        ("sz:9408", "sz:9472", "expected 9408, its bytes"),
        ("bdc_cycle:5", "bdc_cycle:4", "found bdc_cycle:4, expected 1"),
        ("|GDMA_CONSTANT", "|GDMA_GATHER", "expected dma.tensor"),
    ):
        with pytest.raises(InputError, match=said):
            fit(parse_sections(QUIRKS.replace(old, new)), [("sub0", quirks())], alone=True)
