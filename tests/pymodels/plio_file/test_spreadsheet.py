# SPDX-License-Identifier: Apache-2.0
"""CSV files as spreadsheets write them: read like the plain one, or refused with what mends it."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.csv import parse_csv
from goldbeat.pymodels.plio_file.encoding import begins_as_csv

PLAIN = "CMD,D,D,TLAST,TKEEP\nDATA,1,-2,0,-1\nSTALL:3\nDATA:2,3,4,1,0xF\nCOMMENT,x\nDATA,5,6,1,-1\n"
WRITTEN = {
    "semicolons": PLAIN.replace(",", ";"),
    "tabs": PLAIN.replace(",", "\t"),
    "quoted": "\n".join(",".join(f'"{cell}"' for cell in row.split(",")) if row else "" for row in PLAIN.split("\n")),
    "quoted semicolons": PLAIN.replace(",", '";"').replace("\n", '"\n"').join('""').removesuffix('""'),
    "numbered": PLAIN.replace("CMD,D,D", "CMD,D0,D1"),
    "numbered from 1": PLAIN.replace("CMD,D,D", "CMD,d[1],d[2]"),
    "words for TLAST": PLAIN.replace(",0,-1", ",FALSE,-1").replace("4,1,0xF", "4,True,0xF").replace("6,1", "6,TRUE"),
    "empty columns": "".join(f"{row},,\n" for row in PLAIN.splitlines()).replace("STALL:3,,", "STALL:3,,,,,,"),
    "filled up rows": PLAIN.replace("0xF\n", "0xF,,\n").replace("STALL:3\n", "STALL:3,,,,,\n"),
    "carriage returns": PLAIN.replace(",", ";").replace("\n", "\r\n"),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_what_spreadsheets_write_is_read(form: str) -> None:
    wanted, text = parse_csv(PLAIN.encode(), "int16", 32), WRITTEN[form]
    found = parse_csv(text.encode(), "int16", 32)
    assert found.trace == wanted.trace
    assert found.lines.tolist() == wanted.lines.tolist()
    assert begins_as_csv(text.encode())


def test_decimal_commas() -> None:
    found = parse_csv(b"CMD;D;TLAST\nDATA;1,5;0\nDATA;-2,5E-1;1\n", "float", 32)
    assert found.trace.samples("float").tolist() == [1.5, -0.25]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("sep=;\nCMD;D\nDATA;1\n", 1, "delete this line"),
        ('CMD,D\nDATA,"1,5"\n', 2, "save with semicolons"),
        ('CMD,D\nDATA,"1\n2"\n', 2, "does not end in its line"),
        ("CMD,D1,D0\nDATA,1,2\n", 1, "D columns in ascending order"),
        ("CMD,D,TLAST\nDATA,1,WAHR\n", 2, "0 or 1, or TRUE or FALSE"),
        ("CMD,D,TLAST\nDATA,1,0,7\n", 2, "4 cells"),
        ("CMD;D;TLAST\nDATA;1.000,5;0\n", 2, "1.000,5"),
    ],
)
def test_what_cannot_be_told_is_refused(text: str, line: int, said: str) -> None:
    kind, width = ("int16", 32) if "D0" in text else ("int32", 32)
    with pytest.raises(InputError) as caught:
        parse_csv(text.encode(), kind, width)
    assert caught.value.line == line
    assert said in str(caught.value)
