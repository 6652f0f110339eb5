# SPDX-License-Identifier: Apache-2.0
"""Running ZynqNet: host programs, traffic, inputs, blocks by themselves, and what a run reports."""

EXAMPLES = {"run": ("goldbeat run zynqnet --case layer --layer c1 --number int8 --memory-latency 40",)}
"""Lines for the help of commands."""
