# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments that a call takes although nothing here depends on them; all others are refused, by name and line."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any

from goldbeat.pymodels.errors import InputError

_ANYWHERE = ("loc", "ip", "context")
_PACKAGE = __name__.partition(".")[0] + "."


def only_harmless(call: str, given: Mapping[str, Any], harmless: Collection[str] = ()) -> None:
    """Refuse keywords whose effect would be lost; None stands for a keyword that is not given.

    Args:
        call: the name that the script uses.
        given: what is left of its keywords.
        harmless: keywords without effect on data.

    Raises:
        InputError: with the line of the script.
    """
    lost = [name for name, value in given.items() if value is not None and name not in (*_ANYWHERE, *harmless)]
    if lost:
        frame = sys._getframe(1)
        while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(_PACKAGE):
            frame = frame.f_back
        raise InputError(
            f"{call}({lost[0]}=...)",
            "keywords that are executed: see docs/objfifo-script.md",
            file=frame.f_code.co_filename,
            line=frame.f_lineno,
        )
