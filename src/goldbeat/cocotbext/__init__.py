# SPDX-License-Identifier: Apache-2.0
"""Extensions of cocotb by their own names, native where that is possible."""
