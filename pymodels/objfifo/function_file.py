# SPDX-License-Identifier: Apache-2.0
"""Functions of a user's Python file."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import GoldbeatError, InputError, line_in
from goldbeat.pymodels.process_end import process_goes_on


def function_from_file(file: Path, name: str) -> Callable[..., Any]:
    """A function of a Python file.

    Raises:
        InputError: the file has no such function, or cannot be run.
    """
    if not file.is_file():
        raise InputError("no file", f"a Python file with a function {name}", file=file)
    check_code_file(file)
    try:
        with process_goes_on():
            names = runpy.run_path(str(file))
    except GoldbeatError:
        raise
    except Exception as error:
        line = line_in(error, file) or getattr(error, "lineno", None)
        raise InputError(
            f"{type(error).__name__}: {error}", "a file that runs to its end", file=file, line=line
        ) from error
    if not callable(names.get(name)):
        raise InputError(f"no function {name}", f"one of {', '.join(n for n in names if callable(names[n])) or 'its own'}",
                         file=file)  # fmt: skip
    function: Callable[..., Any] = names[name]
    return function
