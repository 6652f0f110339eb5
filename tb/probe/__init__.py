# SPDX-License-Identifier: Apache-2.0
"""From RTL that nobody has described to a description: elaboration, clocks, resets, bundles by naming convention."""
