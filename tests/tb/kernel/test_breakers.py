# SPDX-License-Identifier: Apache-2.0
"""Every protocol rule has RTL that breaks just that one: here where somebody is at the other end, else in rules.sv."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from rule_modes import APB_IN_RESET, APB_MODES, IN_RESET, MODES, WORD_MODES

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.buses import APB, AVALON_STREAM, BUSES
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import AFTER_VALID, withheld
from goldbeat.tb.kernel.rules import ASSERTION, RULES
from goldbeat.tb.run.runs import Request, run

HERE = Path(__file__).resolve().parent
RTL = HERE / "breakers_rtl"
# By array of bundles, what number 1, 2, ... of it breaks: the rule and, where that is another array, which bundle reports it.
STREAMS = ("axis_valid_waits", "s_axis:axis_ready_late", "axis_outstanding", ASSERTION)
MASTERS = (
    *("{}_valid_waits", "{}_data_waits", "{}_combinational", "{}_ready_late", "{}_outstanding"),
    *("mem_bounds", "mem_rights"),
)
SLAVES = ("apb_ready_late", "apb_slverr_early")
# Rules that only a cocotb test's verdict has: inside_traffic.py breaks the first, inside_word_rules.py the others.
VERDICTS = {"apb_outstanding", "wishbone_outstanding", "avalon_outstanding"}
# tests/tb/run/test_lost_places.py
RUNS = {f"{bus.name}_places_lost" for bus in BUSES if bus is not APB}
# tests/tb/design/test_BUS_port.py and test_avalon_stream.py break them.
BOUNDS = {"wishbone_ready_late", "wishbone_answer_without_cyc", "avalon_ready_late"}
BOUNDS |= {f"avalonst_{rule}" for rule in AVALON_STREAM.rules}
BEATS, WORDS = 6, 4
# Ready for long enough, then away until long after the end.
AWAY = Pattern("array", values=(1,) * 240 + (0,) * 9000)


def _breakers() -> dict[str, str]:
    """What each bundle that is not sound must be reported for, and nothing else."""
    found = {}
    for n, rule in enumerate(STREAMS, 1):
        port, _, name = rule.rpartition(":")
        found[f"{port or 'm_axis'}_{n}"] = name
    for bus in ("axi", "axil"):
        found |= {f"m_{bus}_{n}": rule.format(bus) for n, rule in enumerate(MASTERS, 1)}
    return found | {f"s_apb_{n}": rule for n, rule in enumerate(SLAVES, 1)}


def _stream(name, way):
    return StreamPort(
        name=name,
        direction=way,
        width=8,
        lanes="AXIS",
        signals={r: f"{name}_{r}" for r in ("tdata", "tvalid", "tready")},
    )


_LITE = (
    *("awaddr", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid", "bready"),
    *("araddr", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"),
)
_APB = tuple(role for role in APB.roles if role not in ("pstrb", "pprot"))


def _make(setting):
    count = {name: int(setting.params[name]) for name in ("AXIS", "AXI", "AXIL", "APB")}
    data = np.arange(BEATS, dtype=np.uint8).reshape(BEATS, 1)
    trace = Trace.from_bytes(data, cycle=np.arange(BEATS), clock_ps=4000, offset_ps=4000)
    space = (Region("all", 0, np.zeros(64, np.uint8)), Region("write", 0x100, np.zeros(64, np.uint8), readable=False))
    image = MemoryImage(space, MemoryTiming(2, 0, 2))
    plain = {f"m_{bus}_{n}": image for bus in ("axi", "axil") for n in range(count[bus.upper()])}
    # A probe behind an episode reports the first handshake that waits for its ready: one episode for each bus.
    held = [
        {n: withheld(image, setting.seed) if n.startswith(f"m_{bus}_") else image for n in plain}
        for bus in ("axi", "axil")
    ]
    waiting = Pattern.parse(AFTER_VALID)
    program = [Access("write", 4 * n, 7 * n) for n in range(WORDS)] + [
        Access("read", 4 * n, 7 * n) for n in range(WORDS)
    ]
    episodes = []
    for ready, memories in (
        (Pattern(), plain),
        (waiting, plain),
        (Pattern(), held[0]),
        (Pattern(), held[1]),
        (AWAY, plain),
    ):
        episodes.append(
            Stimulus(
                {f"s_axis_{n}": trace for n in range(count["AXIS"])},
                {f"m_axis_{n}": ready for n in range(count["AXIS"])},
                clocks=setting.clocks,
                program={f"s_apb_{n}": tuple(program) for n in range(count["APB"])},
                memories=memories,
                least_ps=1500 * 4000,
            )
        )
    return episodes


def _model(params, stimulus):
    ports = dict(stimulus.inputs)
    return Outcome(ports | {f"m{name[1:]}": trace for name, trace in ports.items()})


DESIGN = Design(
    name="breakers",
    summary="what breaks a rule each",
    top="breakers",
    files=("axis_breaker.sv", "axi_breaker.sv", "apb_breaker.sv", "breakers.sv"),
    root=RTL,
    parameters={"AXIS": {"default": 5}, "AXI": {"default": 8}, "AXIL": {"default": 8}, "APB": {"default": 3}},
    streams=(_stream("s_axis", "in"), _stream("m_axis", "out")),
    registers=(
        ApbPort(name="s_apb", lanes="APB", address_width=8, signals={role: f"s_apb_{role}" for role in _APB}),
        LitePort(
            name="m_axil",
            direction="out",
            lanes="AXIL",
            address_width=32,
            signals={role: f"m_axil_{role}" for role in _LITE},
        ),
    ),
    memories=(
        MemoryPort(
            name="m_axi",
            direction="out",
            lanes="AXI",
            signals={role: f"m_axi_{role}" for role in (*_LITE, "awlen", "arlen", "wlast", "rlast")},
        ),
    ),
    model=_model,
    timed=False,
    ready_bound=20,
    cases=(Case(name="all", summary="every rule", make=_make),),
)


@pytest.mark.sim
def test_each_breaker_breaks_its_rule_alone(tmp_path):
    (result,) = run(Request(DESIGN, DESIGN.cases[0]), tmp_path / "run")
    found: dict[str, set[str]] = {}
    for text in (*result.failures, *result.warnings):
        for rule, port in re.findall(r"\b((?:axis|axil|axi|apb|mem)_\w+): (\w+)", text):
            found.setdefault(port, set()).add(rule)
        if (path := re.search(rf"{ASSERTION}: breakers\.gen_axis\[(\d)\]", text)) is not None:
            found.setdefault(f"m_axis_{path[1]}", set()).add(ASSERTION)
    assert found == {port: {rule} for port, rule in _breakers().items()}


def test_every_rule_has_a_breaker():
    """The rules of the page, those of the code and those that something breaks alone are the same."""
    rows = [rules for _, row in MODES for rules in row.values()]
    alone = {rule for rules in rows if len(rules) == 1 for rule in rules}
    alone |= {rules[0] for _, rules in APB_MODES.values() if len(set(rules)) == 1}
    alone |= {rules[0] for _, rules in APB_IN_RESET.values() if rules}
    words = [rules for _, _, rules in (*WORD_MODES.values(), *IN_RESET.values())]
    alone |= {rules[0] for rules in words if len(set(rules)) == 1}
    ours = {rule for bus in BUSES for rule in bus.full_rules} | {r for r in RULES if r.startswith("mem_")} | {ASSERTION}
    assert alone | set(_breakers().values()) | VERDICTS | BOUNDS | RUNS == ours
    assert "apb_outstanding" in (HERE / "inside_traffic.py").read_text()
    # Each bus has something that is sound.
    assert all(f"{port}_0" not in _breakers() for port in ("s_axis", "m_axis", "m_axi", "m_axil", "s_apb"))
    assert any(not row for _, row in MODES)


def test_clauses_belong_to_rules():
    for bus in BUSES:
        assert set(bus.clauses) <= set(bus.rules), bus.name
        bounds = {"ready_late", "outstanding", "places_lost", "interleaved", "data_before_address"}
        bounds |= {"narrow_unsupported", "fixed_unsupported"}
        assert set(bus.rules) - set(bus.clauses) <= bounds, bus.name
