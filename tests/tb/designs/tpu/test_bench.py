# SPDX-License-Identifier: Apache-2.0
"""The TPU command front end in RTL: programs of all kinds, damage that must end in its error."""

from __future__ import annotations

import numpy as np
import pytest
from tpu_bench import SYNC_CASE, answers, attempt, check

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access
from goldbeat.pymodels.tpu.front_end.front_map import CTRL, ERROR, MESSAGE
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, BM1688, BM1690, MESSAGE_BITS
from goldbeat.tb.design.case import Case
from goldbeat.tb.designs.tpu import bench
from goldbeat.tb.designs.tpu.bench import DESIGN, damages_of
from goldbeat.tb.designs.tpu.damage import BAD_DEPENDENCY, BAD_ID, BAD_KIND, BAD_MESSAGE, BUS, DAMAGES
from goldbeat.tb.designs.tpu.head_cases import wrong_heads
from goldbeat.tb.designs.tpu.programs import END, SEND, WAIT, Command, CommandGroup, stream
from goldbeat.tb.designs.tpu.scene import SceneShape
from goldbeat.tb.run.runs import Request

MANY_CORES = {"CHIP": BM1690, "CORES": 8, "ENGINES": 3}
VARIANTS = [pytest.param(v, id="-".join(f"{k}{x}" for k, x in v.items()) or "default") for v in DESIGN.variants]


# -- memories that refuse ----------------------------------------------------------------------------------------------


@pytest.mark.sim
def test_a_refused_read_ends_in_the_error_bus(tmp_path):
    (result,) = attempt("refused", [1], tmp_path)
    assert result.passed, result.failures[:2]
    for episode in result.episodes:
        assert answers(episode, ERROR)[0] & 0xF == BUS
        assert answers(episode, CTRL)[0] & 2


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.parametrize(
    "params",
    [
        {},
        # Few enough messages that a command can name one that is not there.
        pytest.param({"CORES": 3, "DEPTH": 2, "NMSG": 4}, marks=pytest.mark.slow),
        *(
            pytest.param(dict(next(v for v in DESIGN.variants if v.get("CHIP") == c)), marks=pytest.mark.slow)
            for c in (BM1684X, BM1688)
        ),
    ],
    ids=["default", "four-messages", "BM1684X", "BM1688"],
)
def test_damage_ends_in_the_named_error_never_in_a_hang(params, tmp_path):
    # The builds of the variants, which other tests use too.
    assert params in [dict(v) for v in DESIGN.variants]
    (result,) = attempt("damage", [2], tmp_path, params)
    assert result.passed, result.failures[:2]
    damages = damages_of(result.request.all_params["CHIP"], result.request.all_params["NMSG"])
    assert any(d.beyond for d in damages) == ("NMSG" in params and params["NMSG"] == 4)
    late, hung = (
        next(d for d in damages if d.name == n) for n in ("NOP in place of END, TIU", "ENDs wait for each other")
    )
    tried = [*damages, late, late, late, late, hung]
    for damage, episode in zip(tried, result.episodes, strict=True):
        assert answers(episode, CTRL)[0] & 2, f"{damage.name}: not halted"
        assert answers(episode, ERROR)[0] & 0xF in damage.errors, damage.name
        # CLEAR worked, so nothing hangs on a port.
        assert answers(episode, CTRL)[-1] == 0, damage.name
        assert answers(episode, ERROR)[-1] == 0, damage.name


def test_there_are_thirty_kinds_of_damage():
    assert len({d.name for d in DAMAGES}) == len(DAMAGES) >= 30


# -- heads -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", DESIGN.variants[:3], ids=["BM1690", "BM1684X", "BM1688"])
def test_a_head_that_is_wrong_in_one_place_ends_in_an_error(variant):
    setting = Request(DESIGN, DESIGN.case("heads"), [0], dict(variant)).setting(0)
    wrong = list(wrong_heads(np.random.default_rng(0), SceneShape.of(setting.params)))
    episodes = DESIGN.case("heads").make(setting)
    codes = []
    for stimulus in episodes:
        steps = (*stimulus.program["s_axil"], *stimulus.after["s_axil"])
        answers = DESIGN.model(setting.params, stimulus).accesses["s_axil"]
        codes += [a.value & 0xF for s, a in zip(steps, answers, strict=True) if (s.op, s.address) == ("read", ERROR)]
    legal = len(episodes) - len(wrong) - 1
    assert legal >= 1
    assert codes[:legal] == [0] * legal
    assert set(codes[legal:]) <= {BAD_KIND, BAD_ID, BAD_DEPENDENCY, BAD_MESSAGE}
    assert {BAD_KIND, BAD_DEPENDENCY} <= set(codes)


