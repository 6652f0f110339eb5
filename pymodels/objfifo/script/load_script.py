# SPDX-License-Identifier: Apache-2.0
"""Run a script as it is: its imports are found, its branches on a core's values are branches."""

from __future__ import annotations

import io
import traceback
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import numpy.typing as npt

from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.pymodels.objfifo.iron.branches import compiled_script
from goldbeat.pymodels.objfifo.iron.placed import close
from goldbeat.pymodels.objfifo.iron.program import open_design
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.iron.surroundings import script_surroundings
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile
from goldbeat.pymodels.objfifo.script.build_script import build_script
from goldbeat.pymodels.objfifo.script.declared import Declared
from goldbeat.pymodels.objfifo.script.explicit import explicit
from goldbeat.pymodels.objfifo.script.import_names import script_imports
from goldbeat.pymodels.objfifo.script.jit import ScriptSession, named_device, own_declarations, script_session


def run_script(path: Path, arguments: Sequence[str], found: ScriptSession) -> Declared | None:
    """Run a script; what it prints is not shown.

    Args:
        path: the file.
        arguments: its command line.
        found: gets the results of designs that the script calls.

    Returns:
        the last design that it declared without calling it.

    Raises:
        InputError: it cannot be run, or its own check fails.
    """
    if not path.is_file():
        raise InputError("no file", "a Python script", file=path)
    check_code_file(path)
    main = ModuleType("__main__")
    main.__dict__["__file__"] = str(path)
    with script_surroundings(path, arguments), script_imports(), script_session(found), own_declarations() as designs:
        try:
            code = compiled_script(path)
            with fresh() as scope, redirect_stdout(io.StringIO()):
                scope.live = scope.silent = True
                exec(code, main.__dict__)
        except GoldbeatError:
            raise
        except SystemExit as error:
            if error.code:
                raise InputError(f"the script ends with: {error.code}", "0", file=path) from error
        except Exception as error:
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
            line = lines[-1] if lines else getattr(error, "lineno", None)
            found_text = f"{type(error).__name__}: {error}"
            raise InputError(found_text, "a script that runs to its end", file=path, line=line) from error
        if not designs.designs and not found.results:
            if scope.fifos:
                return Declared(close(scope), explicit())
            if scope.open_fifos:
                return Declared(open_design(scope), explicit())
    return designs.designs[-1] if designs.designs else None


class ScriptArray:
    """A script, ready to be built any number of times: it is run anew each time.

    Args:
        path, arguments: the script and its command line.
        kernels: Python functions that stand for compiled ones.
        device: name of the NPU that a script finds, if it names none itself.
        packets: every fifo as packets.
    """

    def __init__(
        self,
        path: Path,
        arguments: Sequence[str],
        kernels: KernelFunctions,
        device: str | None = None,
        *,
        packets: bool = False,
    ) -> None:
        self.path, self.arguments, self.kernels, self.packets = path, list(arguments), kernels, packets
        self.session = ScriptSession(kernels, None if device is None else named_device(device))

    def execute(
        self, inputs: Mapping[str, npt.ArrayLike | ArrayFile] | None = None, *, runs: int = 1, lose_pushes: bool = False
    ) -> list[LiveResult]:
        """Run the script: results of the designs that it calls, or of the last one that it declares.

        Args:
            inputs: arrays of the design that it declares.
            runs: runs of that design's sequence on one array.
            lose_pushes: as of :func:`run_live`.
        """
        with script_imports():
            found = run_script(self.path, self.arguments, self.session)
            if self.session.results and found is None:
                return self.session.results
            return [run_live(self.build, inputs, runs=runs, lose_pushes=lose_pushes)]

    def build(self) -> LiveArray:
        """A fresh array of the design that the script declares.

        Raises:
            InputError: it declares none.
        """
        found = run_script(self.path, self.arguments, self.session)
        if found is None:
            raise InputError("no design", "a device body or a Program", file=self.path)
        return build_script(found, self.kernels, packets=self.packets)
