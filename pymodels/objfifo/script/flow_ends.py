# SPDX-License-Identifier: Apache-2.0
"""Ends of a script's own streams: their channels, the tasks and transfers that run on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.transfers import start_transfer
from goldbeat.pymodels.objfifo.live.thread_program import in_program
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.script.explicit import Explicit, FlowChannel, ScriptFlow, enum_text, explicit
from goldbeat.pymodels.objfifo.script.tile_dma import DmaEnd


class ChannelPick:
    """A channel that a flow does not name: 0, or the first free one where the flow is used by its ends."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __int__(self) -> int:
        return self.number or 0


class FlowEnd(DmaEnd):
    """``flow.endpoint(tile)``: what a DMA program or a task names instead of a channel."""

    def __init__(self, flow: ScriptFlow, tile: Any) -> None:
        ends = [(flow.source, Direction.MM2S), *((end, Direction.S2MM) for end in flow.dests)]
        found = [(end, way) for end, way in ends if end[0] == tile]
        if not found:
            raise UsageError(f"endpoint({tile}): the flow does not end there")
        (_, _, channel), way = found[0]
        super().__init__(tile, way, channel)
        self.flow = flow

    @property
    def packet(self) -> tuple[int, int] | None:
        """Type and id of what the end sends, where the flow is one of packets."""
        return None if self.flow.packet is None else (0, self.flow.packet)


class TileFlow(ScriptFlow):
    """A stream that is used by its ends."""

    def endpoint(self, tile: Any) -> FlowChannel:
        """The end at a tile, in place of a channel's number."""
        self.by_ends = True
        return FlowEnd(self, tile)

    def fill(
        self, source: Any, tap: Any = None, wait: bool = False, packet: Any = None, *, group: Any = None, **more: Any
    ) -> Any:
        """Send a host array from the end at a shim: inside the function of a Runtime.

        Args:
            source: what is sent.
            tap: which part; or its sizes, strides and offset, as :func:`start_transfer` takes them.
            wait: report the end.
            packet: type and id of a header.
            group: what it belongs to.
            more: the parts of the pattern, and keywords without effect.
        """
        return start_transfer("fill", _shim_end(self, Direction.MM2S), source, tap, wait, packet, group, more)

    def drain(
        self, dest: Any, tap: Any = None, wait: bool = False, packet: Any = None, *, group: Any = None, **more: Any
    ) -> Any:
        """Receive a host array at the end at a shim; as :meth:`fill`."""
        return start_transfer("drain", _shim_end(self, Direction.S2MM), dest, tap, wait, packet, group, more)


def _shim_end(flow: ScriptFlow, direction: Direction) -> FlowEnd:
    """The end that a fill (MM2S) or drain works at.

    Raises:
        UsageError: nothing is being executed, the flow has no such end, or no Runtime has the flow.
    """
    if not in_program():
        raise UsageError("streams of their own are executed (goldbeat objfifo exec), not planned")
    if not any(one is flow for one in explicit().flows):
        raise UsageError("found a flow that the Runtime does not have, expected add_flow(flow) before")
    ends = [flow.source] if direction is Direction.MM2S else flow.dests
    for tile, _, _ in ends:
        end = FlowEnd(flow, tile)
        where = getattr(tile, "op", tile)
        if isinstance(where, Tile) and where.kind is TileKind.SHIM and end.direction is direction:
            return end
    raise UsageError(f"a {'fill' if direction is Direction.MM2S else 'drain'} of a flow without such an end at a shim")


