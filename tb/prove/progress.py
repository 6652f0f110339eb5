# SPDX-License-Identifier: Apache-2.0
"""Every complete request of a slave is answered: it never waits while nothing moves and the bench owes nothing.

Behind the slaves there may be masters, and several slaves may share them. So all ports together are still, and what waits for
the bench excuses: a response that it does not take, data that it has not offered, a request that it does not take or answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.prove.sheet import Sheet, any_of


@dataclass(frozen=True)
class _Progress:
    """Expressions of a port.

    Attributes:
        stuck: a complete request of a slave waits, and no response is offered.
        moves: something moves.
        owes: the bench owes something.
        asks: something is asked for.
    """

    stuck: Sequence[str]
    moves: Sequence[str]
    owes: Sequence[str]
    asks: Sequence[str]


def claim_answers(sheet: Sheet, ports: Sequence[Bundle], within: int, *, alone: bool) -> None:
    """Claim it for each slave.

    Args:
        sheet: the claims are written on.
        ports: buses of the design.
        within: cycles in which nothing moves.
        alone: the design has no streams.
    """
    slaves = [port for port in ports if port.direction == "in"]
    if not alone or (len(ports) > 1 and any(isinstance(port, WishbonePort) for port in ports)):
        for port in slaves:
            sheet.unproven[f"answered {port.name}"] = "only of designs without streams, and of Wishbone slaves alone"
        return
    found = {port.name: _progress(port) for port in ports}
    moves = any_of(one for part in found.values() for one in part.moves)
    for port in slaves:
        if len(ports) == 1:
            sheet.unproven.pop(f"{port.spec.name}_valid_waits {port.name}", None)
        name, stuck = port.name, any_of(found[port.name].stuck)
        # Alone, a slave answers whatever else the bench does.
        owes = any_of(one for part in found.values() for one in part.owes if len(ports) > 1)
        count = f"{name}_stuck"
        ends = f"~({stuck}) | ({moves}) | {owes}"
        sheet.register(count, f"~prover_live | {ends} ? '0 : {count} + 8'({count} != {within})", 8)
        sheet.check(
            f"answered {name}",
            f"no complete request waits {within} cycles in which nothing moves",
            f"{count} == {within}",
            any_of(found[port.name].asks),
        )


def _progress(port: Bundle) -> _Progress:
    name = port.name
    if isinstance(port, ApbPort):
        ready = f"{name}_pready" if port.has("pready") else "1'b1"
        owes = [] if port.direction == "in" else [f"({name}_penable & ~{ready})"]
        return _Progress([f"{name}_penable"], [f"({name}_penable & {ready})"], owes, [f"{name}_penable"])
    if isinstance(port, WishbonePort):
        asks = f"({name}_cyc & {name}_stb)"
        return _Progress([f"{name}_waits"], [f"~{name}_waits"], [], [asks])
    writes, reads, slave = port.has("awvalid"), port.has("arvalid"), port.direction == "in"
    channels = [*(("aw", "w", "b") if writes else ()), *(("ar", "r") if reads else ())]
    moves = [f"({name}_{one}valid & {name}_{one}ready)" for one in channels if port.has(f"{one}ready")]
    stuck, owes = [], []
    if writes:
        whole = f"({name}_bvalid_open != 0) & ({name}_bvalid_whole != 0) & ~{name}_bvalid"
        stuck += [whole, f"{name}_awvalid_waits & {name}_wvalid_waits & ~{name}_bvalid"]
        # Data ahead of their address hold nobody up, an address without its data may.
        owes.append(f"({name}_awvalid_ahead > {name}_wvalid_ahead)" if slave else f"({whole})")
    if reads:
        asked = f"({name}_rvalid_open != 0)"
        stuck.append(f"({asked} | {name}_arvalid_waits) & ~{name}_rvalid")
        owes += [] if slave else [f"({asked} & ~{name}_rvalid)"]
    for one in ("b", "r") if slave else ("aw", "w", "ar"):
        if one in channels and port.has(f"{one}ready"):
            owes.append(f"({name}_{one}valid & ~{name}_{one}ready)")
    return _Progress(
        [f"({one})" for one in stuck], moves, owes, [f"{name}_{one}valid" for one in ("aw", "ar") if one in channels]
    )
