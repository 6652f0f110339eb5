# SPDX-License-Identifier: Apache-2.0
"""The host's end: pool sums to probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Class:
    """One class of the answer.

    Attributes:
        number: which one.
        probability: 0..1; None where it is not defined (:func:`softmax`).
        score: mean over the pixels, before softmax; None where it is not finite.
    """

    number: int
    probability: float | None
    score: float | None


def softmax(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Probabilities, in double precision; the largest score is taken off first.

    None where they are not defined: a score is NaN, or the largest one is infinite.
    """
    exact = scores.astype(np.float64)
    # The maximum of numbers of which one is NaN is NaN.
    largest = exact.max()
    if not np.isfinite(largest):
        return None
    grown = np.exp(exact - largest)
    result: npt.NDArray[np.float64] = grown / grown.sum()
    return result


def top(scores: npt.NDArray[Any], count: int = 5) -> tuple[Class, ...]:
    """The likeliest classes, best first; of equals the lower number first, and classes whose score is NaN last."""
    probabilities = softmax(scores)
    # A sort puts NaN last.
    best = np.argsort(-scores.astype(np.float64), kind="stable")[:count]
    return tuple(
        Class(
            int(n),
            None if probabilities is None else float(probabilities[n]),
            float(scores[n]) if np.isfinite(scores[n]) else None,
        )
        for n in best
    )
