# SPDX-License-Identifier: Apache-2.0
"""Commits of a git repository, and which one to test next to find the first that is bad."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import ToolError, UsageError

_SHORT = 12
_DISTANCE = re.compile(r"^([0-9a-f]{40,64}) \(.*?dist=\d+\)$")


@dataclass(frozen=True)
class Commit:
    """A commit.

    Attributes:
        id: its whole hash.
        author, date: who made it, and when (ISO 8601).
        subject: the first line of its message.
    """

    id: str
    author: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        """The beginning of its hash."""
        return self.id[:_SHORT]

    def __str__(self) -> str:
        return f"{self.short} {self.subject}"


def git(folder: Path, *words: str) -> str:
    """What git prints, without hooks, and of the repository that the folder is in, whatever the environment names.

    Raises:
        ToolError: git fails, or is missing.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "core.hooksPath=/dev/null", *words]
    try:
        # Ctrl-C is for this process, which ends git in order.
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(f"git: {error.strerror}") from error
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise ToolError(f"git {words[0]}: {said.splitlines()[-1]}")
    return done.stdout


class History:
    """The commits of a repository.

    Args:
        root: its work tree; nothing of it is changed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, revision: str) -> Commit:
        """A commit by what people call it.

        Raises:
            UsageError: there is none.
        """
        try:
            if revision.startswith("-"):
                raise ToolError("an option")
            name = git(self.root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
        except ToolError:
            raise UsageError(f"{revision}: no commit of {self.root}") from None
        said = git(self.root, "show", "-s", "--format=%H%x00%an%x00%aI%x00%s", name).rstrip("\n")
        return Commit(*said.split("\0"))

    def check_order(self, good: Commit, bad: Commit) -> None:
        """Refuse a good commit that is not before the bad one.

        Raises:
            UsageError: it is not an ancestor.
        """
        if good == bad:
            raise UsageError(f"good and bad are the same commit ({good})")
        try:
            base = git(self.root, "merge-base", good.id, bad.id).strip()
        except ToolError:
            base = ""
        if base == good.id:
            return
        hint = f"their merge base is {base[:_SHORT]}" if base else "they have no common ancestor"
        if git(self.root, "rev-parse", "--is-shallow-repository").strip() == "true":
            hint = "this clone is shallow; git fetch --unshallow"
        raise UsageError(f"the good commit {good.short} is not an ancestor of the bad one, {bad.short}: {hint}")

    def has_changes(self) -> bool:
        """Files of the work tree differ from its commit."""
        return bool(git(self.root, "status", "--porcelain", "--untracked-files=no").strip())

    def candidates(self, bad: Commit, good: Collection[Commit]) -> list[str]:
        """Commits that may be the first bad one; those that halve the rest best come first, the bad one last."""
        words = ("rev-list", "--bisect-all", bad.id, "--not", *(one.id for one in good))
        found = [match[1] for line in git(self.root, *words).splitlines() if (match := _DISTANCE.match(line))]
        return [*(one for one in found if one != bad.id), bad.id]

    def changed_files(self, commit: Commit) -> list[str]:
        """The files that a commit changes; of a merge, those that differ from its first parent."""
        words = ("diff-tree", "--no-commit-id", "--name-only", "-r", "-m", "--first-parent", "--root", "-z", commit.id)
        return [name for name in git(self.root, *words).split("\0") if name]
