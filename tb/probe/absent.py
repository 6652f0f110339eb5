# SPDX-License-Identifier: Apache-2.0
"""Modules that nothing defines and only branches use which the parameters switch off: slang skips them, Verilator asks for them."""

from __future__ import annotations

import re
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import symbol_kind

_HEAD = "// Made by goldbeat: modules that are used in untaken generate branches alone, and that nothing defines.\n"


def absent_modules(top: Any) -> str:
    """Empty modules of these names, as text; each ends the simulation should a parameter ever use it.

    Args:
        top: pyslang's instance symbol.

    Raises:
        UsageError: a branch that is taken uses one.
    """
    found: dict[str, str] = {}
    needed: dict[str, str] = {}

    def look(node: Any) -> None:
        if symbol_kind(node) != "UninstantiatedDef":
            return
        if node.parentScope.isUninstantiated:
            found.setdefault(node.definitionName, _module(node))
        else:
            needed.setdefault(node.definitionName, str(node.hierarchicalPath))

    top.visit(look)
    if needed:
        lines = (f"  {name}: nothing defines it, and {path} is one" for name, path in needed.items())
        raise UsageError("\n".join(["modules are missing; give their files, or their folder by -y:", *lines]))
    return _HEAD + "".join(found.values()) if found else ""


def _module(node: Any) -> str:
    """A module with the ports and parameters that an instance names."""
    ports = [name or f"port_{number}" for number, name in enumerate(node.portNames)]
    written = str(getattr(node.syntax.parent, "parameters", None) or "")
    named = re.findall(r"\.(\w+)\s*\(", written) or [f"parameter_{n}" for n in range(len(node.paramExpressions))]
    values = f" #({', '.join(f'parameter {name} = 0' for name in named)})" if named else ""
    pins = ", ".join(f"input {name}" for name in ports)
    name = node.definitionName
    return f'module {name}{values} ({pins});\n  initial $fatal(1, "%m: nothing defines {name}");\nendmodule\n'
