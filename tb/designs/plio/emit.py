# SPDX-License-Identifier: Apache-2.0
"""From samples to a PLIO file: the options that ``gen`` and ``pack`` share, and the writing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.plio_file import TextStyle, write
from goldbeat.pymodels.plio_file.file import is_csv
from goldbeat.pymodels.plio_file.result import stamped
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli.common import clock_period, exact_clock, say, working
from goldbeat.tb.cli.trace_files import check_frames
from goldbeat.tb.designs.plio.packets_command import make_packets

_CSV_CLOCK_PS = 1000
"""Stands in for the clock where a file counts cycles and nobody asks for time."""

Frame = Annotated[
    int | None, typer.Option("--frame", metavar="N", help="Samples per frame; each frame ends with TLAST.")
]
Stall = Annotated[
    str,
    typer.Option("--stall", metavar="PATTERN", help="Idle cycles: random:P, bursty:N, every:N:M, worst, array:V,V,..."),
]
Delay = Annotated[
    str, typer.Option("--delay", metavar="N[,N...]", help="Idle cycles before the first beat, of all files or of each.")
]
Repeat = Annotated[
    str, typer.Option("--repeat", metavar="N[,N...]", help="Times that the samples are sent, of all files or of each.")
]
Pace = Annotated[str, typer.Option("--pace", metavar="N[,N...]", help="Cycles per beat, of all files or of each.")]
WithTime = Annotated[bool, typer.Option("--time", help="Write T lines (needs --clock).")]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="Seed of everything random.")]


@dataclass(frozen=True)
class Emitted:
    """A file that is written.

    Attributes:
        out: the file.
        kind, width: of its port.
        frame: samples per frame.
        packets: ids of packets, as the user gave them.
        clock: in MHz.
        time: write T lines.
        force: overwrite it.
    """

    out: Path
    kind: SampleType
    width: int
    frame: int | None
    packets: str | None
    clock: float | None
    time: bool
    force: bool


@dataclass(frozen=True)
class Pacing:
    """When the beats of a file come: idle cycles by a pattern, a start delay, cycles per beat, and how often all is sent."""

    stall: str
    delay: int
    repeat: int
    pace: int
    seed: int

    @property
    def is_plain(self) -> bool:
        """Back to back from the first cycle on."""
        return self.stall == "none" and not self.delay and self.pace == 1

    def gaps(self, beats: int) -> npt.NDArray[np.int64]:
        """(beats,) idle cycles before each beat."""
        gaps = _stalls(self.stall, beats, self.seed) + (self.pace - 1)
        if beats:
            gaps[0] += self.delay - (self.pace - 1)
        return gaps


def pacings(files: int, stall: str, delay: str, repeat: str, pace: str, seed: int) -> list[Pacing]:
    """The pacing of each file.

    Raises:
        UsageError: not a number for all files or for each.
    """
    columns = [
        _numbers("--delay", delay, files, 0),
        _numbers("--repeat", repeat, files, 1),
        _numbers("--pace", pace, files, 1),
    ]
    _stalls(stall, 1, seed)
    return [Pacing(stall, d, r, p, seed + n) for n, (d, r, p) in enumerate(zip(*columns, strict=True))]


def _numbers(option: str, text: str, files: int, least: int) -> list[int]:
    words = text.split(",")
    if not all(word.strip().isdecimal() and int(word) >= least for word in words):
        raise UsageError(f"{option} {text}: expected whole numbers, at least {least}")
    if len(words) not in (1, files):
        raise UsageError(f"{option} {text}: {len(words)} numbers, expected one, or one for each of {files} files")
    return [int(words[0])] * files if len(words) == 1 else [int(word) for word in words]


def check_emitted(out: Path, time: bool, clock: float | None, pacing: Pacing) -> None:
    """Refuse what a file cannot hold."""
    if time and is_csv(out):
        raise UsageError("a CSV file has no time stamps: it counts cycles; leave --time out")
    if time and clock is None:
        raise UsageError("--time needs the port's clock: --clock MHZ")
    if not pacing.is_plain and not time and not is_csv(out):
        option = f"--stall {pacing.stall}" if pacing.stall != "none" else "--delay or --pace"
        raise UsageError(
            f"{option}: a text file without time stamps cannot hold idle cycles; "
            "add --time --clock MHZ, or write a .csv file"
        )


def emit(file: Emitted, values: npt.NDArray[Any], pacing: Pacing) -> None:
    """Samples to beats to a file."""
    check_emitted(file.out, file.time, file.clock, pacing)
    kind, period = file.kind, clock_period(file.clock) or _CSV_CLOCK_PS
    values = np.concatenate([values] * pacing.repeat) if pacing.repeat > 1 else values
    if file.frame is not None:
        check_frames(len(values), file.frame, kind)
    style = TextStyle(time_lines=file.time, trail=" " if file.time else "")
    if file.packets is None:
        trace = Trace.from_samples(values, kind, file.width, clock_ps=period, frame=file.frame)
    else:
        trace = make_packets(values, kind, file.width, file.frame, file.packets, period)
        # Payload of whatever type stands in the file as 32-bit words.
        kind, style = sample_type("int32"), replace(style, words="packets")
    with working(f"writing {file.out}"):
        paced = trace.with_gaps(pacing.gaps(len(trace)))
        exact = exact_clock(file.clock)
        paced = stamped(paced, exact) if file.time and exact is not None else paced
        write(file.out, paced, kind, style=style, force=file.force)
    say(f"{file.out}: {len(trace)} beats, {len(values)} samples, {int(trace.last.sum())} frames", err=True)


def _stalls(stall: str, beats: int, seed: int) -> npt.NDArray[np.int64]:
    """(beats,) idle cycles before each beat."""
    kind, *numbers = stall.split(":")
    if kind != "every":
        return Pattern.parse(stall, seed=seed).gaps(beats)
    if len(numbers) != 2 or not all(n.isdecimal() for n in numbers) or int(numbers[0]) < 1:
        raise UsageError(f"--stall {stall}: expected every:N:M, M idle cycles after every N beats")
    gaps = np.zeros(beats, np.int64)
    step = int(numbers[0])
    gaps[step::step] = int(numbers[1])
    return gaps
