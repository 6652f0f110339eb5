# SPDX-License-Identifier: Apache-2.0
"""More of mlir-aie's scripts: tests and programming examples whose kernels are scalar or have simple functions in their place."""

from __future__ import annotations

from upstream_cases import XRT, UpstreamCase
from upstream_shapes import own_case

_CYCLES = (
    "acquire_in_loop",
    "both_outer_inner",
    "multiple_fifos",
    "sibling_loops",
    "two_core_mutual",
    "zero_trip_guard",
)


def example_cases() -> list[UpstreamCase]:
    """All of them."""
    found = []
    for name in _CYCLES:
        whole = f"objectfifo_cyclostatic_{name}"
        found.append(own_case(whole, f"{XRT}/{whole}/test.py"))
    return found
