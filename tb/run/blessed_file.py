# SPDX-License-Identifier: Apache-2.0
"""The file beside a description that says what its design did when somebody called it right: ``NAME.blessed.json``.

It is JSON, one line per episode, so that a commit shows which episodes have changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.store import store
from goldbeat.pymodels.validation import first_mistake
from goldbeat.tb.run.blessing import EpisodeMark

KIND: Literal["goldbeat recording"] = "goldbeat recording"
VERSION: Literal[1] = 1
NOTE = "What the design did when it was recorded by `goldbeat run --bless`; not checked by a golden model."
_WHAT = "a file that `goldbeat run --bless` has written"


class BlessedRun(BaseModel):
    """What one seed of a case did.

    Attributes:
        case, seed: which.
        settings: everything else that a run depends on: parameters, options, clocks, inputs.
        episodes: of the run, in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    seed: int
    settings: dict[str, Any]
    episodes: list[EpisodeMark]

    def same_run(self, other: BlessedRun) -> bool:
        """Whether both are of the same case, seed and settings."""
        return (self.case, self.seed, self.settings) == (other.case, other.seed, other.settings)


class BlessedFile(BaseModel):
    """All recordings of a design."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["goldbeat recording"] = KIND
    version: Literal[1] = VERSION
    note: str = NOTE
    design: str
    runs: list[BlessedRun] = []

    def find(self, run: BlessedRun) -> BlessedRun | None:
        """The recording of the same case, seed and settings; None: there is none."""
        return next((one for one in self.runs if one.same_run(run)), None)

    def with_runs(self, runs: Sequence[BlessedRun]) -> BlessedFile:
        """The same with these recordings, in place of those of the same runs."""
        kept = [one for one in self.runs if not any(one.same_run(new) for new in runs)]
        both = sorted([*kept, *runs], key=lambda one: (one.case, one.seed, json.dumps(one.settings, sort_keys=True)))
        return self.model_copy(update={"runs": both})


def read_blessed(path: Path, design: str) -> BlessedFile:
    """Read the recordings of a design; without a file there are none.

    Raises:
        InputError: the file is damaged, of another version, or of another design.
    """
    try:
        stamp = path.stat()
    except FileNotFoundError:
        return BlessedFile(design=design)
    found = _read(path, stamp.st_mtime_ns, stamp.st_size)
    if found.design != design:
        raise InputError(f"recordings of {found.design}", f"those of {design}", file=path)
    return found


@lru_cache(maxsize=16)
def _read(path: Path, stamp: int, size: int) -> BlessedFile:
    """The file as it was at that time, which every seed of a regression asks for."""
    try:
        return BlessedFile.model_validate_json(path.read_bytes())
    except ValidationError as error:
        wrong = first_mistake(error)
        raise InputError(wrong.found, f"{_WHAT} ({wrong.expected})", file=path) from None


def write_blessed(path: Path, content: BlessedFile) -> None:
    """Write all recordings of a design, or nothing."""
    head = json.dumps(content.model_dump(exclude={"runs"}), indent=1).removesuffix("\n}")
    runs = []
    for run in content.runs:
        facts = json.dumps(run.model_dump(exclude={"episodes"}), sort_keys=True).removesuffix("}")
        episodes = ",\n   ".join(json.dumps(one.model_dump()) for one in run.episodes)
        runs.append(f'  {facts}, "episodes": [\n   {episodes}\n  ]}}')
    text = f'{head},\n "runs": [\n' + ",\n".join(runs) + "\n ]\n}\n"
    store(path, text.encode(), force=True)
