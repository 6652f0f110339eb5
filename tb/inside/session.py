# SPDX-License-Identifier: Apache-2.0
"""The cocotb side: runs every episode of a job in one simulator process.

The host process (``goldbeat.tb.run.simulate``) hands it the job's folder and has :func:`run_session` called inside the
simulation, in place of cocotb's runner of tests: a session is one task, and what imports, finds, times and reports tests takes
longer than a short run.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cocotb
import cocotb._event_loop
import cocotb._shutdown
import cocotb._test_manager
from cocotb.task import Task
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time

from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.tb import orphan_guard
from goldbeat.tb.inside import plain_models
from goldbeat.tb.inside.assertions import collect_failures, failed_assertions
from goldbeat.tb.inside.heartbeat import pulse
from goldbeat.tb.inside.job import (
    COVERAGE,
    ENVIRONMENT,
    JOURNAL,
    ORDERS,
    PULSE,
    SHARED,
    AccessResult,
    BurstAnswers,
    Episode,
    Job,
    Record,
    read_job,
    write_record,
)
from goldbeat.tb.inside.transactors.base import Transactors
from goldbeat.tb.inside.transactors.probe import waiting_for_ready
from goldbeat.tb.inside.transactors.wires import moments
from goldbeat.tb.kernel.launch import simulator_seed
from goldbeat.tb.kernel.library import library

if TYPE_CHECKING:
    from goldbeat.tb.inside.shared_bytes import SharedBytes

_RESET_CYCLES = 8
"""Cycles of the slowest clock that a reset lasts: more than any synchroniser is deep."""
_LOOKS = (7, 15, 25, 40, 60, 90, 140, 220, 350, 800, 1800, 4000)
"""Cycles of accesses and bursts in which inputs are flipped."""
_SPACINGS = 4
"""A look waits for so many times the mean time between beats."""
_LOOKS_AT_SLOW = 4
"""Looks at a design that is slower than expected, in the time in which it was to be done."""
_HELD_CYCLES = 4
"""Cycles that the clocks run on after an episode. In half of the resets in mid-flight, valid and ready stay as they are for them;
in the others both fall with the reset, as they do where one reset is for all."""


async def _align(agents: Transactors, clocks: Mapping[str, Clock], cycles: int) -> int:
    """Restart the clocks so that edge 0 of each falls at its offset after a common origin.

    Returns:
        the origin (simulation time in ps), at least ``cycles`` periods of the slowest clock from now.
    """
    agents.stop_clocks()
    slowest = max(c.period_ps for c in clocks.values())
    await Timer(slowest, "step")
    origin = int(get_sim_time("step")) + cycles * slowest
    agents.start_clocks(clocks, origin)
    return origin


async def _reach(dut: Any, origin: int, clocks: Mapping[str, Clock]) -> None:
    """Wait for the origin; where a clock rises at that very moment, until its edge has been sampled."""
    rising = [name for name, clock in clocks.items() if clock.offset_ps == clock.period_ps]
    if rising:
        await _until(origin - 1)
        await RisingEdge(getattr(dut, rising[0]))
    else:
        await _until(origin)


async def _until(time_ps: int) -> int:
    """Wait until then; the time, which may be later."""
    now = int(get_sim_time("step"))
    if time_ps > now:
        await Timer(time_ps - now, "step")
    return max(now, time_ps)


def _resets(dut: Any, job: Job) -> list[Any]:
    """The harness's resets, active low; clocks may share one or have none."""
    return [getattr(dut, name) for name in dict.fromkeys(c.resetn for c in job.clocks) if name is not None]


def _pulse(origin: int, clocks: Mapping[str, Clock]) -> Task[None] | None:
    """Tell the host how far the episode is, if it wants to know."""
    if (every := os.environ.get(PULSE)) is None:
        return None
    period = next(iter(clocks.values())).period_ps
    return cocotb.start_soon(pulse(lambda ps: _note("at", ps), float(every), origin, period))


async def _stream(agents: Transactors, episode: Episode, origin: int) -> None:
    """Let the streams run until the episode ends."""
    stop = episode.stimulus.stop_ps
    length = episode.run_ps if stop is None else min(stop, episode.run_ps)
    if episode.quiet_ps is None:
        await _flip_until(agents, origin, length, next(iter(episode.stimulus.clocks.values())))
        if episode.beats is not None:
            await _while_moving(agents, origin, length, episode.beats)
    else:
        await _until_quiet(agents, origin, length, episode.quiet_ps)


