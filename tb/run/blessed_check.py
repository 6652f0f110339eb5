# SPDX-License-Identifier: Apache-2.0
"""Holding a run without a golden model against what was recorded of it. That says "same as recorded", never "right"."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.blessed_file import BlessedRun, read_blessed, write_blessed
from goldbeat.tb.run.blessing import mark_changes, mark_episode, mark_trace
from goldbeat.tb.run.initial_values import in_episode

BlessedState = Literal["none", "same", "changed", "written", "replaced"]


@dataclass(frozen=True)
class BlessedCheck:
    """What a recording says of a run.

    Attributes:
        file: with the recordings.
        run: what this run did, as it would be recorded.
        state: ``none``: this run has no recording; ``same`` or ``changed``; ``written`` or ``replaced``: it has become one.
        changes: what the run did other than recorded, per episode and port.
        changed: numbers of the episodes that did.
    """

    file: Path
    run: BlessedRun
    state: BlessedState
    changes: tuple[str, ...] = ()
    changed: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Beats and values that were compared with the recording."""
        return sum(one.count for one in self.run.episodes)

    def as_dict(self) -> dict[str, Any]:
        """For a report."""
        said = {"same": "same as recorded", "changed": "changed since it was recorded"}
        return {
            "file": str(self.file),
            "state": self.state,
            "meaning": said.get(self.state, "not compared") + "; not checked by a golden model",
            "values": self.count,
            "changes": list(self.changes),
        }


def settings_of(
    params: Mapping[str, Any],
    options: Mapping[str, Any],
    inputs: Mapping[str, Trace],
    clocks: Mapping[str, ClockWish],
    metastability: int | str | None,
) -> dict[str, Any]:
    """What a run depends on beside case and seed, as JSON has it."""
    found = {
        "params": dict(params),
        "options": dict(options),
        "inputs": {name: mark_trace(trace).data for name, trace in inputs.items()},
        "clocks": {name: str(wish) for name, wish in clocks.items()},
        "metastability": metastability,
    }
    plain: dict[str, Any] = json.loads(json.dumps(found, default=list))
    return plain


def check_blessed(
    design: Design, case: str, seed: int, settings: Mapping[str, Any], pairs: Sequence[tuple[Stimulus, Record]]
) -> BlessedCheck:
    """Hold the episodes of one seed against their recording.

    Args:
        design: has a file of recordings.
        case: that ran.
        seed: likewise.
        settings: from :func:`settings_of`.
        pairs: stimulus and record of every episode.

    Raises:
        InputError: the file is damaged.
    """
    assert design.blessed is not None
    marks = [mark_episode(stimulus, record) for stimulus, record in pairs]
    run = BlessedRun(case=case, seed=seed, settings=dict(settings), episodes=marks)
    was = read_blessed(design.blessed, design.name).find(run)
    if was is None:
        return BlessedCheck(design.blessed, run, "none")
    stimuli = [stimulus for stimulus, _ in pairs]
    found = {number: mark_changes(old, new) for number, (old, new) in enumerate(zip(was.episodes, marks, strict=False))}
    changes = [in_episode(number, stimuli, text) for number, texts in found.items() for text in texts]
    changed = tuple(number for number, texts in found.items() if texts)
    if len(was.episodes) != len(marks):
        changes.append(f"{len(was.episodes)} episodes were recorded, there are {len(marks)}")
    return BlessedCheck(design.blessed, run, "changed" if changes else "same", tuple(changes), changed)


def keep_blessed(design: Design, checks: Sequence[BlessedCheck]) -> list[BlessedCheck]:
    """Make recordings of runs, in place of those that differ; what is recorded already and has not changed stays.

    Args:
        design: whose they are.
        checks: of all seeds.

    Returns:
        the checks with what became of them.
    """
    assert design.blessed is not None
    fresh = [one for one in checks if one.state in ("none", "changed")]
    if fresh:
        before = read_blessed(design.blessed, design.name)
        write_blessed(design.blessed, before.with_runs([one.run for one in fresh]))
    became: dict[BlessedState, BlessedState] = {"none": "written", "changed": "replaced"}
    return [replace(one, state=became.get(one.state, one.state)) for one in checks]
