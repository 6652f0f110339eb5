# SPDX-License-Identifier: Apache-2.0
"""Running ZynqNet: host programs, traffic, inputs, blocks by themselves, and what a run reports."""

HELP = "ZynqNet: golden model, memory map, register programs."
"""Help of the group of commands."""
COMMANDS = {
    "golden": "Run a network in the golden model: each layer's sha256, and the likeliest classes.",
    "time": "Print how long every layer takes in hardware, and what it waits for: the timed golden model.",
    "plot": "Draw a layer's life: what is read, computed and written when; the timed golden model, which is the RTL's cycles.",
    "map": "Print where everything lies in memory, and whether the original host would reserve enough.",
    "program": "Print what the host writes to the registers: once, and for every layer.",
}
"""What the group lists, without the commands being imported."""
EXAMPLES = {"run": ("goldbeat run zynqnet --case layer --layer c1 --number int8 --memory-latency 40",)}
"""Lines for the help of commands."""
