# SPDX-License-Identifier: Apache-2.0
"""Patterns of strobes that no write had are named, where the description says what strobes do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.burst import INCR
from goldbeat.pymodels.axi.storage_traffic import BurstShape, Window, storage_bursts
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.obligations.strobes import strobe_obligations

STORAGE = (Storage(words=1),)


def found(port: Any, *writes: Access, bursts: Any = None, spans: Any = None) -> list[Obligation]:
    """The obligations of a run with one port and one episode."""
    stimulus = SimpleNamespace(program={port.name: writes}, bursts={} if bursts is None else {port.name: bursts})
    registers, memories = ((), (port,)) if isinstance(port, MemoryPort) else ((port,), ())
    design = SimpleNamespace(
        register_ports=lambda _: registers,
        memory_ports=lambda _: memories,
        address_spans=None if spans is None else lambda _: {port.name: spans},
    )
    result: Any = SimpleNamespace(
        request=SimpleNamespace(design=design, all_params={}), episodes=[SimpleNamespace(stimulus=stimulus)]
    )
    return list(strobe_obligations(result))


def writes(*left_out: int, register: str = "") -> list[Access]:
    """Writes with all patterns of strobes but these."""
    return [Access("write", 0, 0, strobe, register=register) for strobe in range(16) if strobe not in left_out]


def test_patterns_that_were_never_sent_are_named() -> None:
    port = LitePort(name="s_axil", address_width=6, storage=STORAGE)
    assert [one.met for one in found(port, *writes())] == [True]
    (one,) = found(port, *writes(6, 9))
    assert not one.met
    assert one.place == "s_axil_wstrb"
    assert one.how == "the case sweep; never sent: 0110, 1001"


def test_maps_and_windows_say_what_strobes_do_as_storage_does() -> None:
    port = ApbPort(name="s_apb", address_width=6)
    assert found(port, *writes(6)) == []
    (mapped,) = found(port, *writes(6, register="CTRL"))
    assert mapped.how == "the case registers; never sent: 0110"
    (window,) = found(port, *writes(6), spans=[(0, 64)])
    assert (window.met, window.place) == (False, "s_apb_pstrb")
    whole = port.model_copy(update={"storage": (Storage(words=1, strobes=False),)})
    assert found(whole, *writes(6)) == []


def test_bursts_of_a_default_run_have_every_pattern() -> None:
    port = MemoryPort(name="s", clock="c", direction="in", address_width=12, data_width=32, id_width=0)
    program = storage_bursts(np.random.default_rng(0), [Window.unknown(0, 2048)], BurstShape(4, kinds=(INCR,)), 150)
    assert [one.met for one in found(port, bursts=program, spans=[(0, 2048)])] == [True]
    (short,) = found(port, spans=[(0, 2048)])
    assert short.how.endswith("never sent: 0000, 0001, 0010, 0011, 0100, 0101, 0110, 0111 and 8 more")
