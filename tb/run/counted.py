# SPDX-License-Identifier: Apache-2.0
"""What rates count of a port: its payload, in whole samples where it has any."""

from __future__ import annotations

from goldbeat.pymodels.trace import Trace


def whole_samples(trace: Trace, dtype: str | None) -> tuple[str | None, str | None]:
    """The sample type to measure a port in, and why it is none although the port has one.

    Partial TKEEP may cut samples apart; such a trace can only be measured in bytes.
    """
    ragged = None if dtype is None else trace.ragged(dtype)
    return (dtype, None) if ragged is None else (None, str(ragged))


def counted_payload(trace: Trace, dtype: str | None) -> tuple[Trace, str | None]:
    """What rates count of a port, which is the trace itself unless it carries packets, and in which sample type."""
    # Formats of files take a while to import.
    from goldbeat.pymodels.packet_payload import payload_of

    counted = payload_of(trace)
    return counted, whole_samples(counted, dtype)[0]
