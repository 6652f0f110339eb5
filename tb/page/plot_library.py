# SPDX-License-Identifier: Apache-2.0
"""uPlot, which draws the plots of a page that can be zoomed: from a package of PyPI, and only the build that is known.

Measured choice, in bytes that every page would carry: uPlot 52,169 (1.6.31, script and style), bokeh 1,268,134 (3.9.2,
``bokeh.min.js``), plotly 4,815,814 (7.1.0). Altair's package has no script of its own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from goldbeat.tb.extras import module_hint

_PACKAGE = "youplot"
_NAME = "uPlot 1.6.31"
_SCRIPT, _STYLE = "uplot.iife.min.js", "uplot.min.css"
# Of the files that uPlot's author has published on npm as uplot 1.6.31; nothing else is put into a page and run there.
_KNOWN = {
    _SCRIPT: "2d27e8ad3d228164525ce213f9dc716f39b4e3aee0cc773fb3491c96cf4921a2",
    _STYLE: "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}


@dataclass(frozen=True)
class PlotLibrary:
    """What a page needs to draw: a script, its style, and what they are called."""

    script: str
    style: str
    name: str = _NAME


def find_library() -> PlotLibrary | str:
    """The library; or why there is none, for people."""
    # The package itself is not imported: two of its files are all that is wanted.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return f"{_NAME} is not installed; {module_hint(_PACKAGE)}, then make the page again with `goldbeat report`"
    folder = Path(spec.origin).parent / "vendor"
    texts = {}
    for name, known in _KNOWN.items():
        try:
            content = (folder / name).read_bytes()
        except OSError as error:
            return f"{_NAME}: {folder / name}: {error.strerror}; {module_hint(_PACKAGE)}"
        if hashlib.sha256(content).hexdigest() != known:
            return f"{folder / name} has an unknown SHA-256 and is not used; {module_hint(_PACKAGE)}"
        texts[name] = content.decode()
    return PlotLibrary(texts[_SCRIPT], texts[_STYLE])
