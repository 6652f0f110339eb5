# SPDX-License-Identifier: Apache-2.0
"""What is said of a TOML file that is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.toml import load_model


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: int = 0
    name: str = ""


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = ""
    one: Inner | None = None
    many: tuple[Inner, ...] = ()
    named: Mapping[str, Inner] = {}


def load(path: Path, text: str | bytes, *, numbered: bool = False) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        load_model(Outer, path, "a thing", numbered=numbered)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "known"),
    [
        ("x = 1", "x", "name, one, many, named"),
        ("[one]\nx = 1", "one.x", "size, name"),
        ("[[many]]\n[[many]]\nx = 1", "many.1.x", "size, name"),
        # A key that is the name of another setting leads nowhere else.
        ("[named.size]\nx = 1", "named.size.x", "size, name"),
    ],
)
def test_an_unknown_setting_is_told_with_the_known_ones(text, key, known, tmp_path):
    said = load(tmp_path / "x.toml", text)
    assert f"x.toml: unknown setting {key}, expected one of {known}" in said


def test_files_that_are_no_toml(tmp_path):
    path = tmp_path / "x.toml"
    assert "x.toml: found Expected ']' at the end of a table declaration (at line 2, column 3)" in load(
        path, "a=1\n[x\n"
    )
    said = load(path, "a=1\n[x\n", numbered=True)
    assert "x.toml:2: found Expected ']' at the end of a table declaration, expected a thing" in said
    assert "x.toml: byte 4: found bytes that are not UTF-8" in load(path, b"a = \xff")
    with pytest.raises(InputError, match="no such file, expected a thing"):
        load_model(Outer, tmp_path / "none.toml", "a thing")
