# SPDX-License-Identifier: Apache-2.0
"""Drain and writer: when results leave. Contract: docs/zynqnet-hardware.md, Drain and Writer."""

from __future__ import annotations

from array import array

from goldbeat.pymodels.axi.channels import WriteChannel
from goldbeat.pymodels.zynqnet.hardware import AW_LATENCY, DRAIN_LATENCY, OUT_DEPTH, POOL_PIXEL, WRITES, Hardware
from goldbeat.pymodels.zynqnet.memory_map import WORD_BYTES, Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.timing_reader import cut

_LONG_AGO = -(1 << 40)


class LayerWriter:
    """Drain and writer in one layer.

    Args:
        hardware: parameters.
        layer: the layer.
        memory: where the data begin.
        channel: the memory's.

    Attributes:
        answered: the last response.
        beats: data handshakes.
        log: address (in beats), beats, address handshake, first and last data handshake, response of every burst.
        pixel_ends: last data handshake of every pixel.
    """

    def __init__(self, hardware: Hardware, layer: Layer, memory: Space, channel: WriteChannel) -> None:
        lanes = hardware.lanes
        self._channel, self._pool = channel, layer.gpool
        self._at = memory.byte(memory.layer_output(layer).first) // (WORD_BYTES * lanes)
        self._sums = memory.byte(memory.data_offset + layer.pool_offset) // (WORD_BYTES * lanes)
        self._step_of_pixels, self._beats_of_pixel = layer.pixel_step // lanes, layer.ch_out // lanes
        self._data = array("q")
        self._address = self._step = self._moved = _LONG_AGO
        self._responses: list[int] = []
        self.answered = _LONG_AGO
        self.log: list[tuple[int, int, int, int, int, int]] = []
        self.pixel_ends: list[int] = []

    @property
    def beats(self) -> int:
        """Data handshakes."""
        return len(self._data)

    def pixels(self, earliest: int, count: int) -> tuple[int, int]:
        """Drain so many pixels, the first step not before ``earliest``: first and last step."""
        first_step = 0
        for n in range(count):
            if self._pool:
                earliest = max(earliest, self._step + POOL_PIXEL - self._beats_of_pixel + 1)
            first = self._pixel_at(self._at, earliest)
            self._at += self._step_of_pixels
            self.pixel_ends.append(self._moved)
            if n == 0:
                first_step = first
        return first_step, self._step

    def sums(self, earliest: int) -> int:
        """Write the pool sums, the first step not before ``earliest``: the last step."""
        self._pixel_at(self._sums, earliest)
        return self._step

    def _pixel_at(self, address: int, earliest: int) -> int:
        """The words of one pixel from an address on; the first step."""
        first_step: int | None = None
        for beat, size in cut(address, address + self._beats_of_pixel):
            step = self._burst(beat, size, earliest)
            first_step = step if first_step is None else first_step
        assert first_step is not None
        return first_step

    def _burst(self, beat: int, size: int, earliest: int) -> int:
        """One burst; its first step."""
        data, channel, responses = self._data, self._channel, self._responses
        number = len(data)
        step = max(earliest, self._step + 1)
        if number >= OUT_DEPTH:
            step = max(step, data[number - OUT_DEPTH] + 1)
        offer = max(step + AW_LATENCY, self._address + 1)
        if len(responses) >= WRITES:
            offer = max(offer, responses[-WRITES] + 1)
        address = channel.address(offer)
        first_step = step
        # The credits of later steps cannot bind when the data are so close behind.
        if channel.plain and self._moved <= step + OUT_DEPTH - 2:
            first = max(step + DRAIN_LATENCY, self._moved + 1, address + 1)
            last = first + size - 1
            data.extend(range(first, last + 1))
            self._step = step + size - 1
        else:
            first = last = channel.data(max(step + DRAIN_LATENCY, self._moved + 1, address + 1))
            data.append(last)
            for n in range(number + 1, number + size):
                step += 1
                if n >= OUT_DEPTH:
                    step = max(step, data[n - OUT_DEPTH] + 1)
                last = channel.data(max(step + DRAIN_LATENCY, last + 1))
                data.append(last)
            self._step = step
        self._address, self._moved = address, last
        self.answered = channel.response(address, last)
        responses.append(self.answered)
        self.log.append((beat, size, address, first, last, self.answered))
        return first_step
