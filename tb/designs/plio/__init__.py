# SPDX-License-Identifier: Apache-2.0
"""The PLIO designs: FIR, packet merge and split, port; the commands for PLIO files."""

EXAMPLES = {
    "run": (
        "goldbeat run plio_fir",
        "goldbeat run plio_fir --input s_axis=stimulus.txt --set W=64 --set ready=random:0.3 --name try1",
        "goldbeat run plio_pkt_split --case sweep --seed 7 --waves",
    ),
    "list": ("goldbeat list plio_fir --json",),
    "signoff": ("goldbeat signoff build/runs/plio_fir-filter --limits limits.toml --junit signoff.xml",),
}
"""Lines for the help of commands."""
