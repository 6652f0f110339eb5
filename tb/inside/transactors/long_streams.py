# SPDX-License-Identifier: Apache-2.0
"""Streams too long to hold: sources are fed and sinks are emptied in parts while the simulation runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace

import cocotb

from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel.axis import AxiStreamSink, AxiStreamSource

_AHEAD = 2
"""Parts that a source has beside the one that it sends: it never runs dry."""


class _Long(ABC):
    """A stream whose record goes to a shelf.

    Args:
        shelf: for the record.
        offset_ps: time of edge 0 of its clock.
    """

    def __init__(self, shelf: Shelf, offset_ps: int) -> None:
        self._part_beats = shelf.part_beats
        self._slot = shelf.slot()
        self._offset_ps = offset_ps
        self._error: OSError | None = None
        self._task = cocotb.start_soon(self._run())

    def drop(self) -> None:
        """Do no more."""
        if not self._task.done():
            self._task.cancel()

    def trace(self) -> Trace:
        """End the recording: all that has transferred.

        Raises:
            OSError: it could not be written.
        """
        self.drop()
        with self._slot:
            self._add(self._rest())
            if self._error is not None:
                raise self._error
        return self._slot.trace()

    def _add(self, parts: Iterable[Trace]) -> None:
        for part in parts:
            if self._error is not None:
                continue
            try:
                self._slot.add(replace(part, offset_ps=self._offset_ps))
            except OSError as error:
                # An error in a task would end the simulation as if the design were to blame.
                self._error = error

    @abstractmethod
    async def _run(self) -> None:
        """Feed the stream, or empty it."""

    @abstractmethod
    def _rest(self) -> Iterator[Trace]:
        """What has transferred and has not been added; at least one trace, which may be empty."""


class LongSource(_Long):
    """Feeds a source with a long trace.

    Args:
        source: held, and with nothing queued.
        trace: what to send.
        shelf, offset_ps: as every long stream has them.
    """

    def __init__(self, source: AxiStreamSource, trace: Trace, shelf: Shelf, offset_ps: int) -> None:
        self._source = source
        self._parts = trace.parts(shelf.part_beats)
        self._before = -1
        for _ in range(_AHEAD + 1):
            self._feed()
        super().__init__(shelf, offset_ps)

    def _feed(self) -> bool:
        """Queue the next part; False where there is none."""
        part = next(self._parts, None)
        if part is None:
            return False
        # The gap of its first beat counts from the last one before.
        self._source.send(part.with_cycles(part.cycle - (self._before + 1)))
        self._before = int(part.cycle[-1])
        return True

    async def _run(self) -> None:
        more = True
        while more:
            await self._source.low(_AHEAD)
            self._add(self._source.taken())
            more = self._feed()

    def _rest(self) -> Iterator[Trace]:
        yield from self._source.taken()
        yield self._source.transferred()


class LongSink(_Long):
    """Empties a sink.

    Args:
        sink: held.
        shelf, offset_ps: as every long stream has them.
    """

    def __init__(self, sink: AxiStreamSink, shelf: Shelf, offset_ps: int) -> None:
        self._sink = sink
        super().__init__(shelf, offset_ps)

    async def _run(self) -> None:
        while True:
            await self._sink.wait(beats=self._part_beats, timeout=0)
            self._add([self._sink.take()])

    def _rest(self) -> Iterator[Trace]:
        self._sink.stop()
        yield self._sink.take()
