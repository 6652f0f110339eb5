# SPDX-License-Identifier: Apache-2.0
"""A design with moods, for tests of regressions: seeds choose what goes wrong."""

import ctypes
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from goldbeat.pymodels.axis.skid import predict
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import random_trace
from goldbeat.tb.paths import HDL

_FIRST = 0xFA17_0001
MOODS = {name: _FIRST + i for i, name in enumerate(("crash", "hang", "lie", "end", "grudge", "nap", "kill"))}

ERRORS = {
    "gone": FileNotFoundError(2, "No such file", "weights.bin"),
    "reset": ConnectionResetError("the licence server has gone"),
    "half": ValueError("half a pair: \udcff"),
    "control": ValueError("\x1b[2J\x1b]0;owned\x07 <script>alert(1)</script> [red]markup[/]"),
}


def _make(setting):
    """``moods`` says what goes wrong at which seed: ``crash@3 hang@5``."""
    moods = dict(reversed(word.split("@")) for word in str(setting.options["moods"]).split())
    mood = moods.get(str(setting.seed))
    if mood == "raise":
        raise ZeroDivisionError("a stimulus maker that falls over")
    time.sleep(float(setting.options["pause_s"]))
    if mood == "loop":
        while True:
            pass
    if mood == "print":
        print("\x1b[2J\x1b]0;owned\x07 a model that prints")
    if mood == "exit":
        sys.exit("a stimulus maker that leaves")
    if mood == "stuck":
        # In C code, which looks at no signals: it waits for a lock that this very thread has.
        system, lock = ctypes.CDLL(None), ctypes.create_string_buffer(256)
        system.pthread_mutex_lock(lock)
        system.pthread_mutex_lock(lock)
    if mood in ERRORS:
        raise ERRORS[mood]
    clock = setting.clocks["aclk"]
    rng = np.random.default_rng(setting.seed)
    trace = random_trace(rng, 32, int(setting.options["beats"]), clock, keep="full")
    if mood in MOODS:
        data = trace.data.copy()
        data[len(data) // 2] = np.frombuffer(MOODS[mood].to_bytes(4, "little"), np.uint8)
        trace = replace(trace, data=data)
    return [Stimulus(inputs={"s_axis": trace}, clocks=setting.clocks)] * int(setting.options["episodes"])


def _model(params, stimulus):
    return predict({**params, "DATA_W": 32}, stimulus)


DESIGN = Design(
    name="moody",
    summary="a register slice with moods",
    top="moody",
    files=("axis/axis_skid.f", str(Path(__file__).parent / "rtl" / "moody.sv")),
    root=HDL,
    streams=(StreamPort(name="s_axis", direction="in"), StreamPort(name="m_axis", direction="out")),
    model=_model,
    cases=(
        Case(
            name="random",
            summary="random beats",
            make=_make,
            options={"moods": "", "beats": 40, "episodes": 1, "pause_s": 0.0},
        ),
    ),
)
