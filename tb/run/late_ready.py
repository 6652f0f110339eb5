# SPDX-License-Identifier: Apache-2.0
"""Beats that a design leaves waiting for its ready longer than somebody wants: a warning, as no protocol has a bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.tb.design.ports.stream import StreamPort


def late_ready(ports: Sequence[StreamPort], stimulus: Stimulus, found: Outcome, bound: int) -> list[str]:
    """A warning for each stream input with a beat that waited for more than ``bound`` cycles.

    The wait of a beat is the number of cycles with TVALID and without TREADY; beats that never transferred are not counted, as they
    fail the run.

    Args:
        ports: the bundles of the design.
        stimulus: of the episode.
        found: what has transferred.
        bound: cycles.
    """
    texts = []
    for port in ports:
        given, taken = stimulus.inputs.get(port.name), found.ports.get(port.name)
        if port.direction != "in" or not port.has("tready") or given is None or taken is None or not len(taken):
            continue
        offered = given.gaps[: len(taken)].astype(np.int64)
        # A source behind a reset offers nothing at edge 0.
        offered[0] = max(offered[0], 0 if stimulus.settled else 1)
        offered[1:] += taken.cycle[:-1] + 1
        waits = taken.cycle - offered
        if (most := int(waits.max())) > bound:
            worst = int(waits.argmax())
            texts.append(
                f"axis_ready_late: {port.name}, cycle {int(offered[worst])}: tready came {most} cycles after tvalid, beat {worst}; "
                f"{int((waits > bound).sum())} beat(s) waited for more than {bound}"
            )
    return texts
