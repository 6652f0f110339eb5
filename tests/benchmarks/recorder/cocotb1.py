# SPDX-License-Identifier: Apache-2.0
"""What cocotb 1 had and cocotb 2 has not, as far as suites that were written for it need it; for both kinds of run alike."""

import operator
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

_OPERATORS = ("and_", "or_", "xor", "add", "sub", "mul", "floordiv", "mod", "lshift", "rshift")
_ORDERS = ("lt", "le", "gt", "ge")


def _either(number: Callable[[int, Any], Any], stock: Any) -> Callable[[Any, Any], Any]:
    """An operator that computes with numbers, and leaves two values of cocotb to cocotb where it can."""

    def compute(one: Any, other: Any) -> Any:
        if stock is not None and not isinstance(other, int):
            return stock(one, other)
        return number(int(one), int(other))

    return compute


def values_are_numbers() -> None:
    """Let the values of handles be computed with, and ``handle <= value`` write."""
    from cocotb.handle import ValueObjectBase
    from cocotb.types import Logic, LogicArray

    ValueObjectBase.__le__ = lambda handle, value: setattr(handle, "value", value)
    Logic.integer = property(int)
    for kind in (Logic, LogicArray):
        for name in (*_OPERATORS, *_ORDERS):
            work = getattr(operator, name)
            plain = name.rstrip("_")
            setattr(kind, f"__{plain}__", _either(work, vars(kind).get(f"__{plain}__")))
            if name in _OPERATORS:
                turned = vars(kind).get(f"__r{plain}__")
                setattr(kind, f"__r{plain}__", _either(lambda one, other, work=work: work(other, one), turned))


def old_names() -> None:
    """Let modules be imported that read ``cocotb.SIM_NAME`` or import ``cocotb.log``."""
    import cocotb
    import cocotb.logging

    vars(cocotb).setdefault("SIM_NAME", None)
    log = ModuleType("cocotb.log")
    log.SimLog = cocotb.logging.SimLog  # type: ignore[attr-defined]
    sys.modules.setdefault("cocotb.log", log)


def known_parameters(words: dict[str, Any]) -> dict[str, Any]:
    """The words of a call of cocotb-test, without parameters that its top module does not have: Verilator refuses them."""
    sources = [Path(name) for name in words.get("verilog_sources", ())]
    tops = [path.read_text() for path in sources if path.stem == words.get("toplevel") and path.is_file()]
    if not tops or not words.get("parameters"):
        return words
    declared = set(re.findall(r"\bparameter\b[^,;=]*?\b(\w+)\s*=", tops[0]))
    kept = {name: value for name, value in words["parameters"].items() if name in declared}
    return words | {"parameters": kept}
