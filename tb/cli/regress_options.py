# SPDX-License-Identifier: Apache-2.0
"""The options of ``goldbeat regress``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand


def taking_number(option: str, without: str) -> type[TyperCommand]:
    """The class of a command with an option that takes a number or nothing: what follows it is taken only if it is a number.

    Args:
        option: such as ``--resume``.
        without: the value in place of a number that was left out.
    """

    class OptionalNumberCommand(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            words: list[str] = []
            for word, after in zip(args, [*args, ""][1:], strict=True):
                words += [word, without] if word == option and not after.isdecimal() else [word]
            return super().parse_args(ctx, words)

    return OptionalNumberCommand


class CiService(StrEnum):
    """Who reads what ``--ci`` writes."""

    GITHUB = "github"
    GITLAB = "gitlab"


SuiteName = Annotated[
    str | None,
    typer.Argument(metavar="[SUITE]", help="Name of a suite, a suite file (.toml), or a description [smoke]."),
]
Seeds = Annotated[
    int | None,
    typer.Option("--seeds", metavar="N", min=1, help="Number of seeds per case, unless the suite sets it."),
]
FirstSeed = Annotated[int, typer.Option("--seed", "-s", metavar="S", min=0, help="First seed.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", metavar="J", min=1, help="Number of worker processes [one per core].")
]
Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="TEXT", help="Run only cases that match this glob or substring."),
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first case that fails.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="List the cases; run nothing.")]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="TIME", help="Run what finds most first; begin no case after TIME (90s, 30m, 2h)."
    ),
]
ShardPart = Annotated[
    str | None,
    typer.Option("--shard", metavar="K/N", help="Run part K of N of the cases; `goldbeat merge` merges the parts."),
]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="[RUN]", help="Resume an unfinished run [the newest]."),
]
AcceptChanges = Annotated[
    bool, typer.Option("--accept-changes", help="With --resume: continue although files have changed.")
]
EngineAddress = Annotated[
    str, typer.Option("--engine", metavar="WHERE", help="local, slurm, lsf, sge, or the address of a dask scheduler.")
]
BatchJobs = Annotated[
    int, typer.Option("--workers", metavar="N", min=1, help="Number of batch jobs (slurm, lsf, sge) at a time.")
]
ReachedHost = Annotated[
    str | None,
    typer.Option("--host", metavar="ADDRESS", help="Address of this machine for batch jobs [its name]."),
]
WaitSeconds = Annotated[
    float,
    typer.Option("--wait", metavar="S", min=1, help="Give up after S seconds without a worker in the farm."),
]
WavesOnFail = Annotated[bool, typer.Option("--waves-on-fail/--no-waves-on-fail", help="Rerun failed cases with waves.")]
MostWaves = Annotated[
    int, typer.Option("--most-waves", metavar="N", min=1, help="Rerun at most N failed cases with waves.")
]
Ci = Annotated[
    CiService | None,
    typer.Option("--ci", help="Write annotations, job summary and code quality for this CI server."),
]
NeedObligations = Annotated[
    bool, typer.Option("--obligations", help="Open obligations of any design make the run partial.")
]
Coverage = Annotated[bool, typer.Option("--coverage", help="Collect code coverage (separate builds, slower).")]
