# SPDX-License-Identifier: Apache-2.0
"""Short ways to write a case of mlir-aie's tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from upstream_cases import XRT, UpstreamCase


def i32(*bounds: int) -> npt.NDArray[np.int32]:
    """Numbers in a row, of 32 bits."""
    return np.arange(*bounds, dtype=np.int32)


def copy_kernel(source: Any, target: Any, *_: Any) -> None:
    """A kernel that copies."""
    target[:] = source


def text_case(name: str, inputs: Any, wanted: Any, **more: Any) -> UpstreamCase:
    """A test in text, whose folder has its name."""
    return UpstreamCase(name, f"{XRT}/{name}/aie.mlir", inputs, wanted, **more)


def script_case(name: str, inputs: Any, wanted: Any, *arguments: str, **more: Any) -> UpstreamCase:
    """A test that is a script, whose folder has its name."""
    return UpstreamCase(name, f"{XRT}/{name}/aie2.py", inputs, wanted, arguments, **more)


def own_case(name: str, path: str, *arguments: str, **more: Any) -> UpstreamCase:
    """A script that makes its arrays and checks them."""
    return UpstreamCase(name, path, None, {}, arguments, **more)
