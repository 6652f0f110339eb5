# SPDX-License-Identifier: Apache-2.0
"""The whole ZynqNet accelerator: host programs, memory, layers and networks, data and cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.zynqnet.device import INTERRUPT, MEMORY, REGISTERS, predict
from goldbeat.pymodels.zynqnet.device_map import REGISTERS as MAP
from goldbeat.pymodels.zynqnet.hardware import MEM_WORDS, Hardware
from goldbeat.pymodels.zynqnet.network import parse_network
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.bundle import StatusPort, named
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.storage import storage_of
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.zynqnet.answer import answer
from goldbeat.tb.designs.zynqnet.blocks import MEMORY_ROLES
from goldbeat.tb.designs.zynqnet.errors import errors
from goldbeat.tb.designs.zynqnet.host import edges, polling, register_scenes, resets, responses, restart
from goldbeat.tb.designs.zynqnet.inputs import chosen_layers, find_image, find_network, find_weights
from goldbeat.tb.designs.zynqnet.report import findings
from goldbeat.tb.designs.zynqnet.timeline import zynqnet_timeline
from goldbeat.tb.designs.zynqnet.traffic import (
    late_timing,
    prepared,
    random_memory,
    random_network,
    stimulus,
)
from goldbeat.tb.designs.zynqnet.values import values
from goldbeat.tb.designs.zynqnet.waivers import WAIVED
from goldbeat.tb.paths import HDL

CLOCK_PS = 5000
"""200 MHz, the clock of the published design."""
_DATA = {"weights": "synth:1", "image": "synth:7"}
_MEMORY = {"memory": "plain", "memory_latency": 8, "clock_mhz": 200}


def _timing(setting: CaseContext, rng: Rng) -> MemoryTiming:
    kind = str(setting.options["memory"])
    if kind == "random":
        return late_timing(rng, setting.seed)
    if kind != "plain":
        raise UsageError(f"memory: found {kind!r}, expected plain or random")
    return MemoryTiming(read_latency=int(setting.options["memory_latency"]))


def _clocks(setting: CaseContext) -> dict[str, Clock]:
    """At the frequency asked for; cycles do not depend on it, times do."""
    mhz = float(setting.options["clock_mhz"])
    if not 1 <= mhz <= 10_000:
        raise UsageError(f"clock_mhz: found {mhz:g}, expected 1 to 10000")
    period = 2 * round(5e5 / mhz)
    return {name: Clock(period, period) for name in setting.clocks}


def _network(setting: CaseContext) -> Sequence[Stimulus]:
    """Some layers of a network, or all; what comes before the first of them is computed beforehand."""
    rng = np.random.default_rng(setting.seed)
    network = find_network(str(setting.options["network"]))
    int8 = bool(setting.params["INT8"])
    weights = find_weights(str(setting.options["weights"]), network, finite=int8)
    image = find_image(str(setting.options["image"]), network, finite=int8)
    model = prepared(network, weights, image, int8)
    layers = chosen_layers(model.network, str(setting.options["layer"]))
    for layer in model.network.layers[: model.network.layers.index(layers[0])]:
        model.run_layer(layer)
    timing = _timing(setting, rng)
    return [stimulus(model.network, model.dram, layers, timing, _clocks(setting))]


def _random(setting: CaseContext) -> Sequence[Stimulus]:
    """Random small layers, each in an episode of its own."""
    rng = np.random.default_rng(setting.seed)
    hardware = Hardware.of(setting.params)
    episodes = []
    for n in range(int(setting.options["layers"])):
        network = random_network(rng, hardware)
        words = random_memory(rng, network, hardware.int8)
        plain = setting.options["memory"] == "plain" or n % 2 == 0
        timing = MemoryTiming(read_latency=int(rng.integers(1, 30))) if plain else late_timing(rng, setting.seed + n)
        episodes.append(stimulus(network, words, network.layers, timing, setting.clocks))
    return episodes


def _deep(setting: CaseContext) -> Sequence[Stimulus]:
    """A layer of nearly as many channels as a layer can have, whose rows fill a line of the image cache."""
    rng = np.random.default_rng(setting.seed)
    layer = {"name": "a", "ch_out": 16, "kernel": 1, "stride": 1, "relu": False}
    image = {"width": 8, "height": 1, "channels": 1020}
    network = parse_network({"name": "deep", "input": image, "layer": [layer]})
    words = random_memory(rng, network, bool(setting.params["INT8"]))
    return [stimulus(network, words, network.layers, MemoryTiming(), setting.clocks)]


_STORAGE = storage_of(MAP.values())

DESIGN = Design(
    name="zynqnet",
    summary="the ZynqNet accelerator: registers, AXI4 memory, caches, processing elements",
    top="zynqnet",
    files=("zynqnet/zynqnet.f",),
    root=HDL,
    # The loops over lanes become vector instructions.
    cxx_flags=("-march=native",),
    parameters={
        "NPE": Parameter(default=16),
        "DATA_W": Parameter(default=128),
        "INT8": Parameter(default=0),
        "LINES": Parameter(default=8),
        "MEM_WORDS": Parameter(default=MEM_WORDS),
    },
    words={"number": {"fp32": {"INT8": 0}, "int8": {"INT8": 1}}},
    clocks=(ClockPort(name="aclk", reset="aresetn", period_ps=CLOCK_PS),),
    registers=(LitePort(name=REGISTERS, address_width=12, storage=_STORAGE),),
    memories=(MemoryPort(name=MEMORY, direction="out", data_width="DATA_W", signals=named(MEMORY, *MEMORY_ROLES)),),
    status=(StatusPort(name=INTERRUPT, width=1),),
    model=predict,
    findings=findings,
    answer=answer,
    timeline=zynqnet_timeline,
    obligations=WAIVED,
    slow=True,
    cases=(
        Case(
            name="mini",
            summary="a whole small network",
            make=_network,
            options={"network": "mini", "layer": "all", **_DATA, **_MEMORY},
        ),
        Case(name="random", summary="random small layers", make=_random, options={"layers": 20, "memory": "random"}),
        Case(
            name="sweep",
            summary="a small layer, then all registers that are plain storage, under all traffic",
            make=_random,
            options={"layers": 1, "memory": "random"},
        ),
        Case(name="deep", summary="a layer of 1,020 channels, as many as a line has room for", make=_deep),
        Case(name="values", summary="subnormals, exact sums, weights that come just in time", make=values),
        Case(name="errors", summary="bad layers, and registers that are not there", make=errors),
        Case(
            name="errors_int8",
            slow=True,
            summary="the same in int8, where shifts have limits",
            params={"INT8": 1},
            make=errors,
        ),
        Case(name="restart", summary="layers that start again by themselves", make=restart),
        Case(name="polling", summary="a host that polls instead of waiting for the interrupt", make=polling),
        Case(name="edges", summary="accesses in the cycles around the end of a layer", make=edges),
        Case(
            name="registers",
            summary="writes while a layer runs, interrupts, addresses without a register",
            make=register_scenes,
        ),
        Case(name="reset", summary="reset in every phase of a layer", make=resets, options={"random": 10}),
        Case(name="responses", summary="error responses of the memory", make=responses, options={"layers": 16}),
        Case(
            name="layer",
            summary="one layer of a network, or some",
            make=_network,
            options={"network": "zynqnet", "layer": "f9/e1", **_DATA, **_MEMORY},
        ),
        Case(
            name="full",
            slow=True,
            summary="the whole of ZynqNet, 27 layers from the host's program",
            make=_network,
            options={"network": "zynqnet", "layer": "all", **_DATA, **_MEMORY},
        ),
    ),
    variants=({}, {"DATA_W": 32}, {"NPE": 8, "DATA_W": 64, "LINES": 4}, {"INT8": 1}),
)
