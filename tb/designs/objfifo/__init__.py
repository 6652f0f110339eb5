# SPDX-License-Identifier: Apache-2.0
"""What the benches of the object FIFO engine share: scenes, random designs, whole plans on engines."""

HELP = "Object FIFO designs: check, plan, run, exec; compiled files: dis, asm, load; traces: read-trace, compare-trace."
"""Help of the group of commands."""
COMMANDS = {
    "plan": "Print what a design is lowered to: buffers, locks, channels, buffer descriptors.",
    "check": "Check every rule, then whether the design hangs.",
    "run": "Run every tile of a design on the DMA engine in RTL, with the design's own data.",
    "rules": "List the rules by name; those with a star are not checked by mlir-aie.",
    "dis": "List a compiled file: every register write with its name.",
    "asm": "Make a compiled file of a listing, byte for byte what dis read.",
    "load": "Print what compiled files hold: buffers, locks, descriptors, streams, and which cores need a stand-in.",
    "exec": "Execute a whole design without time, runtime sequence and cores included.",
    "read-trace": "Read the raw words of the array's trace units.",
    "compare-trace": "Line two traces up per event and say where they part.",
}
"""What the group lists, without the commands being imported."""
