# SPDX-License-Identifier: Apache-2.0
"""A module with ports and nothing in it, as ``goldbeat probe`` sees it."""

import json

from typer.testing import CliRunner

from goldbeat.tb.cli import app


def probed(folder, ports):
    """What it finds; ``ports``: ``in:we``, ``out:rdata:32`` or ``in:adr:[9:2]``, with spaces between."""
    text = []
    for way, name, *bits in (one.split(":", 2) for one in ports.split()):
        width = f"[{int(bits[0]) - 1}:0]" if bits and bits[0].isdigit() else "".join(bits)
        text.append(f"{way}put logic {width} {name}")
    (folder / "box.sv").write_text(f"module box(input logic clk, input logic rst, {', '.join(text)});\nendmodule\n")
    words = ["probe", str(folder / "box.sv"), "--json"]
    return json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)
