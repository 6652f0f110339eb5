# SPDX-License-Identifier: Apache-2.0
"""Where declarations go: the scope of a device body, or of a whole file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

from goldbeat.pymodels.objfifo.plan.design import Core, FifoDesign, Host, Transfer
from goldbeat.pymodels.objfifo.plan.device import ANY, Device


class Scope:
    """What was declared so far.

    Attributes:
        device: what the tiles belong to.
        fifos, links: ``object_fifo`` and ``object_fifo_link`` of the placed level, which know the scope, not it them.
        cores, hosts, transfers: other declarations of the placed level.
        open_fifos: every ``ObjectFifo`` of the level without tiles, in order of creation.
        workers, runtimes: every ``Worker`` and ``Runtime`` of that level.
        designs: finished designs, in order.
        unnamed: numbers for fifos without a name.
        waited: the host waits for a token after the last transfer.
        silent: modules print nothing and check nothing: the file is only read.
        live: sequences are run with the array, not declared.
        programs: every ``Program``'s runtime and workers.
        bodies: device bodies with their scopes.
    """

    def __init__(self, device: Device = ANY) -> None:
        self.device = device
        self.fifos: list[Any] = []
        self.links: list[Any] = []
        self.cores: list[Core] = []
        self.hosts: list[Host] = []
        self.transfers: list[Transfer] = []
        self.waited = False
        self.open_fifos: list[Any] = []
        self.workers: list[Any] = []
        self.runtimes: list[Any] = []
        self.designs: list[FifoDesign] = []
        self.unnamed = count()
        self.silent = False
        self.live = False
        self.programs: list[Any] = []
        self.bodies: list[tuple[FifoDesign, Scope]] = []


_scope: ContextVar[Scope | None] = ContextVar("scope", default=None)
_outermost = Scope()


def scope() -> Scope:
    """The scope that declarations go to now."""
    return _scope.get() or _outermost


@contextmanager
def entered(inner: Scope) -> Iterator[Scope]:
    """What the block declares goes to a scope."""
    token = _scope.set(inner)
    try:
        yield inner
    finally:
        _scope.reset(token)


@contextmanager
def fresh(device: Device = ANY) -> Iterator[Scope]:
    """A scope of its own for what the block declares."""
    with entered(Scope(device)) as inner:
        yield inner
