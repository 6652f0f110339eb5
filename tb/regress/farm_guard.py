# SPDX-License-Identifier: Apache-2.0
"""What a node of a farm allows to peers that it does not know yet: time to shake hands, connections, lines of the log.

Without these limits, whoever reaches the port can hold sockets and fill the log without a key.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from typing import Any

from distributed.comm import registry
from distributed.comm.tcp import TCPBackend, TCPListener, TLSBackend, TLSListener

HANDSHAKE_S = 20.0
"""For TLS, and again for dask's own handshake."""
MOST_UNKNOWN = 64
"""Connections of one address that have not shaken hands yet; more are closed at once."""
MOST_OPEN = 4096
"""Connections of one address."""
_LOG_LINES, _LOG_S = 20, 60.0
"""A message is logged that often in that time; the rest is counted."""


class _Guarded:
    """A listener with limits per address of the peer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unknown, self._open = Counter[str](), Counter[str]()

    async def _handle_stream(self, stream: Any, address: Any) -> None:
        peer = str(address[0])
        if self._unknown[peer] >= MOST_UNKNOWN or self._open[peer] >= MOST_OPEN:
            stream.close()
            logging.getLogger("distributed.comm").warning("Too many connections from %s: closed", peer)
            return
        self._open[peer] += 1
        self._unknown[peer] += 1
        # What handles the connection runs until it is closed; the peer is known before.
        stream.goldbeat_known = known = asyncio.get_running_loop().create_future()
        known.add_done_callback(lambda _: self._unknown.subtract([peer]))
        try:
            await super()._handle_stream(stream, address)  # type: ignore[misc]
        finally:
            self._known(stream)
            self._open.subtract([peer])

    async def _prepare_stream(self, stream: Any, address: Any) -> Any:
        try:
            return await asyncio.wait_for(super()._prepare_stream(stream, address), HANDSHAKE_S)  # type: ignore[misc]
        except TimeoutError:
            stream.close()
            logging.getLogger("distributed.comm").warning("No TLS handshake from %s: closed", address)
            return None

    async def on_connection(self, comm: Any, handshake_overrides: Any = None) -> None:
        """Shake hands; a peer that does not is closed."""
        try:
            await asyncio.wait_for(super().on_connection(comm, handshake_overrides), HANDSHAKE_S)  # type: ignore[misc]
        except TimeoutError:
            comm.abort()
            logging.getLogger("distributed.comm").warning("No handshake from %s: closed", comm.peer_address)
            raise
        self._known(comm.stream)

    @staticmethod
    def _known(stream: Any) -> None:
        if not stream.goldbeat_known.done():
            stream.goldbeat_known.set_result(None)


class _GuardedTCPListener(_Guarded, TCPListener):  # type: ignore[misc]
    pass


class _GuardedTLSListener(_Guarded, TLSListener):  # type: ignore[misc]
    pass


class _GuardedTCPBackend(TCPBackend):  # type: ignore[misc]
    _listener_class = _GuardedTCPListener


class _GuardedTLSBackend(TLSBackend):  # type: ignore[misc]
    _listener_class = _GuardedTLSListener


class RepeatFilter(logging.Filter):
    """Lets a message pass :data:`_LOG_LINES` times per :data:`_LOG_S`, then only its count."""

    def __init__(self) -> None:
        super().__init__()
        self._since: dict[Any, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        key = (record.name, record.levelno, record.msg if isinstance(record.msg, str) else type(record.msg))
        now = time.monotonic()
        began, count = self._since.get(key, (now, 0))
        if now - began >= _LOG_S:
            if count > _LOG_LINES:
                record.msg, record.args = f"{record.getMessage()} (and {count - _LOG_LINES} more before)", ()
            began, count = now, 0
        self._since[key] = began, count + 1
        return count < _LOG_LINES


def guard_node() -> None:
    """Limit all nodes that this process starts from now on, and what it logs."""
    registry.backends["tcp"] = _GuardedTCPBackend()
    registry.backends["tls"] = _GuardedTLSBackend()
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.scheduler", "asyncio", "tornado", "")]
    bounded = RepeatFilter()
    for handler in {h for log in logs for h in log.handlers} | {logging.lastResort}:
        if handler is not None:
            handler.addFilter(bounded)
