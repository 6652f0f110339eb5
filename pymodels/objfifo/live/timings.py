# SPDX-License-Identifier: Apache-2.0
"""Other legal timings of an array: results that depend on them come from accesses that no lock orders.

Three schedules are the extremes. In one, whatever a program hands back is used at once by its next owner: a release before
the last access shows. In the others, S2MM or MM2S channels begin a descriptor only when nothing else can move: an access
before its acquire shows. Each difference is a witness. It is narrowed to one release, or to one channel, and named with the bytes.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.agent import LiveAgent
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import LiveChannel, LiveWords
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.order_check import ArrayFinding
from goldbeat.pymodels.objfifo.live.thread_program import in_program
from goldbeat.pymodels.objfifo.plan.host_array import unequal
from goldbeat.pymodels.objfifo.plan.plan import Direction, HostStep
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.order.order_picture import OrderPicture

Hosts = dict[str, npt.NDArray[Any]]
TimedRun = Callable[[Callable[[LiveArray], None]], tuple[bool, Hosts]]
"""Runs a fresh array after a function has prepared it: whether it completes, and the host's arrays afterwards."""
Memories = Mapping[Tile, LiveWords]
HANGS = "the design hangs"
UNORDERED, UNDECIDED = "unordered: ", "undecided: "
_TASK = "a task is started"
_OWN = str(Path(__file__).resolve().parents[3])
_ROUNDS = 1000
"""Of others after a release, where programs never rest."""
_SHOWN = 4
"""Places and channels that are narrowed to; each costs a run."""
_MOST_SHIMS = 16
"""Channels of shims that are tried one by one."""


@dataclass(frozen=True)
class ArrayOrder:
    """Accesses that nothing orders.

    Attributes:
        hangs: what the host waits for in vain, whatever the timing; then nothing else is known.
        unordered: results differ under another legal timing, with the difference.
        pairs: by the record of the run, whether results were seen to differ or not.
        pictures: make the pictures of the pairs.
        host_steps: what the runtime sequence starts and waits for, in order; empty where several designs were executed.
        remarks: what a user should know of the execution.
        left: those remarks that say which of the host's words nothing takes, or which of its tasks never ends.
    """

    unordered: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    pictures: tuple[Callable[[], OrderPicture], ...] = field(default=(), compare=False, repr=False)
    host_steps: tuple[HostStep, ...] = ()
    hangs: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[str, ...]:
        """Why a design fails."""
        return (*self.hangs, *self.unordered)

    @property
    def unshown(self) -> tuple[str, ...]:
        """Why a run whose results were not seen to differ, or whose words are left over, is no pass."""
        return (*(() if self.unordered else self.pairs), *self.left)

    @property
    def lines(self) -> tuple[str, ...]:
        """For reports: what differs, then each pair."""
        return tuple(dict.fromkeys((*self.wrong, *self.pairs)))


def joined_order(parts: Iterable[ArrayOrder]) -> ArrayOrder:
    """Of several executions, each finding once."""
    all_of = list(parts)
    if len(all_of) == 1:
        return all_of[0]
    return ArrayOrder(
        tuple(dict.fromkeys(text for one in all_of for text in one.unordered)),
        tuple(dict.fromkeys(text for one in all_of for text in one.pairs)),
        tuple(make for one in all_of for make in one.pictures),
        hangs=tuple(dict.fromkeys(text for one in all_of for text in one.hangs)),
        remarks=tuple(dict.fromkeys(text for one in all_of for text in one.remarks)),
        left=tuple(dict.fromkeys(text for one in all_of for text in one.left)),
    )


class OwnersAtOnce:
    """After each release by a program and each task that the host starts, everybody else moves until nothing does.

    Args:
        array: set up, not yet run.
        only: the place whose releases count; None: all.

    Attributes:
        places: where programs released something that others used at once, in order.
        effects: what others did after a release, by place.
    """

    def __init__(self, array: LiveArray, only: str | None = None) -> None:
        self.places: list[str] = []
        self.effects: dict[str, str] = {}
        self._array, self._only = array, only
        self._at_work: list[LiveAgent] = []
        self._context = contextvars.copy_context()
        array.handed_back = self._handed_back
        for lock in (lock for locks in array.locks.values() for lock in locks.values()):
            lock.handed_back = self._handed_back

    def _handed_back(self, lock: LiveLock | None) -> None:
        # What moves by itself, such as control packets, is no program.
        if self._array.running is None:
            return
        place = self._place(lock)
        if self._only not in (None, place):
            return
        self._at_work.append(self._array.running)
        try:
            self._others_move(place)
        finally:
            self._array.running = self._at_work.pop()

    def _place(self, lock: LiveLock | None) -> str:
        what = _TASK if lock is None else f"lock {lock.name} is released"
        return f"{self._array.at or script_line()}{what}"

    def _others_move(self, place: str) -> None:
        array, array.running = self._array, None
        at, array.at = array.at, ""
        before = {tile: words.copy() for tile, words in array.memories.items()} if self._only else {}
        words = {channel: channel.words for channel in array.channels.values()}
        # The host, which may reset cores, is no core's next owner: channels are between them.
        others = [core for core in array.cores if core not in self._at_work and core.name != array.held_program]
        for _ in range(_ROUNDS):
            moved = array.streams.step()
            for agent in others:
                array.running = agent
                # The context of the thread that is at work here is not that of the other program.
                did, _ran = self._context.copy().run(agent.step)
                array.running = None
                moved |= did and (array.streams.step() or True)
            if not moved:
                break
        array.at = at
        moving = [c for c in array.channels.values() if c.words != words.get(c, 0)]
        if (moving or before) and place not in self.places:
            self.places.append(place)
        if self._only and place not in self.effects:
            changed = [t for t, old in before.items() if not np.array_equal(old, array.memories[t])]
            written = [text for t in changed for text in _written(array, t, before[t])]
            if moving or written:
                self.effects[place] = _effect(moving, written)


