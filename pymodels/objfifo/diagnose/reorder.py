# SPDX-License-Identifier: Apache-2.0
"""Small changes of a core's program: accesses in another order, or one more release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, zip_longest

from goldbeat.pymodels.objfifo.plan.access import LockAccess, Loop, Steps, each, unrolled
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd

Step = LockAccess | Loop
_Key = tuple[str, FifoEnd, int]
_VERBS = {FifoEnd.PRODUCE: "fill", FifoEnd.CONSUME: "take"}
_MOST_TURNS = 256
"""Accesses of two fifos that are interleaved at most."""


@dataclass(frozen=True)
class ProgramChange:
    """A program that was changed in one place.

    Attributes:
        kind: ``order`` or ``release``.
        text: what to do, with lines of the program where they are known.
        steps: the whole program after it.
    """

    kind: str
    text: str
    steps: Steps


def access_text(access: LockAccess) -> str:
    """``acquire of x (add.py:12)``."""
    at = "" if access.line is None else f" ({access.line})"
    return f"{'acquire' if access.acquire else 'release'} of {access.fifo}{at}"


def orders(steps: Steps) -> Iterator[ProgramChange]:
    """Programs in which the accesses of one fifo come before those of another, or in turns with them."""
    for part, rebuild in _sequences(steps):
        keys = _keys(part)
        for first, then in permutations(keys, 2):
            moved = _before(part, first, then)
            if moved is not None:
                yield ProgramChange("order", _order_text(part, first, then), rebuild(moved))
        for first, then in permutations(keys, 2):
            turns = _turns(part, first, then)
            if turns is not None:
                both = " and ".join(f"{_VERBS[key[1]]} {key[0]}" for key in (first, then))
                text = f"{both} in turns, object by object{_lines(part, (first, then))}"
                yield ProgramChange("order", text, rebuild(turns))


def releases(steps: Steps) -> Iterator[ProgramChange]:
    """Programs with one more release of what a pass keeps, behind the last use of the fifo or at the end."""
    for part, rebuild in _sequences(steps):
        for key in _keys(part):
            kept = _kept(part, key)
            last = max((n for n, s in enumerate(part) if _only(s) == key), default=-1)
            for count in range(1, kept + 1):
                more = LockAccess(False, *key, count)
                for at in sorted({last + 1, len(part)}):
                    line = next((a.line for a in reversed([*each(part)]) if a.key == key and a.line), None)
                    where = f" after {line}" if line is not None else ""
                    text = f"release {count} object(s) of {key[0]}{where}"
                    yield ProgramChange("release", text, rebuild((*part[:at], more, *part[at:])))


def _sequences(steps: Steps) -> Iterator[tuple[Steps, Callable[[Sequence[Step]], Steps]]]:
    """Every run of steps, loops' bodies too, and what puts a changed one back."""
    yield steps, tuple
    for number, step in enumerate(steps):
        if isinstance(step, Loop):
            for part, rebuild in _sequences(step.body):

                def put(
                    new: Sequence[Step],
                    number: int = number,
                    step: Loop = step,
                    rebuild: Callable[[Sequence[Step]], Steps] = rebuild,
                ) -> Steps:
                    return (*steps[:number], replace(step, body=rebuild(new)), *steps[number + 1 :])

                yield part, put


def _only(step: Step) -> _Key | None:
    """The fifo end that a step is about, None for several."""
    keys = {a.key for a in each((step,))}
    return keys.pop() if len(keys) == 1 else None


def _keys(part: Steps) -> list[_Key]:
    found: list[_Key] = []
    for step in part:
        key = _only(step)
        if key is not None and key not in found:
            found.append(key)
    return found


def _before(part: Steps, first: _Key, then: _Key) -> tuple[Step, ...] | None:
    """All that is about ``first`` in front of all that is about ``then``; None where it stands so already."""
    start = next(n for n, s in enumerate(part) if _only(s) == then)
    mine = [s for s in part[start:] if _only(s) == first]
    if not mine:
        return None
    return (*part[:start], *mine, *(s for s in part[start:] if _only(s) != first))


def _order_text(part: Steps, first: _Key, then: _Key) -> str:
    one = next(a for a in each(part) if a.key == first)
    other = next(a for a in each(part) if a.key == then)
    return f"{access_text(one)} before the {access_text(other)}"


def _lines(part: Steps, keys: Sequence[_Key]) -> str:
    found = [next((a.line for a in each(part) if a.key == key), None) for key in keys]
    known = [str(line) for line in found if line is not None]
    return f" ({', '.join(known)})" if known else ""


def _turns(part: Steps, first: _Key, then: _Key) -> tuple[Step, ...] | None:
    """The accesses of two fifos, cut where nothing is held, one piece of each in turn."""
    mine = [s for s in part if _only(s) in (first, then)]
    cut = [_units([s for s in mine if _only(s) == key]) for key in (first, then)]
    if any(one is None for one in cut):
        return None
    one, other = cut[0] or [], cut[1] or []
    if len(one) < 2 and len(other) < 2:
        return None
    merged = [a for pair in zip_longest(one, other, fillvalue=()) for unit in pair for a in unit]
    at = part.index(mine[0])
    rest = [s for s in part[at:] if _only(s) not in (first, then)]
    return (*part[:at], *merged, *rest)


def _units(steps: Sequence[Step]) -> list[tuple[LockAccess, ...]] | None:
    """Accesses of one end cut into pieces after which it holds nothing; None for too many or loops without end."""
    if any(isinstance(s, Loop) and s.count is None for s in steps):
        return None
    found: list[tuple[LockAccess, ...]] = []
    now: list[LockAccess] = []
    held = 0
    for number, access in enumerate(unrolled(steps)):
        if number >= _MOST_TURNS:
            return None
        held = max(held, access.count) if access.acquire else held - access.count
        now.append(access)
        if held <= 0:
            found.append(tuple(now))
            now = []
    return [*found, tuple(now)] if now else found


def _kept(part: Steps, key: _Key) -> int:
    """Objects of an end that a run of steps keeps."""
    held = 0
    if any(isinstance(s, Loop) and s.count is None for s in part):
        return 0
    for number, access in enumerate(unrolled(part)):
        if number >= 20_000:
            break
        if access.key == key:
            held = max(held, access.count) if access.acquire else held - access.count
    return max(0, held)
