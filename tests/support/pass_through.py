# SPDX-License-Identifier: Apache-2.0
"""What descriptions of a design with one stream in and one out, 8 bits wide, have in common."""

PORTS = """
[[clocks]]
name = "aclk"
reset = "aresetn"
[[streams]]
name = "s_axis"
direction = "in"
width = 8
signals = { tdata = "s_axis_tdata", tvalid = "s_axis_tvalid", tready = "s_axis_tready" }
[[streams]]
name = "m_axis"
direction = "out"
width = 8
signals = { tdata = "m_axis_tdata", tvalid = "m_axis_tvalid", tready = "m_axis_tready" }
[traffic]
"""
