# SPDX-License-Identifier: Apache-2.0
"""The surface of mlir-aie: object FIFOs, workers, runtime sequences, with tiles or without."""
