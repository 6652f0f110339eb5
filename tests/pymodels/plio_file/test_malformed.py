# SPDX-License-Identifier: Apache-2.0
"""Every rule broken once: the reader stops at the right line and says what is wrong.

``malformed.json`` is a list of cases: ``name``, ``content`` (each character one byte), ``dtype``, ``width``, ``suffix``,
``line`` (null: no line), ``fragment`` of the message, and where needed ``clock_ps``, ``error`` (InputError unless said
otherwise) and ``packets`` (the file reads, its packets do not).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from goldbeat.pymodels import errors
from goldbeat.pymodels.plio_file import lex, parse_csv, parse_text, read
from goldbeat.pymodels.plio_file.packets import file_to_packets

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "malformed.json").read_text())


def test_enough_cases() -> None:
    assert len(CASES) >= 60


def everything(path: Path, case: dict[str, Any]) -> None:
    """Read the file, and its packets where it should have some."""
    file = read(path, case["dtype"], case["width"], clock_ps=case.get("clock_ps"))
    if case.get("packets"):
        file_to_packets(file, strict=True, name=str(path))


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_malformed(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / f"{case['name']}{case['suffix']}"
    path.write_bytes(case["content"].encode("latin-1"))
    wanted = getattr(errors, case.get("error", "InputError"))
    with pytest.raises(wanted) as caught:
        everything(path, case)
    message = str(caught.value)
    assert case["fragment"] in message
    if case["line"] is not None:
        assert caught.value.line == case["line"]
        assert message.startswith((f"{path}:{case['line']}: found ", f"{path}:{case['line']}: missing "))


LINES = 1000
FILLERS = {"int16": "1 2 3 4 5 6 7 8", "int32": "1 2 3 4"}
AT_THE_TOP = (
    "packet",
    "empty_file",
    "blank_file",
    "csv_empty",
    "csv_no_header",
    "csv_header",
    "csv_only_stall",
    "byte_order_mark",
)


def movable(case: dict[str, Any]) -> bool:
    """Whether the same mistake can be made further down."""
    special = case["name"].startswith(AT_THE_TOP) or case["name"] == "time_only_later" or "clock_ps" in case
    return case["dtype"] in FILLERS and case["line"] is not None and not special


@pytest.mark.parametrize("case", [c for c in CASES if movable(c)], ids=[c["name"] for c in CASES if movable(c)])
def test_malformed_far_into_the_file(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same mistake after many good blocks, which the quick reader takes."""
    monkeypatch.setattr(lex, "BLOCK", 512)
    numbers = FILLERS[case["dtype"]].split()[: case["width"] // (16 if case["dtype"] == "int16" else 32)]
    content = case["content"].encode("latin-1")
    if case["suffix"] == ".csv":
        head, rest = content.split(b"\n", 1)
        content = head + b"\n" + f"DATA,{','.join(numbers)}\n".encode() * LINES + rest
    elif content.startswith(b"T "):
        content = "".join(f"T {k} ps\n{' '.join(numbers)}\n" for k in range(LINES // 2)).encode() + content
    else:
        content = f"{' '.join(numbers)}\n".encode() * LINES + content
    reader = parse_csv if case["suffix"] == ".csv" else parse_text
    with pytest.raises(errors.InputError) as caught:
        reader(content, case["dtype"], case["width"])
    assert case["fragment"] in str(caught.value)
    assert caught.value.line == case["line"] + LINES
