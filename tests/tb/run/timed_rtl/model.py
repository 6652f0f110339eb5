# SPDX-License-Identifier: Apache-2.0
"""Cycles of two registered streams, as docs/own-rtl.md predicts those of one."""

from goldbeat.pymodels.pattern import NextReady
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.pymodels.trace import Trace


def predict(params, stimulus):
    ports = {}
    for source, sink in (("a", "x"), ("b", "y")):
        offered, ready = stimulus.inputs[source], NextReady(stimulus.pattern(sink))
        accepts, outs, accept, out = [], [], -1, -1
        for gap in offered.gaps.tolist():
            accept = max(1, accept + 1 + gap, out)
            out = ready(accept + 1)
            accepts.append(accept)
            outs.append(out)
        ports[source] = offered.with_cycles(accepts)
        # One output takes its times from the input, the other one names the clock's period alone.
        ports[sink] = offered.with_cycles(outs) if sink == "x" else _anew(offered, outs)
    return Outcome(ports)


def _anew(like, cycles):
    return Trace.from_bytes(like.data, keep=like.keep, last=like.last, clock_ps=like.clock_ps, cycle=cycles)
