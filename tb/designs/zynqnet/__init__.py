# SPDX-License-Identifier: Apache-2.0
"""Running ZynqNet: host programs, traffic, inputs, blocks by themselves, and what a run reports."""
