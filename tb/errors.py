# SPDX-License-Identifier: Apache-2.0
"""Errors of the simulator side, in the same family as the models' errors."""

from __future__ import annotations

from goldbeat.pymodels.errors import ToolError


def missing(tool: str, found: str, hint: str) -> ToolError:
    """The error for a tool that is not there, with the way to get it."""
    return ToolError(f"{tool} is missing ({found}); to get it: {hint}")
