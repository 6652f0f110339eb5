# SPDX-License-Identifier: Apache-2.0
"""Run an array with the cores before the host and after it, and under other legal timings: what depends on who is faster shows.

On silicon cores run from configuration on, long before the first transfer: the first order is the one that counts.
Designs with packets are run once more, with the little storage that was measured on npu2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.live.agent import LiveAgent
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.order_check import ArrayFinding, array_findings
from goldbeat.pymodels.objfifo.live.order_record import OrderRecorder, ValueRecorder
from goldbeat.pymodels.objfifo.live.queue_limits import (
    hangs_if_tight,
    more_places,
    tight_text,
    waits_for_place,
)
from goldbeat.pymodels.objfifo.live.random_data import random_array, random_buffers
from goldbeat.pymodels.objfifo.live.record import RecordWish, RunRecorder, record_wish
from goldbeat.pymodels.objfifo.live.streams import PACKET_STORAGE, STORAGE
from goldbeat.pymodels.objfifo.live.timings import (
    ArrayOrder,
    Hosts,
    TimedRun,
    other_outcome,
    repeatable,
    script_line,
    shown_order,
)
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile, unequal
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.order.watched_memory import watched_memories

HostData = dict[str, npt.ArrayLike | ArrayFile]

_RACES = 4
"""Locks that several acquire, and how many of those, that are tried in other orders."""


@dataclass(frozen=True)
class LiveResult:
    """What a run came to.

    Attributes:
        completes: the host's sequence and its transfers end, in both orders.
        hosts: the host's arrays afterwards, where the cores began before the host.
        differing: host arrays that differ if the host is faster; empty for a result that can be relied on.
        order: accesses that nothing orders.
        report: who waits for what, where it hangs.
        remarks: what a user should know.
        words: words that each channel moved.
        types: of the host's arrays.
        unfinished: fifos whose last object the host has moved in part; such a design is wrong.
        active: a word has moved, or a program has released a lock.
        steered: words of the host may write registers of the array.
    """

    completes: bool
    hosts: dict[str, npt.NDArray[Any]]
    differing: tuple[str, ...]
    order: ArrayOrder
    report: tuple[str, ...]
    remarks: tuple[str, ...]
    words: dict[str, int]
    types: dict[str, ObjectType]
    unfinished: tuple[str, ...] = ()
    active: bool = True
    steered: bool = False

    @property
    def good(self) -> bool:
        """It completes, and all objects are whole."""
        return self.completes and not self.unfinished

    @property
    def unordered(self) -> tuple[str, ...]:
        """Accesses that nothing orders, and whose results were seen to differ."""
        return self.order.unordered


class HostSequenceError(UsageError):
    """The host's sequence cannot be executed, whatever the programs of the array are."""


@dataclass(frozen=True)
class _LiveOnce:
    good: bool
    hosts: dict[str, npt.NDArray[Any]]
    report: list[str]
    remarks: list[str]
    words: dict[str, int]
    unfinished: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    active: bool = True


def run_live(
    build: Callable[[], LiveArray],
    inputs: Mapping[str, npt.ArrayLike | ArrayFile] | None = None,
    *,
    runs: int = 1,
    lose_pushes: bool = False,
) -> LiveResult:
    """Execute an array without time.

    Args:
        build: sets up a fresh array; called for each order.
        inputs: the host's arrays; zeros where there is none.
        runs: runs of the host's sequence on one array; each one begins with these arrays.
        lose_pushes: a push to a full queue is lost, as without a compiler that waits there.
    """
    array, wish = build(), record_wish()
    given = dict(inputs or {})
    if wish is not None:
        given |= {name: wish.fill(name, kind) for name, kind in array.host_types.items() if name not in given}
    first = _once(array, given, runs, lose_pushes, False, wish, settles=True)
    second = _once(build(), given, runs, lose_pushes, True)
    differing = tuple(n for n in first.hosts if len(unequal(first.hosts[n], second.hosts[n])))
    if first.good != second.good:
        differing += ("the end: one order hangs",)
    races, other = _raced(build, given, array, runs, lose_pushes, first)
    if other is not None and wish is None:
        order, types = ArrayOrder(pairs=races), dict(array.host_types)
        return LiveResult(True, other.hosts, (), order, (), tuple(other.remarks), other.words, types)
    bad = first if not first.good else second
    remarks = dict.fromkeys(first.remarks + second.remarks)
    good = first.good and second.good
    for text, waits in _tighter(build, given, runs, array) if good else ():
        remarks[text] = None
        good, bad = not array.is_npu2, replace(first, report=waits)
    report = () if good else (*bad.report, *_cures(build, given, runs, array), *races)
    order = replace(_order(build, given, array, runs, lose_pushes), left=first.left) if good else ArrayOrder()
    order = replace(order, pairs=(*order.pairs, *races)) if good else order
    types, cut = dict(array.host_types), first.unfinished if good else ()
    return LiveResult(
        good,
        first.hosts,
        differing,
        order,
        report,
        tuple(remarks),
        first.words,
        types,
        unfinished=cut,
        active=first.active,
        steered=array.streams.host_steers,
    )


