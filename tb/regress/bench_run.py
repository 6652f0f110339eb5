# SPDX-License-Identifier: Apache-2.0
"""What the fixture ``goldbeat_run`` does: builds RTL, runs tests in the simulator, and fails with what they report."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from goldbeat.pymodels.errors import UsageError

JOB = "GOLDBEAT_PYTEST_JOB"
_PATHS = ("sources", "includes")
_BUILD = frozenset({"sources", "includes", "defines", "build_args", "hdl_toplevel", "timescale", "waves"})
_TEST = frozenset({"seed", "plusargs", "test_args", "extra_env", "pre_cmd"})
_RUNNER = frozenset({"public", "waive"})
_KNOWN = _BUILD | _TEST | _RUNNER | {"parameters", "test_module"}
_LOG_LINES = 60


@dataclass(frozen=True)
class PytestJob:
    """A coroutine for the simulator.

    Attributes:
        module: name of its module.
        function: its name.
        arguments: by name.
        wants_dut: it takes the top module as well.
    """

    module: str
    function: str
    arguments: Mapping[str, Any]
    wants_dut: bool


def module_of(path: Path) -> tuple[Path, str]:
    """The folder that Python looks for a file's module in, and the module's name."""
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


@contextmanager
def _on_path(folder: Path) -> Iterator[None]:
    """Let the simulator, which gets this process's path, look for modules here first."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _failures(results: Path) -> list[str]:
    """What failed, by cocotb's results."""
    said = []
    for case in ElementTree.parse(results).iter("testcase"):
        for kind in ("failure", "error"):
            if (found := case.find(kind)) is not None:
                said.append(f"{case.get('name')}: {(found.text or found.get('message') or kind).strip()}")
    return said


class BenchRun:
    """The fixture ``goldbeat_run``.

    Args:
        file: the test file; paths of RTL are relative to its folder.
        folder: for results.
        given: arguments of the mark ``goldbeat_bench``.
        parameters: the set of RTL parameters of this test.
    """

    def __init__(
        self, file: Path, folder: Path, given: dict[str, Any], parameters: Mapping[str, object] | None
    ) -> None:
        self._file, self._folder, self._given, self._parameters = file, folder, given, parameters

    def __call__(
        self, description: str | Path | None = None, *, case: str = "sweep", seeds: int = 1, seed: int = 0, **more: Any
    ) -> None:
        """Run all cocotb tests of the module, or of ``test_module``, in one simulator; or a case of a description.

        Args:
            description: a file, relative to the test file; None: cocotb tests.
            case: of the description.
            seeds: of the case.
            seed: the first of them; of the cocotb tests, if it is not 0.
            more: of the cocotb tests, as for the mark ``goldbeat_bench``; of the case, its parameters and options.
        """
        if description is None:
            self._simulate({**self._given, **({"seed": seed} if seed else {}), **more})
            return
        from goldbeat.tb.regress.pytest_descriptions import run_case

        run_case(self._file.parent / description, case, range(seed, seed + seeds), self._folder, more)

    def only(self, test: str) -> None:
        """Run one test of cocotb's, by its full name."""
        self._simulate(self._given, test_filter=f"^{re.escape(test)}$")

    def call(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        """Run a coroutine of the module in the simulator."""
        wants_dut = "dut" in inspect.signature(function).parameters
        kept = {name: value for name, value in arguments.items() if name != "dut"}
        path = self._folder / "job.pickle"
        for name, value in kept.items():
            try:
                pickle.dumps(value)
            except Exception as error:
                raise UsageError(f"{name}: this value does not reach the simulator, another process: {error}") from None
        path.write_bytes(pickle.dumps(PytestJob(module_of(self._file)[1], function.__name__, kept, wants_dut)))
        self._simulate({**self._given, "test_module": "goldbeat.tb.regress.pytest_job"}, **{JOB: str(path)})

    def _simulate(self, given: Mapping[str, Any], test_filter: str | None = None, **env: str) -> None:
        """Build and run, and fail with what the tests report."""
        unknown = sorted(given.keys() - _KNOWN)
        if unknown or not {"sources", "hdl_toplevel"} <= given.keys():
            wrong = f"unknown {', '.join(unknown)}" if unknown else "sources and hdl_toplevel are needed"
            raise UsageError(f"goldbeat_bench: {wrong}; it takes {', '.join(sorted(_KNOWN))}")
        runner, native = self._runner(given)
        build = {name: value for name, value in given.items() if name in _BUILD}
        build |= {name: self._absolute(build[name]) for name in _PATHS if name in build}
        parameters = given.get("parameters") if self._parameters is None else self._parameters
        if isinstance(parameters, Mapping):
            build["parameters"] = parameters
        runner.build(**build, build_dir=self._folder / "build")
        place, module = module_of(self._file)
        results, log = self._folder / "results.xml", self._folder / "simulation.log"
        test = {name: value for name, value in given.items() if name in _TEST}
        environment = {**test.pop("extra_env", {}), **env, **native}
        with _on_path(place), suppress(SystemExit):
            runner.test(
                **test,
                hdl_toplevel=given["hdl_toplevel"],
                test_module=given.get("test_module", module),
                test_filter=test_filter,
                build_dir=self._folder / "build",
                test_dir=self._folder,
                results_xml=str(results),
                log_file=log,
                waves=given.get("waves", False),
                extra_env=environment,
            )
        self._judge(results, log)

    def _runner(self, given: Mapping[str, Any]) -> tuple[Any, dict[str, str]]:
        """The runner, and what its simulator needs for the drop-in where that is asked for."""
        from goldbeat.tb.build.runner import GoldbeatVerilator
        from goldbeat.tb.dropin.verilator import ENTRIES

        asked = {name: value for name, value in given.items() if name in _RUNNER}
        if os.environ.get("GOLDBEAT_DROPIN", "0") in ("", "0"):
            return GoldbeatVerilator(**asked), {}
        return GoldbeatVerilator(**{"public": "all", **asked}), {"PYGPI_USERS": ",".join(ENTRIES)}

    def _absolute(self, paths: Sequence[str | Path]) -> list[Path]:
        return [self._file.parent / path for path in paths]

    def _judge(self, results: Path, log: Path) -> None:
        text = log.read_text(errors="replace") if log.is_file() else ""
        print(text)
        if not results.is_file():
            last = text.splitlines()[-_LOG_LINES:]
            pytest.fail("\n".join(["the simulator ended without results", *last]), pytrace=False)
        if failures := _failures(results):
            pytest.fail("\n".join(failures), pytrace=False)
