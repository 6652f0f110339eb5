# SPDX-License-Identifier: Apache-2.0
"""PLIO files and packet streams: text and CSV to traces and back."""

from pymodels.plio.clock import DEFAULT_CLOCK_PS, PortClock
from pymodels.plio.csv import format_csv, parse_csv, read_csv, write_csv
from pymodels.plio.file import read, write
from pymodels.plio.result import PlioFile
from pymodels.plio.style import TextStyle
from pymodels.plio.text import format_text, parse_text, read_text, write_text

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
    "write",
    "write_csv",
    "write_text",
]
