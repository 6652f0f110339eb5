# SPDX-License-Identifier: Apache-2.0
"""System commands of the TIU: messages and END do nothing to memory; registers are kept."""

from __future__ import annotations

from goldbeat.pymodels.tpu.execute.step import TpuStep

_WRITE_STATIC = (1, 2, 3, 4)
"""Power, and writes of software-defined registers."""


def system_command(step: TpuStep) -> None:
    """Execute SYS, SYSID or SYS_TR_ACC."""
    if step.batch.form in ("SYS_TR_ACC", "SYS_TR_WR"):
        wide = step["imm1"]
        for name, value in (("0", step["imm0"]), ("1", wide & 0xFFFFFFFF), ("2", wide >> 32 & 0xFFFFFFFF)):
            step.registers[step[f"reg_idx{name}"]] = value
        return
    if step.func in _WRITE_STATIC:
        raise step.stop("software-defined registers")
