# SPDX-License-Identifier: Apache-2.0
"""Which files may run as code while a command repeats what somebody else has recorded.

A recorded case names code in many ways: descriptions, models, scripts, kernels, RTL, in options of any design. The check is where
code is loaded, whatever named it, and processes that are started meanwhile inherit it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from goldbeat.pymodels.errors import UntrustedCodeError

_ROOTS = "GOLDBEAT_CODE_ROOTS"
"""Folders whose files may run, separated as in PATH; unset: every file may."""
_ALLOWED: set[Path] = set()
"""Single files that may run."""
_OWN = Path(__file__).resolve().parents[1]
"""Goldbeat itself: the repository, or the installed package."""


@contextmanager
def code_below(*roots: Path) -> Iterator[None]:
    """Refuse code outside of these folders and of Goldbeat itself, here and in processes started meanwhile; none: allow all.

    The environment carries it, so a limit that this process was started with stays in force.
    """
    if not roots or _ROOTS in os.environ:
        yield
        return
    os.environ[_ROOTS] = os.pathsep.join(str(root.resolve()) for root in roots)
    try:
        yield
    finally:
        del os.environ[_ROOTS]


def code_is_limited() -> bool:
    """Whether some files may not run."""
    return _ROOTS in os.environ


def allow_files(paths: Iterable[Path]) -> None:
    """Allow files in this process, wherever they are: code that may run has named them itself."""
    _ALLOWED.update(path.resolve() for path in paths)


def check_code_file(path: Path) -> None:
    """Check that a file may run; call it before code is loaded from anywhere, links followed.

    Raises:
        UntrustedCodeError: the file is outside of the folders that :func:`code_below` allows.
    """
    if (allowed := os.environ.get(_ROOTS)) is None:
        return
    roots = [Path(root) for root in allowed.split(os.pathsep)]
    found = path.resolve()
    if found not in _ALLOWED and not any(found.is_relative_to(root) for root in (*roots, _OWN)):
        raise UntrustedCodeError(
            f"the recorded case names {found}, which is outside this project ({roots[0]}) and runs as code; "
            "--trust allows it"
        )


def check_module(name: str) -> None:
    """The same for a module that is imported by its name: Python's own and installed modules are no part of the project.

    Raises:
        UntrustedCodeError: it does not belong to the project.
    """
    if _ROOTS not in os.environ:
        return
    # Only the outermost package can be found without importing anything.
    spec = find_spec(name.partition(".")[0])
    if spec is None:
        return
    places = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or ())
    installed = [Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)]
    if not places or any(Path(place).resolve().is_relative_to(root) for place in places for root in installed):
        raise UntrustedCodeError(
            f"the recorded case names the module {name}, which is not of this project; --trust allows it"
        )
    for place in places:
        check_code_file(Path(place))
