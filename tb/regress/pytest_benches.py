# SPDX-License-Identifier: Apache-2.0
"""Benches in pytest: descriptions, and tests for cocotb in modules with the mark ``goldbeat_bench``.

Every pytest loads this where Goldbeat is installed, so what takes time to import is imported when it is used. All tests are
pytest's functions: names, parameters, marks, fixtures, lines and the options of pytest and its plugins are pytest's own.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from goldbeat.tb.regress.bench_run import BenchRun

MARK = "goldbeat_bench"
_RUN = inspect.Parameter("goldbeat_run", inspect.Parameter.KEYWORD_ONLY)
_TEST = inspect.Parameter("goldbeat_test", inspect.Parameter.KEYWORD_ONLY)


@pytest.hookimpl(specname="pytest_addoption")
def pytest_bench_settings(parser: pytest.Parser) -> None:
    """Settings in pytest.ini or pyproject.toml."""
    parser.addini("goldbeat_benches", "collect Goldbeat's descriptions (*.toml)", type="bool", default=True)
    parser.addini("goldbeat_seeds", "seeds of every case of a description", default="3")


@pytest.hookimpl(specname="pytest_configure")
def pytest_bench_mark(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        "markers", f"{MARK}(sources, hdl_toplevel, parameters, ...): the RTL under the cocotb tests of a module"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Descriptions, unless a test file beside them runs them."""
    if file_path.suffix != ".toml" or not parent.config.getini("goldbeat_benches"):
        return None
    from goldbeat.tb.regress.pytest_descriptions import DescriptionFile, is_description

    if not is_description(file_path):
        return None
    name = "".join(c if c.isalnum() else "_" for c in file_path.stem)
    if file_path.with_name(f"test_{name}.py").exists():
        return None
    made: pytest.Collector = DescriptionFile.from_parent(parent, path=file_path)
    return made


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> Any:
    """Tests of cocotb in a module with the mark, as functions of pytest."""
    decorators = sys.modules.get("cocotb._decorators")
    decorated = decorators is not None and isinstance(obj, decorators.TestGenerator)
    if not decorated and not inspect.iscoroutinefunction(obj):
        return None
    function: Any = obj.func if decorated else obj  # type: ignore[attr-defined]
    marks = getattr(function, "pytestmark", [])
    if not isinstance(collector, pytest.Module) or not (
        collector.get_closest_marker(MARK) or any(mark.name == MARK for mark in marks)
    ):
        return None
    made = _with_parameters(obj) if decorated else _with_fixtures(function)
    # pytest looks it up again by its name.
    setattr(collector.obj, name, made)
    return collector.ihook.pytest_pycollect_makeitem(collector=collector, name=name, obj=made)


def _with_fixtures(function: Callable[..., Any]) -> Callable[..., None]:
    """A plain coroutine: pytest gives it its arguments."""

    def run(*, goldbeat_run: BenchRun, **arguments: Any) -> None:
        goldbeat_run.call(function, arguments)

    functools.update_wrapper(run, function)
    own = inspect.signature(function).parameters.values()
    given = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    run.__signature__ = inspect.Signature([*given, _RUN])  # type: ignore[attr-defined]
    return run


def _with_parameters(generator: Any) -> Callable[..., None]:
    """A test of cocotb's decorators: cocotb gives it its arguments."""
    tests = list(generator.generate_tests())

    def run(*, goldbeat_run: BenchRun, goldbeat_test: Any = tests[0]) -> None:
        if goldbeat_test.skip:
            pytest.skip("cocotb.test(skip=True)")
        goldbeat_run.only(goldbeat_test.fullname)

    functools.update_wrapper(run, generator.func)
    wanted = [_RUN]
    run.__test__ = True  # type: ignore[attr-defined]
    marks = list(getattr(generator.func, "pytestmark", []))
    if len(tests) > 1 or "/" in tests[0].name:
        wanted.append(_TEST)
        ids = [test.name.partition("/")[2].replace("/", "-") for test in tests]
        marks.append(pytest.mark.parametrize("goldbeat_test", tests, ids=ids).mark)
    run.pytestmark = marks  # type: ignore[attr-defined]
    run.__signature__ = inspect.Signature(wanted)  # type: ignore[attr-defined]
    return run


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per set of RTL parameters."""
    mark = metafunc.definition.get_closest_marker(MARK)
    sets = None if mark is None else mark.kwargs.get("parameters")
    if isinstance(sets, (list, tuple)) and "goldbeat_parameters" in metafunc.fixturenames:
        ids = ["-".join(f"{name}={value}" for name, value in one.items()) for one in sets]
        metafunc.parametrize("goldbeat_parameters", sets, ids=ids, indirect=True)


class _Placeholder:
    """Stands for the handle of the top module outside of the simulator."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"dut.{name}: there is no simulator in this process. Write the test as `async def`, in a module with"
            f" pytestmark = pytest.mark.{MARK}(sources=[...], hdl_toplevel=...)"
        )


@pytest.fixture(scope="session")
def dut() -> Any:
    """The top module, in coroutines of a module with the mark ``goldbeat_bench``."""
    cocotb = sys.modules.get("cocotb")
    simulated = getattr(cocotb, "is_simulation", False)
    return cocotb.top if cocotb is not None and simulated else _Placeholder()


@pytest.fixture
def goldbeat_parameters(request: pytest.FixtureRequest) -> dict[str, object] | None:
    """The set of RTL parameters of this test."""
    return getattr(request, "param", None)


@pytest.fixture
def goldbeat_run(
    request: pytest.FixtureRequest, tmp_path: Path, goldbeat_parameters: dict[str, object] | None
) -> BenchRun:
    """Runs the cocotb tests of this module, or the cases of a description."""
    from goldbeat.tb.regress.bench_run import BenchRun

    mark = request.node.get_closest_marker(MARK)
    return BenchRun(request.path, tmp_path, dict(mark.kwargs) if mark else {}, goldbeat_parameters)
