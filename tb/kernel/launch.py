# SPDX-License-Identifier: Apache-2.0
"""What a simulator process needs to find cocotb, and its seeds."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.errors import missing
from goldbeat.tb.paths import IMPORT_ROOT
from goldbeat.tb.versions import version_of

COCOTB = "2.1"
"""The oldest cocotb with the event loop and the test manager that sessions and agents use."""
FORCES = "goldbeat.tb.kernel.forces:refuse_ignored_forces"
"""The entry that lets a test fail whose forces the simulator ignores."""


def python_entries(*own: str) -> tuple[str, ...]:
    """What a simulator's Python calls, one after the other: cocotb's default with calls of ours before the tests."""
    return (
        "cocotb_tools._coverage:start_cocotb_library_coverage",
        "cocotb.logging:_configure",
        "cocotb._init:init_package_from_simulation",
        *own,
        "cocotb.regression:_run_regression",
    )


def with_entry(users: str, own: str) -> str:
    """A caller's list of what a simulator's Python calls, with a call of ours before the last one, which runs the tests."""
    calls = users.split(",")
    return users if own in calls else ",".join([*calls[:-1], own, calls[-1]])


def cocotb_environment(top: str, module: str, seed: int, results: Path, paths: Sequence[Path] = ()) -> dict[str, str]:
    """The environment of a simulator process that runs cocotb tests.

    Args:
        top: the top module.
        module: the Python module with the tests.
        seed: of Python's random module, any number not below 0.
        results: where cocotb puts its results file.
        paths: folders that Python looks for modules in, before all others.
    """
    return simulator_environment(top, seed, paths) | {
        "COCOTB_TEST_MODULES": module,
        "COCOTB_RESULTS_FILE": str(results),
        "PYGPI_USERS": ",".join(python_entries(FORCES)),
    }


def simulator_environment(top: str, seed: int, paths: Sequence[Path] = ()) -> dict[str, str]:
    """The environment of a simulator process that has Python and cocotb; what it runs there is the caller's.

    Args:
        top: as for :func:`cocotb_environment`.
        seed: likewise.
        paths: likewise.
    """
    libraries = _cocotb_files()[1]
    env = dict(os.environ)
    env.pop("PYTEST_CURRENT_TEST", None)
    search = [*map(str, paths), str(IMPORT_ROOT), *sys.path]
    # A simulator that was built elsewhere looks for cocotb where it was installed there.
    places = [str(libraries), env.get("LD_LIBRARY_PATH", "")]
    return env | {
        "LD_LIBRARY_PATH": os.pathsep.join(p for p in places if p),
        "PYTHONPATH": os.pathsep.join(p for p in search if p),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": gpi_users(),
        "COCOTB_TOPLEVEL": top,
        "COCOTB_RANDOM_SEED": str(simulator_seed(seed)),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "TOPLEVEL_LANG": "verilog",
    }


def cocotb_fits(version: str) -> bool:
    """Whether a version of cocotb is new enough."""
    return [int(part) for part in version.split(".")[:2]] >= [int(part) for part in COCOTB.split(".")]


def need_cocotb() -> None:
    """Refuse a cocotb that is too old.

    Raises:
        ToolError: it is; or there is none.
    """
    # Wanted for errors alone: every simulator imports this module.
    from goldbeat.tb.extras import install_hint

    try:
        have = version_of("cocotb")
    except ModuleNotFoundError:
        raise missing("cocotb", "not installed", install_hint("sim")) from None
    if not cocotb_fits(have):
        raise ToolError(f"cocotb {have} is older than {COCOTB}; to get a newer one: {install_hint('sim')}")


def gpi_users() -> str:
    """What a simulator loads for cocotb: Python, and what starts it."""
    libpython, _, entry = _cocotb_files()
    return f"{libpython};{entry},initialize"


@cache
def _cocotb_files() -> tuple[str, Path, Path]:
    """Python's shared library, the folder of cocotb's, and the one that starts Python.

    ``cocotb_tools.config`` gives the same, and imports cocotb and pytest for it.
    """
    need_cocotb()
    import find_libpython

    libpython = find_libpython.find_libpython()
    if libpython is None:
        raise ToolError("this Python has no shared library (libpython), which cocotb needs; use one built with it")
    package = find_spec("cocotb")
    folders = [] if package is None else list(package.submodule_search_locations or ())
    entry = PathFinder.find_spec("cocotb.simulator", folders)
    if entry is None or entry.origin is None:
        raise ToolError("cocotb is installed without its module cocotb.simulator; install it again")
    return libpython, Path(folders[0]).resolve() / "libs", Path(entry.origin).resolve()


def seed_arguments(seed: int) -> list[str]:
    """What makes the simulator's own randomness (initial values of flip-flops) depend on the seed alone."""
    return [f"+verilator+seed+{simulator_seed(seed)}", "+verilator+rand+reset+2"]


def simulator_seed(seed: int) -> int:
    """A seed as Verilator takes it, from 1 to 2^31-1."""
    return seed % 0x7FFFFFFE + 1
