# SPDX-License-Identifier: Apache-2.0
"""Who takes the transfers that handles start inside a sequence's function."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from goldbeat.pymodels.errors import UsageError


class TransferTaker(Protocol):
    """A sequence that is being declared, or one that runs."""

    def transfer(self, handle: Any, data: Any, tap: Any, wait: bool, group: Any, packet: Any = None) -> Any:
        """A fill or drain of a handle."""

    def finish(self, group: Any) -> None:
        """Wait for the transfers of a group."""


_taker: ContextVar[TransferTaker | None] = ContextVar("transfer_taker", default=None)


def transfer_taker() -> TransferTaker:
    """The sequence at hand; a :class:`UsageError` outside of one."""
    found = _taker.get()
    if found is None:
        raise UsageError("fill and drain belong inside the function of a Runtime")
    return found


@contextmanager
def transfers_to(taker: TransferTaker) -> Iterator[None]:
    """Let a sequence take them."""
    token = _taker.set(taker)
    try:
        yield
    finally:
        _taker.reset(token)
