# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's output cache and drain in layers without a pool: the bench of the pool cache with other defaults."""

from __future__ import annotations

from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.designs.zynqnet import bench_gpool

_GPOOL = bench_gpool.DESIGN

_OF_POOLS = (
    "values zynqnet_drain.sv:*: the arm `Pool*`",
    "values zynqnet_drain.sv:*: the choice*.pool ?*",
    "values zynqnet_drain.sv:*: (gap_q ==*",
)

DESIGN = _GPOOL.model_copy(
    update={
        "name": "zynqnet_ocache",
        "summary": "ZynqNet's output cache and drain",
        "parameters": {**_GPOOL.parameters, "GPOOL": Parameter(default=0)},
        "variants": (
            {},
            {"CH_OUT": 64, "W_OUT": 2, "RELU": 0, "SPLIT": 1},
            # Many groups, three tiles in a row, elements as wide as a beat.
            {"NPE": 4, "CH_OUT": 288, "W_OUT": 7, "H_OUT": 2, "RELU": 0, "GPOOL": 1},
            {"INT8": 1, "GPOOL": 1, "RELU": 0},
            # Sums and results that go up.
            {"INT8": 1, "DATA_W": 32, "SPLIT": 1, "SHIFTS": 0x01_FE_FD},
        ),
        "obligations": {**_GPOOL.obligations, **dict.fromkeys(_OF_POOLS, "no pool by default; variants have one")},
    }
)
