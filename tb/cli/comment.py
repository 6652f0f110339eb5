# SPDX-License-Identifier: Apache-2.0
"""``goldbeat comment``."""

from __future__ import annotations

from typing import Annotated

import typer

from goldbeat.tb.cli.common import examples
from goldbeat.tb.cli.regress_options import CiService
from goldbeat.tb.regress.store import Store


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "comment",
        epilog=examples(
            "goldbeat comment --ci github                the newest run, on the pull request of this job",
            "goldbeat comment 12 --ci gitlab --name nightly",
        ),
    )(comment_command)


def comment_command(
    ci: Annotated[CiService, typer.Option("--ci", help="The server of this job.")],
    run: Annotated[int | None, typer.Argument(metavar="RUN", help="Number of the run; default the newest.")] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Which comment to update, where several regressions comment.")
    ] = "regression",
) -> None:
    """Comment a run on the pull or merge request of a CI job.

    Later pushes update the same comment. GitHub needs GITHUB_TOKEN with pull-requests: write, GitLab
    needs GOLDBEAT_TOKEN with scope api.

    Exit code: 0, also if the server takes no comment, as for pull requests from forks; 2 bad usage.
    """
    from goldbeat.tb.regress.comment import NoCommentError, comment_text, find_place, put_comment

    with Store() as store:
        chosen = store.run(run) if run is not None else next(iter(store.runs(last=1)), None)
        text = comment_text(store, chosen)
    try:
        typer.echo(put_comment(find_place(ci.value), name, text))
    except NoCommentError as error:
        typer.echo(f"no comment: {error}")
