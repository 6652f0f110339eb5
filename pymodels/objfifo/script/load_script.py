# SPDX-License-Identifier: Apache-2.0
"""Run a script as it is, once: its imports are found, its branches on a core's values are branches."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType

import numpy.typing as npt

from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError, line_in
from goldbeat.pymodels.objfifo.iron.branches import compiled_script
from goldbeat.pymodels.objfifo.iron.placed import close
from goldbeat.pymodels.objfifo.iron.program import open_design
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.iron.surroundings import package_of, script_surroundings
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.execute import LiveResult, array_order, run_live
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions
from goldbeat.pymodels.objfifo.live.record_file import SUFFIX as RECORD
from goldbeat.pymodels.objfifo.live.timings import ArrayOrder
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.script.build_script import build_script
from goldbeat.pymodels.objfifo.script.declared import Declared, planned_form
from goldbeat.pymodels.objfifo.script.explicit import explicit
from goldbeat.pymodels.objfifo.script.import_names import package_installed, script_imports
from goldbeat.pymodels.objfifo.script.jit import (
    CalledUse,
    ScriptSession,
    named_device,
    own_declarations,
    script_session,
)
from goldbeat.pymodels.process_end import process_goes_on

_WHOLE = "a script that runs to its end, with Program(device, runtime).resolve_program()"


class ScriptArray:
    """A script: it is run when something is asked of it, once.

    Args:
        path, arguments: the script and its command line.
        kernels: Python functions that stand for compiled ones.
        device: name of the NPU that a script finds, if it names none itself.
        packets: every fifo as packets.
        use: what becomes of a design that the script calls; None: it is executed.
    """

    def __init__(
        self,
        path: Path,
        arguments: Sequence[str],
        kernels: KernelFunctions,
        device: str | None = None,
        *,
        packets: bool = False,
        use: Callable[[Declared], CalledUse] | None = None,
    ) -> None:
        self.path, self.arguments, self.kernels, self.packets = path, list(arguments), kernels, packets
        self.session = ScriptSession(kernels, None if device is None else named_device(device), use)
        self._found: Declared | None = None
        self._error: GoldbeatError | None = None
        self._planned: FifoDesign | GoldbeatError | None = None
        self.ran_well = False
        """It was run, and without an error."""

    @property
    def results(self) -> list[LiveResult]:
        """Of the designs that it calls; empty if the last design is one that it only declares."""
        return [] if self._declared() is not None else self.session.results

    @property
    def declares(self) -> bool:
        """It declares or calls a design."""
        return self._declared() is not None or bool(self.session.results)

    def execute(
        self,
        inputs: Mapping[str, npt.ArrayLike | ArrayFile] | None = None,
        *,
        runs: int = 1,
        lose_pushes: bool = False,
    ) -> list[LiveResult]:
        """Results of the designs that the script calls, or of the last one that it declares.

        Args:
            inputs: arrays of the design that it declares.
            runs: runs of that design's sequence on one array.
            lose_pushes: as of :func:`run_live`.
        """
        if self.results:
            return self.results
        with self._surrounded():
            return [run_live(self.build, inputs, runs=runs, lose_pushes=lose_pushes)]

    def order(self) -> ArrayOrder:
        """Accesses of the design that it declares, which completes, that nothing orders."""
        with self._surrounded():
            return array_order(self.build)

    def build(self) -> LiveArray:
        """A fresh array of the design that the script declares.

        Raises:
            InputError: it declares none.
        """
        return build_script(self._one(), self.kernels, packets=self.packets)

    def planned(self) -> FifoDesign:
        """The design with its transfers, for planning.

        Raises:
            InputError: it declares none.
            UsageError: it has parts that are only executed.
        """
        # Its sequence is called once: what an error has left half done is not looked at again.
        if self._planned is None:
            try:
                found = self._one()
                with self._surrounded():
                    self._planned = planned_form(found)
            except GoldbeatError as error:
                self._planned = error
        if isinstance(self._planned, Exception):
            raise self._planned
        return self._planned

    def _one(self) -> Declared:
        found = self._declared()
        if found is None:
            more = f"; the package {package} is installed, and was imported" if (package := package_installed()) else ""
            raise InputError("no design", f"a Program, a device body or fifos{more}", file=self.path)
        return found

    @contextmanager
    def _surrounded(self) -> Iterator[None]:
        """What the script finds while it runs, and while its sequence does; its own errors are the file's."""
        with script_surroundings(self.path, self.arguments), script_imports(), process_goes_on(), _errors_of(self.path):
            yield

    def _declared(self) -> Declared | None:
        """The last design that the script declares without calling it."""
        if self._error is not None:
            raise self._error
        if not self.ran_well:
            try:
                self._run()
            except GoldbeatError as error:
                self._error = error
                raise
        return self._found

    def _run(self) -> None:
        """Run the script; what it prints is not shown."""
        if not self.path.is_file():
            raise InputError("no file", "a Python script", file=self.path)
        if self.path.suffix == RECORD:
            raise InputError("a record", "a design; a record is for goldbeat objfifo run", file=self.path)
        main = ModuleType("__main__")
        main.__dict__["__file__"] = str(self.path)
        main.__package__ = package_of(self.path) or None
        with self._surrounded(), script_session(self.session), own_declarations() as designs, fresh() as scope:
            scope.live = scope.silent = True
            unseen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
            with redirect_stdout(unseen), _ends_well(self.path) as early:
                check_code_file(self.path)
                exec(compiled_script(self.path), main.__dict__)
            done = bool(designs.designs or self.session.results)
            if early and not done:
                raise InputError(
                    "the script ends with SystemExit before it has declared a design", _WHOLE, file=self.path
                )
            if not done and scope.runtimes:
                raise InputError("a Runtime that no resolved Program has", _WHOLE, file=self.path)
            if designs.designs:
                self._found = self.session.planned or designs.designs[-1]
            elif not self.session.results and scope.fifos:
                types, sequence = explicit().sequence or ((), None)
                self._found = Declared(close(scope), explicit(), types, sequence, scope=scope)
            elif not self.session.results and scope.open_fifos:
                self._found = Declared(open_design(scope), explicit())
        self.ran_well = True


