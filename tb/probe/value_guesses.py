# SPDX-License-Identifier: Apache-2.0
"""Values for parameters whose default is 0 or missing although their name says that 0 cannot be meant."""

from __future__ import annotations

import re
from typing import Any

WORD_BITS = 32
"""Counts and widths are integers; what is narrower is a switch."""
_VALUES = (
    # The ID of a master port may hold the number of the slave port beside its ID.
    (r"mst\w*id(?:w|width)$", 8),
    (r"addr(?:ess)?(?:w|width)$|^aw$", 32),
    (r"data(?:w|width)$|^dw$", 32),
    (r"id(?:w|width)$|^iw$|idused\w*$|idwidth\w*$", 4),
    (r"(?:addr|data)width(?!\w*stage)\w*$", 32),
    (r"user(?:w|width)$|^uw$", 1),
    (r"^no[a-z]*ports$|^num[a-z]*ports$|[ms]count$|^numbanks$|^no[a-z]*rules$|^num[a-z]*rules$|slaves$|masters$", 2),
    (r"num\w*bytes$", 8),
    (r"uniq\w*ids$|maxuniq\w*", 4),
    (r"^max|txns|trans$|requests$|pending$|reads$|writes$|depth$", 4),
)


def guess_value(name: str) -> int | None:
    """A value that a parameter of such a name can have; None: its name says nothing."""
    plain = re.sub(r"_", "", name).lower()
    return next((value for pattern, value in _VALUES if re.search(pattern, plain)), None)


def guess_struct(kind: Any) -> str | None:
    """A value for a parameter of a packed struct type whose default is all zeroes, as SystemVerilog.

    Args:
        kind: slang's type.
    """
    fields = [(f.name, guess_value(f.name)) for f in kind.canonicalType if f.type.bitWidth >= WORD_BITS]
    known = [f"{name}: {value}" for name, value in fields if value is not None]
    return f"'{{{', '.join(known)}, default: '0}}" if known else None
