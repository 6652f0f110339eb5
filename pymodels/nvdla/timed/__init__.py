# SPDX-License-Identifier: Apache-2.0
"""The timed golden model of ``hdl/nvdla``, cycle by cycle from its contract (docs/nvdla-hardware.md)."""

from goldbeat.pymodels.nvdla.timed.model import predict

__all__ = ["predict"]