@contextmanager
def _ends_well(path: Path) -> Iterator[list[SystemExit]]:
    """A script may end itself, with 0; the end is in the list then."""
    found: list[SystemExit] = []
    try:
        yield found
    except SystemExit as error:
        if error.code:
            raise InputError(f"the script ends with: {error.code}", "0", file=path) from error
        found.append(error)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Errors of a script's own, with its line."""
    try:
        yield
    except InputError as error:
        line = line_in(error, path)
        if error.file is not None or error.line is not None or line is None:
            raise
        raise InputError(error.found, error.expected, file=path, line=line) from error
    except UsageError as error:
        line = line_in(error, path)
        if type(error) is not UsageError or line is None or f"{path.name}:" in str(error):
            raise
        raise UsageError(f"{path}:{line}: {error}") from error
    except RuleError as error:
        line = line_in(error, path)
        if line is None or f"{path.name}:" in error.text:
            raise
        raise RuleError(error.rule, f"{path}:{line}: {error.text}") from error
    except GoldbeatError:
        raise
    except Exception as error:
        line = line_in(error, path) or getattr(error, "lineno", None)
        text = f"{type(error).__name__}: {error}"
        raise InputError(text, "a script that runs to its end", file=path, line=line) from error


def script_design(path: Path, arguments: Sequence[str] = (), device: str | None = None) -> FifoDesign:
    """The design that a script declares, or the first that it calls, for planning; nothing is executed.

    Raises:
        RuleError: a rule that is broken while the design is being made.
        InputError: the file cannot be run, or declares no design.
        UsageError: it has parts that are only executed.
    """
    return ScriptArray(path, arguments, {}, device, use=lambda _: CalledUse.ENDS).planned()
