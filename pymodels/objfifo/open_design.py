# SPDX-License-Identifier: Apache-2.0
"""A design from any file that holds one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from goldbeat.pymodels.objfifo.compiled_design import SUFFIXES, compiled_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign


def open_fifo_design(path: Path, arguments: Sequence[str] = (), device: str | None = None) -> FifoDesign:
    """A design by its file's suffix: compiled files, MLIR text, else a Python file.

    Args:
        path: the file.
        arguments: its command line; of compiled files and text the configuration and the cores' stand-ins.
        device: name of the device of a text that has several, or of the NPU that a script finds.

    Raises:
        RuleError: a rule that is broken while the design is being made.
        InputError: the file is damaged, cannot be run, or holds no design.
    """
    if path.suffix in SUFFIXES:
        return compiled_design(path, arguments, device)
    # The executor comes with it: only where a script is read.
    from goldbeat.pymodels.objfifo.script.load_script import script_design

    return script_design(path, arguments, device)
