# SPDX-License-Identifier: Apache-2.0
"""What a simulator process needs to find cocotb, and its seeds."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.paths import IMPORT_ROOT


def cocotb_environment(top: str, module: str, seed: int, results: Path, paths: Sequence[Path] = ()) -> dict[str, str]:
    """The environment of a simulator process that runs cocotb tests.

    Args:
        top: the top module.
        module: the Python module with the tests.
        seed: of Python's random module, any number not below 0.
        results: where cocotb puts its results file.
        paths: folders that Python looks for modules in, before all others.
    """
    import cocotb_tools.config
    import find_libpython

    library = find_libpython.find_libpython()
    if library is None:
        raise ToolError("this Python has no shared library (libpython), which cocotb needs; use one built with it")
    env = dict(os.environ)
    env.pop("PYTEST_CURRENT_TEST", None)
    search = [*map(str, paths), str(IMPORT_ROOT), *sys.path]
    # A simulator that was built elsewhere looks for cocotb where it was installed there.
    libraries = [cocotb_tools.config.libs_dir, env.get("LD_LIBRARY_PATH", "")]
    return env | {
        "LD_LIBRARY_PATH": os.pathsep.join(str(p) for p in libraries if p),
        "PYTHONPATH": os.pathsep.join(p for p in search if p),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{library};{cocotb_tools.config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": top,
        "COCOTB_TEST_MODULES": module,
        "COCOTB_RANDOM_SEED": str(simulator_seed(seed)),
        "COCOTB_RESULTS_FILE": str(results),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "TOPLEVEL_LANG": "verilog",
    }


def seed_arguments(seed: int) -> list[str]:
    """What makes the simulator's own randomness (initial values of flip-flops) depend on the seed alone."""
    return [f"+verilator+seed+{simulator_seed(seed)}", "+verilator+rand+reset+2"]


def simulator_seed(seed: int) -> int:
    """A seed as Verilator takes it, from 1 to 2^31-1."""
    return seed % 0x7FFFFFFE + 1
