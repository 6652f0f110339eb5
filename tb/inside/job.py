# SPDX-License-Identifier: Apache-2.0
"""What the host process hands to the simulation, and what comes back.

Both sides are this program; jobs and records are pickles in a folder of their own. Each episode's record is written as soon as
it ends, so that a crash loses none of those before it.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.pattern import Stalled
from goldbeat.pymodels.payload import Payload
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.crossing import Crossing
from goldbeat.tb.design.parameter import ClockPort
from goldbeat.tb.design.ports.bundle import Bundle, StatusPort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort

if TYPE_CHECKING:
    from goldbeat.tb.inside.shared_bytes import SharedBytes

DATA_FOLDERS = "GOLDBEAT_DATA_FOLDERS"
"""Folders in which the design's data files are looked for, one a line."""
ENVIRONMENT = "GOLDBEAT_JOB"
JOURNAL = "GOLDBEAT_JOURNAL"
"""The file descriptor of a pipe that says when episodes start and end: ``start``, ``end`` or ``lost`` (the record could not be
written), the episode's number (``lost``: the error's), and the time by the monotonic clock. ``again``: from this episode on,
another process is needed, since this design cannot be given new initial values."""

ORDERS = "GOLDBEAT_ORDERS"
"""Set: the file descriptor of a pipe. When all episodes have run, a byte in it says that the folder has a job with more of
them; its end, that there are no more."""

PULSE = "GOLDBEAT_PULSE"
"""Set: the seconds between two ``at`` lines of the journal, which say how many picoseconds it is since the reset release of the
episode that started last."""

SHARED = "GOLDBEAT_SHARED"
"""Set: the file descriptors of the memory for arrays of jobs and of that for arrays of records, separated by a comma."""

COVERAGE = "GOLDBEAT_COVERAGE"
"""Set: code coverage is written after every episode."""

Backend = Literal["native", "cocotbext"]
"""Who drives the ports: the kernel's transactors in C++, or cocotbext-axi's in Python."""
BACKENDS: tuple[Backend, ...] = ("native", "cocotbext")


@dataclass(frozen=True, eq=False)
class RawBeats:
    """Whole beats back to back, as few bytes as can be: what most of a call's traces are.

    Attributes:
        data: (n, B) bytes, all of them kept; may be the caller's array.
        ends: beats with TLAST.
        clock_ps, offset_ps: of the trace.
    """

    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]
    clock_ps: int
    offset_ps: int

    def trace(self) -> Trace:
        """The beats as a trace, with bytes of its own."""
        last = np.zeros(len(self.data), np.bool_)
        last[self.ends] = True
        return Trace.from_bytes(self.data.copy(), last=last, clock_ps=self.clock_ps, offset_ps=self.offset_ps)


@dataclass(frozen=True)
class Episode:
    """A stimulus and how long to run it.

    Attributes:
        stimulus: what to drive.
        run_ps: how long the streams run, from the start on; ends the episode (at ``stop_ps``, if that is sooner, by reset).
        seed: the design begins this episode with initial values drawn from it, as in a process of its own; None: with what the
            episode before has left.
        draw_seed: draws what is seen late at clock crossings, where the stimulus has a ``blur_ps``, and idle payload.
        payload: what ports carry on their payload while valid is low, where it is not random.
        long: streams are handed over in parts, and recorded on the job's shelf.
        raw: inputs beside those of the stimulus.
        data_alone: of outputs whose bytes are all kept, the record has the bytes and no traces.
        beats: by stream: the run goes on while fewer have transferred and some still do. None: it ends in time.
        quiet_ps: the episode ends sooner, when nothing has transferred on a stream for so long; its record has no traces of
            inputs, which the host knows. None: it runs to its end.
    """

    stimulus: Stimulus
    run_ps: int
    seed: int | None = None
    draw_seed: int = 0
    long: bool = False
    quiet_ps: int | None = None
    raw: Mapping[str, RawBeats] = field(default_factory=dict)
    data_alone: bool = False
    payload: Mapping[str, Payload] = field(default_factory=dict)
    beats: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Job:
    """One simulator process: the design's top module, ports and crossings, its episodes in order, and who drives the ports.

    Long records go to the shelf.
    """

    top: str
    clocks: tuple[ClockPort, ...]
    streams: tuple[StreamPort, ...]
    registers: tuple[RegisterPort, ...]
    status: tuple[StatusPort, ...]
    episodes: Sequence[Episode]
    memories: tuple[MemoryPort, ...] = ()
    transactors: Backend = "native"
    crossings: tuple[Crossing, ...] = ()
    shelf: Shelf = field(default_factory=Shelf)

    @property
    def bundles(self) -> tuple[Bundle, ...]:
        """All bundles."""
        return (*self.streams, *self.registers, *self.memories)


@dataclass(frozen=True)
class AccessResult:
    """What a step of a register program gave.

    Attributes:
        value: read; None where nothing is read.
        error: answered with an error.
        cycle: of the answer, counted like those of the streams; None where the back end does not know it.
        first: cycle in which the step began, likewise.
        response: as AXI numbers them, of a bus with several; 0 or 1 of others. None where the back end does not know it.
        forms: in which the bus made it, a bit for each form that its port has.
    """

    value: int | None
    error: bool
    cycle: int | None = field(default=None, compare=False)
    first: int | None = field(default=None, compare=False)
    response: int | None = field(default=None, compare=False)
    forms: int = field(default=0, compare=False)


