# SPDX-License-Identifier: Apache-2.0
"""How to install what an optional part of Goldbeat needs, whatever Goldbeat itself was installed from."""

from __future__ import annotations

import re

from goldbeat.pymodels.errors import ToolError

_PACKAGES = {
    "PIL": "pillow",
    "cocotb_tools": "cocotb",
    "cocotbext": "cocotbext-axi",
    "systemrdl": "systemrdl-compiler",
}
"""Packages by the modules that they bring, where the names differ."""


def install_hint(extra: str) -> str:
    """The command that installs the packages of an extra.

    Args:
        extra: one of ``[project.optional-dependencies]`` in ``pyproject.toml``.
    """
    marker = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    words = [f"'{one.partition(';')[0].strip()}'" for one in _needed() if marker.search(one)]
    return f"pip install {' '.join(words)}" if words else f"install Goldbeat with its extra {extra}"


def package_hint(package: str) -> str:
    """The command that installs one package in a version that Goldbeat works with.

    Args:
        package: its name on PyPI.
    """
    name = re.compile(rf"{re.escape(package)}(?![\w.-])", re.IGNORECASE)
    found = [one.partition(";")[0].strip() for one in _needed() if name.match(one)]
    return f"pip install '{found[0] if found else package}'"


def module_hint(module: str) -> str:
    """The command that installs the package of a module.

    Args:
        module: as it is imported.
    """
    name = module.partition(".")[0]
    return package_hint(_PACKAGES.get(name, name.replace("_", "-")))


def need_module(what: str, module: str) -> None:
    """Refuse what a missing package is needed for.

    Args:
        what: needs it.
        module: as it is imported.

    Raises:
        ToolError: it is not installed.
    """
    if said := lacks_module(what, module):
        raise ToolError(said)


def lacks_module(what: str, module: str) -> str:
    """What is missing, and the command that installs it; empty if it is installed.

    Args:
        what: needs it.
        module: as it is imported.
    """
    # Wanted for what is optional alone.
    from importlib.util import find_spec

    if find_spec(module.partition(".")[0]) is not None:
        return ""
    return f"{what} needs the Python package {module}: {module_hint(module)}"


def _needed() -> list[str]:
    """Everything that Goldbeat may need, as the installation says it."""
    # Wanted for errors alone, and slow to import.
    from importlib.metadata import PackageNotFoundError, requires

    try:
        return requires("goldbeat") or []
    except PackageNotFoundError:
        return []
