# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's APB master. It needs PREADY and PSTRB."""

from __future__ import annotations

from typing import Any

import numpy as np
from cocotb.triggers import Timer
from cocotbext.axi import AxiProt
from cocotbext.axi.apb import ApbBus, ApbMaster

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.inside.job import AccessResult


class _Strobes:
    """PSTRB of a bus, of which writes have some bytes: cocotbext-axi's own writes only have bytes next to each other.

    Args:
        pin: PSTRB.
    """

    def __init__(self, pin: Any) -> None:
        self._pin = pin
        self.kept = -1

    @property
    def value(self) -> Any:
        """What cocotbext-axi drives, and of a write the bytes that it has."""
        return self._pin.value

    @value.setter
    def value(self, strobe: int) -> None:
        self._pin.value = strobe & self.kept


class ApbReference:
    """The master of one port."""

    def __init__(self, dut: Any, port: ApbPort, clock: Any, reset: Any) -> None:
        lacks = [role for role in ("pready", "pstrb") if not port.has(role)]
        if lacks:
            raise UsageError(f"{port.name}: cocotbext-axi's APB master needs {' and '.join(lacks)}")
        bus = ApbBus.from_prefix(dut, port.name)
        self._master = ApbMaster(bus, clock, reset, reset_active_level=False)
        self._strobes = _Strobes(bus.pstrb)
        bus.pstrb = self._strobes
        self._size = int(port.data_width) // 8
        self._protects = port.has("pprot")
        self._gap, self._period = 0, 0
        self._rng = np.random.default_rng(0)

    def behave(self, traffic: RegisterTraffic, period: int) -> None:
        """Make accesses with such gaps from now on; ``period`` is the clock's, in picoseconds."""
        self._gap, self._period = traffic.gap, period
        self._rng = np.random.default_rng(traffic.seed)

    def _prot(self, access: Access) -> AxiProt:
        """What cocotbext-axi takes without PPROT is one value."""
        return AxiProt(access.prot) if self._protects else AxiProt.NONSECURE

    async def _pause(self) -> None:
        if gap := int(self._rng.integers(self._gap + 1)):
            await Timer(gap * self._period, "step")

    async def read(self, access: Access) -> AccessResult:
        """A read."""
        await self._pause()
        answer = await self._master.read(access.address, self._size, self._prot(access))
        return AccessResult(int.from_bytes(answer.data, "little"), int(answer.resp) != 0)

    async def write(self, access: Access) -> AccessResult:
        """A write."""
        await self._pause()
        self._strobes.kept = access.strobe
        value = (access.value or 0).to_bytes(self._size, "little")
        answer = await self._master.write(access.address, value, self._prot(access))
        return AccessResult(None, int(answer.resp) != 0)
