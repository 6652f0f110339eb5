# SPDX-License-Identifier: Apache-2.0
"""The kinds of faults. Each makes one, and demands the end that docs/regress.md promises for it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from arena import Arena, Ends, Said, demand

Attack = Callable[[Arena, random.Random], str]


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes:
        name: as the table in docs/regress.md has it.
        attack: makes a fault of this kind and checks the end; gives what it was.
        weight: how often it is drawn, against the others.
        own_cache: it needs simulators of its own.
        needs: what it cannot do without: ``root``, ``farm`` or nothing.
        cheap: it belongs to the tiny attack among the tests.
    """

    name: str
    attack: Attack
    weight: float
    own_cache: bool
    needs: str
    cheap: bool


KINDS: dict[str, Kind] = {}


def kind(
    name: str, *, weight: float = 1.0, own_cache: bool = False, needs: str = "", cheap: bool = False
) -> Callable[[Attack], Attack]:
    """Register a function as a kind of fault."""

    def register(attack: Attack) -> Attack:
        assert name not in KINDS, name
        KINDS[name] = Kind(name, attack, weight, own_cache, needs, cheap)
        return attack

    return register


REGRESS = ("--jobs", "1", "--no-waves-on-fail")
CALM = {"seeds": 8, "moods": "lie@3 nap@1 nap@5 nap@6", "beats": 60, "pause_s": 0.03}
"""A regression with something to do at any moment, and one case that fails."""
FAILED = 1
_undisturbed: dict[str, Ends] = {}


def undisturbed(arena: Arena, **options: object) -> Ends:
    """What a suite gives when nothing happens; run once for every set of options."""
    name = repr(sorted(options.items()))
    if name not in _undisturbed:
        quiet = Arena(arena.folder.with_name(f"{arena.folder.name}-quiet"), arena.cache)
        try:
            quiet.goldbeat("regress", quiet.suite(**options), *REGRESS)
            _undisturbed[name] = quiet.ends()
            quiet.settle()
        finally:
            quiet.destroy()
        demand(len(_undisturbed[name]) == options.get("seeds", 8), "the undisturbed run is not whole")
    return _undisturbed[name]


def same(arena: Arena, expected: Ends, run: int = 1, but: frozenset[int] = frozenset()) -> None:
    """A run's results are the undisturbed ones: none lost, none twice, none different."""
    found = arena.ends(run)
    demand(found.keys() == expected.keys(), f"cases {sorted(found)}, expected {sorted(expected)}")
    wrong = {s: (found[s], expected[s]) for s in expected if s not in but and found[s] != expected[s]}
    demand(not wrong, f"differ from the undisturbed run (found, expected): {wrong}")


def ended(said: Said, *codes: int, text: str = "") -> None:
    """A command's end is one of these, its message in it, and it is no traceback."""
    what = f"exit code {said.code}, expected {codes}: {said.out[-500:]} {said.err[-1500:]}"
    demand(said.code in codes, what)
    # JSON has the logs of cases, where tracebacks belong.
    shown = said.err if said.out.startswith("{") else said.out + said.err
    demand("Traceback" not in shown, f"a traceback: {shown[-2000:]}")
    demand(text in said.out + said.err, f"nothing says {text!r}: {what}")


def resume(arena: Arena, before: Ends, expected: Ends) -> None:
    """Go on after a stop: what was recorded stays as it was, the rest comes as if nothing had happened."""
    now = arena.ends()
    demand(before.items() <= now.items(), "a result was lost or changed")
    if not arena.runs():
        # It had not begun.
        ended(arena.goldbeat("regress", arena.project / "suite.toml", *REGRESS), FAILED)
    else:
        said = arena.goldbeat("regress", "--resume", "--trust", *REGRESS)
        over = said.code == 2 and ("no run to resume" in said.err or "has ended" in said.err)
        if not over:
            ended(said, FAILED)
        demand(now.items() <= arena.ends().items(), "a result was lost or changed by --resume")
    same(arena, expected)