def _tighter(
    build: Callable[[], LiveArray], given: HostData, runs: int, array: LiveArray
) -> list[tuple[str, list[str]]]:
    """Why a design hangs with as little room as was measured on npu2, for packets or for tasks, and who waits for what."""
    found = []
    if array.streams.has_packets:
        tight = build()
        tight.streams.limit_packets()
        third = _once(tight, given, runs, array.lose_pushes, False)
        if not third.good:
            text = f"hangs where a port holds {PACKET_STORAGE} words of packets, as on npu2, and not {STORAGE}"
            found.append((f"{text}: {'; '.join(third.report)}", third.report))
    if full := hangs_if_tight(array, build, lambda made: _once(made, given, runs, False, False).good):
        found.append((tight_text(full), [waits_for_place(full)]))
    return found


def _cures(build: Callable[[], LiveArray], given: HostData, runs: int, array: LiveArray) -> tuple[str, ...]:
    text = more_places(array, build, lambda made: _once(made, given, runs, False, False).good)
    return (text,) if text else ()


def _raced(
    build: Callable[[], LiveArray], given: HostData, array: LiveArray, runs: int, lose_pushes: bool, first: _LiveOnce
) -> tuple[tuple[str, ...], _LiveOnce | None]:
    """Whether the result depends on who gets a lock that several acquire, and a run that ends where the first hangs.

    Each of them is slow once: it goes on only when nothing else moves.
    """
    found: list[str] = []
    other: _LiveOnce | None = None
    locks = [lock for locks in array.locks.values() for lock in locks.values() if len(lock.askers) > 1]
    for lock in locks[:_RACES]:
        askers = [one for one in lock.askers if one is not None]
        names = [_asker(array, one) for one in askers]
        for one, name in list(zip(askers, names, strict=True))[:_RACES]:

            def hold(made: LiveArray, slow: Any = one) -> None:
                if isinstance(slow, LiveAgent):
                    made.held_core = array.cores.index(slow) if slow in array.cores else None
                else:
                    made.hold_channels(lambda channel: channel.name == slow.name)

            once = _once(build(), given, runs, lose_pushes, False, prepare=hold)
            text = other_outcome((first.good, first.hosts), (once.good, once.hosts))
            if text and (first.good or once.good):
                ends = text if first.good else "the design completes, and hangs otherwise,"
                found.append(f"undecided: {' and '.join(names)} acquire lock {lock.name}: {ends} if {name} is slow")
                other = other or (once if once.good and not first.good else None)
    return tuple(dict.fromkeys(found)), other


def _asker(array: LiveArray, one: Any) -> str:
    """A channel or a program by a name of its own."""
    alike = [core for core in array.cores if core.name == one.name]
    return f"{one.name} ({alike.index(one) + 1} of {len(alike)})" if one in alike and len(alike) > 1 else str(one.name)


def array_order(build: Callable[[], LiveArray]) -> ArrayOrder:
    """Accesses of a design that nothing orders; other timings are tried only where there are some, or where they may matter.

    Who can go on can go on until it does, whatever others do: so all timings end alike where accesses are ordered. But not
    where packets of several sources meet, or where several acquire one lock: such a design is executed as ``exec`` does.

    Args:
        build: sets up a fresh array of a design that completes by its plan.

    Raises:
        HostSequenceError: the host's sequence cannot be executed.
        GoldbeatError: a program cannot be executed.
    """
    array = build()
    array.close()
    made: list[LiveArray] = []

    def kept() -> LiveArray:
        made.append(build())
        return made[-1]

    try:
        # Text without a sequence may lack the programs of its cores as well: its plan takes any for them.
        if array.sequence is not None and array.streams.packets_meet:
            return _as_executed(run_live(kept))
        order = _order(kept, {}, array, 1, False, thorough=False)
        if array.sequence is not None and not order.wrong and any(one.locks_contended for one in made):
            return _as_executed(run_live(kept))
    except GoldbeatError as error:
        if made and made[-1].host_error is error:
            raise HostSequenceError(str(error)) from error
        raise
    if order.hangs:
        return replace(order, hangs=(*order.hangs, *_cures(build, {}, 1, made[-1])))
    remarks = dict.fromkeys(order.remarks)
    for text, waits in _tighter(build, {}, 1, made[0]):
        remarks[text] = None
        order = replace(order, hangs=tuple(waits) if array.is_npu2 else ())
    return replace(order, remarks=tuple(remarks))


def _as_executed(found: LiveResult) -> ArrayOrder:
    """What a whole execution knows of the order of accesses, and who waits for what where it hangs."""
    return replace(found.order, hangs=() if found.completes else found.report, remarks=found.remarks)


def _as_built(array: LiveArray) -> None:
    """Buffers without initial values stay zeros."""


