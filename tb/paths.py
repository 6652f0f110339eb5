# SPDX-License-Identifier: Apache-2.0
"""Where things lie."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import re
import sys
from pathlib import Path

from goldbeat.pymodels.errors import UsageError

REPOSITORY = Path(__file__).resolve().parents[1]
HDL = REPOSITORY / "hdl"
IMPORT_ROOT = Path(__file__).absolute().parents[2]
"""The folder on Python's path that holds the package ``goldbeat``; processes that are started here search it too."""
PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
"""Names that can be used anywhere: no path, no option, no hidden file."""
_LONGEST = 120
_UNBUILDABLE = re.compile(r"[\s$#%:;&|<>()*?\[\]{}!'\"`\\]")


def build_root() -> Path:
    """The folder for results (``GOLDBEAT_BUILD``, or ``build`` below the current folder)."""
    return Path(os.environ.get("GOLDBEAT_BUILD", "build")).resolve()


def as_named(folder: Path) -> Path:
    """A folder of results by the name that the user gave: with the link that ``build`` may be."""
    root = build_root()
    if not folder.is_relative_to(root):
        return folder.absolute()
    return Path(os.environ.get("GOLDBEAT_BUILD", "build")).absolute() / folder.relative_to(root)


def cache_root() -> Path:
    """The folder for compiled simulators, the same for all projects of a user.

    ``GOLDBEAT_CACHE``, else ``GOLDBEAT_BUILD``, else ``goldbeat`` in the user's folder for caches (``XDG_CACHE_HOME``,
    ``~/.cache``), or the folder for everything made where that one cannot be written; stderr says so once.
    """
    given = os.environ.get("GOLDBEAT_CACHE") or os.environ.get("GOLDBEAT_BUILD")
    if given:
        return Path(given).resolve()
    try:
        folder = _user_cache(os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))
    except (OSError, RuntimeError) as error:
        _say_once(f"note: simulators are kept in {build_root()}: {error}; set GOLDBEAT_CACHE to another folder")
        return build_root()
    return folder


@functools.cache
def _user_cache(base: str, home: str) -> Path:
    """The folder for a base and a home; it is made, and can be written.

    Raises:
        OSError: it cannot.
        RuntimeError: there is no home.
    """
    # A base that is not absolute counts as none, by the standard.
    root = Path(base) if Path(base).is_absolute() else Path(home or "~").expanduser() / ".cache"
    folder = root / "goldbeat"
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "cannot be written", str(folder))
    if found := _UNBUILDABLE.search(str(folder)):
        raise OSError(errno.EINVAL, f"make cannot build in a folder with {found[0]!r} in its path", str(folder))
    return folder.resolve()


@functools.cache
def _say_once(text: str) -> None:
    print(text, file=sys.stderr)


def check_root(root: Path) -> None:
    """Refuse a folder for simulators in which make and the compiler cannot work.

    Raises:
        UsageError: its path has spaces, dollar signs or the like; paths of a project may have them.
    """
    if found := _UNBUILDABLE.search(str(root)):
        raise UsageError(
            f"{root}: make cannot build in a folder with {found[0]!r} in its path; "
            "set GOLDBEAT_CACHE to a folder without spaces and special characters"
        )


def plain_folder(folder: Path) -> Path:
    """The folder; or a link to it in the cache, where make and the shell would break on its path.

    Raises:
        UsageError: nor can they work in the cache.
    """
    if not _UNBUILDABLE.search(str(folder)):
        return folder
    check_root(cache_root())
    link = cache_root() / "links" / hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        # Several processes may make it, of which all want the same.
        with contextlib.suppress(FileExistsError):
            link.symlink_to(folder)
    return link


def plain_name(text: str) -> str:
    """A file name for a text from a description or a file name, which may hold anything.

    Letters, digits, ``.``, ``_`` and ``-`` stay. Any other text gets a part of its hash, so that two of them never share a name.
    """
    if PLAIN.fullmatch(text) and len(text) <= _LONGEST:
        return text
    mark = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    readable = re.sub(r"[^A-Za-z0-9_.-]", "_", text[: _LONGEST - len(mark) - 1]).lstrip(".-")
    return f"{readable}-{mark}" if readable else mark
