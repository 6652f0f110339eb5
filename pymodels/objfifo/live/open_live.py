# SPDX-License-Identifier: Apache-2.0
"""Files whose array can be executed as a whole, and functions that stand for compiled kernels."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from goldbeat.pymodels.code_trust import check_module
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.function_file import function_from_file
from goldbeat.pymodels.process_end import process_goes_on

KernelFunctions = Mapping[str, Callable[..., Any]]
_KERNEL = re.compile(r"([\w.]+)=(?:(.+\.py)|([\w.]+)):([A-Za-z_]\w*)")


class StandIns(dict[str, Callable[..., Any]]):
    """Functions by the names of kernels, or of their object files, that know which of them a design has asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = set[str]()

    def __getitem__(self, name: str) -> Callable[..., Any]:
        self._asked.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """What stands for a kernel; the default where nothing does."""
        if name in self:
            self._asked.add(name)
        return super().get(name, default)

    @property
    def unused(self) -> list[str]:
        """Names that no design has asked for."""
        return [name for name in self if name not in self._asked]


def kernel_functions(items: Iterable[str]) -> StandIns:
    """Functions from ``NAME=FILE.py:FUNCTION`` or ``NAME=MODULE:FUNCTION``; NAME is a kernel or its object file.

    Raises:
        UsageError: another form, or a name that is given twice.
        InputError: no such function.
    """
    found = StandIns()
    for item in items:
        match = _KERNEL.fullmatch(item)
        if match is None:
            raise UsageError(f"--kernel {item}: expected NAME=FILE.py:FUNCTION or NAME=MODULE:FUNCTION")
        name, file, module, function = match.groups()
        if name in found:
            raise UsageError(f"--kernel {item}: {name} is given twice")
        found[name] = function_from_file(Path(file), function) if file else _imported(module, function)
    return found


def _imported(module: str, function: str) -> Callable[..., Any]:
    check_module(module)
    try:
        with process_goes_on():
            made = getattr(importlib.import_module(module), function, None)
    except ImportError as error:
        raise InputError(f"no module {module}: {error}", "a module that can be imported") from error
    if not callable(made):
        raise InputError(f"no function {function} in {module}", "one of the module's own")
    answer: Callable[..., Any] = made
    return answer
