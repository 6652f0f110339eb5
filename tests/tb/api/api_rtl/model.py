# SPDX-License-Identifier: Apache-2.0
"""Golden model of add_three."""

from dataclasses import replace

import numpy as np

from goldbeat import Outcome


def predict(params, stimulus):
    taken = stimulus.inputs["s"]
    words = taken.data.view("<u4") + np.uint32(params["ADD"])
    return Outcome({"s": taken, "m": replace(taken, data=words.view(np.uint8))})
