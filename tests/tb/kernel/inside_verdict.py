# SPDX-License-Identifier: Apache-2.0
"""Inside the simulator: tests whose design breaks rules. What must become of each stands in test_protocol_verdict.py."""

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import Timer

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel import AxiStreamSink, AxiStreamSource, Kernel

PERIOD_PS = 2000
PATTERN = "array:0,0,0,1"


async def _broken(dut, *, foreign=False, reset=False, **options):
    """Send words through a slice that drops them; returns what the kernel has seen."""
    from goldbeat.pymodels.pattern import Pattern

    dut.aresetn.value = 0
    dut.drop.value = 1
    dut.aclk.value = 0
    await Timer(PERIOD_PS, "ps")
    kernel = Kernel(dut, **options)
    if foreign:
        Clock(dut.aclk, PERIOD_PS, "ps").start()
    else:
        kernel.clock("aclk", PERIOD_PS)
    clock = kernel.clock("aclk")
    source = AxiStreamSource(kernel, "s_axis")
    sink = AxiStreamSink(kernel, "m_axis", ready=Pattern.parse(PATTERN))
    await clock.cycles(4)
    dut.aresetn.value = 1
    source.send(Trace.from_samples(np.arange(35, dtype=np.uint32), "uint32", 32, clock_ps=PERIOD_PS))
    await source.wait()
    await clock.cycles(8)
    assert any(v.startswith("axis_valid_held: m_axis") for v in sink.violations)
    if reset:
        sink.reset()
        assert not sink.violations
    return kernel


@cocotb.test()
async def broken(dut):
    await _broken(dut)


@cocotb.test()
async def broken_on_cocotbs_clock(dut):
    await _broken(dut, foreign=True)


@cocotb.test()
async def broken_before_a_reset(dut):
    await _broken(dut, reset=True)


@cocotb.test()
async def broken_before_another_kernel(dut):
    await _broken(dut)
    Kernel(dut)


@cocotb.test()
async def broken_and_waived(dut):
    await _broken(dut, waive=["axis_valid_held:m_axis"])


@cocotb.test()
async def broken_and_waived_on_every_port(dut):
    await _broken(dut, waive=["axis_valid_held"])


@cocotb.test()
async def broken_and_another_port_waived(dut):
    await _broken(dut, waive=["axis_valid_held:s_axis"])


@cocotb.test()
async def broken_and_another_rule_waived(dut):
    await _broken(dut, waive=["axis_payload_stable"])


@cocotb.test()
async def broken_but_not_judged(dut):
    await _broken(dut, judge=False)


@cocotb.test()
async def a_waiver_of_no_port(dut):
    await _broken(dut, waive=["axis_valid_held", "axis_valid_held:maxis"])


@cocotb.test()
async def a_waiver_of_no_rule(dut):
    Kernel(dut, waive=["axis_held"])


@cocotb.test(expect_fail=True)
async def broken_as_expected(dut):
    await _broken(dut)


@cocotb.test()
async def sound(dut):
    kernel = Kernel(dut)
    dut.drop.value = 0
    clock = kernel.clock("aclk", PERIOD_PS)
    AxiStreamSink(kernel, "m_axis")
    await clock.cycles(4)
