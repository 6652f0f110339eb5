# SPDX-License-Identifier: Apache-2.0
"""From a design to its plan: tiles, locks, buffer descriptors, channels, and the rules."""
