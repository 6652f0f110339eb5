# SPDX-License-Identifier: Apache-2.0
"""Which code a recorded case may run: that of the project around the current folder, any other only with ``--trust``.

A file of results or a run's folder can come from anywhere. Descriptions are checked before anything runs;
:mod:`goldbeat.pymodels.code_trust` checks whatever is loaded later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from goldbeat.pymodels.code_trust import code_below
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.revision import file_hash
from goldbeat.tb.regress.store import Run

CODE = "code"
"""Under this name, a run's settings keep the hash of every description by its path."""


def project_root() -> Path:
    """The repository that the current folder is in, or the current folder where there is none."""
    here = Path.cwd().resolve()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


@contextmanager
def code_of_project(*, trust: bool) -> Iterator[None]:
    """Run recorded cases in this context: code outside of the project is refused where it is loaded.

    Args:
        trust: the user allows any code.
    """
    with code_below(*(() if trust else (project_root(),))):
        yield


def descriptions(items: Iterable[Item]) -> list[str]:
    """The description files of items, each once, in order."""
    return list(dict.fromkeys(item.source for item in items if item.source is not None))


def description_hashes(items: Iterable[Item]) -> dict[str, str]:
    """What a new run records of its descriptions."""
    return {source: file_hash(Path(source)) for source in descriptions(items)}


def check_trusted(run: Run, items: Iterable[Item], *, trust: bool) -> list[str]:
    """Refuse to run descriptions that are not of this project.

    Args:
        run: that names them.
        items: to be run.
        trust: the user wants them run wherever they are.

    Returns:
        notes: descriptions that have changed since the run.

    Raises:
        UsageError: a description is outside the project and not trusted.
    """
    root = project_root()
    notes = []
    for source in descriptions(items):
        path = Path(source).resolve()
        now = file_hash(path)
        if not trust and not path.is_relative_to(root):
            raise UsageError(
                f"run {run.id} names the description {path} (sha256 {now}), which is outside this project ({root}); "
                "descriptions are code: --trust runs it"
            )
        if run.settings.get(CODE, {}).get(source, now) != now:
            notes.append(f"{source} has changed since run {run.id}")
    return notes
