# SPDX-License-Identifier: Apache-2.0
"""Everything of ``cocotbext.axi``, with agents in C++ in a simulator of Goldbeat.

Importing it there makes ``cocotbext.axi`` native, too: masters and slaves that stay Python work on native channels. In any other
simulator, and on signals that C++ does not reach, everything is cocotbext-axi's own.
"""

from goldbeat.tb.dropin.hub import hub
from goldbeat.tb.dropin.inside import install_buses

if hub() is not None:
    install_buses()

from cocotbext.axi import *  # noqa: F403
