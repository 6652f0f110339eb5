# SPDX-License-Identifier: Apache-2.0
"""From sources to what their top module has: bundles by name, then handshakes by what the RTL does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.library import VENDOR
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.chosen import packed
from goldbeat.tb.probe.credits import with_credits
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import Choices, Found, find
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.jobs import with_jobs
from goldbeat.tb.probe.module import Gates
from goldbeat.tb.probe.roles import Handshake, ends_words, handshakes
from goldbeat.tb.probe.slack import slack


def discover(
    sources: Sources,
    top: str | None = None,
    parameters: Mapping[str, str] | None = None,
    choices: Choices | None = None,
    *,
    relaxed: bool = False,
) -> Found:
    """Elaborate sources and find what their top module has.

    Args:
        sources: what to compile.
        top: the top module; may be left out where only one module is used by no other.
        parameters: values of the top's parameters, as SystemVerilog.
        choices: what the user says about ports.
        relaxed: slang's errors become warnings of the module.

    Raises:
        UsageError: as :func:`~goldbeat.tb.probe.elaborate.elaborate` and :func:`~goldbeat.tb.probe.find.find`.
    """
    choices = choices or Choices()
    module = elaborate(sources, top, parameters, relaxed=relaxed)
    cells = ", ".join(path.stem for path in sources.files if path.parent == VENDOR)
    told = (f"{cells}: stand-ins for cells of the vendor, which the sources do not define",) if cells else ()
    packs = packed(choices.bundles, module.ports)
    plain = find(elaborate(sources, top, parameters, relaxed=relaxed, packs=packs) if packs else module, choices)
    whole = with_handshakes(plain)
    # Ports of a bus that is not whole are no handshakes: the reason is told instead.
    known = {*choices.ties, *choices.ignored, *plain.of_buses}
    left = [name for name in whole.unplaced if name not in known]
    made = _handed_over(plain, whole, left)
    refused: list[str] = []
    while made:
        chosen = (*choices.bundles, *(one.bundle for one in made))
        try:
            packs = packed(chosen, module.ports)
            again = elaborate(sources, top, parameters, relaxed=relaxed, packs=packs) if packs else module
            found = find(again, replace(choices, bundles=chosen))
        except UsageError as error:
            # The handshake that an error names, or else the last one, is none.
            wrong = next((one for one in made if f"--bundle {one.bundle.name}:" in str(error)), made[-1])
            made = [one for one in made if one is not wrong]
            refused.append(f"{wrong.bundle.name}: not a bundle: {error}")
            continue
        made = [replace(one, gated=False) if _guarded(one, plain.module.carried.gates) else one for one in made]
        return _completed(_told(found, made, [*told, *refused]), choices, known)
    return _completed(replace(plain, notes=(*plain.notes, *told, *refused)), choices, known)


def _completed(found: Found, choices: Choices, known: set[str]) -> Found:
    """The same with doubts about readies, credits, and starts; ``known``: ports that are no part of a start."""
    chosen = {one.name for one in choices.bundles}
    sure = (one for one in found.streams if one.name not in chosen and one.pin("tvalid") not in found.guesses)
    return with_jobs(with_credits(found.doubted(slack(sure, found.module.carried.gates))), known)


def _handed_over(plain: Found, whole: Found, left: list[str]) -> list[Handshake]:
    """The handshakes among ports that are left, and among those of valids whose ready has another name.

    Args:
        plain: what names of buses have found.
        whole: the same with valids and the fields of their prefixes.
        left: ports in none of both.
    """
    silent = [port for port in whole.streams if port not in plain.streams and not port.has("tready")]
    # Credits are another kind of flow control, and a flag beside them is a status.
    without = {port.pin("tvalid"): port for port in silent if port.pin("tvalid") not in whole.guesses}
    names = [port.name for port in whole.bundles]
    base = handshakes(plain.module, left, names)
    more = [pin for port in without.values() for pin in _pins(port)]
    first = handshakes(plain.module, [*left, *more], names) if more else []
    answered = {one.valid: without[one.valid] for one in first if one.valid in without and "tready" in one.bundle.roles}
    if not answered:
        return base
    taken = set(names) - {port.name for port in answered.values()}
    found = handshakes(plain.module, [*left, *(pin for port in answered.values() for pin in _pins(port))], taken)
    found = [one for one in found if one.valid not in answered or "tready" in one.bundle.roles]
    # Others keep the payload that they have without these.
    alone = {(one.valid, one.bundle.roles.get("tready")): one for one in base}
    kept = [one.like(alone.get((one.valid, one.bundle.roles.get("tready")), one)) for one in found]
    others = {pin for one in kept if one.valid not in answered for pin in one.bundle.ports}
    return [
        one.with_payload(pin for pin in answered[one.valid].fields if pin not in others)
        if one.valid in answered
        else one
        for one in kept
    ]


def _pins(port: StreamPort) -> tuple[str, ...]:
    """The ports of a stream with fields and no ready."""
    return port.pin("tvalid"), *port.fields


def _guarded(made: Handshake, gates: Gates) -> bool:
    """Whether the RTL itself ignores the side that would be gated while the other one is low."""
    roles, inverted = made.bundle.roles, made.bundle.inverted
    if not made.gated or "tready" not in roles:
        return False
    valid, ready = roles["tvalid"], roles["tready"]
    return gates.guarded(ready, valid, "tvalid" not in inverted) or gates.guarded(
        valid, ready, "tready" not in inverted
    )


def _told(found: Found, made: list[Handshake], refused: list[str]) -> Found:
    """With the reasons of each handshake, and what of it is a guess."""
    gated = {one.bundle.name for one in made if one.gated}
    streams = tuple(p.model_copy(update={"gated": True}) if p.name in gated else p for p in found.streams)
    notes = [f"{one.bundle.name}: found as --bundle '{one.text}'" + (f": {one.why}" if one.why else "") for one in made]
    ways = {port.name: ("valid", "ready")[:: 1 if port.direction == "in" else -1] for port in streams}
    notes += [
        f"{name}: its {one} is high only beside its {other}" for name, (one, other) in ways.items() if name in gated
    ]
    left = {port: why for one in made for port, why in one.left.items() if port in found.unplaced}
    unplaced = {port: f"{what}; {left[port]}" if port in left else what for port, what in found.unplaced.items()}
    # What ends things is tied to 0 as any clear is.
    inputs = {pin.name for pin in found.module.ports if pin.way == "input"}
    beside = {port: why for port, why in left.items() if port in inputs and not ends_words(port)}
    guesses = {port: why for one in made for port, why in one.doubts.items()}
    notes += [f"{port}: a guess: {why}" for port, why in guesses.items()]
    notes = [*found.notes, *notes, *refused]
    beside = {**beside, **found.beside}
    return replace(found, streams=streams, notes=tuple(notes), guesses=guesses, unplaced=unplaced, beside=beside)
