# SPDX-License-Identifier: Apache-2.0
"""Register programs that wait: for a register, for an interrupt, for cycles; in both back ends."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.inside.job import BACKENDS
from goldbeat.tb.inside.transactors.base import ACCESS_TIMEOUT_CYCLES, patience
from goldbeat.tb.inside.transactors.native import register_step
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

pytestmark = pytest.mark.sim

WORK = 300
GO = Access("write", 0, WORK)
PROGRAMS = {
    "polled": (GO, Access("poll", 0, 1, mask=1, cycles=2 * WORK), Access("read", 0, 1)),
    "interrupt": (
        GO,
        Access("wait_for", port="irq"),
        Access("read", 0, 1),
        GO,
        Access("wait_for", port="irq", value=0),
    ),
    "cycles": (GO, Access("wait", cycles=WORK), Access("read", 0, 1)),
    "too_soon": (GO, Access("wait", cycles=WORK // 2), Access("read", 0, 1)),
    "never": (GO, Access("poll", 0, 1, mask=1, cycles=WORK // 2), Access("read", 0, 1)),
    "no_interrupt": (GO, Access("wait_for", port="irq", cycles=WORK // 2), Access("read", 0, 1)),
    "no_answer": (Access("poll", 4, 1, cycles=50),),
}


def _make(setting: CaseContext) -> list[Stimulus]:
    program = {"s_axil": PROGRAMS[setting.options["program"]]}
    return [Stimulus({}, clocks={"aclk": Clock(1000, 1000)}, program=program)]


SLEEPER = Design(
    name="sleeper",
    summary="",
    top="sleeper",
    files=("sleeper.sv",),
    root=REPOSITORY / "tests" / "tb" / "kernel",
    registers=(LitePort(name="s_axil"),),
    status=(StatusPort(name="irq", width=1),),
    model=lambda params, stimulus: Outcome({}, {"irq": 1}),
    cases=(Case(name="host", summary="", make=_make, options={"program": "polled"}),),
)


def _run(program, backend, folder):
    request = Request(SLEEPER, SLEEPER.cases[0], options={"program": program}, transactors=backend)
    return run(request, folder)[0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_programs_wait(backend, tmp_path):
    for name in ("polled", "cycles"):
        result = _run(name, backend, tmp_path / name)
        assert result.passed, result.failures
        (episode,) = result.episodes
        accesses = episode.record.accesses["s_axil"]
        assert [a.value for a in accesses][2] == 1
        if name == "polled":
            assert accesses[1].value == 1
        if backend == "native":
            assert WORK <= accesses[1].cycle - accesses[0].cycle < WORK + 10


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_interrupt_ends_a_wait(backend, tmp_path):
    result = _run("interrupt", backend, tmp_path)
    # The work is not over at the end of the program, and so the status output differs.
    assert result.failures == ("status irq: expected 1, got 0",)
    assert [a.value for a in result.episodes[0].record.accesses["s_axil"]] == [None, None, 1, None, None]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("too_soon", "access 2 (read 0x000): expected 0x00000001, got 0x"),
        ("never", "axil_no_answer: s_axil: access 1 (poll 0x000) did not find 0x1 in 150 cycles"),
        ("no_interrupt", "axil_no_answer: s_axil: access 1 (wait_for irq) did not find 0x1 in 150 cycles"),
        ("no_answer", "axil_no_answer: s_axil: access 0 (poll 0x004) did not find 0x1 in 50 cycles"),
    ],
)
def test_what_never_comes_true_fails(program, text, backend, tmp_path):
    result = _run(program, backend, tmp_path)
    assert not result.passed
    assert text in "\n".join(result.failures)


def test_an_unknown_step_is_refused():
    with pytest.raises(UsageError, match="unknown access 'erase'"):
        register_step(Access("erase"), 10)


def test_an_access_has_as_many_cycles_of_the_slowest_clock() -> None:
    clocks = {name: Clock(period, 1) for name, period in (("fast", 4_000), ("slow", 26_000))}
    assert [patience(name, clocks) for name in clocks] == [7 * ACCESS_TIMEOUT_CYCLES, ACCESS_TIMEOUT_CYCLES]
