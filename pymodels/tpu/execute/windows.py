# SPDX-License-Identifier: Apache-2.0
"""Windows of convolutions and poolings: padding, zeros between inputs, and what each output element sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.execute.step import TpuStep

Array = npt.NDArray[Any]
CONSTANT, REFLECT, REPLICATE, CIRCULAR = range(4)
_MODES = {REFLECT: "reflect", REPLICATE: "edge", CIRCULAR: "wrap"}


@dataclass(frozen=True)
class TpuWindow:
    """How a window moves over an input.

    Attributes:
        kernel: height and width.
        stride: down and across.
        dilation: steps between elements of the kernel.
        inserted: zeros between elements of the input, down and across.
        pads: above, below, left, right.
        mode: what the padding is made of.
        out: height and width of the result.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    inserted: tuple[int, int]
    pads: tuple[int, int, int, int]
    mode: int
    out: tuple[int, int]

    @classmethod
    def of(cls, step: TpuStep) -> TpuWindow:
        """That of a command."""
        pads = tuple(step[f"opd0_{side}_pad"] for side in ("up", "dn", "lf", "rt"))
        for name in ("res_op_y_str", "res_op_x_str"):
            if not step[name]:
                raise step.stop(f"{name} 0, expected a stride of at least 1")
        return cls(
            (step["opd1_h"], step["opd1_w"]),
            (step["res_op_y_str"], step["res_op_x_str"]),
            (step["opd1_y_ins0"] + 1, step["opd1_x_ins0"] + 1),
            (step["opd0_y_ins0"], step["opd0_x_ins0"]),
            (pads[0], pads[1], pads[2], pads[3]),
            step["pad_mode"],
            (step["res0_h"], step["res0_w"]),
        )

    def padded(self, values: Array, fill: Array | float = 0) -> Array:
        """(n, c, h, w) with zeros put between the elements, and padding around them; ``fill`` may be (1, c, 1, 1)."""
        n, c, h, w = values.shape
        down, across = self.inserted
        if down or across:
            wide = np.zeros((n, c, (h - 1) * (down + 1) + 1, (w - 1) * (across + 1) + 1), values.dtype)
            wide[:, :, :: down + 1, :: across + 1] = values
            values = wide
        up, below, left, right = self.pads
        if self.mode in _MODES:
            pads = ((0, 0), (0, 0), (up, below), (left, right))
            return np.pad(values, pads, mode=_MODES[self.mode])  # type: ignore[call-overload, no-any-return]
        h, w = values.shape[2:]
        whole = np.empty((n, c, h + up + below, w + left + right), values.dtype)
        whole[...] = fill
        whole[:, :, up : up + h, left : left + w] = values
        return whole

    def fits(self, height: int, width: int) -> bool:
        """Whether a padded input of this size gives the result at least."""
        sizes = zip(self.out, self.stride, self.kernel, self.dilation, (height, width), strict=True)
        return all((o - 1) * s + (k - 1) * d + 1 <= size for o, s, k, d, size in sizes)

    def seen(self, padded: Array, y: int, x: int) -> Array:
        """(n, c, oh, ow) what element (y, x) of the kernel meets."""
        (oh, ow), (sy, sx), (dy, dx) = self.out, self.stride, self.dilation
        top, left = y * dy, x * dx
        found: Array = padded[:, :, top : top + (oh - 1) * sy + 1 : sy, left : left + (ow - 1) * sx + 1 : sx]
        return found
