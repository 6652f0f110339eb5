# SPDX-License-Identifier: Apache-2.0
"""The mutation engine itself: it repeats, and it finds what it is for."""

import json

import pytest
from mutations import MEMORY, TooSlow, at, bounded, mutation, survey

from goldbeat.pymodels.errors import InputError

FILES = [b'{"size": 12, "name": "a"}\n', bytes(range(64))]


def test_a_number_is_always_the_same_file():
    made = [mutation(FILES, n, 5) for n in range(300)]
    assert made == [mutation(FILES, n, 5) for n in range(300)]
    assert len(set(made)) > 250
    assert made != [mutation(FILES, n, 6) for n in range(300)]


def test_exceptions_are_found_and_typed_errors_are_not(tmp_path):
    def parse(path):
        try:
            return json.loads(path.read_bytes())["size"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(str(error), "a size") from None

    assert survey(at(tmp_path / "a.json", parse), FILES[:1], 300) == []
    findings = survey(lambda data: json.loads(data.decode("latin-1")), FILES[:1], 300)
    assert any("JSONDecodeError" in finding for finding in findings)
    with pytest.raises(ValueError, match="control character"):
        survey(lambda data: json.loads(data.decode("latin-1")), [b'"\x01"'], 10)


def test_time_and_memory_are_bounded():
    finding, *_ = survey(lambda data: data == FILES[0] or bytearray(MEMORY + (64 << 20)), FILES[:1], 3)
    assert "MemoryError" in finding

    def slow():
        while True:
            pass

    with bounded(0.05) as begin:
        begin()
        with pytest.raises(TooSlow, match=r"more than 0\.05 s"):
            slow()
