# SPDX-License-Identifier: Apache-2.0
"""The first thing that Python does in a simulator: import cocotb without what only its own runner of tests uses.

That is more than half of what cocotb imports: pytest, asyncio with its network code, the debugger, the profiler, the parser of
package metadata. The session needs none of it. What is left out has a stand-in while cocotb is imported; whoever imports it later
gets the real one.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
from importlib.util import LazyLoader, find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from goldbeat.tb.versions import version_of


def import_cocotb() -> None:
    """Import cocotb and what the session takes from it."""
    names = ["pytest", "pdb", *([] if os.environ.get("COCOTB_ENABLE_PROFILING") else ["cProfile", "pstats"])]
    stand_ins = {name: ModuleType(name) for name in names}
    stand_ins["cocotb._version"] = _with("cocotb._version", __version__=version_of("cocotb"))
    errors = _errors_of_asyncio()
    stand_ins["asyncio"] = _with("asyncio", **vars(errors))
    sys.modules.update(stand_ins)
    try:
        importlib.import_module("cocotb.triggers")
    finally:
        for name in stand_ins:
            del sys.modules[name]
    _import_asyncio_later(errors)
    # From Python 3.12 on each record of a log asks asyncio for its task. There is none here, and to ask would import it.
    logging.logAsyncioTasks = False  # type: ignore[attr-defined]


def _with(name: str, **content: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(content)
    return module


def _errors_of_asyncio() -> ModuleType:
    """The module of asyncio's errors, which are all that cocotb takes from it, without the package around it."""
    package = find_spec("asyncio")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("asyncio")
    spec = spec_from_file_location("asyncio.exceptions", Path(package.origin).with_name("exceptions.py"))
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("asyncio.exceptions")
    sys.modules[spec.name] = errors = module_from_spec(spec)
    spec.loader.exec_module(errors)
    return errors


def _import_asyncio_later(errors: ModuleType) -> None:
    """Have asyncio loaded when somebody uses it, with the very errors that cocotb has."""
    spec = find_spec("asyncio")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("asyncio")
    spec.loader = loader = LazyLoader(spec.loader)
    sys.modules["asyncio"] = package = module_from_spec(spec)
    loader.exec_module(package)
    # An import of a module that is there does not name it in its package.
    package.exceptions = errors  # type: ignore[attr-defined]
