# SPDX-License-Identifier: Apache-2.0
"""A user's Python files: golden models, traffic and buses that a description names."""

from __future__ import annotations

import importlib.util
import os
import sys
import zlib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError, line_in, said_of
from goldbeat.pymodels.process_end import process_goes_on
from goldbeat.tb.design.files_read import recording_reads


def load_function(folder: Path, reference: str, what: str) -> Any:
    """The function that ``file.py:function`` names.

    Raises:
        InputError: no such file or function, or the file does not run.
    """
    file, _, name = reference.partition(":")
    path = folder / file
    if not name or not file.endswith(".py"):
        raise UsageError(f"{what}: found {reference!r}, expected file.py:function")
    function = getattr(load_module(path), name, None)
    if not callable(function):
        raise InputError(f"no function {name!r}", f"the {what} named in the description", file=path)
    return function


def load_module(path: Path) -> ModuleType:
    """A user's Python file as a module of its own."""
    if not path.is_file():
        raise InputError("no such file", "a Python file", file=path)
    check_code_file(path)
    name = f"goldbeat_user_{path.stem}_{zlib.crc32(os.fsencode(path.resolve())):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("another kind of file", "a Python file", file=path)
    module = importlib.util.module_from_spec(spec)
    # Classes with annotations look for their module there.
    sys.modules[name] = module
    try:
        with recording_reads(), process_goes_on():
            spec.loader.exec_module(module)
    except GoldbeatError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(said_of(error), "a file that can be loaded", file=path, line=line_in(error, path)) from error
    return module


@cache
def load_class(path: Path, name: str) -> Any:
    """A class of a user's file; the file is known as its ``plug_in``.

    Raises:
        InputError: no such file or class, or the file does not run.
    """
    module = load_module(path)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        raise InputError(f"no class {name!r}", "the class named in the description", file=path)
    found.plug_in = path  # type: ignore[attr-defined]
    return found
