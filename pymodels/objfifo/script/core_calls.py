# SPDX-License-Identifier: Apache-2.0
"""What core functions of scripts call beside fifos: streams, cascades, barriers."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.worker import stand_ins_served
from goldbeat.pymodels.objfifo.live.core_ports import CorePorts
from goldbeat.pymodels.objfifo.live.thread_program import await_wish, in_program
from goldbeat.pymodels.objfifo.plan.tile import Tile
from goldbeat.pymodels.objfifo.script.explicit import ScriptLock


class _Core:
    """The core whose function runs; without ports while only its use of fifos is noted."""

    def __init__(self, tile: Tile | None = None, ports: CorePorts | None = None) -> None:
        self.tile, self.ports = tile, ports

    def serve(self, stand_in: Generator[Any, Any, Any]) -> Any:
        """Run a kernel's stand-in that uses ports."""
        if self.ports is None or not in_program():
            stand_in.close()
            return None
        served = self.ports.serve(stand_in)
        while True:
            try:
                await_wish(next(served))
            except StopIteration as end:
                return end.value


_now: ContextVar[_Core | None] = ContextVar("core_now", default=None)


@contextmanager
def core_at_work(tile: Tile | None = None, ports: CorePorts | None = None) -> Iterator[_Core]:
    """The block in which a core's function runs; without a tile its use of fifos is noted and nothing else happens."""
    found = _Core(tile, ports)
    token = _now.set(found)
    try:
        with stand_ins_served(found.serve):
            yield found
    finally:
        _now.reset(token)


def _ports(call: str) -> CorePorts | None:
    """The ports of the core whose function runs; None while its use of fifos is noted."""
    found = _now.get()
    if found is None:
        raise UsageError(f"{call} belongs to a core's function, and is executed (goldbeat objfifo exec), not planned")
    return found.ports if in_program() else None


def _numpy(kind: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(kind() if callable(kind) and not isinstance(kind, type) else kind)
    return found


def get_stream(stream_value: Any, channel: int = 0, **more: Any) -> Any:
    """The next word of a stream port, in a type of 32 bits."""
    only_harmless("get_stream", more)
    ports, kind = _ports("get_stream"), _numpy(stream_value)
    if kind.itemsize != 4:
        raise UsageError(f"get_stream of {kind}: expected a type of 32 bits")
    if ports is None:
        return kind.type(0)
    wait, found = ports.get_stream(int(channel))
    await_wish(wait)
    return np.array(found, np.int32).view(kind)[0]


def put_stream(channel: int, stream_value: Any, **more: Any) -> None:
    """Send a word by a stream port."""
    only_harmless("put_stream", more)
    ports, value = _ports("put_stream"), np.asarray(stream_value)
    if value.dtype.kind == "i" and value.dtype.itemsize != 4 and isinstance(stream_value, int):
        value = value.astype(np.int32)
    if value.dtype.itemsize != 4 or value.ndim:
        raise UsageError(f"put_stream of {value.dtype}: expected one value of 32 bits")
    if ports is not None:
        await_wish(ports.put_stream(int(channel), int(value.reshape(1).view(np.uint32)[0])))


def get_cascade(cascade_value: Any = None, **more: Any) -> Any:
    """The next value of the cascade, as it was put there."""
    only_harmless("get_cascade", more)
    ports = _ports("get_cascade")
    if ports is None:
        return 0
    wait, found = ports.get_cascade()
    await_wish(wait)
    return found[0]


def put_cascade(cascade_value: Any, **more: Any) -> None:
    """Send a value by the cascade."""
    only_harmless("put_cascade", more)
    ports = _ports("put_cascade")
    if ports is not None:
        await_wish(
            ports.put_cascade(np.array(cascade_value) if isinstance(cascade_value, np.ndarray) else cascade_value)
        )


class WorkerBarrier:
    """``WorkerRuntimeBarrier``: a lock of each worker that takes it, set by the sequence.

    Args:
        initial_value: 0; mlir-aie drops others.
    """

    def __init__(self, initial_value: int = 0) -> None:
        if initial_value:
            raise UsageError(
                f"WorkerRuntimeBarrier(initial_value={initial_value}): mlir-aie begins with 0 all the same"
            )
        self.locks: list[ScriptLock] = []

    def lock(self) -> ScriptLock:
        """A lock for one more worker."""
        self.locks.append(ScriptLock())
        return self.locks[-1]

    def _mine(self) -> ScriptLock | None:
        if not in_program():
            return None
        core = _now.get()
        tile = None if core is None else core.tile
        found = [one for one in self.locks if tile is not None and getattr(one.tile, "op", one.tile) == tile]
        if not found:
            raise UsageError("a barrier that is no argument of its worker")
        return found[0]

    def wait_for_value(self, value: int) -> None:
        """In a worker: wait until it has this value."""
        lock = self._mine()
        if lock is not None:
            lock.acquire(int(value), greater_equal=False)

    def release_with_value(self, value: int) -> None:
        """In a worker: add to its value."""
        lock = self._mine()
        if lock is not None:
            lock.release(int(value))

    def set(self, value: int) -> None:
        """In the sequence: set the value for all workers."""
        for lock in self.locks if in_program() else ():
            if lock.live is None:
                raise UsageError("a barrier of a worker that is not part of the program")
            lock.live.value = int(value)
