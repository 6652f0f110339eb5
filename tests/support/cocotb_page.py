# SPDX-License-Identifier: Apache-2.0
"""The example in docs/cocotb.md as files, and what a cocotb run said."""

import re
from pathlib import Path
from xml.etree import ElementTree

from goldbeat.tb.paths import REPOSITORY


def write_example(folder: Path, *names: str) -> None:
    """Write files of the page's example into ``folder``, as they are printed."""
    page = (REPOSITORY / "docs" / "cocotb.md").read_text()
    for name in names:
        block = re.search(rf"^`{re.escape(name)}`.*?^```\w+\n(.*?)^```", page, re.S | re.M)
        (folder / name).write_text(block[1])


def cocotb_failures(results: Path) -> dict[str, bool]:
    """Whether each cocotb test failed, from ``results.xml``."""
    cases = ElementTree.parse(results).getroot().iter("testcase")
    return {c.get("name"): c.find("failure") is not None or c.find("error") is not None for c in cases}
