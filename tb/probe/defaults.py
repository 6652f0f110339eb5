# SPDX-License-Identifier: Apache-2.0
"""Parameters without a default: a module that has them is no top until their values are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import Compiled
from goldbeat.tb.probe.value_guesses import guess_value


def check_defaults(compiled: Compiled, top: str | None, overrides: Mapping[str, str]) -> str | None:
    """Refuse a top module whose parameters lack values that their names do not tell.

    Args:
        compiled: the sources.
        top: the top module; None: the only one.
        overrides: values given, by parameter.

    Returns:
        the top module that has type parameters without a default, which a wrapper fills; None: there is no such thing.

    Raises:
        UsageError: it names the parameters, and how to give them.
    """
    lacking = {
        d.name: [(name, is_type) for name, is_type in _without_default(d) if is_type or name not in overrides]
        for d in compiled.compilation.getDefinitions()
        if d.name == top or (top is None and compiled.is_given(d))
    }
    lacking = {module: names for module, names in lacking.items() if names}
    if not lacking or (top is None and compiled.tops()):
        return None
    if len(lacking) == 1:
        ((module, names),) = lacking.items()
        if any(is_type for _, is_type in names) and all(t or guess_value(name) is not None for name, t in names):
            return str(module)
    lines = [_explain(module, names) for module, names in lacking.items()]
    choose = "\nname the top module with --top" if len(lines) > 1 else ""
    raise UsageError("\n".join(lines) + choose)


def _explain(module: str, names: list[tuple[str, bool]]) -> str:
    values = [name for name, is_type in names if not is_type and guess_value(name) is None] or [
        n for n, t in names if not t
    ]
    options = " ".join(f"-G {name}=VALUE" for name in values)
    one = "it" if len(values) == 1 else "them"
    if not values:
        return f"{module}: no default for type parameter {', '.join(name for name, _ in names)}"
    return f"{module}: no default for parameter {', '.join(values)}: give {one} with {options}"


def _without_default(definition: Any) -> Iterator[tuple[str, bool]]:
    """Parameters of a module's header that have no default, and whether each is a type."""
    header = getattr(definition.syntax, "header", None)
    for declaration in getattr(getattr(header, "parameters", None), "declarations", None) or ():
        for declarator in getattr(declaration, "declarators", None) or ():
            if not hasattr(declarator, "name"):
                continue
            is_type = hasattr(declarator, "assignment")
            if getattr(declarator, "assignment" if is_type else "initializer") is None:
                yield declarator.name.valueText, is_type
