# SPDX-License-Identifier: Apache-2.0
"""``python -m goldbeat``: the command line."""

from goldbeat.tb.cli import main

main()
