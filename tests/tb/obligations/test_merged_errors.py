# SPDX-License-Identifier: Apache-2.0
"""Writes that meet two errors: both orders must have been seen, and a rule says which of them is answered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import DECERR, INCR, OKAY, SLVERR, WRITE
from goldbeat.pymodels.axi.storage_traffic import BurstShape, Window, storage_bursts
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.obligations.buses import merged_errors

PORT = MemoryPort(name="s", clock="c", direction="in", address_width=8, data_width=32, id_width=0)
FIRST = "the first of several errors is what a write gets"


def found(rule: str, *, lite: bool) -> dict[str, bool]:
    """What is asked for and met where a design answers by a rule."""
    window = Window.unknown(0, 256)
    window.answers = np.zeros((2, 256), np.uint8)
    window.answers[WRITE] = np.repeat(np.random.default_rng(0).choice([OKAY, SLVERR, DECERR], 64), 4)
    shape = BurstShape(4, longest=16, kinds=(INCR,), merged="first" if rule == "none" else rule)
    program = storage_bursts(np.random.default_rng(1), [window], shape, 150)
    response = program.response.copy()
    if rule == "none":
        response[::2] = np.where(response[::2] >= SLVERR, SLVERR + DECERR - response[::2], response[::2])
    answers = SimpleNamespace(done=np.ones_like(response), response=response)
    episode: Any = SimpleNamespace(
        stimulus=SimpleNamespace(bursts={"s": program}), record=SimpleNamespace(bursts={"s": answers})
    )
    return {one.what: one.met for one in merged_errors(PORT, [episode], lite=lite)}


@pytest.mark.parametrize("rule", ["first", "last", "worst"])
def test_each_rule_will_do(rule: str) -> None:
    assert found(rule, lite=False) == {
        "a write that meets SLVERR, then DECERR": True,
        "a write that meets DECERR, then SLVERR": True,
    }


def test_of_a_bridge_to_axi_lite_it_is_the_first() -> None:
    assert FIRST not in found("first", lite=True)
    assert found("last", lite=True)[FIRST] is False


def test_no_rule_is_named() -> None:
    assert found("none", lite=False)["one rule for which of several errors a write gets"] is False
