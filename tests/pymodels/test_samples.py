# SPDX-License-Identifier: Apache-2.0
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.samples import SAMPLE_TYPES, bfloat16_to_float, float_to_bfloat16, sample_type

# Samples a beat at 32/64/128 bit; None: the type does not fit. From the vendor's table, and by width for the others.
PER_BEAT = {
    "int8": (4, 8, 16),
    "int16": (2, 4, 8),
    "int32": (1, 2, 4),
    "int64": (None, 1, 2),
    "uint8": (4, 8, 16),
    "uint16": (2, 4, 8),
    "uint32": (1, 2, 4),
    "uint64": (None, 1, 2),
    "cint16": (1, 2, 4),
    "cint32": (None, 1, 2),
    "float": (1, 2, 4),
    "cfloat": (None, 1, 2),
    "bfloat16": (2, 4, 8),
    "int4": (8, 16, 32),
    "uint4": (8, 16, 32),
    "cint8": (2, 4, 8),
    "cbfloat16": (1, 2, 4),
    "float16": (2, 4, 8),
    "float8_e4m3": (4, 8, 16),
    "float8_e5m2": (4, 8, 16),
}
EVERY = pytest.mark.parametrize("name", sorted(PER_BEAT))


def test_the_table_is_complete() -> None:
    assert set(PER_BEAT) == set(SAMPLE_TYPES)


@EVERY
def test_samples_a_beat(name: str) -> None:
    for width, expected in zip((32, 64, 128), PER_BEAT[name], strict=True):
        if expected is None:
            with pytest.raises(UsageError, match="does not fit"):
                sample_type(name).per_beat(width)
        else:
            assert sample_type(name).per_beat(width) == expected


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UsageError, match="unknown sample type 'int12'; known: int4, int8, int16"):
        sample_type("int12")
    assert sample_type(SAMPLE_TYPES["int8"]) is SAMPLE_TYPES["int8"]


@EVERY
@given(data=st.data())
def test_bytes_to_samples_and_back(name: str, data: st.DataObject) -> None:
    kind = SAMPLE_TYPES[name]
    raw = np.frombuffer(data.draw(st.binary(max_size=8).map(lambda b: b * kind.bytes)), np.uint8)
    if not kind.is_integer:
        # A NaN may come back as another NaN.
        samples = np.nan_to_num(kind.decode(raw), posinf=np.inf, neginf=-np.inf)
        assert np.array_equal(kind.decode(kind.encode(samples)), samples)
    else:
        assert np.array_equal(kind.encode(kind.decode(raw)), raw)


@EVERY
def test_no_samples(name: str) -> None:
    kind = SAMPLE_TYPES[name]
    assert len(kind.empty()) == 0
    assert kind.encode(kind.empty()).shape == (0,)


def test_layout_in_bytes() -> None:
    assert SAMPLE_TYPES["cint16"].encode([[1, -2]]).tobytes() == struct.pack("<hh", 1, -2)
    assert SAMPLE_TYPES["cint16"].encode([1 - 2j]).tobytes() == struct.pack("<hh", 1, -2)
    assert SAMPLE_TYPES["cint32"].encode([[1, -2]]).tobytes() == struct.pack("<ii", 1, -2)
    assert SAMPLE_TYPES["cfloat"].encode([1 - 2j]).tobytes() == struct.pack("<ff", 1, -2)
    assert SAMPLE_TYPES["float"].encode([0.1]).tobytes() == struct.pack("<f", 0.1)
    assert SAMPLE_TYPES["bfloat16"].encode([1.0]).tobytes() == b"\x80\x3f"
    assert SAMPLE_TYPES["uint64"].encode(np.array([2**64 - 1], np.uint64)).tobytes() == b"\xff" * 8


@EVERY
def test_the_ends_of_the_range(name: str) -> None:
    kind = SAMPLE_TYPES[name]
    if not kind.is_integer:
        return
    low, high = kind.part_range
    for value in (low, high):
        one = [value] * kind.parts * kind.group
        samples = np.array([one] if kind.parts == 2 else one, kind.part_dtype)
        assert kind.decode(kind.encode(samples)).reshape(-1).tolist() == one
    for value in (low - 1, high + 1):
        if not -(2**63) <= value < 2**63:
            continue
        one = [0] * (kind.parts - 1) + [value]
        with pytest.raises(InputError, match=f"found {value} in sample 0"):
            kind.encode([one] if kind.parts == 2 else one)


