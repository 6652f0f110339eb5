# SPDX-License-Identifier: Apache-2.0
"""From sources to what their top module has: bundles by name, then handshakes by what the RTL does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.library import VENDOR
from goldbeat.tb.probe.chosen import packed
from goldbeat.tb.probe.credits import with_credits
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import Choices, Found, find
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.roles import Handshake, handshakes


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
    made = handshakes(plain.module, left, (port.name for port in whole.bundles))
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
        return with_credits(_told(found, made, [*told, *refused]))
    return with_credits(replace(plain, notes=(*plain.notes, *told, *refused)))


def _told(found: Found, made: list[Handshake], refused: list[str]) -> Found:
    """With the reasons of each handshake, and what of it is a guess."""
    gated = {one.bundle.name for one in made if one.gated}
    streams = tuple(p.model_copy(update={"gated": True}) if p.name in gated else p for p in found.streams)
    notes = [f"{one.bundle.name}: found as --bundle '{one.text}'" + (f": {one.why}" if one.why else "") for one in made]
    ways = {port.name: ("valid", "ready")[:: 1 if port.direction == "in" else -1] for port in streams}
    notes += [
        f"{name}: its {one} is high only beside its {other}" for name, (one, other) in ways.items() if name in gated
    ]
    guesses = {port: why for one in made for port, why in one.doubts.items()}
    notes += [f"{port}: a guess: {why}" for port, why in guesses.items()]
    return replace(found, streams=streams, notes=(*found.notes, *notes, *refused), guesses=guesses)
