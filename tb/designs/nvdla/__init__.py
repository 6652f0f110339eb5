# SPDX-License-Identifier: Apache-2.0
"""Running NVDLA: traffic, inputs and outputs, compiled models on our RTL or the user's."""

HELP = "NVDLA loadables: inspect, execute, profile, register programs."
"""Help of the group of commands."""
COMMANDS = {
    "info": "Show version, tasks, tensors and blobs of a loadable.",
    "ops": "List the operations with surfaces, dependencies, fields.",
    "memory": "List memories with addresses and contents.",
    "graph": "Show dependencies and fused operations.",
    "order": "List unordered accesses, and a timing that shows them.",
    "program": "Write the driver's register program.",
    "export": "Write a loadable as a trace test of the public hardware repository.",
    "play": "Play trace tests on the functional models, without RTL.",
    "execute": "Run the functional models alone, without RTL.",
    "profile": "Show cycles, multiplier use, traffic and waits per operation.",
}
"""What the group lists, without the commands being imported."""
EXAMPLES = {
    "run": (
        "goldbeat run nvdla --loadable model.nvdla",
        "goldbeat run nvdla --loadable lenet.nvdla --input 3.jpg --input 7.jpg --image-scale half",
        "goldbeat run nvdla --trace verif/tests/trace_tests/nv_small",
        "goldbeat run nvdla --loadable model.nvdla --rtl outdir/nv_small --input cat.png",
    ),
}
"""Lines for the help of commands."""
