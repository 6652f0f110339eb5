# SPDX-License-Identifier: Apache-2.0
"""A design from a Python file."""

from __future__ import annotations

import io
import runpy
import traceback
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.pymodels.objfifo.iron.branches import compiled_script
from goldbeat.pymodels.objfifo.iron.placed import close
from goldbeat.pymodels.objfifo.iron.program import open_design
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.iron.surroundings import script_surroundings
from goldbeat.pymodels.objfifo.plan.design import FifoDesign


def load_fifo_design(path: Path, arguments: Sequence[str] = ()) -> FifoDesign:
    """Run a file and take the last design it declared; what it prints is not shown.

    Args:
        path: the file.
        arguments: its command line.

    Raises:
        RuleError: a rule that is broken while the design is being made.
        InputError: the file cannot be run, or declares no design.
    """
    if not path.is_file():
        raise InputError("no file", "a Python file with a design", file=path)
    check_code_file(path)
    with fresh() as scope, redirect_stdout(io.StringIO()), script_surroundings(path, arguments):
        scope.silent = True
        try:
            # Only branches of core bodies need more than the file as it is.
            if "if_(" in path.read_text(encoding="utf-8", errors="replace"):
                exec(compiled_script(path), {"__name__": "__main__", "__file__": str(path)})
            else:
                runpy.run_path(str(path), run_name="__main__")
        except GoldbeatError:
            raise
        except SystemExit as error:
            if error.code:
                raise InputError(f"exit with {error.code}", "a file that runs to its end", file=path) from error
        except BaseException as error:
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
            if isinstance(error, KeyboardInterrupt):
                raise
            line = lines[-1] if lines else getattr(error, "lineno", None)
            found = f"{type(error).__name__}: {error}"
            raise InputError(found, "a file that runs to its end", file=path, line=line) from error
        if scope.designs:
            return scope.designs[-1]
        if scope.open_fifos:
            return open_design(scope)
        if scope.fifos:
            return close(scope)
    raise InputError("no object FIFO", "a design: a Program, a device body or fifos", file=path)
