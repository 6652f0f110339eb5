# SPDX-License-Identifier: Apache-2.0
"""What a regression is made of: items (one case on one seed), batches of them, and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, PositiveInt, field_validator

from goldbeat.tb.inside.job import Backend
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.run.signoff import Limits


class Status(StrEnum):
    """How an item ended."""

    PASS = "pass"
    RECORDED = "recorded"
    """Nothing failed, no golden model knows the outputs, and they are the same as recorded (``goldbeat run --bless``)."""
    FAIL = "fail"
    """Something differs from the golden model, a rule or a limit is broken, or nothing was compared."""
    ERROR = "error"
    """There was nothing to judge: no stimulus, no simulator, or the simulation ended too early."""
    TIMEOUT = "timeout"
    CRASH = "crash"
    """The simulator process died of a signal of its own, or the worker did, again and again."""
    KILLED = "killed"
    """Something outside ended the simulator (a kill, no memory left): nothing is known, and ``--resume`` runs it again."""

    @property
    def good(self) -> bool:
        """Whether nothing is wrong, as far as anybody knows."""
        return self in (Status.PASS, Status.RECORDED)

    @property
    def label(self) -> str:
        """For people."""
        return "same as recorded" if self is Status.RECORDED else self.value


class Item(BaseModel):
    """One case on one seed: everything that is needed to run it, here or anywhere.

    Attributes:
        index: its number in the plan, counted from 0.
        key: what people call it: ``design/case/K=V+K=V#seed``, the same in every run of the same thing.
        design: the design's name.
        source: its description file; None for one that comes with Goldbeat.
        case: of the design.
        params: parameter values that differ from the case's.
        options: case options that differ from their defaults.
        seed: the only source of randomness.
        transactors: transactors that drive the ports.
        timeout_s: wall time that the simulation of this item may take.
        limits: what its ports must keep.
        inputs: PLIO files that are the stimulus of ports, by port.
        clock_mhz: clock of inputs; None: as described.
        waive: protocol rules that may be broken, next to the design's.
        metastability: the window in picoseconds in which clock crossings are blurred, or ``auto``; None: they are not.
        x_check: run once more with other initial values, and compare.
        payload: policies of idle payload, as ``goldbeat run --payload`` takes them.
        resources: class of the jobs that run it on a batch system; empty: of the default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int
    key: str
    design: str
    source: str | None = None
    case: str
    params: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}
    seed: int
    transactors: Backend = "native"
    timeout_s: float = 120.0
    limits: Limits | None = None
    inputs: Mapping[str, str] = {}
    clock_mhz: float | None = None
    waive: tuple[str, ...] = ()
    metastability: Literal["auto"] | PositiveInt | None = None
    x_check: bool = False
    payload: tuple[str, ...] = ()
    resources: str = ""

    @field_validator("params", "options")
    @classmethod
    def _tuples(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        # JSON knows no tuples, descriptions no lists.
        return {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}

    @property
    def group(self) -> str:
        """The key without the seed."""
        return self.key.rpartition("#")[0]


@dataclass(frozen=True)
class Batch:
    """Items of one build, run one after the other in as few simulator processes as it takes.

    Attributes:
        items: in order; they share design, all parameter values and transactors.
        simulator: the program's path, where worker and master share a file system.
        blobs: content hashes of what else is needed, by role: ``simulator`` without a shared file system, ``source`` for a
            description file, ``input:FILE`` for inputs.
        build_root: the folder for everything made; None: the worker's own.
        coverage: the simulator counts coverage.
        code: hash of the master's Goldbeat; a worker with another one refuses.
        run: names the regression: a worker keeps a simulator process for the next batch of the same one; empty: for none.
    sent_only: a worker elsewhere runs no code but what came with the batch.
    """

    items: tuple[Item, ...]
    simulator: str | None = None
    blobs: Mapping[str, str] = field(default_factory=dict)
    build_root: str | None = None
    coverage: bool = False
    code: str = ""
    run: str = ""
    sent_only: bool = False


def _whole(text: str) -> str:
    """The text with lone surrogates written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True)
class ItemResult:
    """What became of an item.

    Attributes:
        index, key: the item's.
        status: how it ended.
        cycles: last cycle in which something transferred, plus one, summed over the episodes.
        sim_ps: simulated time.
        wall_s: wall time of its simulation.
        compared: output values compared.
        episodes: those that ended.
        trace_hash: over everything recorded; None when not every episode ended.
        failures: what is wrong, the first first.
        ports: figures of every stream port (see :mod:`goldbeat.tb.regress.figures`).
        latency: from input to output ports, in picoseconds.
        coverage: hits of functional coverage bins, by port and bin.
        log: the end of what the simulator printed; empty for a pass.
        worker: host and process.
        attempt: counted from 1; above it the workers before were lost.
        waived: violations that each waiver fitted.
        late_bits: bits that were seen late, by clock crossing, where crossings are blurred.
        traffic: hash over what the testbench did: stimulus, back-pressure, clocks, programs; None where nothing was judged.
        warnings: what fails nothing and may still be wrong.
        obligations: what the ports have tried or not, as far as the worker has not said so before in this regression.
        before: of what does not pass: the items, by index, that had run in its simulator process before it, in order.
    """

    index: int
    key: str
    status: Status
    cycles: int = 0
    sim_ps: int = 0
    wall_s: float = 0.0
    compared: int = 0
    episodes: int = 0
    trace_hash: str | None = None
    failures: tuple[str, ...] = ()
    ports: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    latency: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    coverage: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    log: str = ""
    worker: str = ""
    attempt: int = 1
    before: tuple[int, ...] = ()
    waived: Mapping[str, int] = field(default_factory=dict)
    late_bits: Mapping[str, int] = field(default_factory=dict)
    traffic: str | None = None
    warnings: tuple[str, ...] = ()
    obligations: tuple[Obligation, ...] = ()

    def __post_init__(self) -> None:
        # Texts come from anybody's exceptions. Half a surrogate pair cannot be stored, printed or put on a page.
        object.__setattr__(self, "failures", tuple(map(_whole, self.failures)))
        object.__setattr__(self, "warnings", tuple(map(_whole, self.warnings)))
        object.__setattr__(self, "log", _whole(self.log))

    @property
    def passed(self) -> bool:
        """True for a pass, and for what is the same as recorded."""
        return self.status.good


@dataclass(frozen=True)
class Began:
    """A worker tells the master what it is at now: the prediction or the simulation of an item.

    Attributes:
        worker: who.
        index: the item's.
        age_s: for how many seconds it has been at it.
        name: what people call the worker; empty for one of the master's own machine.
    """

    worker: str
    index: int
    age_s: float = 0.0
    name: str = ""


@dataclass(frozen=True)
class BatchResult:
    """What a worker gives back.

    Attributes:
        results: one an item, in order.
        coverage: merged code coverage of its simulator processes, by point.
        missing: content hashes that the worker has not got; then there are no results, and the batch has to come again with them.
    """

    results: Sequence[ItemResult] = ()
    coverage: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
