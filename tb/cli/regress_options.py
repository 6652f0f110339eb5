# SPDX-License-Identifier: Apache-2.0
"""The options of ``goldbeat regress``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class CiService(StrEnum):
    """Who reads what ``--ci`` writes."""

    GITHUB = "github"
    GITLAB = "gitlab"


SuiteName = Annotated[
    str | None, typer.Argument(metavar="[SUITE]", help="A suite's name, or a suite file (.toml) [smoke].")
]
Seeds = Annotated[
    int | None,
    typer.Option("--seeds", metavar="N", min=1, help="Seeds of every case that does not fix them itself."),
]
FirstSeed = Annotated[int, typer.Option("--seed", "-s", metavar="S", min=0, help="The first seed.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", metavar="J", min=1, help="Worker processes [one a core].")]
Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="TEXT", help="Only cases that it fits (* ? or a part)."),
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first case that does not pass.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run.")]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="[RUN]", help="Go on with a run that has not ended [the newest such run]."),
]
AcceptChanges = Annotated[
    bool, typer.Option("--accept-changes", help="With --resume: go on although files have changed.")
]
EngineAddress = Annotated[
    str, typer.Option("--engine", metavar="WHERE", help="local, or the address of a dask scheduler.")
]
WaitSeconds = Annotated[
    float,
    typer.Option("--wait", metavar="S", min=1, help="Of a farm: give up after S seconds without a worker."),
]
WavesOnFail = Annotated[bool, typer.Option("--waves-on-fail/--no-waves-on-fail", help="Rerun failed cases with waves.")]
MostWaves = Annotated[int, typer.Option("--most-waves", metavar="N", min=1, help="So many of them at most.")]
Ci = Annotated[
    CiService | None,
    typer.Option("--ci", help="Also show the run to a CI server: annotations, job summary, code quality."),
]
Coverage = Annotated[bool, typer.Option("--coverage", help="Count code coverage (own builds, slower).")]
