# SPDX-License-Identifier: Apache-2.0
"""A user's arrays become those of a design only where every value stays what it is."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.plan.host_array import array_file, difference, exact_values
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType

KINDS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?"]
BFLOAT = ObjectType((4,), np.dtype("u2"), bits=True)
EDGES = [0, 1, -1, 127, 128, 200, 255, 256, -128, -129, 2**15, 2**24 + 1, 2**31 - 1, 2**31, -(2**31), 2**53 + 1,
         2**63 - 1, 2**63, 2**64 - 1, -(2**63)]  # fmt: skip


def same(a: object, b: object) -> bool:
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


@given(st.sampled_from(KINDS), st.sampled_from(KINDS), st.data())
def test_a_value_is_converted_exactly_or_refused(found: str, wanted: str, data: st.DataObject) -> None:
    source, target = np.dtype(found), np.dtype(wanted)
    if source.kind == "f":
        numbers = st.one_of(st.floats(width=8 * source.itemsize), st.sampled_from([0.5, -0.0, 3.0, 200.0, 1e4]))
    elif source.kind == "b":
        numbers = st.booleans()
    else:
        low, high = np.iinfo(source).min, np.iinfo(source).max
        fitting = [n for n in EDGES if low <= n <= high]
        numbers = st.one_of(st.integers(int(low), int(high)), st.sampled_from(fitting))
    values = np.array(data.draw(st.lists(numbers, min_size=1, max_size=5)), source)
    with np.errstate(all="ignore"):
        made = [target.type(v) if target.kind == "f" else v.item() for v in values]
    if target.kind == "f":
        good = [same(float(m), float(v)) and (source.kind == "f" or int(v) == (int(m) if np.isfinite(m) else None))
                for m, v in zip(made, values, strict=True)]  # fmt: skip
    else:
        low, high = (0, 1) if target.kind == "b" else (np.iinfo(target).min, np.iinfo(target).max)
        good = [math.isfinite(v) and v == int(v) and low <= int(v) <= high for v in values.tolist()]
    if source.kind == "b" and target.kind != "b":
        with pytest.raises(
            InputError, match=f"found bool, which are no numbers, expected {target} for A: convert them"
        ):
            exact_values(values, "A", ObjectType((len(values),), target), elements=len(values))
        return
    kind = ObjectType((len(values),), target)
    if all(good):
        result = exact_values(values, "A", kind, elements=len(values))
        assert result.dtype == target
        assert all(same(a, b) for a, b in zip(result.tolist(), values.tolist(), strict=True))
    else:
        with pytest.raises(InputError, match=rf"{source} with .* at \[{good.index(False)}\]"):
            exact_values(values, "A", kind, elements=len(values))


def test_layout_and_byte_order_do_not_count(tmp_path: Path) -> None:
    wanted = np.arange(12, dtype=np.int32)
    kind = ObjectType((12,), np.dtype(np.int32))
    rows = wanted.reshape(3, 4)
    for made in (rows, np.asfortranarray(rows), rows.astype(">i4"), rows.astype(">i8"), rows.astype("<f8"), rows[None]):
        np.save(tmp_path / "a.npy", made)
        assert array_file(tmp_path / "a.npy").as_type("A", kind, elements=12).tolist() == wanted.tolist()


def test_the_file_the_place_and_both_types_are_named(tmp_path: Path) -> None:
    values = np.zeros((2, 3), np.int64)
    values[1, 2] = 2**40
    np.save(tmp_path / "a.npy", values)
    with pytest.raises(InputError) as error:
        array_file(tmp_path / "a.npy").as_type("A", ObjectType((6,), np.dtype(np.int32)), elements=6)
    expected = "a.npy: found int64 with 1099511627776 at [1, 2], which does not fit, expected int32 for A"
    assert str(error.value).endswith(expected)
    with pytest.raises(InputError, match=r"6 elements \(2x3 int64\), expected 8 of int32 for A"):
        array_file(tmp_path / "a.npy").as_type("A", ObjectType((8,), np.dtype(np.int32)), elements=8)


BITS = [0x3F80, 0x7FC0, 0x8000, 0x0001]


@pytest.mark.parametrize("kind", ["<u2", ">u2", "V2", "f4", "f8"])
def test_bfloat16_comes_as_bits_or_as_numbers(kind: str) -> None:
    bits = np.array(BITS, np.uint16)
    if kind[0] in "f":
        values = (bits.astype(np.uint32) << 16).view(np.float32).astype(kind)
    else:
        values = bits.view("V2") if kind == "V2" else bits.astype(kind)
    assert exact_values(values, "A", BFLOAT, elements=4).tolist() == BITS


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.0, 1.001, 0, 0], np.float32),
        np.array([1, 2, 3, 4], np.int16),
        np.zeros(4, "V4"),
        np.zeros(4, "c8"),
        np.array([0, 257, 0, 0], np.int64),
    ],
)
def test_what_bfloat16_does_not_hold(values: np.ndarray) -> None:
    with pytest.raises(InputError, match="bfloat16 for A: save its bits as uint16"):
        exact_values(values, "A", BFLOAT, elements=4)


@pytest.mark.parametrize(
    "values",
    [np.zeros(4, [("a", "i4")]), np.array(["1", "2", "3", "4"]), np.zeros(4, "datetime64[s]"), np.zeros(4, "V4")],
)
def test_what_stands_for_no_numbers(values: np.ndarray) -> None:
    with pytest.raises(InputError, match="int32 for A"):
        exact_values(values, "A", ObjectType((4,), np.dtype(np.int32)), elements=4)


def test_words_of_compiled_files_are_taken_as_they_are() -> None:
    kind = ObjectType((2,), np.dtype(np.int32), untyped=True)
    assert exact_values(np.array([1, 2, 3, -4], np.int16), "A", kind, elements=2).view(np.int16).tolist() == [
        1,
        2,
        3,
        -4,
    ]
    assert exact_values(np.array([1.5, 2], np.float32), "A", kind, elements=2).view(np.float32).tolist() == [1.5, 2]
    assert exact_values(np.array([7, -8], np.int64), "A", kind, elements=2).tolist() == [7, -8]


def test_nan_is_equal_to_nan() -> None:
    one = np.array([np.nan, 1], np.float32)
    assert difference("A", one, one.copy()) is None
    assert difference("A", one, np.array([0, 1], np.float32)) == "A: 1 of 2 elements differ; [0] is nan, expected 0.0"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "bfloat16"])
def test_bits_are_compared_in_every_float_type(dtype: str) -> None:
    bfloat = dtype == "bfloat16"

    def made(*values: float) -> np.ndarray:
        floats = np.array(values, "f4")
        return (floats.view("u4") >> 16).astype("u2") if bfloat else floats.astype(dtype)

    assert "1 of 2 elements differ; [1]" in (difference("A", made(1, -0.0), made(1, 0.0), bfloat=bfloat) or "")
    assert difference("A", made(-np.nan, 1), made(np.nan, 1), bfloat=bfloat) is None
    assert difference("A", made(np.inf), made(np.nan), bfloat=bfloat) is not None
