# SPDX-License-Identifier: Apache-2.0
"""CDMA at work: data slices and weights on their way into the convolution buffer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.pixels import PixelFormat
from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER, CbufRing, FetchedOperation
from goldbeat.pymodels.nvdla.timed.conv_settings import ENTRY, FetchSettings
from goldbeat.pymodels.nvdla.timed.dbb import CDMA_DATA, CDMA_WEIGHTS, Cutter, DbbPort
from goldbeat.pymodels.nvdla.timed.engine import ReadRequest, Tag

CDMA_PIPELINE, WEIGHT_PIPELINE = 6, 2
WEIGHT_CHUNK = 16
"""Entries of a weight request at most."""
PIECE = 64
"""Pixels of a piece of a line, formats of two planes."""


@dataclass
class _Piece:
    """Requests that belong together: all of a slice, or a piece of a line of two planes with so many pixels."""

    requests: list[ReadRequest]
    pixels: int = 0


def slice_pieces(settings: FetchSettings, line: int) -> list[_Piece]:
    """What is read for a slice."""
    width, _, channels = settings.size
    if settings.form is None:
        at = settings.bases[0] + line * settings.lines[0]
        return [_Piece([ReadRequest(at + i * settings.surface, width) for i in range(-(-channels // ATOM))])]
    sizes = [len(plane) for plane in settings.form.planes]
    starts = [settings.bases[p] + line * settings.lines[p] for p in range(len(sizes))]
    offsets = [settings.first % (ENTRY // z) for z in sizes]
    if len(sizes) == 1:
        return [_Piece([ReadRequest(starts[0], -(-(offsets[0] + width) * sizes[0] // ENTRY))])]
    pieces = []
    for place in range(-offsets[0], width, PIECE):
        first, last = max(place, 0), min(place + PIECE, width) - 1
        requests = []
        for start, offset, z in zip(starts, offsets, sizes, strict=True):
            begin, end = (offset + first) * z // ENTRY, (offset + last) * z // ENTRY
            requests.append(ReadRequest(start + ENTRY * begin, end - begin + 1))
        pieces.append(_Piece(requests, last - first + 1))
    return pieces


class DataFetch:
    """The slices of an operation, from edge ``start`` on."""

    def __init__(self, operation: FetchedOperation, ring: CbufRing, port: DbbPort, start: int, fetches: bool) -> None:
        self._operation, self._ring, self._port = operation, ring, port
        self._settings = operation.settings
        self._cutter: Cutter = port.readers[CDMA_DATA]
        self._start = start
        self._lines = self._settings.size[1] if fetches else 0
        self._walk = self._requests()
        self._next = next(self._walk, None)
        self._gate = 0
        self._left: dict[tuple[int, int], int] = {}
        self._pixels = 0
        self._bytes: dict[int, list[bytearray]] = {}
        self._counts: deque[int] = deque()
        self.done = NEVER if self._lines else start + 1

    def _requests(self) -> Iterator[tuple[int, int, int, ReadRequest, _Piece]]:
        """Line, number of the piece, number of the request in it."""
        for line in range(self._lines):
            for number, piece in enumerate(slice_pieces(self._settings, line)):
                for index, request in enumerate(piece.requests):
                    yield line, number, index, request, piece

    def due(self, cycle: int) -> int:
        """The first edge from ``cycle`` on at which something happens here, if nothing else does."""
        found = self.done if self.done >= cycle else NEVER
        if self._counts:
            found = min(found, self._counts[0])
        if self._next is not None and (self._gate < NEVER or self._next[2]) and self._may(max(cycle, self._start + 1)):
            found = min(found, max(cycle, self._start + 1, 0 if self._next[2] else self._gate))
        return found

    def _may(self, cycle: int) -> bool:
        assert self._next is not None
        _, number, index, _, _ = self._next
        room = self._ring.has_room(self._settings.entries, self._settings.banks[0])
        return cycle >= self._start + 1 and self._cutter.free and (number > 0 or index > 0 or room)

    def wants(self, cycle: int) -> bool:
        """Whether a request is accepted at this edge, from what stood before."""
        return self._next is not None and (self._next[2] > 0 or cycle >= self._gate) and self._may(cycle)

    def count(self, cycle: int) -> None:
        """Slices that are counted at this edge."""
        while self._counts and self._counts[0] == cycle:
            self._counts.popleft()
            self._ring.there += 1
            if self._next is None and not self._counts and not self._left:
                self.done = cycle + 1

    def accept(self) -> None:
        """The next request is accepted."""
        assert self._next is not None
        line, number, index, request, piece = self._next
        if index == 0:
            self._left[line, number] = sum(r.beats for r in piece.requests)
            self._gate, self._pixels = NEVER if piece.pixels else 0, piece.pixels
            if number == 0:
                self._ring.used += self._settings.entries
                self._bytes[line] = [bytearray() for _ in piece.requests]
        self._operation.activity.read += ENTRY * request.beats
        self._cutter.accept(request.address, request.beats, Tag(self, line, number << 16 | index))
        self._next = next(self._walk, None)

    def arrived(self, cycle: int, unit: int, request: int, data: npt.NDArray[np.uint8]) -> None:
        """A beat."""
        number, index = request >> 16, request & 0xFFFF
        self._bytes[unit][index] += data.tobytes()
        self._left[unit, number] -= 1
        if self._left[unit, number]:
            return
        del self._left[unit, number]
        if self._pixels:
            self._gate = cycle + self._pixels + 1
        if self._next is None or self._next[0] != unit:
            self._operation.slices.append(self._slice(self._bytes.pop(unit)))
            self._counts.append(cycle + self._pixels + CDMA_PIPELINE)

    def _slice(self, parts: list[bytearray]) -> Ints:
        settings = self._settings
        width = settings.size[0]
        raw = [np.frombuffer(bytes(part), np.uint8).astype(np.int64) for part in parts]
        if settings.form is None:
            data = np.stack(raw).reshape(len(raw), width, ATOM)
        else:
            data = _pixels(settings.form, raw, settings.first, width)
        convert = settings.converter
        data = np.where(data > 127, data - 256, data) if convert is None else convert(data)
        return data if settings.form is None else data.reshape(-1)


def _pixels(form: PixelFormat, raw: list[Ints], first: int, width: int) -> Ints:
    """(width, channels) bytes of a line."""
    found = []
    for places, data in zip(form.planes, raw, strict=True):
        size = len(places)
        begin = first % (ENTRY // size) * size
        found.append(data[begin : begin + width * size].reshape(width, size)[:, list(places)])
    return np.concatenate(found, axis=1)


class WeightFetch:
    """The weights of an operation, from edge ``start`` on."""

    def __init__(self, operation: FetchedOperation, ring: CbufRing, port: DbbPort, start: int) -> None:
        self._operation, self._ring = operation, ring
        self._cutter: Cutter = port.readers[CDMA_WEIGHTS]
        self._start = start
        self._address, entries = operation.settings.weights
        self._banks = operation.settings.banks[1]
        self._ask = 0 if operation.weights_reused else entries
        self._come = self._ask
        self._counts: deque[int] = deque()
        self.done = NEVER if self._ask else start + 1

    @property
    def _beats(self) -> int:
        return min(WEIGHT_CHUNK, self._ask)

    def wants(self, cycle: int) -> bool:
        """Whether a request is accepted at this edge, from what stood before."""
        room = self._ring.has_room(self._beats, self._banks)
        return self._ask > 0 and cycle >= self._start + 1 and self._cutter.free and room

    def due(self, cycle: int) -> int:
        """As :meth:`DataFetch.due`."""
        found = self.done if self.done >= cycle else NEVER
        if self._counts:
            found = min(found, self._counts[0])
        return min(found, max(cycle, self._start + 1)) if self.wants(max(cycle, self._start + 1)) else found

    def count(self, cycle: int) -> None:
        """Entries that are counted at this edge."""
        while self._counts and self._counts[0] == cycle:
            self._counts.popleft()
            self._ring.there += 1
            if not self._come and not self._counts:
                self.done = cycle + 1

    def accept(self) -> None:
        """The next request is accepted."""
        beats = self._beats
        self._ring.used += beats
        self._operation.activity.weights_read += ENTRY * beats
        self._cutter.accept(self._address, beats, Tag(self, 0))
        self._address = (self._address + ENTRY * beats) & 0xFFFF_FFFF
        self._ask -= beats

    def arrived(self, cycle: int, unit: int, request: int, data: npt.NDArray[np.uint8]) -> None:
        """A beat."""
        self._come -= 1
        self._operation.weights += data.tobytes()
        self._counts.append(cycle + WEIGHT_PIPELINE)