def pick_channels(
    found: Explicit, used: Sequence[ChannelKey], tile_of: Callable[..., Tile], sequence: Any = None
) -> None:
    """Give every open end of the flows that are used by their ends a free channel.

    Args:
        found: what a script declares.
        used: channels of fifos.
        tile_of: the tile of whatever a script names one by.
        sequence: function of the host's sequence; one that names an end uses all its flows by their ends.

    Raises:
        UsageError: a tile has none left.
    """
    by_ends = _names(getattr(sequence, "__code__", None), TileFlow.endpoint.__name__)
    taken = set(used) | {(tile_of(tile), way, number) for tile, way, number in found.ends}
    for program in found.programs:
        taken |= {(tile_of(program.tile), s.direction, s.index) for s in program.starts() if isinstance(s.index, int)}
    taken |= {(tile_of(t), way, n) for t, way, n in found.allocations.values() if isinstance(n, int)}
    open_ends: list[tuple[Tile, Direction, ChannelPick]] = []
    for flow in found.flows:
        ends = [(flow.source, Direction.MM2S), *((end, Direction.S2MM) for end in flow.dests)]
        for (tile, bundle, number), way in ends:
            if not isinstance(number, ChannelPick) or not (flow.by_ends or by_ends):
                taken.add((tile_of(tile, flow.where), way, int(number)))
            elif bundle == "DMA":
                open_ends.append((tile_of(tile, flow.where), way, number))
    for where, way, pick in open_ends:
        free = (n for n in range(where.limits.channels) if (where, way, n) not in taken)
        pick.number = next(free, None)
        if pick.number is None:
            raise UsageError(f"{where} has no {way} channel left for a flow")
        taken.add((where, way, pick.number))


def _names(code: CodeType | None, name: str) -> bool:
    """A function, or one inside it, uses an attribute of this name."""
    if code is None:
        return False
    return name in code.co_names or any(_names(c, name) for c in code.co_consts if isinstance(c, CodeType))


def tile_flow(
    src: Any, dst: Any, src_port: Any = "DMA", src_channel: int | None = None, dst_port: Any = "DMA",
    dst_channel: int | None = None, shim_symbol: str | None = None, vias: Sequence[Any] = (), **more: Any,
) -> ScriptFlow:  # fmt: skip
    """``Flow``: a stream that a runtime is given; ``shim_symbol`` names its end at a shim.

    ``vias`` are switches on its way, as (tile, (bundle, port), (bundle, port)); they change no data.
    """
    only_harmless("Flow", more, ("name",))
    ends = dst if isinstance(dst, list) else [dst]
    if vias and (len(ends) != 1 or src_channel is None or dst_channel is None):
        raise ValueError("found vias of a Flow, expected one destination, src_channel and dst_channel with them")
    found = [(one, enum_text(dst_port), ChannelPick() if dst_channel is None else int(dst_channel)) for one in ends]
    made = TileFlow((src, enum_text(src_port), ChannelPick() if src_channel is None else int(src_channel)), found)
    if shim_symbol is not None:
        _name_shim(shim_symbol, made)
    return made


@dataclass
class TilePacketDest:
    """``PacketDest``: one more end of a packet flow."""

    tile: Any
    port: Any = "DMA"
    channel: int = 0


def tile_packet_flow(
    pkt_id: int,
    src: Any,
    dst: Any,
    src_port: Any = "DMA",
    src_channel: int | None = None,
    dst_port: Any = "DMA",
    dst_channel: int | None = None,
    extra_dsts: Sequence[TilePacketDest] | None = None,
    keep_pkt_header: bool = False,
    shim_symbol: str | None = None,
    **more: Any,
) -> ScriptFlow:
    """``PacketFlow``: packets of an id."""
    only_harmless("PacketFlow", more, ("name",))
    made = tile_flow(src, dst, src_port, src_channel, dst_port, dst_channel, shim_symbol)
    made.dests += [(one.tile, enum_text(one.port), int(one.channel)) for one in extra_dsts or ()]
    made.packet, made.keep = int(pkt_id), bool(keep_pkt_header)
    return made


def _name_shim(symbol: str, flow: ScriptFlow) -> None:
    for (tile, _, channel), way in ((flow.source, Direction.MM2S), (flow.dests[0], Direction.S2MM)):
        where = getattr(tile, "op", tile)
        if isinstance(where, Tile) and where.kind is TileKind.SHIM:
            explicit().allocations[symbol] = (tile, way, channel)
            return
    raise UsageError(f"shim_symbol={symbol!r} of a flow without an end at a shim")
