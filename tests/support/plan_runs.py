# SPDX-License-Identifier: Apache-2.0
"""A memory tile of a plan, run on the model of the engine."""

import numpy as np
from engine_cases import CLOCK

from goldbeat.pymodels.objfifo.engine.alone import predict
from goldbeat.pymodels.objfifo.engine.from_plan import from_plan
from goldbeat.pymodels.objfifo.engine.registers import EngineRegisters, EngineShape
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace

PARAMS = {"NS": 6, "NM": 6, "NBD": 48, "NLOCK": 64, "NBANK": 16, "MEM_WORDS": 1 << 17, "WORD_W": 32}
SHAPE = EngineShape.of(PARAMS)


def run_tile(tile, *streams, params=PARAMS):
    """What the engine gives for the tile's inputs, one flat array each."""
    inputs = {"start": Trace.from_bytes(np.zeros((1, 1)), clock_ps=1000, offset_ps=1000)}
    for n, stream in enumerate(streams):
        data = np.asarray(stream, "<u4").view(np.uint8).reshape(-1, 4)
        inputs[f"s_axis_{n}"] = Trace.from_bytes(data, clock_ps=1000, offset_ps=1000)
    program = from_plan(tile, EngineShape.of(params)).writes()
    stimulus = Stimulus(inputs, {}, {"aclk": CLOCK}, {"s_axil": program})
    registers = EngineRegisters(EngineShape.of(params))
    assert not any(error for _, error in registers.apply(program))
    return stimulus, predict(params, stimulus)
