# SPDX-License-Identifier: Apache-2.0
"""The AXI-Stream building blocks: skid buffer, FIFOs, width converters."""

EXAMPLES = {
    "run": (
        "goldbeat run axis_fifo --case random --seeds 200 --set DEPTH=4",
        "goldbeat run axis_async_fifo --case sweep --clock s_aclk=250 --clock m_aclk=312.5@700~40",
        "goldbeat run axis_async_fifo --case sweep --seeds 10 --metastability auto",
    ),
}
"""Lines for the help of commands."""
