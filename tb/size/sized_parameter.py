# SPDX-License-Identifier: Apache-2.0
"""``--param``: which parameters are sized, and which values are tried."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.design import Design

_FORM = "NAME, NAME=LOW..HIGH, NAME=LOW..HIGH*2 (each twice the one before) or NAME=1/2/4"
_RANGE = re.compile(r"(\d+)\.\.(\d+)(?:\*(\d+))?")
_MOST = 1 << 16
"""Values of a parameter, at most."""


@dataclass(frozen=True)
class SizedParameter:
    """A parameter that is sized.

    Attributes:
        name: of the design.
        values: that may be tried, ascending.
        default: its value in the description.
    """

    name: str
    values: tuple[int, ...]
    default: int


def sized_parameters(texts: Sequence[str], design: Design) -> list[SizedParameter]:
    """What ``--param`` names, in order.

    Args:
        texts: as given; each may name several, separated by commas, and a name may be a pattern (``DEPTH_*``).
        design: has them.

    Raises:
        UsageError: no such parameter, no such form, or a parameter that is no number or is given twice.
    """
    found: dict[str, SizedParameter] = {}
    for text in (part.strip() for one in texts for part in one.split(",")):
        pattern, equals, values = text.partition("=")
        names = [name for name in design.parameters if fnmatchcase(name, pattern)]
        if not names:
            known = ", ".join(design.parameters) or "none"
            raise UsageError(f"--param {text}: {design.name} has no parameter {pattern!r}; it has: {known}")
        for name in names:
            if name in found:
                raise UsageError(f"--param {text}: {name} is given twice")
            default = design.parameters[name].default
            if not isinstance(default, int) or isinstance(default, bool):
                raise UsageError(f"--param {text}: {name} is {default!r}, expected a whole number")
            found[name] = SizedParameter(name, _values(text, values) if equals else _usual(default), default)
    return list(found.values())


def _usual(default: int) -> tuple[int, ...]:
    """Values unless they are given: up to 16 times a power of two, each twice the one before; else up to 4 times the default."""
    if default > 1 and default & (default - 1) == 0:
        return tuple(1 << n for n in range((default * 16).bit_length()))
    return tuple(range(1, max(2, 4 * default) + 1))


def _values(text: str, values: str) -> tuple[int, ...]:
    match = _RANGE.fullmatch(values)
    if match is None:
        if not re.fullmatch(r"\d+(/\d+)*", values):
            raise UsageError(f"--param {text}: expected {_FORM}")
        return tuple(sorted({int(one) for one in values.split("/")}))
    low, high, factor = int(match[1]), int(match[2]), match[3]
    if low > high or high - low > _MOST or (factor is not None and (int(factor) < 2 or low < 1)):
        raise UsageError(f"--param {text}: expected {_FORM}, LOW at most HIGH, at most {_MOST} values")
    if factor is None:
        return tuple(range(low, high + 1))
    found = [low]
    while found[-1] * int(factor) <= high:
        found.append(found[-1] * int(factor))
    return tuple(found)
