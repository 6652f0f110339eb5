# SPDX-License-Identifier: Apache-2.0
"""The status of a run beside ``pass``, ``partial`` and ``fail``."""

from __future__ import annotations

RECORDED = "recorded"
"""Nothing failed, no golden model knows the outputs, and they are the same as recorded."""
