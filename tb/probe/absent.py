# SPDX-License-Identifier: Apache-2.0
"""Modules that nothing defines and that nothing which is simulated uses: slang skips them, Verilator asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import macros_hint, symbol_kind, undefined_macros
from goldbeat.tb.build.harness import MADE_MARK

_HEAD = f"{MADE_MARK}modules that nothing defines, used in untaken generate branches and in unused modules alone.\n"


def absent_modules(top: Any, compilation: Any, errors: Iterable[str] = ()) -> str:
    """Empty modules of these names, as text; each ends the simulation should a parameter ever use it.

    Args:
        top: pyslang's instance symbol.
        compilation: pyslang's, with all sources.
        errors: slang's, which may name macros that stand where a module's name is expected.

    Raises:
        UsageError: a branch that is taken uses one.
    """
    macros, needed = undefined_macros(errors), dict[str, str]()
    nameless: list[str] = []

    def look(node: Any) -> None:
        if symbol_kind(node) == "UninstantiatedDef" and not node.parentScope.isUninstantiated:
            if node.name or not macros:
                needed.setdefault(node.definitionName, str(node.hierarchicalPath))
            else:
                # What a macro should have named: slang takes the instance's name for the module's.
                nameless.append(node.definitionName)

    top.visit(look)
    if needed:
        lines = [f"  {name}: nothing defines it, and {path} is one" for name, path in needed.items()]
        first = "modules are missing; give their files, or their folder by -y:"
        raise UsageError("\n".join([first, *lines] if not macros else [macros_hint(macros), first, *lines]))
    if macros and nameless:
        raise UsageError(macros_hint(macros))
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
