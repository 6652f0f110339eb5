# SPDX-License-Identifier: Apache-2.0
"""Scripts as they are written for mlir-aie, import lines included: declared, then executed."""
