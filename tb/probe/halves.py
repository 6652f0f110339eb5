# SPDX-License-Identifier: Apache-2.0
"""The write-only and the read-only half of one AXI slave, whose names differ: what one has written is read by the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from goldbeat.tb.design.pin_names import name_words
from goldbeat.tb.probe.module import TopModule
from goldbeat.tb.probe.names import PinGroup

_WAYS = frozenset({"w", "wr", "write", "writer", "r", "rd", "read", "reader"})
_SHARED = (("wdata", "rdata"), ("awaddr", "araddr"), ("awid", "arid"), ("awuser", "aruser"))
"""Signals of the halves that have one width on one bus."""


def with_whole_slaves(found: Sequence[PinGroup], module: TopModule) -> tuple[list[PinGroup], list[str]]:
    """The groups with one slave in place of two halves, and what was joined.

    Halves are joined where there are no others, no master is behind them, both have one clock, and the RTL makes what is read of
    what is written.
    """
    writers, readers = (
        [one for one in found if f"{way}valid" in one.pins and f"{other}valid" not in one.pins]
        for way, other in (("aw", "ar"), ("ar", "aw"))
    )
    buses = [one for one in found if {"awvalid", "arvalid"} & one.pins.keys()]
    if not (len(writers) == len(readers) == 1 and len(buses) == 2 and _whole(writers[0], readers[0], module)):
        return list(found), []
    writer, reader = writers[0], readers[0]
    name = _name(writer.name, reader.name)
    one = replace(writer, name=name, pins={**writer.pins, **reader.pins})
    kept = [one if group is writer else group for group in found if group is not reader]
    return kept, [f"{name}: {writer.name} writes what {reader.name} reads, so they are driven as one slave"]


def _whole(writer: PinGroup, reader: PinGroup, module: TopModule) -> bool:
    """Whether two groups are halves of one slave."""
    pins, wiring = {**writer.pins, **reader.pins}, module.wiring
    if pins["awvalid"].way != "input" or pins["arvalid"].way != "input" or not {"wdata", "rdata"} <= pins.keys():
        return False
    if any((pair[0] in pins) != (pair[1] in pins) for pair in (*_SHARED, ("awlen", "arlen"))):
        return False
    if any(pins[one].width != pins[other].width for one, other in _SHARED if one in pins):
        return False
    clocks = {
        clock for pin in pins.values() for clock in wiring.driven.get(pin.name) or wiring.read.get(pin.name) or ()
    }
    return len(clocks) <= 1 and pins["wdata"].name in module.carried.values.get(pins["rdata"].name, ())


def _name(one: str, other: str) -> str:
    """What the names share."""
    words = ([word for word in name_words(name) if word not in _WAYS] for name in (one, other))
    return "_".join(word for word, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*words, strict=False))) or "axi"
