# SPDX-License-Identifier: Apache-2.0
"""Benches for one module as ``goldbeat new`` makes them, one a ready-made model that its ports allow. For run_ports.py.

make_benches.py FILE MODULE FOLDER [-y DIR] [-I DIR]: prints them as JSON, the likeliest first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foreign import Surroundings

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.address_map import AddressRange
from goldbeat.tb.design.description import Description
from goldbeat.tb.design.ports.bundle import lanes
from goldbeat.tb.probe.bench import write_bench
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.write import describe

EASIER: tuple[dict[str, Any], ...] = ({"kinds": "incr"}, {"kinds": "incr", "unmapped": False, "interleaved": False})
"""Options of the accesses that are tried where all of it does not pass."""
AUTOMATIC = 1 << 24
"""Bytes behind each master of an interconnect that is given no map, in the libraries that place them by themselves."""


def shapes(found: Found) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Streams in and out, slaves and masters, arrays taken apart and widths as numbers."""
    values = {p.name: p.value for p in found.module.parameters if p.value is not None}
    streams = [lane for port in found.streams for lane in lanes(port, values)]
    buses = [lane for port in (*found.registers, *found.memories) for lane in lanes(port, values)]
    ways = [[port for port in group if port.direction == way] for group in (streams, buses) for way in ("in", "out")]
    return ways[0], ways[1], ways[2], ways[3]


def candidates(found: Found) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Model, what the description says beside it, and that in a few words."""
    sources, sinks, slaves, masters = shapes(found)
    if slaves and not sources and not sinks:
        for model, table, said in on_buses(slaves, masters):
            yield model, table, said
            burst = any(port.bus == "axi" for port in (*slaves, *masters))
            for options in EASIER if burst or model == "interconnect" else ():
                if burst or "unmapped" in options:
                    words = ", ".join(f"{key} = {value}".lower() for key, value in options.items())
                    yield model, table | {"accesses": options}, "; ".join(filter(None, (said, words)))
    elif sources and sinks and not slaves and not masters:
        if len(sources) == len(sinks):
            same = all(a.width == b.width for a, b in zip(sources, sinks, strict=True))
            yield "identity" if same else "repack", {}, ""
        elif len(sinks) == 1:
            yield "merge", {}, ""
        elif len(sources) == 1:
            yield "broadcast", {}, ""
    yield "rules", {}, ""


def on_buses(slaves: list[Any], masters: list[Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Models of modules with slaves."""
    if not masters:
        yield "memory", {}, ""
    elif len(slaves) == len(masters) == 1:
        yield "adapter", {}, ""
    elif len(masters) == 1:
        bits = min(int(port.widths()["address_width"]) for port in (*slaves, *masters))
        whole = AddressRange(port=masters[0].name, base=0, bytes=1 << bits)
        yield "interconnect", {"address_map": (whole,)}, "address_map: all to the master"
    else:
        if len(slaves) == len(masters):
            yield "adapter", {}, ""
        ranges = (AddressRange(port=m.name, base=AUTOMATIC * i, bytes=AUTOMATIC) for i, m in enumerate(masters))
        yield "interconnect", {"address_map": tuple(ranges)}, "address_map: 16 MiB each"


def benches(found: Found, sources: Any, folder: Path, given: str) -> Iterator[dict[str, str]]:
    """Write them."""
    for number, (model, table, said) in enumerate(candidates(found)):
        one = folder / f"{number}_{model}"
        facts = {"model": model, "options": " ".join(filter(None, (given, said)))}
        try:
            shown = found if model != "rules" else with_handshakes(found)
            description: Description = describe(shown, sources, one, model=model)
            description = description.model_copy(update=table)
            yield facts | {"file": str(write_bench(one, shown, description, force=True)[0])}
        except GoldbeatError as error:
            yield facts | {"why": str(error)}


def main() -> None:
    """Make them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("module")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-y", dest="libraries", action="append", type=Path, default=[])
    parser.add_argument("-I", dest="includes", action="append", type=Path, default=[])
    parser.add_argument("-G", dest="values", action="append", default=[])
    asked = parser.parse_args()
    values = dict(text.split("=", 1) for text in asked.values)
    try:
        sources = Surroundings(tuple(asked.libraries), tuple(asked.includes)).sources(asked.file)
        found = discover(sources, asked.module, values, relaxed=True)
    except GoldbeatError as error:
        raise SystemExit(f"error: {error}") from None
    print(json.dumps(list(benches(found, sources, asked.folder, " ".join(asked.values)))))


if __name__ == "__main__":
    main()