def _order(
    build: Callable[[], LiveArray],
    given: HostData,
    array: LiveArray,
    runs: int,
    lose_pushes: bool,
    *,
    thorough: bool = True,
) -> ArrayOrder:
    """Accesses that nothing orders, with random data where the user gave none: among zeros they do not show.

    Data that mislead a design (it hangs or fails with them) are left out: buffers first, then host arrays.
    """
    rng = np.random.default_rng(0)
    filled = {name: random_array(rng, kind) for name, kind in array.host_types.items()} | given
    error: GoldbeatError | None = None
    hangs: tuple[str, ...] = ()
    for data, buffers in ((filled, True), (filled, False), (given, False)):

        def run(
            prepare: Callable[[LiveArray], None], data: HostData = data, fill: bool = buffers
        ) -> tuple[bool, Hosts]:
            def prepared(array: LiveArray) -> None:
                if fill:
                    random_buffers(array)
                prepare(array)

            once = _once(build(), data, runs, lose_pushes, False, prepare=prepared)
            return once.good, once.hosts

        try:
            usual, recorder = _recorded(run, {}, _order_recorder)
            if pieces := recorder.shared_fills():
                usual, recorder = _recorded(run, pieces, _order_recorder)
            hangs = () if usual[0] or array.sequence is None else tuple(recorder.array.report())
            if usual[0]:
                found = array_findings(recorder)
                shown = shown_order(
                    *(run, usual, recorder.array.memories, found), alike=partial(_alike, run, pieces), thorough=thorough
                )
                rest = _LiveOnce(True, {}, [], [], {})
                if not thorough:
                    fill = random_buffers if buffers else _as_built
                    rest = _once(build(), data, runs, lose_pushes, False, prepare=fill, settles=True)
                if shown.unordered or (not thorough and other_outcome(usual, (rest.good, rest.hosts))):
                    shown = repeatable(run, shown)
                remarks = tuple(dict.fromkeys((*recorder.array.remarks, *rest.remarks)))
                return replace(shown, host_steps=tuple(recorder.host_steps), remarks=remarks, left=rest.left)
        except GoldbeatError as failure:
            error = failure
    if error is not None and not thorough:
        raise error
    return ArrayOrder(hangs=hangs)


Recorder = TypeVar("Recorder", bound=OrderRecorder)


def _recorded(
    run: TimedRun, pieces: Mapping[str, int], made: Callable[[LiveArray], Recorder]
) -> tuple[tuple[bool, Hosts], Recorder]:
    """The usual schedule, in which channels send at most so many words at once, and its record."""
    recorders: list[Recorder] = []

    def record(array: LiveArray) -> None:
        array.streams.pieces = pieces
        recorders.append(made(array))

    with watched_memories():
        usual = run(record)
    return usual, recorders[0]


def _order_recorder(array: LiveArray) -> OrderRecorder:
    return OrderRecorder(array, script_line)


def _alike(run: TimedRun, pieces: Mapping[str, int], pair: ArrayFinding) -> bool:
    """Whether two programs write the same values where both write."""
    if (part := pair.written) is None:
        return False
    _, recorder = _recorded(run, pieces, lambda array: ValueRecorder(array, script_line, part))
    recorder.finish()
    return recorder.alike(pair.actors)


def _once(
    array: LiveArray,
    given: HostData,
    runs: int,
    lose_pushes: bool,
    host_first: bool,
    wish: RecordWish | None = None,
    prepare: Callable[[LiveArray], None] = _as_built,
    settles: bool = False,
) -> _LiveOnce:
    """One order; ``settles``: afterwards words that are under way arrive, and those that stay have a remark."""
    array.lose_pushes = lose_pushes
    good = True
    try:
        recorder = None if wish is None else RunRecorder(array)
        prepare(array)
        array.forget_releases()
        for _ in range(runs):
            array.hand_in(given)
            array.restart()
            if recorder is not None:
                recorder.watch_host()
            good = array.run(host_first=host_first)
            if not good:
                break
        good = good and array.end_programs(host_first=host_first)
        if wish is not None and recorder is not None:
            wish.records.append(recorder.record())
        hosts = {name: array.host_view(name).copy() for name in array.hosts}
        words = {c.name: c.words for c in array.channels.values()}
        unfinished = tuple(array.unfinished())
        if good and settles:
            array.note_left()
        left = tuple(dict.fromkeys(array.left))
        report, active = [] if good else array.report(), any(words.values()) or array.released
        return _LiveOnce(good, hosts, report, _told(array), words, unfinished, left, active)
    finally:
        array.close()


def _told(array: LiveArray) -> list[str]:
    """Remarks, and what happens to pushes to full queues."""
    fate = "are lost" if array.lose_pushes else "wait; without a compiler that waits there they may be lost"
    return array.remarks + [
        f"pushes to the full queue of {name} {fate} ({count})" for name, count in array.full_pushes.items()
    ]
