# SPDX-License-Identifier: Apache-2.0
"""Service curves: the least and the most payload that any window of a stream holds.

A window is half-open. It starts at any cycle from the first beat on and ends at the last beat at the latest. So a rate
over a window never exceeds what the port carries, and every slow spot shows at some length, whatever the frames are.
Payload is counted in bytes: what TKEEP leaves out does not count.
"""

from goldbeat.pymodels.curves.service import ServiceCurve, SlowWindow, service_curve, slowest_window, window_lengths

__all__ = ["ServiceCurve", "SlowWindow", "service_curve", "slowest_window", "window_lengths"]
