# SPDX-License-Identifier: Apache-2.0
"""The sideband signals of AXI-Stream that a trace may have."""

SIDEBANDS = ("tid", "tdest", "tuser")
"""In the order in which files and comparisons have them."""
