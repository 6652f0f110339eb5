# SPDX-License-Identifier: Apache-2.0
"""``python -m goldbeat.tb.cli``: the same as ``goldbeat``."""

from goldbeat.tb.cli import main

main()
