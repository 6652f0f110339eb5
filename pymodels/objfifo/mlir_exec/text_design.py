# SPDX-License-Identifier: Apache-2.0
"""A design from MLIR text, for planning: at the level of object FIFOs, or a view of the array that lowered text sets up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from goldbeat.pymodels.objfifo.artefact.raw_design import RawDesign, StandIn, fixed_design
from goldbeat.pymodels.objfifo.mlir_exec.array_design import raw_of_array
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_text.host_ops import SequenceLines, planned_sequence
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.mlir_text.text_design import fifo_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.tile import Tile


def text_design(path: Path, stand_ins: Mapping[Tile, StandIn] | None = None, device: str | None = None) -> FifoDesign:
    """A design from a file of MLIR text.

    Args:
        path: the file.
        stand_ins: Python functions for cores; of a core without one only the order of its acquires is known.
        device: name of the device, the first one with a runtime sequence if there is none.

    Raises:
        InputError: text that is not understood.
        RuleError: a rule that is broken.
    """
    text = TextArray(path, device=device)
    if text.lines.fifos:
        return fifo_design(text.lines, _sequence(text.lines), path, stand_ins or {})
    return fixed_design(_raw(text), stand_ins)


def lowered_file(path: Path) -> RawDesign:
    """What lowered text says of an array, for use with an instruction stream.

    Raises:
        InputError: text that is not understood, or that is not lowered.
    """
    text = TextArray(path)
    for fifo in text.lines.fifos:
        fifo.op.fail(repr(fifo.op.name), "lowered text (aie.mem, aie.flow): run aie-objectFifo-stateful-transform")
    return _raw(text)


def _raw(text: TextArray) -> RawDesign:
    return raw_of_array(text.declare(), text.lines, _sequence(text.lines), text.path)


def _sequence(lines: DeviceLines) -> SequenceLines:
    return planned_sequence(lines, lines.sequences[0]) if lines.sequences else SequenceLines()
