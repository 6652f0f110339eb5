# SPDX-License-Identifier: Apache-2.0
"""PLIO files: text and CSV to traces and back."""

from goldbeat.pymodels.plio_file.clock import DEFAULT_CLOCK_PS, PortClock, stamped_period
from goldbeat.pymodels.plio_file.csv import format_csv, parse_csv, read_csv, write_csv
from goldbeat.pymodels.plio_file.file import read, write
from goldbeat.pymodels.plio_file.result import PlioFile
from goldbeat.pymodels.plio_file.style import TextStyle
from goldbeat.pymodels.plio_file.text import format_text, parse_text, read_text, write_text

__all__ = [
    "DEFAULT_CLOCK_PS",
    "PlioFile",
    "PortClock",
    "TextStyle",
    "format_csv",
    "format_text",
    "parse_csv",
    "parse_text",
    "read",
    "read_csv",
    "read_text",
    "stamped_period",
    "write",
    "write_csv",
    "write_text",
]
