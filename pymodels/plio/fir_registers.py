# SPDX-License-Identifier: Apache-2.0
"""The registers of ``plio_fir``: what they hold, what a read gives, what answers SLVERR."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.plio.fir_map import (
    ADDRESS_BITS,
    BEATS,
    COEF,
    COEF_STRIDE,
    CONFIG,
    CTRL,
    CTRL_FRAME_CLEAR,
    ID,
    ID_RESET,
    REGISTERS,
    ROUND,
    SAT,
    SATCOUNT,
    SHIFT,
)
from goldbeat.pymodels.stimulus import Access, strobed_bits

MAX_SHIFT = 47
"""Larger values of SHIFT act as this one (designs.md, plio_fir, Registers)."""

_HELD = {r.address: r.held for r in REGISTERS.values() if r.held}
"""Bits that a writable register keeps; of COEF the first."""

_WORD = 0xFFFFFFFF

Reply = tuple[int | None, bool]
"""Value (of a read that succeeded) and whether the answer is SLVERR."""


def _signed(field: int) -> int:
    return field - 0x10000 if field & 0x8000 else field


@dataclass(frozen=True)
class FirSettings:
    """What the registers tell the filter.

    Attributes:
        taps: h[0..NTAPS-1].
        shift: 0..47.
        rounding: the rounding mode's number, as in ROUND.
        saturation: 0 wrap, 1 saturate, 3 symmetric.
        frame_clear: the history is zeroed after each TLAST beat.
    """

    taps: tuple[int, ...]
    shift: int
    rounding: int
    saturation: int
    frame_clear: bool


class FirRegisters:
    """The register file, from reset on.

    Args:
        ntaps: number of taps.
        samples: samples per beat.
        latency: the filter's latency.
        depth: depth of its FIFO.
    """

    def __init__(self, ntaps: int, samples: int, latency: int, depth: int) -> None:
        self._half = ntaps // 2
        config = REGISTERS["CONFIG"].pack(NTAPS=ntaps, P=samples, FIR_LATENCY=latency, FIFO_DEPTH=depth)
        self._fixed = {ID: ID_RESET, CONFIG: config}
        self._held = {r.address: r.reset for r in REGISTERS.values() if r.held}
        self._held |= {COEF + COEF_STRIDE * k: 0 for k in range(self._half)}
        self._beats = 0
        self._satcount = 0

    @property
    def settings(self) -> FirSettings:
        """The settings as they stand."""
        half = tuple(_signed(self._held[COEF + COEF_STRIDE * k]) for k in range(self._half))
        saturation = self._held[SAT]
        return FirSettings(
            taps=half + half[::-1],
            shift=min(self._held[SHIFT], MAX_SHIFT),
            rounding=self._held[ROUND],
            saturation=0 if saturation == 2 else saturation,
            frame_clear=bool(self._held[CTRL] & CTRL_FRAME_CLEAR),
        )

    def run(self, beats: int, saturated: int) -> None:
        """Count ``beats`` accepted beats in which ``saturated`` values were changed by saturation."""
        self._beats = (self._beats + beats) & _WORD
        self._satcount = min(self._satcount + saturated, _WORD)

    def apply(self, accesses: Iterable[Access]) -> list[Reply]:
        """Do the accesses in order; the answer to each."""
        return [self._access(a) for a in accesses]

    def _access(self, access: Access) -> Reply:
        if not 0 <= access.address < 1 << ADDRESS_BITS:
            raise UsageError(f"address {access.address:#x} does not fit {ADDRESS_BITS} bits")
        address = access.address & ~3
        if access.op == "read":
            value = self._read(address)
            return value, value is None
        if access.op == "write":
            return None, not self._write(address, access.value or 0, access.strobe)
        raise UsageError(f"unknown access {access.op!r}; known: read, write")

    def _read(self, address: int) -> int | None:
        if address in self._fixed:
            return self._fixed[address]
        if address == BEATS:
            return self._beats
        if address == SATCOUNT:
            return self._satcount
        held = self._held.get(address)
        if held is not None and address >= COEF:
            return _signed(held) & _WORD
        return held

    def _write(self, address: int, value: int, strobe: int) -> bool:
        if address == SATCOUNT:
            self._satcount = 0
            return True
        if address not in self._held:
            return False
        written = strobed_bits(strobe, 4) & _HELD.get(address, _HELD[COEF])
        self._held[address] = self._held[address] & ~written | value & written
        return True
