# SPDX-License-Identifier: Apache-2.0
"""Streams of a proof: inputs that the bench drives as its traffic does, outputs whose rules are checked."""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.prove.habits import Habits
from goldbeat.tb.prove.handshakes import ProofChannel, drive, take, watch
from goldbeat.tb.prove.sheet import Sheet

_WARNING = "a warning"
EXCUSED = {
    "ready_late": _WARNING,
    "outstanding": "a run ends, a proof does not; `delivered` says that every beat leaves",
    "places_lost": "about a long run; `delivered` says that every beat leaves",
}
NO_PROPERTY = {
    "valid_unready": "no property yet; simulation checks it",
    "packet": "no property yet; simulation checks it",
    "empty": "no property yet; simulation checks it",
    "valid_waits": "only with model identity or repack, one input and one output; simulation tries it",
}


def stream_channel(port: StreamPort, ties: dict[str, str] | None = None) -> ProofChannel:
    """The channel of a stream."""
    payload = {one.name: one.width for one in port.wires() if one.name not in ("tvalid", "tready")}
    ready = "tready" if port.has("tready") else ""
    return ProofChannel(port.name, "tvalid", ready, payload, ties=ties or {})


def drive_stream(sheet: Sheet, port: StreamPort, habits: Habits) -> ProofChannel:
    """An input of the design."""
    channel = stream_channel(port)
    ties = dict(_ties(sheet, port, channel, habits))
    channel = stream_channel(port, ties)
    drive(sheet, channel)
    if port.has("tlast") or port.first is not None:
        ends = channel.net("tlast") if port.has("tlast") else "1'b0"
        sheet.register(f"{port.name}_open", f"prover_live & ({channel.offers} ? ~{ends} : {port.name}_open)")
    if habits.keep == "any" and not habits.null and port.has("tkeep") and port.has("tlast"):
        sheet.limit(
            f"{channel.is_valid} & {channel.net('tlast')} & ~|{channel.net('tkeep')}",
            f"{port.name}: the last beat of a frame keeps a byte",
        )
    return channel


def _ties(sheet: Sheet, port: StreamPort, channel: ProofChannel, habits: Habits) -> Iterator[tuple[str, str]]:
    """What is driven on signals that are not free."""
    name = port.name
    if habits.last != "some" and port.has("tlast"):
        yield "tlast", "1'b1" if habits.last == "all" else "1'b0"
        sheet.assumed.append(f"{name}: {'every beat is' if habits.last == 'all' else 'no beat is'} the last of a frame")
    if port.has("tkeep") and habits.keep != "any":
        bytes_ = channel.payload["tkeep"]
        if habits.keep == "full" or not port.has("tlast"):
            yield "tkeep", "'1"
            sheet.assumed.append(f"{name}: every byte is kept")
        else:
            step = 4 if habits.keep == "words" else 1
            count = sheet.free(f"{name}_bytes_free", max(1, (bytes_ // step - 1).bit_length()))
            # Of the last beat, the lowest bytes are kept: at least one, or one word.
            mask = f"({bytes_}'({(1 << step) - 1}) | ~({{{bytes_}{{1'b1}}}} << (32'({count}) * {step} + {step})))"
            yield "tkeep", f"({channel.net('tlast')} ? {mask} : '1)"
            sheet.assumed.append(
                f"{name}: only the last beat of a frame is partial; it keeps its lowest {'words' if step > 1 else 'bytes'}, "
                "one at least"
            )
    if port.has("tstrb") and habits.position:
        strobes = sheet.free(f"{name}_tstrb_free", channel.payload["tstrb"])
        yield "tstrb", f"{strobes} & {channel.net('tkeep')}"
    elif port.has("tstrb"):
        yield "tstrb", f"{channel.net('tkeep')}"
        sheet.assumed.append(f"{name}: no position bytes")
    first = port.first_bit()
    for role, low in habits.low.items():
        width = channel.payload[role]
        started = first is not None and role == "tuser"
        if not low and not started:
            continue
        if low:
            sheet.assumed.append(f"{name}: {role} bits {low:#x} are low, as in the traffic of the cases")
        free = f"({sheet.free(f'{name}_{role}_free', width)} & {width}'h{((1 << width) - 1) & ~low:x})"
        if started:
            free = f"({free} & ~{width}'h{1 << (first or 0):x} | ({width}'(~{name}_open) << {first}))"
        yield role, free


def watch_stream(sheet: Sheet, port: StreamPort) -> ProofChannel:
    """An output of the design."""
    channel = stream_channel(port)
    bus = port.spec.name
    if bus == "axis":
        take(sheet, channel)
        watch(sheet, bus, channel, held=not port.fifo, in_reset=port.standard)
    else:
        take(sheet, channel)
        sheet.register(channel.waits, f"prover_live & {channel.is_valid} & ~{channel.is_ready}")
    if port.has("tstrb") and port.has("tkeep"):
        sheet.check(
            f"axis_strobe_reserved {port.name}",
            "no byte has tstrb without tkeep",
            f"prover_live & {channel.is_valid} & |({channel.net('tstrb')} & ~{channel.net('tkeep')})",
            channel.is_valid,
        )
    if not port.interleaved and port.has("tlast"):
        _whole_packets(sheet, port, channel)
    reasons = {rule: why for rule, why in NO_PROPERTY.items() if rule != "valid_waits" or channel.ready}
    sheet.leave(bus, port.name, port.spec.rules, reasons, EXCUSED)
    return channel


def _whole_packets(sheet: Sheet, port: StreamPort, channel: ProofChannel) -> None:
    """No beat of another TID or TDEST within a packet."""
    roles = [role for role in ("tid", "tdest") if port.has(role)]
    if not roles:
        return
    within = sheet.register(
        f"{port.name}_within", f"prover_live & ({channel.moves} ? ~{channel.net('tlast')} : {port.name}_within)"
    )
    differs = []
    for role in roles:
        held = f"{port.name}_{role}_packet"
        sheet.register(held, f"{channel.moves} ? {channel.net(role)} : {held}", channel.payload[role])
        differs.append(f"({channel.net(role)} != {held})")
    sheet.check(
        f"axis_interleaved {port.name}",
        "no beat of another tid or tdest comes within a packet",
        f"{within} & {channel.is_valid} & ({' | '.join(differs)})",
        f"{within} & {channel.is_valid}",
    )
