# SPDX-License-Identifier: Apache-2.0
"""Every register of every golden register file against its map: reset values, fields, read only, write only, effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from register_access import Expected, Step, steps

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.nvdla.timed.registers import Ended, RegisterFile
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.registers import EngineRegisters, EngineShape
from goldbeat.pymodels.objfifo.engine.switch_registers import SwitchRegisters
from goldbeat.pymodels.plio import fir
from goldbeat.pymodels.tpu.front_end.registers import Registers
from goldbeat.pymodels.zynqnet.device import TimedAccelerator
from goldbeat.pymodels.zynqnet.hardware import Hardware
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.networks import mini
from goldbeat.tb.build.regmaps.read import read_map
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.paths import HDL

Answer = tuple[int | None, bool | None]
"""Value read, and whether it is an error; None: the model does not say."""


@dataclass(frozen=True)
class Bench:
    """A golden register file behind its map.

    Attributes:
        design: whose variants are played.
        map: its register map.
        parameters: of the map, from those of the RTL.
        play: make the steps on a register file after reset; an answer for each access.
        strobes, silent: as for :class:`Expected`.
        shown: how the hardware changes a register, by name: file, entry, value.
    """

    design: str
    map: str
    parameters: Callable[[Mapping[str, Any]], dict[str, int]]
    play: Callable[[Mapping[str, Any], Sequence[Step], Mapping[str, Any]], list[Answer]]
    strobes: str = "whole"
    silent: bool = False
    shown: Mapping[str, Callable[[Any, int, int], object]] = field(default_factory=dict)


def _in_turn(make, one):
    """Play on a register file that takes one access at a time."""

    def play(params, todo: Iterable[Step], shown) -> list[Answer]:
        file, answers = make(params), []
        for step in todo:
            if step.access is None:
                shown[step.register](file, step.entry, step.value)
            else:
                answers.append(one(file, step.access))
        return answers

    return play


def _fir(params):
    ntaps = int(params["NTAPS"])
    return {
        "NTAPS": ntaps,
        "P": int(params["W"]) // 32,
        "FIR_LATENCY": fir.fir_latency(ntaps),
        "FIFO_DEPTH": fir.fifo_depth(ntaps),
    }


def _tpu(params):
    values = {name: int(params[name]) for name in ("CHIP", "CORES", "ENGINES", "DEPTH", "NMSG")}
    return {**values, "LOG_NMSG": values["NMSG"].bit_length() - 1}


def _switch(params):
    shape = ArrayShape.of(params)
    return {"TARGETS": shape.targets, "SOURCES": shape.sources, "NW": shape.workers}


def _zynqnet(params):
    hardware = Hardware.of(params)
    return {
        "NPE": hardware.npe,
        "N": hardware.lanes,
        "INT8": int(hardware.int8),
        "LINES": hardware.lines,
        "SIZE": int(params["MEM_WORDS"]),
    }


def _on_device(params, todo, shown) -> list[Answer]:
    words = np.zeros(4 * MemoryMap(mini()).words, np.uint8)
    device = TimedAccelerator(
        Hardware.of(params), MemoryImage((Region("all", 0, words),), MemoryTiming()), int(params["MEM_WORDS"])
    )
    answers = device.run(tuple(step.access for step in todo))
    # What a write answers is not the device's to say.
    return [(a.value, a.value is None if s.access.op == "read" else None) for a, s in zip(answers, todo, strict=True)]


def _csb(file, access) -> Answer:
    if access.op == "read":
        return file.read(access.address), False
    file.edge((access.address, access.value), Ended())
    return None, False


def _set(name):
    return lambda file, entry, value: setattr(file, name, value)


def _set_entry(name):
    return lambda file, entry, value: getattr(file, name).__setitem__(entry, value)


BENCHES = [
    Bench(
        "plio_fir",
        "plio/plio_fir",
        _fir,
        _in_turn(fir.registers, lambda file, access: file.apply([access])[0]),
        strobes="bytes",
        shown={
            "BEATS": lambda file, _, value: file.run(value, 0),
            "SATCOUNT": lambda file, _, value: file.run(0, value),
        },
    ),
    Bench(
        "objfifo",
        "objfifo/objfifo",
        lambda params: {name: int(params[name]) for name in ("NS", "NM", "NBD", "NLOCK", "WORD_W")},
        _in_turn(lambda params: EngineRegisters(EngineShape.of(params)), lambda file, access: file.apply([access])[0]),
        shown={"IRQ_STATUS": _set("irq_status"), "ERROR": _set("error"), "TOKENS": _set_entry("tokens")},
    ),
    Bench(
        "objfifo_array",
        "objfifo/objfifo_switch",
        _switch,
        _in_turn(lambda params: SwitchRegisters(ArrayShape.of(params)), lambda file, access: file.apply([access])[0]),
    ),
    Bench(
        "tpu",
        "tpu/tpu",
        _tpu,
        _in_turn(Registers.of, lambda file, access: file.access(access)),
        shown={
            "IRQ_STATUS": _set("irq_status"),
            "ERROR": lambda file, _, value: setattr(file.live, "error", value),
            "ERROR_ID": lambda file, _, value: setattr(file.live, "error_id", value),
        },
    ),
    Bench("zynqnet", "zynqnet/zynqnet", _zynqnet, _on_device, strobes="bytes"),
    Bench(
        "nvdla",
        "nvdla/nvdla",
        lambda params: {},
        _in_turn(lambda params: RegisterFile(), _csb),
        strobes="none",
        silent=True,
        shown={"GLB.S_INTR_STATUS": lambda file, _, value: file.edge(None, Ended(bits=value))},
    ),
]
RUNS = [(bench, variant) for bench in BENCHES for variant in designs()[bench.design].variants]


def findings(bench: Bench, params: Mapping[str, Any], path: Path) -> list[str]:
    """Where the register file differs from the map."""
    expected = Expected(read_map(path, bench.parameters(params)), bench.strobes, bench.silent)
    todo = list(steps(expected, np.random.default_rng(1), bench.shown))
    answers = iter(bench.play(params, todo, bench.shown))
    found = []
    for step in todo:
        if step.access is None:
            continue
        value, error = next(answers)
        if (value != step.value and not step.error) or (error is not None and error != step.error):
            wanted = "an error" if step.error else f"{step.value}"
            found.append(f"{step.what}: {step.access.op}: found {'an error' if error else value}, expected {wanted}")
    assert len(todo) > 2 * len(expected.at)
    return found


@pytest.mark.parametrize(("bench", "variant"), RUNS, ids=[f"{b.map}-{n}" for n, (b, _) in enumerate(RUNS)])
def test_the_register_file_is_the_map(bench, variant):
    design = designs()[bench.design]
    assert findings(bench, design.params(design.cases[0], variant), HDL / f"{bench.map}.rdl") == []


def test_every_map_has_its_register_file():
    assert {f"{path.parent.name}/{path.stem}" for path in HDL.glob("*/*.rdl") if path.parent.name != "common"} == {
        bench.map for bench in BENCHES
    }


# bench, what stands in its map, what stands there instead, registers that must be named
BROKEN = [
    ("plio/plio_fir", "} ROUND @ 0x010;", "} ROUND @ 0x020;", {"ROUND", "hole 0x10"}),
    ("plio/plio_fir", "VALUE[1:0] = 1;", "VALUE[1:0] = 2;", {"SAT"}),
    ("plio/plio_fir", "} VALUE[5:0];", "} VALUE[4:0];", {"SHIFT"}),
    ("plio/plio_fir", "onwrite = wclr;", "", {"SATCOUNT"}),
    ("plio/plio_fir", 'sw = r; hw = w; desc = "beats', 'hw = w; desc = "beats', {"BEATS"}),
    ("plio/plio_fir", "sign_extended;", "", {"COEF[0]", "COEF[7]"}),
    ("plio/plio_fir", "sw = w; singlepulse;", "", {"CTRL"}),
    ("plio/plio_fir", "COEF[NTAPS/2]", "COEF[NTAPS/2-1]", {"hole 0x5c"}),
    ("objfifo/objfifo", "field {} RELEASE_VALUE[29:24];", "", {"BD.LOCKS[0]", "BD.LOCKS[47]"}),
    ("objfifo/objfifo", "default onwrite = woclr;", "", {"IRQ_STATUS"}),
    ("objfifo/objfifo_switch", "VALUE[15:0]; } WORK", "VALUE[16:0]; } WORK", {"WORKER.WORK[0]"}),
    ("tpu/tpu", "reg { field {} VALUE[23:0] = 4096; } TIMEOUT", "reg { field {} VALUE[23:0]; } TIMEOUT", {"TIMEOUT"}),
    ("tpu/tpu", "} CURRENT @ 0x0C;", "} CURRENT @ 0x14;", {"ENGINE.CURRENT[0]", "hole 0x100c"}),
    ("zynqnet/zynqnet", "default onwrite = wot;", "", {"ISR"}),
    ("zynqnet/zynqnet", "IDLE[2:2] = 1;", "IDLE[2:2];", {"AP_CTRL"}),
    ("nvdla/nvdla", "} D_CVT_SCALE @ 0x0C4;", "} D_CVT_SCALE @ 0x0FC;", {"SDP.D_CVT_SCALE", "hole 0x90c4"}),
    ("nvdla/nvdla", "default onwrite = woclr;", "", {"GLB.S_INTR_STATUS"}),
]


def broken(folder: Path, name: str, old: str, new: str) -> Path:
    """A copy of a map with one thing changed."""
    path = folder / f"{name}.rdl"
    path.parent.mkdir()
    (folder / "common").mkdir()
    (folder / "common" / "register_map.rdl").write_text((HDL / "common" / "register_map.rdl").read_text())
    text = (HDL / f"{name}.rdl").read_text()
    assert text.count(old) == 1, f"{name}.rdl: found {text.count(old)} of {old!r}, expected 1"
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.parametrize(("name", "old", "new", "wanted"), BROKEN)
def test_a_wrong_map_is_found_by_name(name, old, new, wanted, tmp_path):
    bench = next(one for one in BENCHES if one.map == name)
    design = designs()[bench.design]
    params = design.params(design.cases[0], {})
    found = {line.split(":")[0] for line in findings(bench, params, broken(tmp_path, name, old, new))}
    assert wanted <= found
    # And little else.
    assert all(
        any(one.split("[")[0] == mine.split("[")[0] for mine in wanted) or one.startswith("hole") for one in found
    )
