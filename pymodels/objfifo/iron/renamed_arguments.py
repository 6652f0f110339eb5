# SPDX-License-Identifier: Apache-2.0
"""Arguments that have an earlier and a later name."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.errors import UsageError


def either(name: str, value: Any, later: str, later_value: Any, default: Any = None) -> Any:
    """The one that was given; both at once is a :class:`UsageError`."""
    if later_value is None:
        return default if value is None else value
    if value is not None:
        raise UsageError(f"{name} and {later} are the same argument; give one")
    return later_value