def _written(array: LiveArray, tile: Any, before: npt.NDArray[np.uint32]) -> list[str]:
    """The buffers of a tile that changed, with the bytes."""
    at = np.flatnonzero(array.memories[tile].view(np.uint8) != before.view(np.uint8))
    found = []
    for buffer in array.buffers.values():
        first = buffer.address or 0
        mine = at[(at >= first) & (at < first + buffer.obj.size)] if buffer.tile == tile else at[:0]
        if len(mine):
            low, high = (int(mine[n] - first) // WORD_BYTES * WORD_BYTES for n in (0, -1))
            found.append(f"bytes {low} to {high + WORD_BYTES - 1} of {buffer.name}")
    return found


def _effect(moving: Sequence[LiveChannel], written: Sequence[str]) -> str:
    inner = [c.name for c in moving if c.tile.limits.memory is not None] or [c.name for c in moving]
    return "; ".join(
        [", ".join(inner[:3]) + " moved on"] * bool(inner) + [f"written: {', '.join(written)}"] * bool(written)
    )


def script_line() -> str:
    """The line of the user's file that is at work: the innermost that is not this package's."""
    if not in_program():
        return ""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.endswith(".py") and not name.startswith(_OWN) and "threading.py" not in name:
            return f"{Path(name).name}:{frame.f_lineno}: "
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def unordered_accesses(
    run: TimedRun, usual: tuple[bool, Hosts], found: Sequence[ArrayFinding], *, explained: bool = False
) -> tuple[str, ...]:
    """What depends on legal timings, a text for each finding.

    Args:
        run: see :data:`TimedRun`.
        usual: what the usual schedule came to.
        found: accesses that nothing orders, by the record. Without any, no channel of a shim is tried by itself: the
            record has all accesses to host arrays, and those runs are most of the time of a large design.
        explained: results were seen to differ by one of them. Then only what adds a place or a lock to it is listed.
    """
    early = _released_early(run, usual)
    if explained:
        # That a task is started too early is what its accesses say, with the memory that they are about.
        early = [text for text in early if _TASK not in text]
    used = _slow_channels(run, usual, found, explained=explained)
    return (*early, *(used or (_host_arrays_shared(run, usual) if found and not explained else ())))


def shown_order(
    run: TimedRun,
    usual: tuple[bool, Hosts],
    memories: Memories,
    found: Sequence[ArrayFinding],
    *,
    alike: Callable[[ArrayFinding], bool],
    thorough: bool,
) -> ArrayOrder:
    """Try the findings of a recorded run, and other legal timings.

    Args:
        run: see :data:`TimedRun`.
        usual: what the usual schedule came to.
        memories: of the tiles, at its end.
        found: by its record. Two programs that write the same values, with the same results whoever is first, are left out.
        alike: whether two programs write the same values where both write.
        thorough: try other timings where there is no finding.
    """
    known: dict[tuple[str, str], tuple[str, Memories]] = {}
    pairs = []
    for one in found:
        if one.actors not in known:
            known[one.actors] = _shown_difference(run, usual, one.actors)
        text, others = known[one.actors]
        if text or one.written is None or _differ(memories, others, *one.written) or not alike(one):
            pairs.append((one, text))
    shown = tuple(_pair_text(one, text) for one, text in pairs if text)
    sure = [one for one, _ in pairs if not one.undecided]
    seen = unordered_accesses(run, usual, sure, explained=bool(shown)) if found or thorough else ()
    return ArrayOrder(
        seen or shown,
        tuple(_pair_text(one, text) for one, text in pairs),
        tuple(one.picture for one, _ in pairs),
    )


def _pair_text(one: ArrayFinding, text: str) -> str:
    """A pair with what was seen. Where another legal timing gives other data, nothing is left to be decided."""
    told = one.text.replace(UNDECIDED, UNORDERED, 1) if text else one.text
    return f"{told}; {text or 'no difference shown'}"


def _differ(one: Memories, other: Memories, tile: Tile, low: int, high: int) -> bool:
    """Whether bytes of a tile's memory differ."""
    return not np.array_equal(one[tile].view(np.uint8)[low:high], other[tile].view(np.uint8)[low:high])


def _shown_difference(run: TimedRun, usual: tuple[bool, Hosts], actors: tuple[str, str]) -> tuple[str, Memories]:
    """How results differ if the first of two actors, which came first, is slow, and the memories of that run.

    The text is empty if results were not seen to differ.
    """
    name = actors[0]
    arrays: list[LiveArray] = []

    def hold(array: LiveArray) -> None:
        arrays.append(array)
        if name in {channel.name for channel in array.channels.values()}:
            array.hold_channels(lambda channel: channel.name == name)
        else:
            OwnersAtOnce(array)
            array.held_program = name

    text = other_outcome(usual, run(hold))
    return (f"{text} if {name} is slow" if text else ""), arrays[0].memories


def _released_early(run: TimedRun, usual: tuple[bool, Hosts]) -> list[str]:
    seen: list[OwnersAtOnce] = []
    shown = other_outcome(usual, run(lambda array: seen.append(OwnersAtOnce(array))))
    if not shown:
        return []
    found = []
    for place in seen[0].places:
        alone: list[OwnersAtOnce] = []
        text = other_outcome(usual, run(lambda array, p=place, a=alone: a.append(OwnersAtOnce(array, p))))  # type: ignore[misc]
        if text:
            effect = alone[0].effects.get(place, "")
            found.append(
                f"{UNORDERED}{place} before the last access: {text} if the next owner begins at once ({effect})"
            )
        if len(found) == _SHOWN:
            break
    return found or [f"{UNORDERED}{shown} if owners begin at once after each release"]


def _slow_channels(
    run: TimedRun, usual: tuple[bool, Hosts], pairs: Sequence[ArrayFinding], *, explained: bool
) -> list[str]:
    """Channels with which results differ if they begin each descriptor as late as they can, and why."""
    found = []
    without_lock = {name for one in pairs if one.in_tile for name in one.actors}
    for direction in Direction:
        names: list[str] = []

        def hold(array: LiveArray, way: Direction = direction, seen: list[str] = names) -> None:
            seen[:] = [c.name for c in array.channels.values() if c.direction is way]
            array.hold_channels(lambda channel: channel.direction is way)

        if not (shown := other_outcome(usual, run(hold))):
            continue
        alone = []
        for name in names[:_SHOWN]:
            arrays: list[LiveArray] = []

            def hold_one(array: LiveArray, only: str = name, seen: list[LiveArray] = arrays) -> None:
                seen.append(array)
                array.hold_channels(lambda channel: channel.name == only)

            if explained and name not in without_lock:
                continue
            if text := other_outcome(usual, run(hold_one)):
                alone.append(_slow_channel(arrays[0], name, text, without_lock))
        found += alone or ([] if explained else [f"{UNORDERED}{shown} if {direction} channels are slow"])
    return found


def _slow_channel(array: LiveArray, name: str, text: str, without_lock: Container[str]) -> str:
    """What is known of a channel with which results differ if it is slow: ``text`` says how."""
    if text == HANGS:
        waits = array.streams.at_arbiters() or array.report()[:1]
        return f"{UNORDERED}{text} if {name} is slow: {'; '.join(waits)}"
    if name in without_lock:
        return f"{UNORDERED}memory of {name} is used without its lock: {text} if that channel is slow"
    meeting = array.streams.meeting(name)
    first = f"packets of {' and '.join(meeting)} come in any order: " if meeting else ""
    return f"{UNORDERED}{first}{text} if {name} is slow"


def _host_arrays_shared(run: TimedRun, usual: tuple[bool, Hosts]) -> list[str]:
    """Host arrays that several channels use, where one of them may be slower than the others."""
    names: list[str] = []

    def hold(array: LiveArray, only: str = "") -> None:
        names[:] = [c.name for c in array.channels.values() if c.tile.kind is TileKind.SHIM]
        array.hold_channels(lambda channel: channel.name == only)

    run(hold)
    if len(names) <= len(usual[1]):
        return []
    return [
        f"{UNORDERED}{name} uses a host array that others use, without a wait: {text} if that channel is slow"
        for name in names[:_MOST_SHIMS]
        if (text := other_outcome(usual, run(lambda array, n=name: hold(array, n))))  # type: ignore[misc]
    ]


def repeatable(run: TimedRun, found: ArrayOrder) -> ArrayOrder:
    """What was found, unless one schedule has several results: then the timing is not the reason.

    Args:
        run: see :data:`TimedRun`.
        found: by other timings.
    """
    text = other_outcome(run(_as_it_is), run(_as_it_is))
    if not text:
        return found
    why = "a function of a core or kernel keeps state in Python between its calls, as no core does"
    return ArrayOrder((f"not repeatable: {text} if it is executed again: {why}",))


def _as_it_is(array: LiveArray) -> None:
    """The usual schedule."""


def other_outcome(usual: tuple[bool, Hosts], other: tuple[bool, Hosts]) -> str:
    """The first difference of two runs, empty where there is none."""
    if usual[0] != other[0]:
        return HANGS
    for name, expected in usual[1].items():
        got = other[1][name]
        if len(bad := unequal(got, expected)):
            at = int(bad[0])
            return f"{name} element {at} becomes {got.reshape(-1)[at]} instead of {expected.reshape(-1)[at]}"
    return ""
