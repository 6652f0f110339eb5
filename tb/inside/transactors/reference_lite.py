# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's AXI-Lite master; traffic is made of its channels' pauses.

Orders, distances and back-pressure are of the kind that the traffic asks for, made with cocotbext-axi's own pauses; cycle by cycle
they differ from the native master's. Accesses are made one at a time, however many may be outstanding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from cocotb.triggers import Event, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiProt
from cocotbext.axi.axil_master import AxiLiteWriteRespCmd

from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.inside.job import AccessResult

_BLOCK = 4096


def lanes_of(access: Access, size: int) -> tuple[int, bytes] | None:
    """The first byte of a word that a write changes, and the bytes from there on; None: they are not next to each other."""
    lanes = [i for i in range(size) if access.strobe >> i & 1]
    if not lanes or lanes != list(range(lanes[0], lanes[-1] + 1)):
        return None
    return lanes[0], (access.value or 0).to_bytes(size, "little")[lanes[0] : lanes[-1] + 1]


class LiteReference:
    """The master of one port."""

    def __init__(self, dut: Any, port: LitePort, clock: Any, reset: Any) -> None:
        bus = AxiLiteBus.from_prefix(dut, port.name)
        self._master = AxiLiteMaster(bus, clock, reset, reset_active_level=False)
        self._size = int(port.data_width) // 8
        self._port = port
        self._host: _TrafficHost | None = None

    def behave(self, traffic: RegisterTraffic, period: int) -> None:
        """Make accesses like this from now on; ``period`` is the clock's, in picoseconds."""
        if self._host is not None:
            self._host.stop()
        self._host = None if traffic.plain else _TrafficHost(self._master, traffic, self._size, period)

    async def read(self, access: Access) -> AccessResult:
        """A read."""
        if self._host is not None:
            await self._host.pause()
        answer = await self._master.read(access.address - access.offset, self._size, self._prot(access, "arprot"))
        return AccessResult(int.from_bytes(answer.data, "little"), int(answer.resp) != 0, response=int(answer.resp))

    def _prot(self, access: Access, role: str) -> AxiProt:
        """What cocotbext-axi takes without the signal is one value."""
        return AxiProt(access.prot) if self._port.has(role) else AxiProt.NONSECURE

    async def write(self, access: Access) -> AccessResult:
        """A write."""
        if self._host is not None:
            return await self._host.write(access)
        lanes = lanes_of(access, self._size)
        if lanes is None:
            return await write_any(self._master, access, self._size)
        first, value = lanes
        answer = await self._master.write(access.address - access.offset + first, value, self._prot(access, "awprot"))
        return AccessResult(None, int(answer.resp) != 0, response=int(answer.resp))


async def write_any(master: AxiLiteMaster, access: Access, size: int) -> AccessResult:
    """A write with any strobe, of a word of ``size`` bytes; cocotbext-axi's own only have bytes next to each other."""
    port, done = master.write_if, Event()
    port.in_flight_operations += 1
    port._idle.clear()
    command = AxiLiteWriteRespCmd(access.address, size, 1, AxiProt(access.prot), done)
    await port.int_write_resp_command_queue.put(command)
    address, data = port.aw_channel._transaction_obj(), port.w_channel._transaction_obj()
    address.awaddr, address.awprot = access.address, AxiProt(access.prot)
    data.wdata, data.wstrb = access.value or 0, access.strobe
    await port.aw_channel.send(address)
    await port.w_channel.send(data)
    await done.wait()
    return AccessResult(None, int(done.data.resp) != 0, response=int(done.data.resp))


class _TrafficHost:
    """Makes accesses on a master, with traffic that is not plain.

    Args:
        master: cocotbext-axi's.
        traffic: how.
        size: bytes of the bus.
        period: of the clock, in picoseconds.
    """

    def __init__(self, master: AxiLiteMaster, traffic: RegisterTraffic, size: int, period: int) -> None:
        self._master, self._traffic, self._size, self._period = master, traffic, size, period
        self._rng = np.random.default_rng(traffic.seed)
        write, read = master.write_if, master.read_if
        late = {"address-first": (write.w_channel,), "data-first": (write.aw_channel,)}
        both = (write.aw_channel, write.w_channel)
        sources = late.get(traffic.order, both if traffic.order == "any" else ())
        self._paused = [(channel, self._distances()) for channel in sources]
        self._paused += [(write.b_channel, self._stalls("b")), (read.r_channel, self._stalls("r"))]
        for channel, pauses in self._paused:
            channel.set_pause_generator(pauses)

    def stop(self) -> None:
        """Leave the master as it was."""
        for channel, _ in self._paused:
            channel.clear_pause_generator()
            channel.pause = False

    def _distances(self) -> Iterator[bool]:
        """Runs of up to ``distance`` paused cycles, one that is not between any two."""
        while True:
            yield from [True] * int(self._rng.integers(self._traffic.distance + 1))
            yield False

    def _stalls(self, name: str) -> Iterator[bool]:
        """When a response is not taken."""
        channel = self._master.write_if.b_channel if name == "b" else self._master.read_if.r_channel
        pattern = self._traffic.pattern(name)
        while pattern.waits:
            yield not (int(channel.valid.value) and not int(channel.ready.value))
        while True:
            yield from (~pattern.ready(_BLOCK)).tolist()

    async def pause(self) -> None:
        """The idle cycles before an access."""
        gap = int(self._rng.integers(self._traffic.gap + 1))
        if gap:
            await Timer(gap * self._period, "step")

    async def write(self, access: Access) -> AccessResult:
        """A write with any strobe."""
        await self.pause()
        return await write_any(self._master, access, self._size)
