# SPDX-License-Identifier: Apache-2.0
"""Running ZynqNet: host programs, traffic, inputs, blocks by themselves, and what a run reports."""

HELP = "ZynqNet: golden model, memory map, register programs."
"""Help of the group of commands."""
COMMANDS = {
    "golden": "Run a network in the golden model.",
    "time": "Print the cycles of every layer and what it waits for.",
    "plot": "Draw what a layer reads, computes and writes over time.",
    "map": "Print the memory map of a network.",
    "program": "Print the register writes of the host.",
}
"""What the group lists, without the commands being imported."""
EXAMPLES = {"run": ("goldbeat run zynqnet --case layer --layer c1 --number int8 --memory-latency 40",)}
"""Lines for the help of commands."""