async def _run(dut: Any, job: Job, episode: Episode, agents: Transactors, *, one_edge: bool) -> Record:
    """Run an episode; ``one_edge``: the reset before it lasts for one edge of the slowest clock."""
    stimulus = episode.stimulus
    resets = _resets(dut, job)
    _set(resets, 0)
    agents.reset(episode.payload, episode.draw_seed)
    agents.blur(episode.draw_seed, stimulus.blur_ps)
    origin = await _align(agents, stimulus.clocks, _RESET_CYCLES)
    slowest = max(c.period_ps for c in stimulus.clocks.values())
    agents.load(stimulus, long=episode.long)
    agents.load_raw(episode.raw, data_alone=episode.data_alone)
    await _last_look(resets, origin, slowest, one_edge=one_edge)
    if resets:
        # Before the reset has reached every flip-flop, assertions judge what nothing has set.
        failed_assertions(job.top, origin, stimulus.clocks)
    accesses: dict[str, list[AccessResult]] = {p.name: [] for p in job.registers}
    violations, driven, bursts = list[str](), dict[str, list[Access]](), dict[str, BurstAnswers]()
    if not stimulus.settled:
        agents.start(origin, settled=False)
    await _reach(dut, origin, stimulus.clocks)
    released = int(get_sim_time("step"))
    _release(resets, episode)
    if stimulus.cut:
        return await _cut_off(agents, job, stimulus, origin, released)
    watched = _pulse(origin, stimulus.clocks)
    if stimulus.settled:
        driven, bursts = await _settle(agents, stimulus, accesses, origin)
        violations += failed_assertions(job.top, origin, stimulus.clocks)
        # Stopping the clocks is invisible to a synchronous design; it gives the streams a start at known phases.
        origin = await _align(agents, stimulus.clocks, _HELD_CYCLES)
        agents.start(origin, settled=True)
    await _stream(agents, episode, origin)
    _end(agents, resets, stimulus, watched)
    taken, outcome, broken, waiting = _stopped(agents, outputs_alone=episode.quiet_ps is not None)
    whole = stimulus.stop_ps is None
    status = {s.name: agents.peek(s.name) for s in job.status}
    for port, program in stimulus.after.items() if whole else ():
        accesses[port] += await agents.program(port, program)
    if whole or episode.draw_seed % 2 == 0:
        await Timer(_HELD_CYCLES * slowest, "step")
    violations += failed_assertions(job.top, origin, stimulus.clocks)
    unanswered, stuck = agents.unanswered()
    late = await waiting_for_ready(agents, stimulus.clocks, origin, _until) if whole else []
    return Record(
        Outcome(outcome.ports, status, outcome.memories),
        {port: tuple(results) for port, results in accesses.items()},
        {port: tuple(steps) for port, steps in driven.items()},
        (*violations, *late, *broken, *agents.rules(), *(_outstanding(job, waiting) if whole else ()), *unanswered),
        (*waiting, *stuck),
        agents.stalls(),
        agents.late_bits(),
        bursts,
        agents.waits(),
        agents.bytes_alone(),
        taken,
        released,
        origin,
        agents.stalled(),
        _data_files(),
    )


def _data_files() -> dict[str, str]:
    lines: str = library().gb_data_files().decode(errors="surrogateescape")
    return dict(line.rsplit("\t", 1) for line in lines.splitlines())


