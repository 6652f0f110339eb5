# SPDX-License-Identifier: Apache-2.0
"""What reading a PLIO file gives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pymodels.plio.style import TextStyle
from pymodels.samples import SampleType
from pymodels.trace import Trace

Dropped = tuple[int, str, str]
"""Line number, what was found, what was expected."""


@dataclass(frozen=True)
class PlioFile:
    """A PLIO file that has been read.

    Attributes:
        trace: the beats.
        dtype: the sample type the file was read as.
        width: port width in bits.
        style: the file's layout, ready for the writer.
        timed: the file had T lines; without them ``trace.cycle`` counts beats and ``trace.clock_ps`` is the caller's
            or the default.
        dropped: lines left out in lenient mode.
        lines: (n,) int32, the line of each beat, counted from 1 (the data line of a text file, the row of a CSV).
    """

    trace: Trace
    dtype: SampleType
    width: int
    style: TextStyle
    timed: bool
    dropped: tuple[Dropped, ...] = ()
    lines: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32), compare=False, repr=False)
