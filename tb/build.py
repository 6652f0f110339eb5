# SPDX-License-Identifier: Apache-2.0
"""Simulators of our designs: the generated harness around one, built by the kernel's builder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymodels.errors import UsageError
from tb.design import Design
from tb.harness import TOP, make_harness, misfits
from tb.kernel.compile import Build, Recipe, compile_model, waves_format


def build(design: Design, params: Mapping[str, Any], *, waves: bool = False, coverage: bool = False) -> Build:
    """Build a design for one set of parameter values, or take it from the cache.

    Raises:
        ToolError: Verilator or the compiler failed; the message ends with what they said.
        UsageError: the description does not fit the RTL.
    """

    def inspect(log: str) -> None:
        wrong = misfits(log)
        if wrong:
            raise UsageError(f"the description of {design.name} does not fit its RTL:\n" + "\n".join(wrong))

    # Only the harness is visible from outside: making everything public slows big designs several times.
    texts = {
        "public.vlt": f'`verilator_config\npublic_flat_rw -module "{TOP}" -var "*"\n',
        f"{TOP}.sv": make_harness(design, params),
    }
    return compile_model(
        Recipe(
            name=design.name,
            top=TOP,
            sources=design.sources(),
            texts=texts,
            watched=design.included_files(),
            flags=["--timescale", "1ps/1ps", *design.compile_flags(), *design.build_flags()],
            waves=waves_format() if waves else None,
            coverage=coverage,
            optimize=design.optimize,
            inspect=inspect,
        )
    )
