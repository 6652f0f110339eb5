# SPDX-License-Identifier: Apache-2.0
"""More ports that go along with the beats of every stream: parity, start of packet, channel, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from goldbeat.tb.design.ports.bundle import number
from goldbeat.tb.design.ports.recognition import Pin, TopParameter, plain_width
from goldbeat.tb.design.ports.stream import WIDEST_SIDE, StreamPort
from goldbeat.tb.design.unchecked import NameFamily, families_of

_FIRST = frozenset({"first", "tfirst", "sop", "sof", "startofpacket", "start_of_packet", "startofframe"})
"""Words for the first beat of a frame."""


def with_sidebands(
    streams: Sequence[StreamPort], left: Mapping[str, Pin], parameters: Sequence[TopParameter]
) -> list[StreamPort]:
    """The streams with sidebands of ports that belong to nothing else.

    A port is a sideband if its name begins and ends as the others of its stream do, and every other stream has one with the
    same rest of the name and the same width: what has no counterpart is no payload that a model could pass on.

    Args:
        streams: of the module, in both directions.
        left: the ports that are left.
        parameters: of the module.
    """
    ways = {port.direction for port in streams}
    families = [_family(port) for port in streams]
    if ways != {"in", "out"} or any(f is None for f in families) or any(p.lanes or p.fields for p in streams):
        return list(streams)
    stems = [dict(_stems(port, families, number, left.values())) for number, port in enumerate(streams)]
    own = {_own_bits(port, parameters) for port in streams}
    room = WIDEST_SIDE - own.pop() if len(own) == 1 else 0
    shared = []
    for stem, pin in stems[0].items():
        pins = [one.get(stem) for one in stems]
        if all(p is not None and p.width == pin.width for p in pins) and pin.width <= room:
            room -= pin.width
            shared.append(stem)
    if not shared:
        return list(streams)
    first = next((stem for stem in shared if stem in _FIRST), None)
    return [
        port.model_copy(
            update={
                "sidebands": {found[stem].name: plain_width(found[stem], parameters) for stem in shared},
                "first": found[first].name
                if first is not None and found[first].width == 1 and port.has("tlast")
                else None,
            }
        )
        for port, found in zip(streams, stems, strict=True)
    ]


def _own_bits(port: StreamPort, parameters: Sequence[TopParameter]) -> int:
    """Bits of TUSER."""
    return 0 if port.tuser is None else number(port.tuser, {p.name: p.value for p in parameters})


def _family(port: StreamPort) -> NameFamily | None:
    """How the names of the signals that go the way of TVALID begin and end; None: they have nothing in common."""
    return next((family for family in families_of(port) if family.stem(port.pin("tvalid"))), None)


def _stems(
    port: StreamPort, families: Sequence[NameFamily | None], number: int, left: Iterable[Pin]
) -> Iterator[tuple[str, Pin]]:
    """The ports that may be sidebands of a stream, by what their names say."""
    mine = families[number]
    assert mine is not None
    closer = [f for f in families if f is not None and len(f.before) > len(mine.before)]
    for pin in left:
        plain = pin.refusal is None and not pin.unpacked and (pin.way == "input") == (port.direction == "in")
        if plain and pin.way != "inout" and (stem := mine.stem(pin.name)) and not any(f.stem(pin.name) for f in closer):
            yield stem, pin
