# SPDX-License-Identifier: Apache-2.0
"""How long commands take where no profile says it: work of each command, and cycles for it, by chip."""
