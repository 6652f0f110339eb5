# SPDX-License-Identifier: Apache-2.0
"""Smaller sets of parameter values, and an episode as ports of other widths take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort

_SIDES = ("tid", "tdest", "tuser")


def smaller_sets(design: Design, params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Sets of values of which no number is greater and at least one is smaller, those first that save most.

    First the sets that the description names itself (``variants``) as a whole; then one number at a time, down to what a variant
    or the default says, and to its half. A half is at least 1: zero is only tried where the description names it.

    Args:
        design: has the parameters.
        params: all values of now.
    """
    counted = [name for name in design.parameters if _is_number(design, name, params[name])]
    defaults = {name: parameter.default for name, parameter in design.parameters.items()}
    named = [defaults | dict(variant) for variant in design.variants]
    whole = []
    for variant, values in zip(design.variants, named, strict=True):
        made = {**params, **variant, **{name: values[name] for name in counted}}
        pairs = [(made[name], params[name]) for name in counted]
        if all(now <= before for now, before in pairs) and any(now < before for now, before in pairs):
            whole.append(made)
    singles = []
    for name in counted:
        known = {values[name] for values in named if isinstance(values[name], int) and values[name] < params[name]}
        half = {params[name] // 2} if params[name] > 1 else set()
        singles += [{**params, name: value} for value in sorted(known | half)]
    seen = [dict(params)]
    for one in (*sorted(whole, key=lambda made: sum(made[name] for name in counted)), *singles):
        if one not in seen:
            seen.append(one)
            yield one


def _is_number(design: Design, name: str, value: Any) -> bool:
    parameter = design.parameters[name]
    plain = parameter.bits is None and parameter.enum is None
    return plain and isinstance(parameter.default, int) and isinstance(value, int) and not isinstance(value, bool)


def fitted_stimulus(design: Design, params: Mapping[str, Any], stimulus: Stimulus) -> Stimulus | None:
    """An episode for other parameter values: upper bytes of beats are left out, and ports that are no more.

    Returns:
        None where the ports are wider than the beats, or where bursts would have to be of another width.
    """
    ports = {port.name: port for port in design.bundles(params)}
    inputs = {}
    for name, trace in stimulus.inputs.items():
        if name in ports:
            made = _narrowed(trace, ports[name])
            if made is None:
                return None
            inputs[name] = made
    memories = {port.name: int(port.data_width) for port in design.memory_ports(params)}
    for name, program in stimulus.bursts.items():
        if memories.get(name) != 8 * program.data.shape[1]:
            return None
    ready = {name: pattern for name, pattern in stimulus.ready.items() if name in ports}
    return replace(stimulus, inputs=inputs, ready=ready)


def _narrowed(trace: Trace, port: StreamPort) -> Trace | None:
    width = -(-int(port.width) // 8)
    if width > trace.data.shape[1]:
        return None
    bits = {signal.name: signal.width for signal in port.wires()}
    sides: dict[str, Any] = {}
    for name in _SIDES:
        column = getattr(trace, name)
        sides[name] = column & np.uint64((1 << bits[name]) - 1) if column is not None and name in bits else None
    if trace.tstrb is not None and width < trace.data.shape[1]:
        sides["tstrb"] = trace.tstrb & np.uint64((1 << width) - 1)
    return replace(trace, data=trace.data[:, :width], keep=trace.keep[:, :width], **sides)
