# SPDX-License-Identifier: Apache-2.0
"""Modules that nothing defines and that nothing which is simulated uses: slang skips them, Verilator asks for them."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.build.harness import MADE_MARK

_HEAD = f"{MADE_MARK}modules that nothing defines, used in untaken generate branches and in unused modules alone.\n"


def absent_modules(top: Any, compilation: Any) -> str:
    """Empty modules of these names, as text; each ends the simulation should a parameter ever use it.

    Args:
        top: pyslang's instance symbol.
        compilation: pyslang's, with all sources.

    Raises:
        UsageError: a branch that is taken uses one.
    """
    needed: dict[str, str] = {}

    def look(node: Any) -> None:
        if symbol_kind(node) == "UninstantiatedDef" and not node.parentScope.isUninstantiated:
            needed.setdefault(node.definitionName, str(node.hierarchicalPath))

    top.visit(look)
    if needed:
        lines = (f"  {name}: nothing defines it, and {path} is one" for name, path in needed.items())
        raise UsageError("\n".join(["modules are missing; give their files, or their folder by -y:", *lines]))
    found: dict[str, str] = {}
    defined = {definition.name for definition in compilation.getDefinitions()}

    def read(node: Any) -> None:
        if symbol_kind(node) == "HierarchyInstantiation" and (name := node.type.valueText) not in defined:
            found.setdefault(name, _module(name, node))

    for tree in compilation.getSyntaxTrees():
        tree.root.visit(read)
    return _HEAD + "".join(found.values()) if found else ""


def _module(name: str, node: Any) -> str:
    """A module with the ports and parameters that an instantiation names."""
    ports = _names(node.instances[0].connections, "PortConnection", "port")
    parameters = _names(node.parameters.parameters, "ParamAssignment", "parameter") if node.parameters else []
    values = f" #({', '.join(f'parameter {one} = 0' for one in parameters)})" if parameters else ""
    return (
        f"module {name}{values} ({', '.join(f'input {port}' for port in ports)});\n"
        f'  initial $fatal(1, "%m: nothing defines {name}");\nendmodule\n'
    )


def _names(listed: Any, kind: str, what: str) -> list[str]:
    """What is connected or given by name, and a name for what is by place; ``listed`` has commas, too."""
    each = [one for one in listed if symbol_kind(one).endswith(kind)]
    return [
        one.name.valueText if symbol_kind(one).startswith("Named") else f"{what}_{number}"
        for number, one in enumerate(each)
    ]