@dataclass(frozen=True, eq=False)
class BurstAnswers:
    """What a program of bursts gave; cycles that have not come are -1.

    Attributes:
        response: (n,) the largest response of each burst.
        offered: (n,) cycle in which its address was first offered.
        first: (n,) cycle of its first data.
        done: (n,) cycle in which it was over.
        data: (beats, width) rows as wide as the bus: those written, and those read.
        beat_response: (beats,) responses of read data.
        answer_user: (beats,) RUSER of read data, and BUSER in the first beat of writes.
    """

    response: npt.NDArray[np.int64]
    offered: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    done: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]
    beat_response: npt.NDArray[np.uint8]
    answer_user: npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Record:
    """What happened in one episode.

    Attributes:
        outcome: transfers of every stream port and the status outputs.
        accesses: results of the register programs by port, those before and after the streams in order.
        driven: by port the steps that a driver has made, with the cycles between them as waits; their results are in ``accesses``.
        violations: broken protocol rules, as text.
        hanging: what each port waited for when the episode ended, as text; empty where nothing waits.
        stalls: how many beats of a stream port waited 1, 2-3, 4-15, 16-63, 64 and more cycles for TREADY; only where the back end
            counts them.
        late_bits: how many bits were seen late, by clock crossing (``SIGNAL at CLOCK``).
        bursts: answers to the programs of bursts, by AXI4 slave port.
        waits: by AXI port and channel the longest wait for ready of what has transferred: since which cycle, and how many.
        data: (n, B) bytes of stream outputs, of episodes that ask for no more.
        taken: beats that each stream input has transferred; of episodes that end when they are quiet.
        released_ps: simulation time of the release of reset.
        origin_ps: simulation time from which the cycles of the streams are counted.
        stalled: by stream port the cycles in which a beat waited for TREADY; only where the back end counts them.
        data_files: files that the design has opened for reading until the end of the episode, as ``$readmemh`` does: by its name
            for each, the path; empty: there is no such file.
        torn_words: how often a flip-flop took several bits that had changed together, by clock crossing as ``late_bits``.
    """

    outcome: Outcome
    accesses: Mapping[str, tuple[AccessResult, ...]] = field(default_factory=dict)
    driven: Mapping[str, tuple[Access, ...]] = field(default_factory=dict)
    violations: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    stalls: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    late_bits: Mapping[str, int] = field(default_factory=dict)
    bursts: Mapping[str, BurstAnswers] = field(default_factory=dict)
    waits: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict, compare=False)
    data: Mapping[str, npt.NDArray[np.uint8]] = field(default_factory=dict)
    taken: Mapping[str, int] = field(default_factory=dict)
    released_ps: int = field(default=0, compare=False)
    origin_ps: int = field(default=0, compare=False)
    stalled: Mapping[str, Stalled] = field(default_factory=dict, compare=False)
    data_files: Mapping[str, str] = field(default_factory=dict, compare=False)
    torn_words: Mapping[str, int] = field(default_factory=dict)


def write_job(job: Job, folder: Path, shared: SharedBytes | None = None) -> None:
    """Put a job where the simulation will look for it, its arrays into shared memory if there is any."""
    _dump(job, folder / "job.pickle", shared)


def read_job(folder: Path, shared: SharedBytes | None = None) -> Job:
    """The job of a folder; arrays in shared memory are good until the next job is written."""
    job: Job = _load(folder / "job.pickle", shared, copy=False)
    return job


def write_record(record: Record, folder: Path, index: int, shared: SharedBytes | None = None) -> None:
    """Keep the record of episode ``index``; what is in shared memory, only until the next one is written."""
    _dump(record, folder / f"record-{index}.pickle", shared)


def read_record(folder: Path, index: int, shared: SharedBytes | None = None) -> Record | None:
    """The record of episode ``index``, None when the simulation did not get that far."""
    path = folder / f"record-{index}.pickle"
    if not path.is_file():
        return None
    record: Record = _load(path, shared, copy=True)
    return record


def _dump(what: Any, path: Path, shared: SharedBytes | None) -> None:
    part = path.with_suffix(".part")
    with part.open("wb") as stream:
        if shared is None:
            pickle.dump([], stream)
            pickle.dump(what, stream, protocol=pickle.HIGHEST_PROTOCOL)
        else:
            apart = list[pickle.PickleBuffer]()
            text = pickle.dumps(what, protocol=5, buffer_callback=lambda one: shared.leaves(one, apart))
            pickle.dump(shared.put(apart), stream)
            stream.write(text)
    part.replace(path)


def _load(path: Path, shared: SharedBytes | None, *, copy: bool) -> Any:
    with path.open("rb") as stream:
        spans = pickle.load(stream)
        return pickle.load(stream, buffers=shared.get(spans, copy=copy) if shared is not None else ())
