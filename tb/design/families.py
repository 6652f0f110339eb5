# SPDX-License-Identifier: Apache-2.0
"""The folders of designs, discovered, and what each says of itself without being imported whole."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache


@cache
def families() -> dict[str, str]:
    """The folders of designs by name, as packages to import."""
    # By name: what designs are made of never imports one.
    home = importlib.import_module("goldbeat.tb.designs")
    return {m.name: f"{home.__name__}.{m.name}" for m in pkgutil.iter_modules(home.__path__) if m.ispkg}


def design_examples(command: str) -> list[str]:
    """Lines for the end of a command's help: what each family has under that command in its ``EXAMPLES``."""
    packages = (importlib.import_module(name) for name in families().values())
    return [line for package in packages for line in getattr(package, "EXAMPLES", {}).get(command, ())]
