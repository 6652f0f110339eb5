# SPDX-License-Identifier: Apache-2.0
"""The page of accesses that nothing orders: a picture of each finding, in one file without network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from goldbeat.pymodels.order.order_picture import OrderPicture
from goldbeat.tb.page.run_page import page_environment, page_part

_MOST = 50
_STEP, _HEIGHT, _LEFT = 46, 44, 12


def write_order_page(path: Path, title: str, pictures: Sequence[Callable[[], OrderPicture]]) -> None:
    """Write the page.

    Args:
        path: of the HTML file.
        title: what was checked.
        pictures: make the picture of a finding each; the first 50 are drawn, the others are counted.
    """
    template = page_environment().get_template("order.html.j2")
    drawn = [{"one": one, **_places(one)} for one in (make() for make in pictures[:_MOST])]
    text = template.render(title=title, drawn=drawn, left=len(pictures) - len(drawn), style=page_part("page.css"))
    path.write_text(text, encoding="utf-8")


def _places(one: OrderPicture) -> dict[str, object]:
    """Where everything of a picture stands, in pixels."""

    def x(column: int) -> int:
        return _LEFT + _STEP // 2 + _STEP * column

    def y(row: int) -> int:
        return _HEIGHT * row + _HEIGHT * 3 // 4

    events = [{"x": x(column), "y": y(row), "text": text, "row": row} for row, column, text in one.events]
    first, second = one.accesses
    return {
        "width": x(one.columns),
        "height": _HEIGHT * len(one.rows) + 12,
        "rows": [(name, y(row)) for row, name in enumerate(one.rows)],
        "events": events,
        "edges": [(events[a], events[b]) for a, b in one.edges],
        "bars": [
            {"x": x(bar.begin) - 6, "y": y(bar.row) - 6, "width": x(bar.end) - x(bar.begin) + 12, "write": bar.write}
            for bar in one.accesses
        ],
        "missing": (x(first.end), y(first.row), x(second.begin), y(second.row)),
    }
