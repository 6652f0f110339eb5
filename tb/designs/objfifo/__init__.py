# SPDX-License-Identifier: Apache-2.0
"""What the benches of the object FIFO engine share: scenes, random designs, whole plans on engines."""

HELP = "Object FIFO designs: check, plan, run, execute; traces."
"""Help of the group of commands."""
COMMANDS = {
    "plan": "Print the lowered design: buffers, locks, descriptors.",
    "check": "Check all rules, then whether the design hangs.",
    "run": "Run every tile of a design on the DMA engine in RTL.",
    "time": "Print where the time goes: controller, shim, streams, cores.",
    "rules": "List the rules; mlir-aie does not check those with a star.",
    "dis": "List a compiled file: all register writes by name.",
    "compile": "Write a design as compiled files: insts.bin and main.cdo.",
    "asm": "Make a compiled file from a listing, byte for byte.",
    "load": "Print the design that is in compiled files.",
    "exec": "Execute a whole design without time.",
    "read-trace": "Read raw words of the array's trace units.",
    "compare-trace": "Align two traces per event and list the differences.",
}
"""What the group lists, without the commands being imported."""
