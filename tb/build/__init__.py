# SPDX-License-Identifier: Apache-2.0
"""From a description to a simulator: harness, build, toolchain, lint."""
