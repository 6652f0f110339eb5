# SPDX-License-Identifier: Apache-2.0
"""``python -m tb.cli``: the same as ``goldbeat``."""

from tb.cli import main

main()
