# SPDX-License-Identifier: Apache-2.0
"""What a guessed model asks for and a sound module need not do: kinds of bursts, work after an error, frames without room."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from goldbeat.pymodels.axi.attributes import ATTRIBUTES
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.burst_kinds import KINDS, kinds_asked_for
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.obligations.rounds import Tried
from goldbeat.tb.run.failure_kind import REPEAT, failure_kind

_REFUSED = re.compile(r": expected (?:OKAY|SLVERR|0x[0-9a-f]+), got (?:SLVERR|DECERR)\b")
_LOST = re.compile(
    r": memory \w+, region \w+: \d+ of \d+ bytes differ|: \d+ bytes read differ|: \d+ reads differ in all"
    r"|\(read [^)]*\): expected 0x[0-9a-f]+, got 0x"
)
_DIFFERS = re.compile(r": (\w+) of (?:at least )?\d+ of \d+ (?:reads|writes) differs")


@dataclass(frozen=True)
class Narrower:
    """Less traffic.

    Attributes:
        options: of ``[accesses]``.
        longest: of ``[traffic]``; 0: as it is.
        unchecked: attributes that are not compared.
        untried: by port, what is not asked for or compared then, and why a module may do something else with it.
    """

    options: dict[str, str | bool] = field(default_factory=dict)
    unchecked: list[str] = field(default_factory=list)
    untried: dict[str, str] = field(default_factory=dict)
    longest: int = 0


def narrower(design: Design, tried: Tried, constant: Collection[str], rooms: Collection[int]) -> Narrower:
    """What to leave out, so that a failure is one of the module; empty: all that was asked for is its duty.

    Args:
        design: of a bench that nobody has described.
        tried: its first runs, of which some fail.
        constant: outputs that are.
        rooms: words of each array of RTL that may hold frames until they end.
    """
    failures = tried.failures
    params = {name: one.default for name, one in design.parameters.items()}
    if (frames := _frames(design, params, tried, rooms)).longest:
        return frames
    found = Narrower()
    attributes = _attributes(design, params, failures, constant)
    others = [text for text in failures if _attribute(text) not in attributes.unchecked]
    for made in (attributes, _bursts(design, params), _errors(design, params, others)):
        found.options.update(made.options)
        found.unchecked.extend(made.unchecked)
        found.untried.update(made.untried)
    return found


def _attributes(
    design: Design, params: Mapping[str, object], failures: Sequence[str], constant: Collection[str]
) -> Narrower:
    """No attribute that a master has as a constant, for reads and for writes."""
    differ = {_attribute(text) for text in failures}
    pins = []
    for port in (*design.memory_ports(params), *_masters(design, params)):
        for name in ATTRIBUTES:
            mine = [port.pin(role) for kind in (0, 1) if (role := port.attribute(kind, name)) and port.has(role)]
            if port.direction == "out" and differ.intersection(mine) and set(mine) <= set(constant):
                pins += mine
    why = "the RTL has a constant there, and not what its slave is given; confirm it in [unchecked] if it may"
    return Narrower({}, pins, dict.fromkeys(pins, why))


def _attribute(text: str) -> str:
    """The attribute that a failure is about; empty: none."""
    match = _DIFFERS.search(text)
    return "" if match is None else match[1]


def _bursts(design: Design, params: Mapping[str, object]) -> Narrower:
    """No kind of bursts that the RTL has no question for; where it hands them on as they are, it needs none."""
    ports = design.memory_ports(params)
    slaves = [port for port in ports if port.direction == "in"]
    pins = [port.pin(role) for port in slaves for role in ("awburst", "arburst") if port.has(role)]
    widths = {data_bytes(port) for port in ports}
    if not pins or (len(slaves) < len(ports) and len(widths) == 1):
        return Narrower()
    asked = kinds_asked_for(design, params)
    if asked & {"incr", "wrap"}:
        return Narrower()
    taken = [kind for kind in KINDS if kind == "incr" or kind in asked]
    left = " and ".join(kind.upper() for kind in KINDS if kind not in taken)
    kinds = ",".join(taken)
    why = f'{left} bursts: no comparison of the RTL tells them from INCR; set kinds = "{kinds}" in [accesses] if it need not'
    return Narrower({"kinds": kinds}, [], dict.fromkeys(pins, why))


def _errors(design: Design, params: Mapping[str, object], failures: Sequence[str]) -> Narrower:
    """No errors behind a master that may end its bus cycle at the first one, with accesses open, if that is all that fails."""
    pins = [
        port.pin(port.ends_at)
        for port in _masters(design, params)
        if port.ends_at and port.has(port.ends_at) and port.pin(port.ends_at) not in design.ties
    ]
    if not (pins and failures) or not all(_may_be_dropped(text) for text in failures):
        return Narrower()
    why = "errors: what is open beside the access that it refuses may end with an error; set errors = false in [accesses] if so"
    return Narrower({"errors": False}, [], dict.fromkeys(pins, why))


def _frames(design: Design, params: Mapping[str, object], tried: Tried, rooms: Collection[int]) -> Narrower:
    """No frames that an array of the RTL has no room for, if all that fails has some."""
    pins = [port.pin("tlast") for port in design.bundles(params) if port.direction == "in" and port.has("tlast")]
    outside = [text for text in tried.failures if not text.startswith((REPEAT, "episode "))]
    failed = [one for result in tried.failed for one in result.episodes if one.verdict.failures]
    least = min((max(map(_longest, one.stimulus.inputs.values()), default=0) for one in failed), default=0)
    room = max((words for words in rooms if words < least), default=0)
    if not room or outside:
        return Narrower()
    why = f"frames of more than {room} beats: the RTL holds frames, and has an array of {room} words; longest = {room} in [traffic]"
    return Narrower(untried=dict.fromkeys(pins, f"{why} if it may have no room for them"), longest=room)


def _longest(trace: Trace) -> int:
    """Beats of the longest frame, ended or not."""
    ends = np.flatnonzero(trace.last)
    return int(np.diff(ends, prepend=-1, append=len(trace) - 1).max(initial=0))


def _masters(design: Design, params: Mapping[str, object]) -> Iterator[Bundle]:
    yield from (port for port in design.register_ports(params) if port.direction == "out")


def _may_be_dropped(text: str) -> bool:
    """Whether an access was lost or refused, and no error was swallowed."""
    if text.startswith(REPEAT):
        return True
    lost = _REFUSED.search(text) is not None or _LOST.search(text) is not None
    return lost and failure_kind(text).kind != "protocol"
