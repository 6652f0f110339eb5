# SPDX-License-Identifier: Apache-2.0
"""Register maps (``hdl/*/*.rdl``, SystemRDL) and what is made from them: constants, tables, docs (docs/registers.md)."""
