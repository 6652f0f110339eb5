# SPDX-License-Identifier: Apache-2.0
"""Ends of a script's own streams: their channels, the tasks and transfers that run on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import ElementPattern
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.transfers import transfer_taker
from goldbeat.pymodels.objfifo.live.thread_program import in_program
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.script.explicit import (
    Explicit,
    FlowChannel,
    ScriptBlocks,
    ScriptFlow,
    enum_text,
    explicit,
)
from goldbeat.pymodels.objfifo.script.host_calls import HostTask, await_task, host_now, start_task
from goldbeat.pymodels.objfifo.script.tile_dma import chained_blocks

ChannelOf = tuple[Tile, Direction, int]


class ChannelPick:
    """A channel that a flow does not name: 0, or the first free one where the flow is used by its ends."""

    def __init__(self) -> None:
        self.number: int | None = None

    def __int__(self) -> int:
        return self.number or 0


class FlowEnd(FlowChannel):
    """``flow.endpoint(tile)``: what a DMA program or a task names instead of a channel."""

    def __init__(self, flow: ScriptFlow, tile: Any) -> None:
        self.flow, self.tile = flow, tile
        ends = [(flow.source, Direction.MM2S), *((end, Direction.S2MM) for end in flow.dests)]
        found = [(end, way) for end, way in ends if end[0] == tile]
        if not found:
            raise UsageError(f"endpoint({tile}): the flow does not end there")
        (_, _, self.channel), self.direction = found[0]

    def __int__(self) -> int:
        return int(self.channel)

    def key(self, tile_of: Callable[[Any], Tile]) -> ChannelOf:
        """Tile, direction and number of the channel."""
        return tile_of(self.tile), self.direction, int(self.channel)

    @property
    def packet(self) -> tuple[int, int] | None:
        """Type and id of what the end sends, where the flow is one of packets."""
        return None if self.flow.packet is None else (0, self.flow.packet)

    def task(
        self, *bds: Any, repeat_count: int = 0, issue_token: bool = False, runs: int | None = None, **more: Any
    ) -> EndTask:
        """Descriptors that the sequence runs on this end, one after the other, ``runs`` times.

        Raises:
            UsageError: fewer than one run, or runs and a repeat count.
        """
        only_harmless("task", more)
        if runs is not None:
            if int(runs) < 1 or repeat_count:
                raise UsageError(
                    f"task(runs={runs}, repeat_count={repeat_count}): expected at least one run, said once"
                )
            repeat_count = int(runs) - 1
        listed = [one for given in bds for one in (given if isinstance(given, list | tuple) else [given])]
        return EndTask(self, chained_blocks(listed, ScriptBlocks(), 0, loop=False), int(repeat_count), issue_token)


class EndTask:
    """A task on an end of a flow."""

    def __init__(self, end: FlowEnd, blocks: ScriptBlocks, repeat: int, token: bool) -> None:
        self.end, self.blocks, self.repeat, self.token = end, blocks, repeat, token
        self._task: HostTask | None = None

    def start(self) -> EndTask:
        """Write the descriptors and start them."""
        key = self.end.key(host_now().tile_of)
        self._task = HostTask(key, self.blocks, self.repeat, self.token, packet=self.end.packet)
        start_task(self._task)
        return self

    def await_(self) -> EndTask:
        """Wait for its token."""
        if self._task is None:
            raise UsageError("a wait for a task that was not started")
        await_task(self._task)
        return self

    def free(self) -> EndTask:
        """Its descriptors may be used again; here every task has its own."""
        return self


class TileFlow(ScriptFlow):
    """A stream that is used by its ends."""

    def endpoint(self, tile: Any) -> FlowChannel:
        """The end at a tile, in place of a channel's number."""
        self.by_ends = True
        return FlowEnd(self, tile)

    def fill(self, source: Any, tap: Any = None, wait: bool = False, *, group: Any = None, **more: Any) -> Any:
        """Send a host array from the end at a shim: inside the function of a Runtime.

        Args:
            source: what is sent.
            tap: which part; or ``offset``, ``sizes`` and ``strides`` of it.
            wait: report the end.
            group: what it belongs to.
            more: the pattern, and keywords without effect.
        """
        tap = _pattern(source, tap, more)
        only_harmless("fill", more)
        return flow_transfer(self, Direction.MM2S, source, tap, wait, group)

    def drain(self, dest: Any, tap: Any = None, wait: bool = False, *, group: Any = None, **more: Any) -> Any:
        """Receive a host array at the end at a shim; as :meth:`fill`."""
        tap = _pattern(dest, tap, more)
        only_harmless("drain", more)
        return flow_transfer(self, Direction.S2MM, dest, tap, wait, group)


