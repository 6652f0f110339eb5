# SPDX-License-Identifier: Apache-2.0
"""Running NVDLA: traffic, inputs and outputs, compiled models on our RTL or the user's."""

HELP = "NVDLA loadables: what is in them, and their register program."
"""Help of the group of commands."""
COMMANDS = {
    "info": "Say what is in a loadable: version, tasks, layout of the descriptors and why, tensors, blobs.",
    "ops": "List the operations: union members, surfaces with their addresses, dependencies, all fields.",
    "memory": "List the memories with addresses and contents, and the address list.",
    "graph": "Show who waits for whom, and which operations are fused.",
    "program": "Write the driver's register program for nv_small, as if every operation were done at once.",
    "execute": "Run the functional models alone, without RTL, and keep every memory that operations write as .npy.",
}
"""What the group lists, without the commands being imported."""
EXAMPLES = {
    "run": (
        "goldbeat run nvdla --loadable model.nvdla",
        "goldbeat run nvdla --loadable model.nvdla --rtl outdir/nv_small --input cat.png",
    ),
}
"""Lines for the help of commands."""
