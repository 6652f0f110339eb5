# SPDX-License-Identifier: Apache-2.0
"""What a network has computed in the RTL: outputs of its layers and classes, from the memory as it stands at the end."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.zynqnet.classify import Class, top
from goldbeat.pymodels.zynqnet.device import MEMORY
from goldbeat.pymodels.zynqnet.golden import means, pool_sums, quantised
from goldbeat.pymodels.zynqnet.layer_run import word_type
from goldbeat.pymodels.zynqnet.memory_controller import MemoryController
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import Network
from goldbeat.pymodels.zynqnet.padding import without_padding
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.measurements import MeasurementTable, RunAnswer
from goldbeat.tb.designs.zynqnet.inputs import chosen_layers, find_image, find_network, find_weights
from goldbeat.tb.inside.job import Record

_CLASSES = 5


def answer(setting: CaseContext, stimulus: Stimulus, record: Record) -> RunAnswer | None:
    """Of a case that runs a network; None for all others.

    Outputs are (rows, columns, channels) of the layers that ran, without padded channels: float32; int8: int32 that holds it.
    There are classes where the last layer ran and pools.
    """
    if "network" not in setting.options or MEMORY not in record.outcome.memories:
        return None
    network = find_network(str(setting.options["network"]))
    layers = chosen_layers(network, str(setting.options["layer"]))
    int8 = bool(setting.params["INT8"])
    regions = record.outcome.memories[MEMORY].regions
    whole = np.concatenate([regions[region.name] for region in stimulus.memories[MEMORY].regions])
    dram = whole.view(word_type("int8" if int8 else "fp32"))
    memory = MemoryMap(network)
    outputs = {
        layer.name: without_padding(layer, MemoryController(dram, layer, memory).output()).copy() for layer in layers
    }
    facts: dict[str, object] = {"network": network.name}
    last = network.layers[-1]
    if not last.gpool or last not in layers:
        return RunAnswer(f"network {network.name}", outputs, facts)
    fraction = _fraction(setting, network) if int8 else 0
    found = top(means(network, pool_sums(network, dram), fraction), _CLASSES)
    facts["classes"] = [asdict(one) for one in found]
    return RunAnswer(f"network {network.name}", outputs, facts, (_table(found, network.name),))


def _fraction(setting: CaseContext, network: Network) -> int:
    """Fraction length of the results, as the case has chosen it."""
    weights = find_weights(str(setting.options["weights"]), network, finite=True)
    return quantised(network, weights, find_image(str(setting.options["image"]), network, finite=True)).fraction


def _table(classes: tuple[Class, ...], name: str) -> MeasurementTable:
    rows = tuple(
        (
            str(one.number),
            "undefined" if one.probability is None else f"{one.probability:.4%}",
            "not finite" if one.score is None else f"{one.score:.4f}",
        )
        for one in classes
    )
    return MeasurementTable(f"{name}: classes in RTL", ("class", "probability", "score"), rows)
