# SPDX-License-Identifier: Apache-2.0
"""The timed golden model against numbers worked out by hand."""

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.profile import parse_profile
from goldbeat.pymodels.tpu.streams.schedule import NONE, SEND, WAIT, Cost, Lane, costs, in_sequence, lane, schedule
from goldbeat.pymodels.tpu.streams.tables import chip


def make(engine: str, dep: list[int], core: int = 0, role: list[int] | None = None, count: int = 0) -> Lane:
    n = len(dep)
    roles = np.array(role or [NONE] * n, np.int8)
    counts = np.where(roles > 0, count, 0)
    return Lane(core, engine, np.arange(1, n + 1), np.array(dep), roles, np.zeros(n, np.int64), counts)


def test_start_is_one_behind_the_later_end():
    found = schedule([make("tiu", [1, 1, 2]), make("gdma", [0, 0, 2])], [[5, 1, 7], [10, 20, 3]])
    assert found.start[1].tolist() == [0, 10, 30]
    assert found.end[1].tolist() == [9, 29, 32]
    assert found.start[0].tolist() == [10, 15, 30]
    assert found.end[0].tolist() == [14, 15, 36]
    assert found.last == 36
    assert not found.blocked


def test_a_command_without_time_ends_before_it_starts():
    found = schedule([make("tiu", [0, 0])], [[0, 4]])
    assert (found.start[0].tolist(), found.end[0].tolist()) == ([0, 0], [-1, 3])


def test_a_message_used_again_with_a_greater_count():
    """One SEND for the first WAIT and two for the second: three in all."""
    waits = make("gdma", [0, 0], 1, [WAIT, WAIT])
    waits.count[:] = [1, 2]
    found = schedule([make("gdma", [0] * 3, 0, [SEND] * 3, 1), waits], [[5] * 3, [1, 1]])
    assert not found.blocked
    assert found.end[1].tolist() == [4, 14]


def test_a_barrier_and_its_message_used_again():
    roles = [SEND, WAIT, NONE, SEND, WAIT]
    lanes = [make(e, [0] * 5, c, roles, 4) for c in range(2) for e in ("tiu", "gdma")]
    found = schedule(lanes, [[t, 1, t, 1, 1] for t in (3, 9, 5, 1)])
    # The slowest SEND ends at 8 and all WAITs with it, but for the one that only starts then; so again at 19.
    assert [end[1] for end in found.end] == [8, 9, 8, 8]
    assert [end[4] for end in found.end] == [19, 20, 19, 19]


def test_a_deadlock_is_told_not_waited_for():
    found = schedule([make("tiu", [0, 3]), make("gdma", [0, 2, 0])], [1, 1])
    assert [str(b) for b in found.blocked] == [
        "core 0 tiu command 2 waits for gdma command 3",
        "core 0 gdma command 2 waits for tiu command 2",
    ]
    assert found.start[0].tolist() == [0, -1]
    alone = schedule([make("tiu", [0, 3])], [1])
    assert str(alone.blocked[0]) == "core 0 tiu command 2 waits for gdma command 3, and there is no gdma stream"
    with pytest.raises(UsageError, match="never ends"):
        in_sequence([found])


def test_groups_follow_each_other():
    one = schedule([make("tiu", [0]), make("gdma", [1])], [5, 7])
    both = in_sequence([one, one])
    assert both.start[0].tolist() == [0, 12]
    assert both.end[1].tolist() == [11, 23]


def test_what_the_model_refuses():
    with pytest.raises(UsageError, match="two lanes"):
        schedule([make("tiu", [0]), make("tiu", [0])], [1, 1])
    with pytest.raises(UsageError, match="durations for 1"):
        schedule([make("tiu", [0]), make("gdma", [0])], [1])
    with pytest.raises(UsageError, match="-2 cycles"):
        schedule([make("tiu", [0])], [-2])


def test_a_cost_model_by_kind_and_size():
    made = CodeGen(chip("BM1690"))
    made.emit("tiu", "sAR", {"res0_n": 1, "res0_c": 4, "res0_h": 2, "res0_w": 8})
    made.emit("tiu", "sCONV", {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 3})
    found = decode_stream(chip("BM1690").engine("tiu"), made.lookup("tiu0")[0])
    model = {"sAR": Cost(10, 0.5), "SYS": Cost(1)}
    assert costs(found, model, Cost(2, 1)).tolist() == [42, 5, 0]
    with pytest.raises(UsageError, match="no cost for tiu sCONV"):
        costs(found, model)
    assert lane(found).role.tolist() == [NONE] * 3


def test_a_profile():
    text = "A|GDMA_TENSOR|s:0|b:0|g:1|e:9|t:10|dr:0|sz:1|bw:1\n"
    text += "B|AR|s:10|b:1|g:1|e:12|t:3     C|GDMA_TENSOR|s:10|b:0|g:2|e:10|t:1|dr:0"
    found = parse_profile(text)
    assert found["gdma"].id.tolist() == [1, 2]
    assert found["tiu"].dep.tolist() == [1]
    assert found["tiu"].name == ["AR"]
    with pytest.raises(InputError, match="e = s"):
        parse_profile(text.replace("e:12", "e:13"))
    with pytest.raises(InputError, match="missing entry"):
        parse_profile("")
