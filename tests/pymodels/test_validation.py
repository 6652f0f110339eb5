# SPDX-License-Identifier: Apache-2.0
"""What pydantic refuses is said in plain words, whoever reads the file."""

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.pymodels.validation import first_mistake, validation_text
from goldbeat.pymodels.zynqnet.network import parse_network
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.user_code import load_module
from goldbeat.tb.regress.suite import load_suite
from goldbeat.tb.run.blessed_file import read_blessed
from goldbeat.tb.run.kept_report import read_report
from goldbeat.tb.run.signoff import load_limits

PYDANTIC = re.compile(
    r"[Ii]nput should|[Ff]ield required|[Vv]alue error|[Vv]alid (integer|number|string|dict)|Extra inputs"
)


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    count: int = Field(default=1, ge=1, lt=9)
    share: float = Field(default=1, gt=0, le=1)
    sort: Literal["a", "b"] = "a"
    name: str = Field(default="x", min_length=1, max_length=3, pattern="^x")
    some: list[int] = Field(default=[1], min_length=1, max_length=2)
    on: bool = True
    part: dict[str, int] = {}
    must: int


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        *(("count", value, "a whole number") for value in ("1", 1.5, None, [])),
        *(("count", 0, "at least 1"), ("count", 9, "less than 9"), ("share", 0, "more than 0")),
        *(("share", 2, "at most 1"), ("share", float("nan"), "a finite number"), ("share", "x", "a number")),
        *(("sort", "c", "'a' or 'b'"), ("name", "", "at least 1 character"), ("name", "xxxx", "at most 3 characters")),
        *(("name", "y", "text like ^x"), ("name", 1, "text"), ("some", [], "at least 1 entry")),
        *(("some", [1, 2, 3], "at most 2 entries"), ("some", 1, "a list"), ("on", 1, "true or false")),
        ("part", [], "a table"),
    ],
)
def test_a_mistake_has_key_found_and_expected(key: str, value: Any, expected: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate({"must": 1, key: value})
    wrong = first_mistake(caught.value)
    assert (wrong.key, wrong.expected) == (key, expected)
    assert wrong.found == f"{key} = {value!r}"


def test_a_missing_key_is_called_missing() -> None:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate({})
    assert first_mistake(caught.value).found == "no key must"


LAYER = {"name": "a", "ch_out": 16}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"layer": [LAYER]}, "input: nothing, expected a value"),
        ({"input": {"width": 0, "height": 1, "channels": 1}, "layer": [LAYER]}, "input.width: 0, expected at least 1"),
        (
            {"input": {"width": 1, "height": 1, "channels": 1}, "layer": [LAYER | {"kernel": 2}]},
            "layer.0.kernel: 2, expected 1 or 3",
        ),
        (
            {"input": {"width": 1, "height": 1, "channels": 1}, "layer": [LAYER | {"name": "far too long"}]},
            "layer.0.name: 'far too long', expected 1 to 8 ASCII characters",
        ),
        ({"input": {"width": 1, "height": 1, "channels": 1}, "layer": []}, "expected at least 1 entry"),
        ({"input": {"width": 1, "height": 1, "channels": 1}, "layer": 3}, "layer: 3, expected a list"),
        (
            {
                "input": {"width": 1, "height": 1, "channels": 1},
                "layer": [LAYER | {"split": "first"}, LAYER | {"name": "b", "split": "second", "ch_out": 32}],
            },
            "layer b: ch_out 32, stride 1, expected the same ch_out and stride as a, the other half of the split pair: 16, 1",
        ),
        (
            {"input": {"width": 1, "height": 1, "channels": 1}, "layer": [LAYER | {"split": "second"}]},
            "layer a: split = 'second' after no layer, expected a second split layer right after a first one",
        ),
    ],
)
def test_networks_are_refused_in_plain_words(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_network(values, file="net.toml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("net.toml: ")
    assert not PYDANTIC.search(str(caught.value))


READERS = {
    "limits.toml": (
        load_limits,
        ["[port.a]\nmax_gap_ns = 'x'", "[port.a]\nmax_gap_ns = -1", "port = 3", "[port]\na = 1"],
    ),
    "suite.toml": (load_suite, ["run = 3", "[[run]]\ndesigns = 3", "[[run]]\nseeds = 'x'\ndesigns = ['a']"]),
    "d.toml": (
        load_description,
        [
            "",
            "name = 3",
            "name = 'a'\ntop = 'a'\nfiles = 3",
            "name = 'a'\ntop = 'a'\nfiles = []\nmodel = 'x'\nclocks = 3",
        ],
    ),
    "r.blessed": (lambda path: read_blessed(path, "x"), ["{", "{}", '{"format": "x"}']),
    "report.json": (lambda path: read_report(Whole, path.parent), ["{}", '{"must": "x"}', '{"must": 1, "on": 3}', "3"]),
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, (_, texts) in READERS.items() for t in texts])
def test_every_reader_says_it_in_one_plain_line(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(GoldbeatError) as caught:
        READERS[name][0](path)
    said = str(caught.value)
    assert not PYDANTIC.search(said), said
    assert said.startswith(str(path))
    assert "\n" not in said


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("width='abc', height=1, channels=1", "InputShape: width = 'abc', expected a whole number"),
        ("width=1, height=1", "InputShape: missing channels, expected a value"),
    ],
)
def test_python_files_are_refused_in_one_plain_line(tmp_path: Path, made: str, said: str) -> None:
    path = tmp_path / "d.py"
    path.write_text(f"from goldbeat.pymodels.zynqnet.network import InputShape\n\nDESIGN = InputShape({made})\n")
    with pytest.raises(InputError) as caught:
        load_module(path)
    assert str(caught.value).startswith(f"{path}:3: found {said}")
    assert not PYDANTIC.search(str(caught.value))


class _Sized(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    ch_out: int


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"name": "a", "chout": 5}, "chout = 5, expected a known key; did you mean ch_out?"),
        ({"chout": 5}, "chout = 5, expected a known key; did you mean ch_out?"),
        ({"name": "a", "zz": 5}, "missing ch_out, expected a value"),
    ],
)
def test_a_misspelt_key_is_named_before_the_missing_one(table: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as error:
        _Sized.model_validate(table)
    assert validation_text(error.value) == f"_Sized: {said}"
