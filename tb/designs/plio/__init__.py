# SPDX-License-Identifier: Apache-2.0
"""The PLIO designs: FIR, packet merge and split, port; the commands for PLIO files."""

HELP = "PLIO files: inspect, make, convert, compare, measure."
"""Help of the group of commands."""
COMMANDS = {
    "info": "Show beats, frames, times, gaps and clock of a file.",
    "gen": "Make a stimulus file.",
    "pack": "Write the samples of a file as PLIO files.",
    "throughput": "Measure throughput, gaps and frame intervals of a port.",
    "pair": "Measure latency and throughput from two files.",
    "app": "Run all ports of a PL kernel beside an AI Engine graph.",
    "unpack": "Write the samples of PLIO files as a numpy file.",
    "convert": "Convert a file: format, width, frames, times.",
    "diff": "Compare two files: values, TLAST, TKEEP and times.",
}
"""What the group lists, without the commands being imported."""
MODULES = {
    "app": "app_command",
    "unpack": "convert_command",
    "convert": "convert_command",
    "diff": "diff_command",
    "throughput": "throughput_command",
    "pair": "pair_command",
    "pack": "pack_command",
}
"""Commands that are not in ``commands``."""
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
