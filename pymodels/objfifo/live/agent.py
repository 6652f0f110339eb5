# SPDX-License-Identifier: Apache-2.0
"""Programs that take turns: cores and the host's sequence."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

TURN = 256
"""Steps of a program before the next one has its turn."""


@dataclass(frozen=True)
class Blocked:
    """What a program waits for.

    Attributes:
        text: for reports.
        attempt: take it if it is there; True if it was.
        tried: it was tried in this turn, in vain.
    """

    text: str
    attempt: Callable[[], bool]
    tried: bool = False


LiveProgram = Generator[Blocked | None, None, None]
"""Yields what it waits for; None lets others have a turn."""


class LiveAgent:
    """A program at work.

    Attributes:
        name: for reports.
        wait: what stopped it.
        done: it has ended.
        endless: True while it may wait when the host has all that it asked for: it is in a loop without end.
        taken: what it has waited for and got, so far.
    """

    def __init__(self, name: str, program: LiveProgram, endless: Callable[[], bool] = lambda: False) -> None:
        self.name, self.endless = name, endless
        self.wait: Blocked | None = None
        self.done = False
        self.taken = 0
        self._program = program

    def step(self) -> tuple[bool, bool]:
        """Go on until it waits or its turn is over: (it did something others see, it ran at all)."""
        moved = ran = False
        for _ in range(TURN):
            if self.done:
                break
            if self.wait is not None:
                if not self.wait.attempt():
                    break
                self.wait, moved = None, True
                self.taken += 1
            try:
                self.wait = next(self._program)
            except StopIteration:
                self.done = moved = True
            ran = True
            if self.wait is None or self.wait.tried:
                break
        return moved, ran

    def close(self) -> None:
        """End the program wherever it is."""
        self._program.close()

    def stop(self) -> None:
        """End the program: :meth:`begin` starts another one."""
        self.close()
        self.wait, self.done = None, True

    def begin(self, program: LiveProgram) -> None:
        """Run a program from its start."""
        self._program, self.wait, self.done = program, None, False
