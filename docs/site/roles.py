# SPDX-License-Identifier: Apache-2.0
"""Sphinx roles in docstrings as code: the site is Markdown."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|data|attr):`~?(?:[\w.]*\.)?([\w]+)`")


def plain(text: str) -> str:
    """The same text, each role as the last word of what it names."""
    return _ROLE.sub(r"`\1`", text)


class Roles(griffe.Extension):
    """Replaces the roles in every docstring that is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)
