# SPDX-License-Identifier: Apache-2.0
"""A commit of a repository as files, in a folder of its own beside the user's work tree."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from goldbeat.pymodels.errors import ToolError, UsageError
from goldbeat.tb.regress.commits import Commit, git


@contextmanager
def worktree_place(place: Path, root: Path) -> Iterator[Path]:
    """Reserve the folder of work trees; what a killed process has left there is removed.

    Every commit has the same path in turn: a simulator whose build names a path is found in the cache again.

    Args:
        place: the folder.
        root: of the repository.

    Raises:
        UsageError: another process has it.
    """
    place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(f"{place}: another bisection is running") from None
    tree = place / "tree"
    with lock:
        _remove_all(root, tree)
        yield tree


@contextmanager
def checked_out(root: Path, tree: Path, commit: Commit) -> Iterator[None]:
    """Have the files of a commit in a folder, with those of its submodules.

    Args:
        root: the user's work tree, which is not changed.
        tree: the folder, which does not exist yet.
        commit: which one.

    Raises:
        ToolError: git fails, or a submodule lacks its commit.
    """
    try:
        git(root, "worktree", "add", "--force", "--detach", str(tree), commit.id)
        _add_submodules(root, tree, commit.id)
        yield
    finally:
        _remove_all(root, tree)


def _submodules(root: Path, revision: str) -> dict[str, str]:
    """The commits of submodules by path."""
    found = {}
    for entry in git(root, "ls-tree", "-r", "-z", revision).split("\0"):
        head, _, path = entry.partition("\t")
        if head.startswith("160000 commit "):
            found[path] = head.rpartition(" ")[2]
    return found


def _add_submodules(root: Path, tree: Path, revision: str) -> None:
    """Take submodules from the user's clones of them: nothing comes over the network."""
    for path, commit in _submodules(root, revision).items():
        clone = root / path
        # One that the user has not got either is no part of what is simulated.
        if not (clone / ".git").exists():
            continue
        try:
            git(clone, "worktree", "add", "--force", "--detach", str(tree / path), commit)
        except ToolError as error:
            raise ToolError(f"submodule {path}: {error}; git fetch in {path} may help") from None
        _add_submodules(clone, tree / path, commit)


def _remove_all(root: Path, tree: Path) -> None:
    """Remove a work tree, and those of submodules in it, with what their repositories note about them."""
    if not tree.exists() and not _notes(root, tree):
        return
    for path in _known_submodules(root):
        _remove_all(root / path, tree / path)
    with suppress(ToolError):
        git(root, "worktree", "remove", "--force", "--force", str(tree))
    # A git that was killed in the middle leaves what it does not take for a work tree.
    shutil.rmtree(tree, ignore_errors=True)
    for note in _notes(root, tree):
        shutil.rmtree(note, ignore_errors=True)


def _known_submodules(root: Path) -> list[str]:
    """Clones of submodules that the user has, by path."""
    words = ("submodule", "foreach", "--quiet", 'printf "%s\\n" "$sm_path"')
    with suppress(ToolError):
        return [path for path in git(root, *words).splitlines() if path]
    return []


def _notes(root: Path, tree: Path) -> list[Path]:
    """The folders in which a repository notes a work tree."""
    with suppress(ToolError):
        common = Path(root, git(root, "rev-parse", "--git-common-dir").strip())
        files = (common / "worktrees").glob("*/gitdir")
        return [one.parent for one in files if one.read_text(errors="replace").strip() == str(tree / ".git")]
    return []
