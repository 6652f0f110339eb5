# SPDX-License-Identifier: Apache-2.0
"""What assertions look at: signals that count as outputs where two versions of RTL are compared without their assertions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from goldbeat.tb.mutate.operators import text_of

_FAILS = re.compile(r"\$(error|fatal|stop|finish)\b")
_SAYS = re.compile(r"Assert|Assume|Property|Sequence")


def asserted_names(root: Any) -> frozenset[str]:
    """All names in assertions, properties and sequences, and in processes that call ``$error``, ``$fatal``, ``$stop``, ``$finish``.

    Args:
        root: of a tree of ``pyslang``.
    """
    found: set[str] = set()

    def visit(node: Any) -> None:
        kind = node.kind.name
        if _SAYS.search(kind) or (kind.startswith("Always") and _FAILS.search(text_of(node))):
            found.update(_names(node))
            return
        for child in node:
            if hasattr(child, "sourceRange"):
                visit(child)

    visit(root)
    return frozenset(found)


def _names(node: Any) -> Iterator[str]:
    for child in node:
        if hasattr(child, "sourceRange"):
            yield from _names(child)
        elif child.kind.name == "Identifier":
            yield child.valueText
