# SPDX-License-Identifier: Apache-2.0
"""The TPU command front end."""

HELP = "TPU command streams: info, extract, dis, asm, check, execute, operands, diff, time, rates."
"""Help of the group of commands."""
COMMANDS = {
    "info": "Say what is in a BModel or CviModel: chip, nets, streams with their commands, coefficients.",
    "extract": "Write every stream of a container to a file of its own, and coefficients or weights too.",
    "dis": "Disassemble: text (which `asm` takes back), one JSON object a command, or CSV.",
    "asm": "Assemble a disassembly back to bytes.",
    "check": "Check framing, ids, dependencies, barriers, deadlock and hazards.",
    "execute": "Execute the commands of a BModel on memories of numbers.",
    "operands": "Print each command with its operands: tensor, address, shape, type, strides.",
    "diff": "Compare two files: commands aligned, and the fields that changed.",
    "time": "Say when each command starts and ends, what it waits for, and which chain of commands takes the time.",
    "rates": "Print what commands cost: elements, products and cycles per step; DMA start, burst and bytes per cycle.",
    "chips": "List chips, their engines and command forms.",
    "rules": "List what `check` looks for, by name; those with a star are advice.",
}
"""What the group lists, without the commands being imported."""
