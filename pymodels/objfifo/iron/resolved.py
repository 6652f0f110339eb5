# SPDX-License-Identifier: Apache-2.0
"""What a program resolves to: the design, and its plan as text when it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldbeat.pymodels.objfifo.iron.scope import scope

if TYPE_CHECKING:
    from goldbeat.pymodels.objfifo.plan.design import FifoDesign
    from goldbeat.pymodels.objfifo.plan.plan import Plan


class ResolvedModule:
    """A design with its tiles.

    Attributes:
        design: what was written.
    """

    def __init__(self, design: FifoDesign) -> None:
        self.design = design

    def plan(self, *, strict: bool = True) -> Plan:
        """The lowered design."""
        from goldbeat.pymodels.objfifo.plan.lower import plan

        return plan(self.design, strict=strict)

    @property
    def operation(self) -> ResolvedModule:
        """Itself, for ``module.operation.verify()``."""
        return self

    def verify(self) -> bool:
        """Check every rule; True if all hold.

        Raises:
            RuleError: the first rule that is broken.
        """
        if not scope().silent:
            self.plan()
        return True

    def __str__(self) -> str:
        if scope().silent:
            return ""
        from goldbeat.pymodels.objfifo.plan.mlir import to_mlir

        return to_mlir(self.plan())
