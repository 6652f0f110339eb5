# SPDX-License-Identifier: Apache-2.0
"""Mutants that no case can notice, or need not, each with its reason: ``mutants.toml`` beside the sources or the description."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.mutant import Mutant, shortened
from goldbeat.tb.toml import Reason, load_model

FILE = "mutants.toml"


class MutantWaiver(BaseModel):
    """``[[waive]]``: mutants of one place.

    Attributes:
        file: name of the source file.
        line: text of the source line, or a part of it; spaces do not count. Empty: any line.
        change: the change as in reports, in full or a part of it. Empty: any change.
        column: column of the change, as in reports. 0: any column.
        designs: designs that the waiver applies to. Empty: all designs that have the file.
        reason: why no case needs to notice it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    line: str = ""
    change: str = ""
    column: int = Field(0, ge=0)
    designs: tuple[str, ...] = ()
    reason: Reason

    def concerns(self, design: Design) -> bool:
        """Whether it can be about a mutant of this design."""
        names = {path.name for path in design.sources()}
        return self.file in names and (not self.designs or design.name in self.designs)

    def fits(self, mutant: Mutant, line: str) -> bool:
        """Whether it is about this mutant, whose place stands in this line."""
        whole = shortened(line, 10_000)
        return (
            mutant.place.file.name == self.file
            and shortened(self.line, 10_000) in whole
            and self.column in (0, mutant.place.column)
            and (self.change in f"{mutant.operator}: {mutant.change}" or self.change in _at_length(mutant))
        )


def _at_length(mutant: Mutant) -> str:
    place, text = (shortened(t, 10_000) for t in (mutant.place.text, mutant.text))
    return f"{mutant.operator}: {place} -> {text}"


class WaiverFile(BaseModel):
    """A file of waivers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    waive: tuple[MutantWaiver, ...] = ()


def read_waivers(path: Path) -> tuple[MutantWaiver, ...]:
    """The waivers of a file.

    Raises:
        InputError: it is no such file; with the line.
    """
    return load_model(WaiverFile, path, "a file of waived mutants: tables [[waive]]").waive


def waivers_of_design(design: Design, source: Path | None, more: Path | None) -> tuple[MutantWaiver, ...]:
    """What is waived of a design: by the files beside its sources and its description, and by another one.

    Args:
        design: which.
        source: its description; None: it comes with Goldbeat.
        more: another file; all of it counts.

    Raises:
        InputError: one is no such file.
    """
    folders = [*(path.parent.resolve() for path in design.sources()), *([source.parent.resolve()] if source else [])]
    found: list[MutantWaiver] = []
    for folder in dict.fromkeys(folders):
        path = folder / FILE
        if path.is_file() and (more is None or path != more.resolve()):
            found += (waiver for waiver in read_waivers(path) if waiver.concerns(design))
    return (*found, *(read_waivers(more) if more is not None else ()))


def match(
    waivers: Sequence[MutantWaiver], mutants: Sequence[Mutant]
) -> tuple[dict[int, str], tuple[MutantWaiver, ...]]:
    """What is waived.

    Returns:
        reasons by number of the mutant, and the waivers that fit none.
    """
    lines = {path: path.read_text(errors="replace").splitlines() for path in {m.place.file for m in mutants}}
    reasons: dict[int, str] = {}
    used = set()
    for mutant in mutants:
        line = lines[mutant.place.file][mutant.place.line - 1]
        for number, waiver in enumerate(waivers):
            if waiver.fits(mutant, line):
                used.add(number)
                reasons.setdefault(mutant.number, waiver.reason)
    return reasons, tuple(w for n, w in enumerate(waivers) if n not in used)
