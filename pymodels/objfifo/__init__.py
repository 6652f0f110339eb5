# SPDX-License-Identifier: Apache-2.0
"""Object FIFOs of mlir-aie designs on AIE2: the surface, the checks, the plan, the golden model."""
