# SPDX-License-Identifier: Apache-2.0
"""One description a design: everything that run, regress, signoff, the tests and the docs need to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pymodels.errors import UsageError
from pymodels.pattern import Pattern
from pymodels.stimulus import Clock, GoldenModel, Stimulus
from pymodels.trace import Trace

Width = int | str
"""A width in bits, or the name of the parameter that gives it."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Parameter(_Frozen):
    """A parameter of the top module.

    Attributes:
        default: an integer, or a tuple of integers for a packed array of ``bits``-wide elements, element 0 lowest.
        bits: element width of a packed array; None for a plain integer.
    """

    default: int | tuple[int, ...]
    bits: int | None = None


class ClockPort(_Frozen):
    """A clock input, its synchronous active-low reset, and its usual period."""

    name: str
    reset: str
    period_ps: int = 4000


class StreamPort(_Frozen):
    """An AXI-Stream bundle of the design.

    Attributes:
        name: prefix of its signals (``s_axis`` for ``s_axis_tdata``).
        direction: seen from the design.
        clock: the clock it runs on.
        width: of TDATA.
        lanes: name of the parameter that counts the bundles of a packed array of ports; they are then called
            ``name_0`` and so on.
        tid, tdest, tuser: widths of the sideband signals that are there.
        dtype: sample type, for PLIO files and throughput in samples; None where the port carries no samples.
    """

    name: str
    direction: Literal["in", "out"]
    clock: str = "aclk"
    width: Width = 32
    lanes: str | None = None
    tid: Width | None = None
    tdest: Width | None = None
    tuser: Width | None = None
    dtype: str | None = None


class LitePort(_Frozen):
    """An AXI-Lite slave port of the design: 32-bit data, no protection bits."""

    name: str
    clock: str = "aclk"
    address_width: int = 12


class StatusPort(_Frozen):
    """An output that holds a number, compared with the golden model's at the end of a run."""

    name: str
    width: int = 32


@dataclass(frozen=True)
class Setting:
    """What a stimulus maker works from.

    Attributes:
        params: parameter values of this build.
        options: the case's options, defaults overridden by the user.
        seed: the only source of randomness.
        inputs: stimulus that the user gave as files, by port.
        clocks: the design's clocks at their usual periods.
        outputs: names of the output stream ports.
    """

    params: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int
    inputs: Mapping[str, Trace] = field(default_factory=dict)
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()

    def pattern(self, option: str, salt: int = 0) -> Pattern:
        """The pattern an option names (``random:0.3``), on this run's seed; ``salt`` tells several ports apart."""
        return Pattern.parse(str(self.options[option]), seed=self.seed * 1009 + salt)


StimulusMaker = Callable[[Setting], Sequence[Stimulus]]


class Case(_Frozen):
    """A named way to exercise a design.

    Attributes:
        name: what the user calls it.
        summary: one line.
        make: gives the episodes (each begins with a reset).
        options: what ``--set`` may change, with defaults.
        params: parameter values this case wants in place of the defaults.
    """

    name: str
    summary: str
    make: StimulusMaker
    options: Mapping[str, Any] = {}
    params: Mapping[str, Any] = {}


class Design(_Frozen):
    """The one description of a design.

    Attributes:
        name: what the user calls it.
        summary: one line.
        top: top module.
        files: source files relative to ``root``.
        root: folder of the sources.
        parameters: of the top module.
        clocks: at least one; the first is the one that reset release follows.
        streams, registers, status: the ports.
        model: the golden model.
        cases: by name, the first is the default.
        variants: sets of parameter values that lint and tests go through, as differences from the defaults.
        register_model: predicts the answers to the register programs; None where accesses say themselves what to expect.
    """

    name: str
    summary: str
    top: str
    files: tuple[str, ...]
    root: Path
    parameters: Mapping[str, Parameter] = {}
    clocks: tuple[ClockPort, ...] = (ClockPort(name="aclk", reset="aresetn"),)
    streams: tuple[StreamPort, ...]
    registers: tuple[LitePort, ...] = ()
    status: tuple[StatusPort, ...] = ()
    model: GoldenModel
    cases: tuple[Case, ...]
    variants: tuple[Mapping[str, Any], ...] = ({},)
    register_model: Callable[[Mapping[str, Any], Stimulus], Mapping[str, Sequence[tuple[int | None, bool]]]] | None = (
        None
    )

    def case(self, name: str | None) -> Case:
        """A case by name; None gives the first one."""
        if name is None:
            return self.cases[0]
        for case in self.cases:
            if case.name == name:
                return case
        raise UsageError(f"{self.name} has no case {name!r}; it has: {', '.join(c.name for c in self.cases)}")

    def params(self, case: Case, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """All parameter values of a run: the defaults, the case's and the user's."""
        for name in overrides:
            if name not in self.parameters:
                raise UsageError(f"{self.name} has no parameter {name!r}; it has: {', '.join(self.parameters)}")
        values: dict[str, Any] = {name: p.default for name, p in self.parameters.items()}
        return values | dict(case.params) | dict(overrides)

    def resolve(self, width: Width, params: Mapping[str, Any]) -> int:
        """A width as a number."""
        return int(params[width]) if isinstance(width, str) else width

    def bundles(self, params: Mapping[str, Any]) -> list[StreamPort]:
        """The stream ports with arrays taken apart and widths as numbers."""
        found = []
        for port in self.streams:
            fixed: dict[str, Any] = {"width": self.resolve(port.width, params), "lanes": None}
            for side in ("tid", "tdest", "tuser"):
                value = getattr(port, side)
                fixed[side] = None if value is None else self.resolve(value, params)
            if port.lanes is None:
                found.append(port.model_copy(update=fixed))
            else:
                count = int(params[port.lanes])
                found += [port.model_copy(update=fixed | {"name": f"{port.name}_{i}"}) for i in range(count)]
        return found

    def sources(self) -> list[Path]:
        """The source files, checked to be there."""
        paths = [self.root / f for f in self.files]
        for path in paths:
            if not path.is_file():
                raise UsageError(f"{self.name}: no such source file: {path}")
        return paths
