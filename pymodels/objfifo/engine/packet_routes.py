# SPDX-License-Identifier: Apache-2.0
"""Slots and targets of the packet switch for streams with packet headers. Contract: objfifo-array.md, Packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.switch_registers import ARBITERS, MSEL_COUNT, SLOTS, SwitchSlot, SwitchTaker


@dataclass(frozen=True)
class PacketStream:
    """A stream whose words are packets of one id.

    Attributes:
        name: for messages.
        id: in the headers.
        source: number of its source.
        targets: numbers of its targets, which get no headers.
    """

    name: str
    id: int
    source: int
    targets: tuple[int, ...]


@dataclass(frozen=True)
class PacketRoutes:
    """What the switch is programmed with.

    Attributes:
        senders: slots by source.
        takers: by target.
    """

    senders: dict[int, tuple[SwitchSlot, ...]]
    takers: dict[int, SwitchTaker]


def packet_routes(streams: Sequence[PacketStream]) -> PacketRoutes:
    """Put streams on the packet switch.

    Streams with a target in common share an arbiter. All others have their own, so that no packet waits for one that it
    has nothing to do with.

    Raises:
        UsageError: the switch has too few arbiters, slots or values of MSEL; or two streams of a source have one id.
    """
    groups = _sharing(streams)
    if len(groups) > ARBITERS:
        raise UsageError(f"the packets of {_named(streams)} need {len(groups)} arbiters, the switch has {ARBITERS}")
    senders: dict[int, list[SwitchSlot]] = {}
    takers: dict[int, SwitchTaker] = {}
    for arbiter, group in enumerate(groups):
        sets = list(dict.fromkeys(frozenset(stream.targets) for stream in group))
        if len(sets) > MSEL_COUNT:
            raise UsageError(
                f"the packets of {_named(group)} go to {len(sets)} sets of targets, an arbiter knows {MSEL_COUNT}"
            )
        for target in sorted(frozenset().union(*sets)):
            msels = sum(1 << m for m, one in enumerate(sets) if target in one)
            takers[target] = SwitchTaker(arbiter, msels, drop_header=True)
        for stream in group:
            slots = senders.setdefault(stream.source, [])
            if any(slot.id == stream.id for slot in slots):
                raise UsageError(f"{stream.name}: its channel sends packets of id {stream.id} elsewhere too")
            slots.append(SwitchSlot(stream.id, arbiter=arbiter, msel=sets.index(frozenset(stream.targets))))
    for source, slots in senders.items():
        if len(slots) > SLOTS:
            names = _named([s for s in streams if s.source == source])
            raise UsageError(f"the packets of {names} come from one channel, which has {SLOTS} slots")
    return PacketRoutes({source: tuple(slots) for source, slots in senders.items()}, takers)


def _sharing(streams: Sequence[PacketStream]) -> list[list[PacketStream]]:
    """Streams with common targets, also by way of others, together."""
    groups: list[list[PacketStream]] = []
    for stream in streams:
        mine = [g for g in groups if any(set(one.targets) & set(stream.targets) for one in g)]
        groups = [g for g in groups if g not in mine]
        groups.append([*(one for g in mine for one in g), stream])
    return groups


def _named(streams: Sequence[PacketStream]) -> str:
    return ", ".join(stream.name for stream in streams)
