# SPDX-License-Identifier: Apache-2.0
"""Running NVDLA: traffic, inputs and outputs, compiled models on our RTL or the user's."""

EXAMPLES = {
    "run": (
        "goldbeat run nvdla --loadable model.nvdla",
        "goldbeat run nvdla --loadable model.nvdla --rtl outdir/nv_small --input cat.png",
    ),
}
"""Lines for the help of commands."""
