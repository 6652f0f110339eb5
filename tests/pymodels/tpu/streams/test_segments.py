# SPDX-License-Identifier: Apache-2.0
"""Streams that go on behind an END (SG2380): ids, dependencies and groups begin again there."""

import re

import numpy as np
import pytest
from tpu_streams import segmented

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams.assemble import assemble
from goldbeat.pymodels.tpu.streams.checks import check_streams
from goldbeat.pymodels.tpu.streams.container import commands
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.listing import as_text, command_objects
from goldbeat.pymodels.tpu.streams.schedule import Lane, Schedule, lane, schedule
from goldbeat.pymodels.tpu.streams.tables import Chip, chip

SG2380 = chip("SG2380")
THREE = [([1, 0, 2], [0, 1]), ([1], [0, 0, 1]), ([0, 1], [1, 2])]
"""What TIU and GDMA wait for in three segments: each is sound alone."""


def decoded(parts, of: Chip = SG2380) -> list[Commands]:
    return [commands(of, one)[one.engine] for one in segmented(of.name, parts)]


def lanes(parts) -> list[Lane]:
    return [lane(one) for one in decoded(parts)]


@pytest.mark.parametrize("name", ["SG2380", "BM1688", "BM1690"])
def test_ids_begin_again_behind_an_end(name):
    tiu, gdma = decoded(THREE, chip(name))
    assert tiu.segment.tolist() == [0] * 4 + [1] * 2 + [2] * 3
    assert tiu.id.tolist() == [1, 2, 3, 4, 1, 2, 1, 2, 3]
    assert gdma.id.tolist() == [1, 2, 3, 1, 2, 3, 4, 1, 2, 3]
    assert tiu.dep.tolist() == [1, 0, 2, 0, 1, 0, 0, 1, 0]
    later = decode_stream(tiu.engine, tiu.data, first_id=7)
    assert later.id.tolist() == [7, 8, 9, 10, 1, 2, 1, 2, 3]


def test_the_listing_shows_them_and_assembles():
    streams = segmented("SG2380", THREE)
    text = "".join(as_text(SG2380, streams))
    shown = re.findall(r"^ *(\d+) ", text.partition(".stream core0.sub0.g0.dma")[0], flags=re.M)
    assert [int(one) for one in shown] == [1, 2, 3, 4, 1, 2, 1, 2, 3]
    _, made = assemble(text.splitlines())
    assert [bytes(one.data) for one in made] == [one.data.tobytes() for one in streams]
    assert [one["id"] for one in command_objects(SG2380, streams[:1])] == [int(one) for one in shown]
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if "system.end" in line) + 2
    lines[row] = lines[row].replace("     1 ", "     5 ")
    with pytest.raises(InputError, match="id 5, expected 1"):
        assemble(lines)


def test_sound_segments_have_no_finding():
    assert check_streams(SG2380, segmented("SG2380", THREE)) == []


def test_a_dependency_means_a_command_of_its_own_segment():
    # GDMA has 3 commands in the first segment, 2 in the second one.
    streams = segmented("SG2380", [([0], [0, 0]), ([3], [0])])
    (one,) = check_streams(SG2380, streams)
    assert (one.rule, one.id, one.offset) == ("never-met", 1, 128)
    assert one.text == "command 1 (system.spb) of segment 2 waits for gdma command 3, the last one is 2"
    # An engine without that segment meets nothing.
    streams = [segmented("SG2380", [([0], [0]), ([1], [])])[0], segmented("SG2380", [([0], [0])])[1]]
    (one,) = check_streams(SG2380, streams)
    assert one.text.endswith("waits for gdma command 1, the last one is 0")


def test_dependencies_that_fall_between_segments_are_no_note():
    streams = segmented("SG2380", [([2, 2], [0, 0]), ([1], [0])])
    assert check_streams(SG2380, streams) == []
    (one,) = check_streams(SG2380, segmented("SG2380", [([0], [0]), ([2, 1], [0, 0])]))
    assert (one.rule, one.id) == ("dep-order", 2)


def test_a_deadlock_names_the_segment():
    found = check_streams(SG2380, segmented("SG2380", [([0], [0]), ([2], [1, 0])]))
    assert {f.rule for f in found} == {"deadlock"}
    assert found[0].text == "core 0 tiu is stuck at command 1 of segment 2, which waits for gdma command 2"


def ends(found: Schedule) -> list[list[int]]:
    return [one.tolist() for one in found.end]


def test_a_segment_begins_when_both_engines_are_done_with_the_one_before():
    found = schedule(lanes([([0], [0]), ([0], [0])]), [[5, 0, 2, 0], [9, 0, 1, 0]])
    assert not found.blocked
    # The TIU has ended after 5 cycles; its next segment waits for the GDMA's 9.
    assert found.start[0].tolist() == [0, 5, 9, 11]
    assert found.start[1].tolist() == [0, 9, 9, 10]
    uneven = schedule(lanes([([0], [0]), ([0], [])])[:1] + lanes([([0], [0])])[1:], [[5, 0, 2, 0], [9, 0]])
    assert uneven.start[0].tolist() == [0, 5, 9, 11]


def test_segments_take_as_long_as_the_same_groups_one_after_the_other():
    rng = np.random.default_rng(3)
    together = lanes(THREE)
    took = [rng.integers(1, 20, len(one)) for one in together]
    whole = schedule(together, took)
    begin, at = 0, [0, 0]
    for part in THREE:
        alone = lanes([part])
        mine = [took[i][at[i] : at[i] + len(one)] for i, one in enumerate(alone)]
        found = schedule(alone, mine)
        for i, one in enumerate(alone):
            rows = slice(at[i], at[i] + len(one))
            assert whole.start[i][rows].tolist() == (found.start[i] + begin).tolist()
            assert whole.end[i][rows].tolist() == (found.end[i] + begin).tolist()
            at[i] += len(one)
        begin += found.last + 1
    assert not whole.blocked


def test_who_waits_for_a_segment_that_never_ends():
    found = schedule(lanes([([0], [2]), ([0], [0])]), [1, 1])
    assert ends(found)[0] == [0, 1, 4, 5]
    hung = schedule(lanes([([0], [3]), ([0], [0])]), [1, 1])
    assert [str(one) for one in hung.blocked] == [
        "core 0 tiu command 1 of segment 2 waits for the end of segment 1 of gdma",
        "core 0 gdma command 1 waits for tiu command 3, and there are 2 only",
    ]
