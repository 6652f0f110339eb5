# SPDX-License-Identifier: Apache-2.0
"""Golden models and the data they speak in. Nothing here imports a simulator."""