@pytest.mark.parametrize(
    ("name", "samples"),
    [
        ("int16", [[1, 2]]),
        ("int16", [1 + 2j]),
        ("cint16", [1, 2]),
        ("cint16", [[1, 2, 3]]),
        ("cfloat", [1.0, 2.0]),
        ("int16", ["1"]),
        ("int16", [1.5]),
        ("int16", [float("nan")]),
        ("int16", [float("inf")]),
        ("uint8", [-1]),
        ("uint8", [256]),
        ("cint16", [1.5 + 1j]),
    ],
)
def test_samples_a_type_cannot_hold(name: str, samples: Any) -> None:
    with pytest.raises(InputError):
        SAMPLE_TYPES[name].encode(samples)


def test_whole_floats_and_booleans_are_integers() -> None:
    kind = SAMPLE_TYPES["int16"]
    assert kind.decode(kind.encode([1.0, -2.0])).tolist() == [1, -2]
    assert kind.decode(kind.encode([True, False])).tolist() == [1, 0]


def test_bytes_that_are_no_whole_samples() -> None:
    with pytest.raises(InputError, match="3 bytes, expected a multiple of 2 for int16"):
        SAMPLE_TYPES["int16"].decode(np.zeros(3, np.uint8))


def test_bfloat16_rounds_half_to_even() -> None:
    bits = np.array([0x3F80_8000, 0x3F81_8000, 0x3F80_8001, 0x3F80_7FFF, 0x7F7F_FFFF, 0x8000_0000], np.uint32)
    assert float_to_bfloat16(bits.view(np.float32)).tolist() == [0x3F80, 0x3F82, 0x3F81, 0x3F80, 0x7F80, 0x8000]


def test_bfloat16_nan_stays_nan_and_infinity_infinity() -> None:
    values = np.array([0x7F80_0001, 0xFFFF_FFFF, 0x7F80_0000, 0xFF80_0000], np.uint32).view(np.float32)
    back = bfloat16_to_float(float_to_bfloat16(values))
    assert np.isnan(back[:2]).all()
    assert back[2:].tolist() == [float("inf"), float("-inf")]


def test_every_bfloat16_comes_back() -> None:
    bits = np.arange(2**16, dtype=np.uint32).astype("<u2")
    values = bfloat16_to_float(bits)
    good = ~np.isnan(values)
    assert np.array_equal(float_to_bfloat16(values)[good], bits[good])


def test_other_names() -> None:
    for alias, name in {"int16_t": "int16", "float32": "float", "cint16_t": "cint16", "complex64": "cfloat"}.items():
        assert sample_type(alias) is SAMPLE_TYPES[name]
    for name, why in {"float8": "float8_e4m3 or float8_e5m2", "bfp16ebs8": "no public PLIO format"}.items():
        with pytest.raises(UsageError, match=f"'{name}'.*{why}"):
            sample_type(name)


def test_two_samples_of_four_bits_share_a_byte() -> None:
    kind = SAMPLE_TYPES["int4"]
    assert kind.encode([1, -2, 7, -8]).tobytes() == b"\xe1\x87"
    assert SAMPLE_TYPES["uint4"].encode([1, 14]).tobytes() == b"\xe1"
    assert kind.decode(np.array([0xE1, 0x87], np.uint8)).tolist() == [1, -2, 7, -8]
    assert (kind.bytes, kind.group, kind.samples_in(3)) == (1, 2, 6)
    with pytest.raises(InputError, match="3 samples of int4, expected an even number"):
        kind.encode([1, 2, 3])


@pytest.mark.parametrize(("name", "most"), [("float16", 65504), ("float8_e4m3", 448), ("float8_e5m2", 57344)])
def test_the_largest_of_narrow_floats(name: str, most: float) -> None:
    kind = SAMPLE_TYPES[name]
    assert kind.largest == most
    assert kind.decode(kind.encode([most, -most])).tolist() == [most, -most]
    with pytest.raises(InputError, match=f"a number that {name} can hold"):
        kind.encode([1.1 * most])
