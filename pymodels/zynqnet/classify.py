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
        probability: 0..1.
        score: mean over the pixels, before softmax.
    """

    number: int
    probability: float
    score: float


def softmax(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Probabilities, in double precision; the largest score is taken off first."""
    grown = np.exp(scores.astype(np.float64) - np.float64(scores.max()))
    result: npt.NDArray[np.float64] = grown / grown.sum()
    return result


def top(scores: npt.NDArray[Any], count: int = 5) -> tuple[Class, ...]:
    """The likeliest classes, best first; of equals the lower number first."""
    probabilities = softmax(scores)
    best = np.argsort(-scores.astype(np.float64), kind="stable")[:count]
    return tuple(Class(int(n), float(probabilities[n]), float(scores[n])) for n in best)
