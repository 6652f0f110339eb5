# SPDX-License-Identifier: Apache-2.0
"""Which way objects take, and what drives the end of a fifo.

Source: mlir-aie ``python/iron/dataflow/objectfifo.py`` and ``test/python/objFifo_transport.py``, autumn 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.objfifo.plan.rules import RuleError

_MODES = ("auto", "shared_mem", "dma")
_STREAM_PORTS = 2
"""Stream ports of a core, each way."""


@dataclass(frozen=True)
class FifoPacket:
    """The header of a fifo's packets; the compiler chooses an id that is not given."""

    id: int | None = None


@dataclass(frozen=True)
class Transport:
    """Objects go through shared memory or DMAs.

    Attributes:
        mode: ``auto``: shared memory where it is enough.
        packet: they are sent as packets.
    """

    mode: str
    packet: FifoPacket | None = None

    @classmethod
    def auto(cls) -> Transport:
        """The compiler decides."""
        return cls("auto")

    @classmethod
    def shared_mem(cls) -> Transport:
        """Shared memory."""
        return cls("shared_mem")

    @classmethod
    def dma(cls, packet: FifoPacket | None = None) -> Transport:
        """DMAs, even where cores share memory."""
        return cls("dma", packet)

    @classmethod
    def coerce(cls, value: Any) -> Transport:
        """A transport, from its name too; None is ``auto``.

        Raises:
            RuleError: ``transport``: another name.
        """
        if isinstance(value, Transport):
            return value
        if value is not None and value not in _MODES:
            raise RuleError("transport", f"found transport {value!r}, expected one of {', '.join(_MODES)}")
        return cls(value or "auto")


@dataclass(frozen=True)
class Port:
    """What drives an end of a fifo: a DMA channel or a core's stream port."""

    bundle: str
    number: int | None = None

    @classmethod
    def dma(cls, channel: int | None = None) -> Port:
        """A DMA channel; the compiler chooses one that is not given."""
        return cls("DMA", channel)

    @classmethod
    def stream(cls, port: int) -> Port:
        """A core's stream port.

        Raises:
            RuleError: ``stream-end``: a port that no core has.
        """
        if not 0 <= port < _STREAM_PORTS:
            raise RuleError("stream-end", f"found stream port {port}, expected 0 to {_STREAM_PORTS - 1}")
        return cls("Core", port)


def stream_ends(name: str, known: tuple[int, int] | None, end: int, port: Port) -> tuple[int, int] | None:
    """Which ends of a fifo are stream ports (0 the producer's, 1 the consumer's, 2 both), and the port.

    Args:
        name: of the fifo.
        known: what was said of it before.
        end: the end at hand.
        port: what drives it.

    Raises:
        RuleError: ``stream-end``: two ports.
    """
    if port.number is None:
        raise RuleError("stream-end", f"{name}: a core's stream port without its number")
    if known is None or known == (end, port.number):
        return end, port.number
    if known[1] != port.number:
        raise RuleError("stream-end", f"{name}: stream ports {known[1]} and {port.number}, expected one number")
    return 2, port.number
