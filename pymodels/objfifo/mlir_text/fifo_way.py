# SPDX-License-Identifier: Apache-2.0
"""The way of a fifo in MLIR text: shared memory, DMAs and their channels, packets, stream ports of cores.

Source: mlir-aie ``test/dialect/AIE/objectfifo_transport.mlir`` and the forms before it, 2026.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.objfifo.mlir_text.dma_ops import angle_numbers, packet_header
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.lines import FifoLine
from goldbeat.pymodels.objfifo.mlir_text.scope import whole
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp

WAYS = ("via_DMA", "aie_stream", "aie_stream_port", "packet", "packet_id", "prod_dma_channel", "cons_dma_channels",
        "transport", "prod_port", "cons_ports")  # fmt: skip
"""Attributes that are read here."""
_MODES = "auto, shared_mem, dma or stream"
_ENDS = {"producer": 0, "consumer": 1, "both": 2}


@dataclass
class FifoWay:
    """What the attributes say; as in a :class:`~goldbeat.pymodels.objfifo.plan.design.Fifo`."""

    via_dma: bool = False
    shared_only: bool = False
    packet: tuple[int | None, int] | None = None
    channels: tuple[int | None, ...] = ()
    stream: tuple[int, int] | None = None


def fifo_way(line: FifoLine) -> FifoWay:
    """The way of a fifo, from its line."""
    op, found = line.op, line.op.attributes
    way = FifoWay(bool(found.get("via_DMA", False)))
    if "aie_stream" in found or "aie_stream_port" in found:
        if not ("aie_stream" in found and "aie_stream_port" in found):
            op.fail(f"one of them at @{line.name}", "aie_stream and aie_stream_port together")
        way.stream = (whole(op, "aie_stream"), whole(op, "aie_stream_port"))
    if "packet" in found or "packet_id" in found:
        number = whole(op, "packet_id") if "packet_id" in found else None
        way.packet = (None if number is None else packet_header(op, number).id, 0)
    if "transport" in found:
        _transport(op, found["transport"], way)
    _channels(line, way)
    return way


def _words(value: Any) -> list[str]:
    return [t.text for t in value] if isinstance(value, list) else [str(value)]


def _transport(op: MlirOp, value: Any, way: FifoWay) -> None:
    """``#aie.transport<dma, packet = #aie.packet_info<pkt_id = 7>>``."""
    mode, *rest = _words(value)
    text = "".join(rest)
    if mode not in ("auto", "shared_mem", "dma", "stream"):
        op.fail(f"transport {mode}", _MODES)
    way.via_dma |= mode == "dma"
    way.shared_only = mode == "shared_mem"
    if mode == "stream":
        named = dict(part.split("=") for part in text.strip(",").split(",") if part.count("=") == 1)
        if named.keys() != {"ends", "port"} or named["ends"] not in _ENDS or not named["port"].isdigit():
            op.fail(f"transport stream{text}", "ends = producer, consumer or both, and port")
        way.stream = (_ENDS[named["ends"]], int(named["port"]))
    elif rest[:4] == [",", "packet", "=", "#aie.packet_info"]:
        fields = angle_numbers(op, value[5:])
        number = fields.get("pkt_id")
        header = packet_header(op, number or 0, fields.get("pkt_type", 0))
        way.packet = (None if number is None else header.id, header.type)
    elif rest:
        op.fail(f"transport {mode}{text}", "packet = #aie.packet_info<...>, or nothing")


def _channels(line: FifoLine, way: FifoWay) -> None:
    op, found = line.op, line.op.attributes
    made: list[int | None] = [None] * (1 + len(line.consumers))
    if "prod_dma_channel" in found:
        made[0] = whole(op, "prod_dma_channel")
    if "cons_dma_channels" in found:
        _consumers(op, made, [int(t) for t in _words(found["cons_dma_channels"])[2:] if t != ","])
    if "prod_port" in found:
        made[0] = _port(op, found["prod_port"], 0, way)
    if "cons_ports" in found:
        _consumers(op, made, [_port(op, one, 1, way) for one in found["cons_ports"]])
    if any(number is not None for number in made):
        way.channels = tuple(made)


def _consumers(op: MlirOp, made: list[int | None], numbers: Sequence[int | None]) -> None:
    if len(numbers) != len(made) - 1:
        op.fail(f"{len(numbers)} ports of consumers", f"one for each of {len(made) - 1}")
    made[1:] = [None if number == -1 else number for number in numbers]


def _port(op: MlirOp, value: list[Token], end: int, way: FifoWay) -> int | None:
    """``#aie.end_port<DMA : 1>``: the channel; a core's stream port goes to the way."""
    words = _words(value)
    number = int(words[2]) if len(words) == 3 and words[2].isdigit() else None
    if words[0] == "DMA" and (number is not None or len(words) == 1):
        return number
    if words[0] != "Core" or number is None:
        op.fail(f"port {''.join(words)}", "DMA, DMA : n or Core : n")
    if way.stream is not None and way.stream != (end, number):
        if way.stream[1] != number:
            op.fail(f"stream ports {way.stream[1]} and {number}", "one number")
        end = 2
    way.stream = (end, number)
    return None