# -- messages ----------------------------------------------------------------------------------------------------------

NUMBERS = (30, 31, 127, 128, 300, 511)


def meeting(chip, numbers):
    """A group of TIU and GDMA, as bytes, whose engines meet on each of the messages."""
    group = CommandGroup([[], []])
    for engine in range(2):
        dma = engine > 0
        commands = [Command(kind[dma], 0, m, 2) for m in numbers for kind in (SEND, WAIT)]
        commands.append(Command(END[dma]))
        group.raw[engine] = stream(chip, commands, np.random.default_rng(0))
        group.counts[engine] = len(commands)
    return group


def _meetings(setting):
    scene = bench.FrontEndScene([[meeting(setting.params["CHIP"], NUMBERS)]])
    scene.extra = [*(Access("read", MESSAGE + 4 * m) for m in NUMBERS), Access("read", MESSAGE + 4 * 512, error=True)]
    return [bench.front_end_stimulus(scene, setting, np.random.default_rng(0))]


@pytest.mark.sim
def test_messages_of_nine_bits(tmp_path):
    """Message numbers above 15 ended in BAD_MESSAGE, and the largest front end had 128 of 512."""
    (result,) = attempt(Case(name="meetings", summary="numbers to 511", make=_meetings), [0], tmp_path)
    assert result.passed, result.failures[:2]
    (episode,) = result.episodes
    assert answers(episode, ERROR)[0] == answers(episode, CTRL)[0] & 2 == 0
    assert [len(episode.record.outcome.ports[f"m_axis_{n}"]) for n in range(2)] == [2 * len(NUMBERS) + 1] * 2
    # The registers of all messages are there, and none behind them.
    read = episode.record.accesses["s_axil"][-len(NUMBERS) - 1 :]
    assert [bool(one.error) for one in read] == [False] * len(NUMBERS) + [True]


@pytest.mark.parametrize(("chip", "have", "numbers"), [(BM1688, 16, (30, 31)), (BM1690, 128, (5, 300))])
def test_a_stream_with_more_messages_than_the_hardware_is_refused(chip, have, numbers):
    setting = Request(DESIGN, DESIGN.case("random"), [0], {"CHIP": chip, "NMSG": have}).setting(0)
    first = next(i for i, m in enumerate(numbers) if m >= have)
    text = rf"core 0 tiu command {2 * first + 1} uses message {numbers[first]}, the front end has {have}; set NMSG to"
    with pytest.raises(UsageError, match=text):
        bench.front_end_stimulus(bench.FrontEndScene([[meeting(chip, numbers)]]), setting, np.random.default_rng(0))


def test_the_default_has_every_message_that_a_chip_can_name():
    assert DESIGN.parameters["NMSG"].default == 512
    for variant in DESIGN.variants:
        chip, have = variant.get("CHIP", BM1690), variant.get("NMSG", 512)
        beyond = [d for d in damages_of(chip, have) if d.beyond]
        assert len(beyond) == (2 if chip != BM1684X and have < 1 << MESSAGE_BITS[chip] else 0)


# -- programs ----------------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.parametrize("case", [SYNC_CASE, "groups", "rate"], ids=["sync", "groups", "rate"])
def test_back_pressure(case, tmp_path):
    assert check(case, range(4), tmp_path, options={"ready": "bursty:8"}) > 100


@pytest.mark.sim
def test_nothing_lies_between_commands_while_data_are_there(tmp_path):
    (result,) = attempt("rate", [0], tmp_path, options={"commands": 400, "latency": 20})
    short, mixed = result.episodes
    for port in ("m_axis_0", "m_axis_1"):
        assert (short.record.outcome.ports[port].gaps[1:] == 0).all()
        trace = mixed.record.outcome.ports[port]
        beats = trace.keep.sum(axis=1) // 16
        assert (np.diff(trace.cycle) == beats[1:]).all()


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS)
def test_500_random_programs(params, tmp_path):
    # Some at a time, so that no simulation lasts long on a busy machine.
    compared = [check("random", range(n, n + 100), tmp_path / str(n), params) for n in range(0, 500, 100)]
    assert sum(compared) > 20_000


@pytest.mark.sim
@pytest.mark.slow
def test_eight_cores_of_three_engines(tmp_path):
    assert check("sync_all", range(3), tmp_path, MANY_CORES) > 1000
    assert check("random", range(20), tmp_path, MANY_CORES, {"beats": 400}) > 1000
