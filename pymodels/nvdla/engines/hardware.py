# SPDX-License-Identifier: Apache-2.0
"""What the engines do to memory, stated as their registers program it.

The bench of the RTL compares with this: register values of one group, memory before, memory after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, Transfer
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.bdma import run_bdma
from goldbeat.pymodels.nvdla.engines.cdp import check_cdp, run_cdp
from goldbeat.pymodels.nvdla.engines.clients import check_memories
from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL, Configuration
from goldbeat.pymodels.nvdla.engines.conv import check_conv, run_conv
from goldbeat.pymodels.nvdla.engines.pdp import check_pdp, run_pdp
from goldbeat.pymodels.nvdla.engines.registers import Tables, Values
from goldbeat.pymodels.nvdla.engines.rubik import run_rubik
from goldbeat.pymodels.nvdla.engines.sdp import check_sdp, run_sdp

_ENGINES: dict[str, Callable[[Values, AddressSpace, Ints | None], Ints]] = {
    "CONV": run_conv,
    "SDP": run_sdp,
    "PDP": run_pdp,
    "CDP": run_cdp,
    "BDMA": run_bdma,
    "RUBIK": run_rubik,
}
_CHECKS: dict[str, Callable[[Values], object]] = {
    "CONV": check_conv,
    "SDP": check_sdp,
    "PDP": check_pdp,
    "CDP": check_cdp,
}


@dataclass(frozen=True, eq=False)
class OperationResult:
    """What an operation leaves.

    Attributes:
        memory: (size,) bytes of each region after the operation.
        output: (surfaces, height, width, lanes) the output: sums of 32 bits of a convolution, which go on to SDP; elements
            of the others, which SDP may hand on to PDP.
        writes, reads: addresses that were written and read, and how many bytes at each of them.
        weights: those of a convolution's weights.
    """

    memory: dict[str, npt.NDArray[np.uint8]]
    output: Ints
    writes: Sequence[Transfer] = ()
    reads: Sequence[Transfer] = ()
    weights: Sequence[Transfer] = ()


def run_operation(
    engine: str,
    registers: Mapping[int, int],
    memory: Sequence[Region],
    incoming: Ints | None = None,
    luts: Tables | None = None,
    configuration: Configuration = NV_SMALL,
) -> OperationResult:
    """Carry out one operation.

    Args:
        engine: ``CONV``, ``SDP``, ``PDP``, ``CDP``, ``BDMA`` (one transfer) or ``RUBIK``.
        registers: byte address to value of the group that is run, all blocks of the engine included; what was never
            written has its reset value. Other blocks do no harm.
        memory: regions of the address space; their arrays stay as they are.
        incoming: what comes from the engine before in flying mode.
        luts: LE and LO table, of CDP and of SDP's element-wise stage.
        configuration: of the hardware.

    Raises:
        UsageError: the hardware, or its model, cannot do what the registers say.
        InputError: a cube lies outside of the memory.
    """
    if engine not in _ENGINES:
        raise UsageError(f"unknown engine {engine!r}; known: {', '.join(_ENGINES)}")
    space = AddressSpace(memory)
    output = _ENGINES[engine](Values(registers, luts, configuration), space, incoming)
    return OperationResult(space.contents(), output, space.writes, space.reads, space.runs)


def check_operation(engine: str, values: Values) -> None:
    """Refuse what no data are needed to refuse.

    Raises:
        UsageError: the hardware, or its model, cannot do what the registers say.
    """
    if engine in _CHECKS:
        _CHECKS[engine](values)
    check_memories(engine, values)
