# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: traces of single words that break the rules of a bus, each seen by name."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge
from rule_modes import IN_RESET, WORD_MODES

from goldbeat.pymodels.errors import ProtocolError
from goldbeat.tb.kernel import Kernel
from goldbeat.tb.kernel.avalon import AvalonChecker, AvalonMaster
from goldbeat.tb.kernel.registers import write
from goldbeat.tb.kernel.wishbone import WishboneChecker, WishboneMaster

PERIOD_PS = 1000
CHECKERS = {"c": WishboneChecker, "p": WishboneChecker, **dict.fromkeys("abw", AvalonChecker)}
MASTERS = {"s": WishboneMaster, "v": AvalonMaster}
OPTIONS = {"v": {"words": False, "latency": 0}, "w": {"words": False, "allowance": 2}}


def _put(dut, port, text):
    levels = {role: int(value or "1") for role, _, value in (word.partition("=") for word in text.split())}
    for name in dir(dut):
        if name.startswith(f"{port}_"):
            getattr(dut, name).value = levels.get(name[2:], int(name.endswith("_burstcount")))


def _start(dut):
    dut.clk.value = dut.rst_n.value = 0
    for port in CHECKERS:
        _put(dut, port, "")
    kernel = Kernel(dut, judge=False)
    return kernel, kernel.clock("clk", PERIOD_PS)


@cocotb.test()
@cocotb.parametrize(mode=list(WORD_MODES))
async def a_trace_breaks(dut, mode):
    port, cycles, expected = WORD_MODES[mode]
    kernel, clock = _start(dut)
    checker = CHECKERS[port](kernel, port, clock="clk", reset="rst_n", **OPTIONS.get(port, {"words": False}))
    for step, text in enumerate(["", "", "", *cycles, ""]):
        await FallingEdge(dut.clk)
        dut.rst_n.value = step >= 2
        _put(dut, port, text)
    await clock.cycles(2)
    assert [text.partition(":")[0] for text in checker.violations] == expected, checker.violations
    assert all(f": {port}, cycle " in text for text in checker.violations)


@cocotb.test()
@cocotb.parametrize(mode=list(IN_RESET))
async def a_master_in_reset(dut, mode):
    port, text, expected = IN_RESET[mode]
    kernel, clock = _start(dut)
    checker = CHECKERS[port](kernel, port, clock="clk", reset="rst_n", **OPTIONS.get(port, {"words": False}))
    _put(dut, port, text)
    await clock.cycles(8)
    assert [one.partition(":")[0] for one in checker.violations] == expected, checker.violations


@cocotb.test()
@cocotb.parametrize(port=list(MASTERS))
async def an_access_without_an_answer_fails_the_test(dut, port):
    kernel, clock = _start(dut)
    master = MASTERS[port](kernel, port, clock="clk", **OPTIONS.get(port, {"words": False}))
    task = cocotb.start_soon(master.run([write(0, 1)], timeout=0))
    await clock.cycles(9)
    task.cancel()
    with pytest.raises(ProtocolError, match=f"{master.spec.name}_outstanding: {port}: "):
        kernel._verdict()
