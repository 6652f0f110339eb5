# SPDX-License-Identifier: Apache-2.0
"""Fraction lengths of the int8 format, and the shifts that follow from them."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, StrictInt


class Shifts(BaseModel):
    """The shifts of one layer.

    Attributes:
        bias: the input's fraction length. Biases go up by so many bits before they are added; where it is negative, the
            sum goes up instead.
        out: bits that the total goes down, rounded half away from zero; up where it is negative.
        concat: bits that the result of a split layer goes down to the fraction length of the concatenation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bias: StrictInt = Field(default=0, ge=-16, le=15)
    out: StrictInt = Field(default=0, ge=-16, le=31)
    concat: StrictInt = Field(default=0, ge=-8, le=7)

    @classmethod
    def of_fractions(cls, data_in: int, weights: int, data_out: int, concat: int | None = None) -> Self:
        """The shifts of a layer with these fraction lengths.

        Args:
            data_in: of the input.
            weights: of weights and biases.
            data_out: of the layer's own result.
            concat: of the concatenation, on split layers.
        """
        return cls(
            bias=data_in,
            out=weights + max(data_in, 0) - data_out,
            concat=0 if concat is None else data_out - concat,
        )
