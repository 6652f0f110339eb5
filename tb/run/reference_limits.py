# SPDX-License-Identifier: Apache-2.0
"""What the reference back end cannot drive, refused before a run begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.register import RegisterPort

_APB_NEEDS = ("pready", "pstrb")


def check_reference(design: Design, params: Mapping[str, Any], stimulus: Stimulus) -> None:
    """Refuse a stimulus that cocotbext-axi's classes cannot drive.

    Raises:
        UsageError: with port, bus and option.
    """
    for text in _refused(design, params, stimulus):
        raise UsageError(f"--transactors cocotbext: {text}; run it without the option")


def _refused(design: Design, params: Mapping[str, Any], stimulus: Stimulus) -> Iterator[str]:
    registers, memories = design.register_ports(params), design.memory_ports(params)
    buses = {port.name: port.spec.title for port in (*registers, *memories)}
    for name in stimulus.bursts:
        yield f"bursts on the {buses[name]} slave {name} need the native transactors"
    for name in stimulus.memories:
        yield f"a memory behind the {buses[name]} master {name} needs the native transactors"
    for name, trace in stimulus.inputs.items():
        if trace.tstrb is not None:
            yield f"stream {name}: TSTRB needs the native transactors"
    used = {*stimulus.program, *stimulus.after, *stimulus.drivers}
    for port in registers:
        yield from _of_slave(port, used=port.name in used)


def _of_slave(port: RegisterPort, *, used: bool) -> Iterator[str]:
    """What a slave lacks for its master; one of APB is made for every slave, used or not."""
    lacks = [role for role in _APB_NEEDS if not port.has(role)] if isinstance(port, ApbPort) else []
    if lacks and port.direction == "in":
        yield f"the APB slave {port.name} lacks {' and '.join(lacks)}, which cocotbext-axi's master needs"
    if used and not (port.direction in port.reference and port.whole):
        yield f"cocotbext-axi has no master for the {port.spec.title} slave {port.name} as it is"
