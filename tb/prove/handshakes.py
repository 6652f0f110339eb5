# SPDX-License-Identifier: Apache-2.0
"""Channels of a valid and a ready: what the bench drives keeps the rules by construction, what the design drives is checked.

A bench's valid stays high and its payload stays the same until the ready comes. So nothing has to be assumed of it, and no
trace is excluded because of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from goldbeat.tb.prove.sheet import Sheet


@dataclass(frozen=True)
class ProofChannel:
    """A channel.

    Attributes:
        port: name of the bundle.
        valid, ready: their roles; an empty ready: the receiver takes everything.
        payload: the other roles with their widths.
        label: in the names of registers.
        ties: what the bench drives on some roles, as SystemVerilog; the others are free.
    """

    port: str
    valid: str
    ready: str
    payload: Mapping[str, int]
    label: str = ""
    ties: Mapping[str, str] = field(default_factory=dict)

    def net(self, role: str) -> str:
        """The harness's net of a role."""
        return f"{self.port}_{role}"

    @property
    def name(self) -> str:
        """Begin of the names of its own nets."""
        return f"{self.port}_{self.label or self.valid}"

    @property
    def place(self) -> str:
        """In the names of properties."""
        return self.port if self.valid == "tvalid" else self.name

    @property
    def is_valid(self) -> str:
        """High while it is offered."""
        return self.net(self.valid)

    @property
    def is_ready(self) -> str:
        """High while it would be taken."""
        return self.net(self.ready) if self.ready else "1'b1"

    @property
    def moves(self) -> str:
        """High in cycles with a transfer."""
        return f"({self.is_valid} & {self.is_ready})"

    @property
    def waits(self) -> str:
        """High in cycles behind one in which the valid waited."""
        return f"{self.name}_waits"

    @property
    def offers(self) -> str:
        """High in the first cycle of each offer."""
        return f"({self.is_valid} & ~{self.waits})"


def drive(sheet: Sheet, channel: ProofChannel, allow: str = "1'b1") -> None:
    """The bench's side of a channel.

    Args:
        sheet: what is written.
        channel: its valid and payload are driven.
        allow: high in cycles in which something new may be offered.
    """
    _remember(sheet, channel)
    fresh = sheet.free(f"{channel.name}_free")
    sheet.lines.append(f"  assign {channel.is_valid} = {channel.waits} | (prover_go & {fresh} & ({allow}));")
    for role, width in channel.payload.items():
        net = channel.net(role)
        made = channel.ties.get(role) or sheet.free(f"{net}_free", width)
        sheet.lines.append(f"  assign {net} = {channel.waits} ? {net}_was : ({made});")


def take(sheet: Sheet, channel: ProofChannel) -> None:
    """The bench's ready of a channel that the design drives."""
    if channel.ready:
        free = sheet.free(f"{channel.is_ready}_free")
        sheet.lines.append(f"  assign {channel.is_ready} = prover_live & {free};")


def watch(sheet: Sheet, bus: str, channel: ProofChannel, *, held: bool = True, in_reset: bool = True) -> None:
    """The rules of a channel that the design drives.

    Args:
        sheet: what is written.
        bus: names of rules begin with it.
        channel: the channel.
        held: the valid must stay until the ready comes, and the payload with it.
        in_reset: the valid must be low in reset.
    """
    _remember(sheet, channel)
    place = channel.port if channel.valid == "tvalid" else f"{channel.port} {channel.valid}"
    if held and channel.ready:
        fell = f"{channel.waits} & ~{channel.is_valid}"
        sheet.check(
            f"{bus}_valid_held {place}", f"{channel.valid} stays high until {channel.ready}", fell, channel.waits
        )
        changed = " | ".join(f"({channel.net(role)} != {channel.net(role)}_was)" for role in channel.payload)
        if changed:
            sheet.check(
                f"{bus}_payload_stable {place}",
                f"nothing else changes while {channel.valid} waits for {channel.ready}",
                f"{channel.waits} & {channel.is_valid} & ({changed})",
                channel.waits,
            )
    if in_reset:
        sheet.check(
            f"{bus}_valid_in_reset {place}", f"{channel.valid} is low in reset", f"prover_settled & {channel.is_valid}"
        )
        sheet.check(
            f"{bus}_valid_after_reset {place}",
            f"{channel.valid} is low at the first edge out of reset",
            f"prover_released & {channel.is_valid}",
        )


def _remember(sheet: Sheet, channel: ProofChannel) -> None:
    """The registers that know what was offered in the cycle before."""
    stays = f"prover_live & {channel.is_valid} & ~{channel.is_ready}" if channel.ready else "1'b0"
    sheet.register(channel.waits, stays)
    for role, width in channel.payload.items():
        sheet.register(f"{channel.net(role)}_was", channel.net(role), width)


def counter(sheet: Sheet, name: str, up: str, down: str, width: int) -> str:
    """A register that counts in flight; it is 0 in reset."""
    change = f"{name} + {width}'({up}) - {width}'({down})"
    return sheet.register(name, f"prover_live ? {change} : '0", width)
