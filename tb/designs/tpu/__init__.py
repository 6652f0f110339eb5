# SPDX-License-Identifier: Apache-2.0
"""The TPU command front end."""

HELP = "TPU command streams: inspect, check, execute, time."
"""Help of the group of commands."""
COMMANDS = {
    "info": "Show chip, nets, streams and coefficients of a model.",
    "extract": "Write each stream and the coefficients to files.",
    "dis": "Disassemble to text, JSON lines or CSV.",
    "asm": "Assemble a disassembly back to bytes.",
    "check": "Check framing, dependencies, deadlocks and hazards.",
    "execute": "Execute the commands of a BModel.",
    "compare": "Compare tensors with a reference, layer by layer.",
    "operands": "Print commands with operands: tensor, shape, strides.",
    "diff": "Compare two files command by command.",
    "time": "Print start, end and waits of each command.",
    "rates": "Print what commands cost: cycles per step, DMA rates.",
    "chips": "List chips, their engines and command forms.",
    "rules": "List the rules of `check`; those with a star are advice.",
}
"""What the group lists, without the commands being imported."""