async def _last_look(resets: Sequence[Any], origin: int, slowest: int, *, one_edge: bool) -> None:
    """Wait for the last look in reset; a reset that lasts for one edge of the slowest clock ends before."""
    if one_edge:
        await _until(origin - _RESET_CYCLES * slowest + 5 * slowest // 4)
        _set(resets, 1)
    # Sinks decide two edges ahead, so everything is armed well before the origin.
    await _until(origin - 3 * slowest)


def _end(agents: Transactors, resets: Sequence[Any], stimulus: Stimulus, watched: Task[None] | None) -> None:
    """Begin the reset that ends an episode, if one does; one of a single edge comes with the next episode."""
    if stimulus.one_edge:
        agents.stop_clocks()
    elif stimulus.stop_ps is not None:
        _set(resets, 0)
    if watched is not None:
        watched.cancel()


async def _cut_off(agents: Transactors, job: Job, stimulus: Stimulus, origin: int, released: int) -> Record:
    """Make all accesses at once until the next episode's reset; rules are judged, and what streams transfer is kept."""
    running = [cocotb.start_soon(agents.program(port, program)) for port, program in stimulus.program.items()]
    others = [cocotb.start_soon(agents.bursts(port, program)) for port, program in stimulus.bursts.items()]
    await _until(origin + (stimulus.stop_ps or 0))
    for task in (*running, *others):
        task.cancel()
    outcome, broken, _ = agents.stop()
    status = {s.name: agents.peek(s.name) for s in job.status}
    violations = failed_assertions(job.top, origin, stimulus.clocks)
    return Record(
        Outcome(outcome.ports, status, outcome.memories),
        dict.fromkeys(stimulus.program, ()),
        {},
        (*violations, *broken, *agents.rules()),
        late_bits=agents.late_bits(),
        waits=agents.waits(),
        released_ps=released,
        origin_ps=origin,
    )


def _release(resets: Sequence[Any], episode: Episode) -> None:
    """End the reset; what new initial values have made signals do is no coverage."""
    if episode.seed is not None and os.environ.get(COVERAGE) is not None:
        library().gb_restart_coverage()
    _set(resets, 1)


def _set(resets: Sequence[Any], value: int) -> None:
    for reset in resets:
        reset.value = value


async def _flip_until(agents: Transactors, origin: int, length: int, clock: Clock) -> None:
    """Wait for so long from the origin on, and flip inputs in the middle of some cycles."""
    for moment in moments(clock, length):
        await _until(origin + moment)
        agents.flip()
    await _until(origin + length)


def _stopped(
    agents: Transactors, *, outputs_alone: bool
) -> tuple[Mapping[str, int], Outcome, tuple[str, ...], tuple[str, ...]]:
    """Beats that inputs have taken, where their traces are left out, and what :meth:`Transactors.stop` gives."""
    taken = agents.taken() if outputs_alone else {}
    return taken, *agents.stop(outputs_alone=outputs_alone)


async def _while_moving(agents: Transactors, origin: int, length: int, beats: Mapping[str, int]) -> None:
    """Go on until each stream has transferred its beats, as long as each look finds more of them than the one before.

    Beats that a stream has too many of stand for none of another's, and nothing waits for streams without a number.
    """
    now, seen, wanted = length, -1, sum(beats.values())
    while seen < (moved := _moved_of(agents, beats)) < wanted:
        # Of few beats that take long, the next one may need more than a part of the run.
        step = max(1, length // _LOOKS_AT_SLOW, _SPACINGS * now // moved if moved else 0)
        seen, now = moved, now + step
        await _until(origin + now)


def _moved_of(agents: Transactors, beats: Mapping[str, int]) -> int:
    """How many of these beats have transferred."""
    moved = agents.moved()
    return sum(min(moved.get(name, 0), wanted) for name, wanted in beats.items())


async def _until_quiet(agents: Transactors, origin: int, length: int, quiet: int) -> None:
    """Wait until no stream has transferred for so long, at most for so long from the origin on.

    Each look returns to Python, so there are few of them: none before all that is offered can have been taken.
    """
    now, seen = 0, -1
    while now < length:
        moved = sum(agents.moved().values())
        if moved == seen:
            return
        seen = moved
        now = min(length, now + max(quiet, agents.left_ps()))
        await _until(origin + now)


async def _look(agents: Transactors, origin: int, clock: Clock) -> None:
    """Flip inputs in the middle of some cycles of what comes before the streams, whose length nobody knows."""
    for cycle in _LOOKS:
        await _until(origin + clock.time(cycle) + clock.period_ps // 2)
        agents.flip()


async def _settle(
    agents: Transactors, stimulus: Stimulus, accesses: dict[str, list[AccessResult]], origin: int
) -> tuple[dict[str, list[Access]], dict[str, BurstAnswers]]:
    """Play what comes before the streams; adds to ``accesses`` and gives what drivers did and bursts gave, by port."""
    driven: dict[str, list[Access]] = {}
    bursts: dict[str, BurstAnswers] = {}

    async def play(port: str, program: Sequence[Access]) -> None:
        accesses[port] += await agents.program(port, program)

    async def burst(port: str, program: BurstProgram) -> None:
        bursts[port] = await agents.bursts(port, program)

    looking = cocotb.start_soon(_look(agents, origin, next(iter(stimulus.clocks.values()))))
    steps = [play(port, program) for port, program in stimulus.program.items()]
    started = [cocotb.start_soon(step) for step in steps] if stimulus.together else []
    if not started:
        for step in steps:
            await step
    for port, driver in stimulus.drivers.items():
        driven[port], results = await agents.drive(port, driver)
        accesses[port] += results
    started += [cocotb.start_soon(burst(port, program)) for port, program in stimulus.bursts.items()]
    for task in started:
        await task
    looking.cancel()
    return driven, bursts


async def _renew(dut: Any, job: Job, agents: Transactors, seed: int) -> bool:
    """Give the design initial values drawn from a seed, as a process of its own would; False where it cannot be done."""
    for reset in _resets(dut, job):
        reset.value = 0
    agents.reset()
    agents.stop_clocks()
    # What was written must not come after the renewal.
    await Timer(1, "step")
    return bool(library().gb_renew(simulator_seed(seed)))


def _outstanding(job: Job, waiting: Sequence[str]) -> list[str]:
    """What a run to the end has left open: beats that the design offers, accesses that it has begun.

    What a source offers and the design does not take is no business of a rule: the model says what is taken.
    """
    offering = (*(p for p in (*job.streams, *job.registers) if p.direction == "out"), *job.memories)
    rules = {p.name: f"{p.spec.name}_outstanding" for p in offering}
    found = ((rules.get(text.partition(":")[0]), text) for text in waiting)
    return [f"{rule}: {text}" for rule, text in found if rule is not None]


def _note(what: str, number: int) -> None:
    """A line in the journal, which is a pipe: it says which episode is running, whatever becomes of this process."""
    if (pipe := os.environ.get(JOURNAL)) is not None:
        os.write(int(pipe), f"{what} {number} {time.monotonic()}\n".encode())


def _shared_memory() -> tuple[SharedBytes | None, SharedBytes | None]:
    """That of jobs and that of records, where the host has made some."""
    named = os.environ.get(SHARED)
    if named is None:
        return None, None
    # Most runs start sooner without it.
    from goldbeat.tb.inside.shared_bytes import SharedBytes

    jobs, records = named.split(",")
    return SharedBytes(int(jobs)), SharedBytes(int(records))


def _next_job(folder: Path, shared: SharedBytes | None) -> Job | None:
    """Wait for more episodes; None: there are no more. Nothing moves meanwhile, simulated time included."""
    orders = os.environ.get(ORDERS)
    return read_job(folder, shared) if orders is not None and os.read(int(orders), 1) else None


def _transactors(dut: Any, job: Job) -> Transactors:
    # Each back end's imports are its own: the native one must run without cocotbext-axi.
    if job.transactors == "native":
        from goldbeat.tb.inside.transactors.native import NativeTransactors

        return NativeTransactors(dut, job)
    from goldbeat.tb.inside.transactors.cocotbext import CocotbextTransactors

    return CocotbextTransactors(dut, job)


def run_session() -> None:
    """Start the session; called when cocotb has been set up. The simulation ends with the session, or the session with it."""
    session: Any = cocotb._test_manager.TestManager(
        episodes(cocotb.top), name="session", test_complete_cb=lambda: _finish(session)
    )

    def cut() -> None:
        if not session.done():
            session.cancel("the simulation ended early: $finish, or no more events")
            cocotb._event_loop._inst.run()

    cocotb._shutdown.register(cut)
    session.start()


def _finish(session: Any) -> None:
    """Say what has gone wrong, for the log, and end the simulation."""
    if (error := session.exception()) is not None:
        logging.getLogger("goldbeat").error("the session failed", exc_info=error)
    if cocotb.handle._apply_writes_cb is not None:
        cocotb.handle._apply_writes_cb.cancel()
        cocotb.handle._apply_writes_cb = None
    # Stopping the simulator does not call these.
    cocotb._shutdown._shutdown()
    cocotb.simulator.stop_simulator()


async def episodes(dut: Any) -> None:
    """Run every episode of the job and keep its record."""
    if (parent := os.environ.get(orphan_guard.ENVIRONMENT)) is not None:
        orphan_guard.end_with(int(parent))
    folder = Path(os.environ[ENVIRONMENT])
    jobs, records = _shared_memory()
    job = read_job(folder, jobs)
    plain_models.leave()
    for clock in job.clocks:
        getattr(dut, clock.name).value = 0
    for reset in _resets(dut, job):
        reset.value = 0
    # What no transactor drives stays idle.
    for port in (*job.registers, *job.memories):
        for wire in port.wires():
            if wire.way == "input":
                getattr(dut, f"{port.name}_{wire.name}").value = 0
    # These writes must have been made before transactors make theirs.
    await Timer(1, "step")
    agents = _transactors(dut, job)
    collect_failures()
    more: Job | None = job
    fresh = True
    while more is not None:
        # The memory has one record at a time.
        shared = records if len(more.episodes) == 1 else None
        if not await _run_all(dut, more, agents, folder, shared, fresh=fresh):
            return
        fresh = fresh and not more.episodes
        more = _next_job(folder, jobs)


async def _run_all(
    dut: Any, job: Job, agents: Transactors, folder: Path, shared: SharedBytes | None, *, fresh: bool
) -> bool:
    """Run the episodes of a job; False: another process has to go on. ``fresh``: nothing has run in this one."""
    one_edge = False
    for index, episode in enumerate(job.episodes):
        renewed = episode.seed is None or await _renew(dut, job, agents, episode.seed)
        if not renewed and not (fresh and index == 0):
            _note("again", index)
            return False
        _note("start", index)
        try:
            record = await _run(dut, job, episode, agents, one_edge=one_edge and episode.seed is None)
            write_record(replace(record, torn_words=agents.torn_words()), folder, index, shared)
        except OSError as error:
            # A full disk is nobody's wrong result: the host must be able to tell.
            _note("lost", error.errno or 0)
            raise
        if os.environ.get(COVERAGE) is not None:
            library().gb_coverage()
        _note("end", index)
        one_edge = episode.stimulus.one_edge
    return True
