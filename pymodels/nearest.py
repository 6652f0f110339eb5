# SPDX-License-Identifier: Apache-2.0
"""What somebody probably meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean NAME?``, or nothing if no known name is near."""
    # Wanted for errors alone.
    from difflib import get_close_matches

    plain = {one.lower(): one for one in known}
    close = get_close_matches(name.lower(), plain, n=1)
    # The beginning of a name is near it, however short.
    starts = [one for one in plain if len(name) > 1 and one.startswith(name.lower())]
    found = close or (starts if len(starts) == 1 else [])
    return f"; did you mean {plain[found[0]]}?" if found else ""


def known_names(name: str, known: Iterable[str]) -> str:
    """``; known: A, B``, with what was probably meant first."""
    names = list(known)
    hint = did_you_mean(name, names)
    return f"{hint} Known: {', '.join(names)}" if hint else f"; known: {', '.join(names)}"
