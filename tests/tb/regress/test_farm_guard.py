# SPDX-License-Identifier: Apache-2.0
"""A peer without a handshake holds neither sockets nor the log of a farm's node."""

import asyncio
import logging
import time

import pytest

pytest.importorskip("distributed")

from distributed.comm import connect, listen, registry

from goldbeat.tb.regress import farm_guard
from goldbeat.tb.regress.farm_guard import RepeatFilter, guard_node


@pytest.fixture
def guarded(monkeypatch):
    monkeypatch.setattr(registry, "backends", dict(registry.backends))
    monkeypatch.setattr(farm_guard, "HANDSHAKE_S", 0.3)
    monkeypatch.setattr(farm_guard, "MOST_UNKNOWN", 3)
    handlers = {h: list(h.filters) for h in [*logging.getLogger("distributed").handlers, logging.lastResort]}
    guard_node()
    yield
    for handler, filters in handlers.items():
        handler.filters = filters


async def silent_peers(number, listener):
    """Open connections that say nothing, until all are closed by the node."""

    async def one():
        reader, writer = await asyncio.open_connection(*listener.get_host_port())
        # The node says hello first; what counts is when it closes.
        while await asyncio.wait_for(reader.read(4096), 10):
            pass
        writer.close()

    await asyncio.gather(*(one() for _ in range(number)))


def test_silent_peers_are_closed_and_others_served(guarded, monkeypatch):
    said = []
    monkeypatch.setattr(logging.getLogger("distributed.comm"), "warning", lambda text, peer: said.append(text % peer))

    async def main():
        async def serve(comm):
            await comm.write(await comm.read())
            await comm.close()

        async with listen("tcp://127.0.0.1:0", serve) as listener:
            await silent_peers(5, listener)
            assert sorted(t.partition(" from ")[0] for t in said) == ["No handshake"] * 3 + ["Too many connections"] * 2
            for _ in range(5):
                comm = await connect(listener.contact_address, timeout=5)
                await comm.write({"x": 1})
                assert await comm.read() == {"x": 1}
                await comm.close()
            assert not +listener._unknown

    asyncio.run(main())


def test_a_flood_of_one_message_is_counted(monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    log = RepeatFilter()
    records = [logging.LogRecord("distributed", logging.WARNING, "", 1, "from %s", (n,), None) for n in range(50)]
    assert sum(log.filter(r) for r in records[:49]) == 20
    assert log.filter(logging.LogRecord("distributed", logging.WARNING, "", 1, "another", (), None))
    now += 61
    assert log.filter(records[49])
    assert records[49].getMessage() == "from 49 (and 29 more before)"