def _pattern(data: Any, tap: Any, more: dict[str, Any]) -> Any:
    """A pattern from its parts, which are taken out of the keywords.

    Raises:
        UsageError: a pattern twice, or parts that do not belong together.
    """
    parts = {name: more.pop(name) for name in ("offset", "sizes", "strides") if more.get(name) is not None}
    if not parts:
        return tap
    if tap is not None:
        raise UsageError(f"a pattern (tap) and {', '.join(parts)}: expected one of them")
    sizes = [int(n) for n in parts.get("sizes", [math.prod(data.shape)])]
    strides = [int(n) for n in parts.get("strides", [*[0] * (len(sizes) - 1), 1])]
    if len(sizes) != len(strides):
        raise UsageError(f"{len(sizes)} sizes and {len(strides)} strides, expected as many of both")
    return ElementPattern(data.shape, int(parts.get("offset", 0)), sizes, strides)


def flow_transfer(flow: ScriptFlow, direction: Direction, data: Any, tap: Any, wait: bool, group: Any) -> Any:
    """A fill (MM2S) or drain of the flow's end at a shim: inside the function of a Runtime.

    Raises:
        UsageError: nothing is being executed, or the flow has no such end.
    """
    if not in_program():
        raise UsageError("streams of their own are executed (goldbeat objfifo exec), not planned")
    ends = [flow.source] if direction is Direction.MM2S else flow.dests
    for tile, _, _ in ends:
        end = FlowEnd(flow, tile)
        where = getattr(tile, "op", tile)
        if isinstance(where, Tile) and where.kind is TileKind.SHIM and end.direction is direction:
            return transfer_taker().transfer(end, data, tap, wait, group)
    raise UsageError(f"a {'fill' if direction is Direction.MM2S else 'drain'} of a flow without such an end at a shim")


def pick_channels(found: Explicit, used: Sequence[ChannelOf], tile_of: Callable[[Any], Tile]) -> None:
    """Give every open end of the flows that are used by their ends a free channel.

    Args:
        found: what a script declares.
        used: channels of fifos.
        tile_of: the tile of whatever a script names one by.

    Raises:
        UsageError: a tile has none left.
    """
    taken = set(used)
    for program in found.programs:
        taken |= {(tile_of(program.tile), s.direction, s.index) for s in program.starts() if isinstance(s.index, int)}
    taken |= {(tile_of(t), way, n) for t, way, n in found.allocations.values() if isinstance(n, int)}
    open_ends: list[tuple[Tile, Direction, ChannelPick]] = []
    for flow in found.flows:
        ends = [(flow.source, Direction.MM2S), *((end, Direction.S2MM) for end in flow.dests)]
        for (tile, bundle, number), way in ends:
            if not isinstance(number, ChannelPick) or not flow.by_ends:
                taken.add((tile_of(tile), way, int(number)))
            elif bundle == "DMA":
                open_ends.append((tile_of(tile), way, number))
    for where, way, pick in open_ends:
        free = (n for n in range(where.limits.channels) if (where, way, n) not in taken)
        pick.number = next(free, None)
        if pick.number is None:
            raise UsageError(f"{where} has no {way} channel left for a flow")
        taken.add((where, way, pick.number))


def tile_flow(
    src: Any, dst: Any, src_port: Any = "DMA", src_channel: int | None = None, dst_port: Any = "DMA",
    dst_channel: int | None = None, shim_symbol: str | None = None, **more: Any,
) -> ScriptFlow:  # fmt: skip
    """``Flow``: a stream that a runtime is given; ``shim_symbol`` names its end at a shim."""
    only_harmless("Flow", more, ("name",))
    ends = dst if isinstance(dst, list) else [dst]
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
