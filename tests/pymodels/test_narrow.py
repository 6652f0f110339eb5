# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from goldbeat.pymodels.narrow import FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, Narrow

FORMS = pytest.mark.parametrize("form", [FLOAT16, FLOAT8_E4M3, FLOAT8_E5M2], ids=["float16", "e4m3", "e5m2"])


def some() -> np.ndarray:
    """Numbers of all sizes, every sort of float32 bit pattern among them."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    near = (rng.normal(size=100_000) * 2.0 ** rng.integers(-28, 17, 100_000)).astype(np.float32)
    values = np.concatenate([bits, near])
    return values[~np.isnan(values)]


@FORMS
def test_every_pattern_comes_back(form: Narrow) -> None:
    patterns = np.arange(1 << form.bits).astype(form.dtype)
    assert np.array_equal(form.narrow(form.widen(patterns)), patterns)


def test_float16_is_numpys() -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16)
    assert np.array_equal(FLOAT16.widen(patterns), patterns.view(np.float16).astype(np.float32), equal_nan=True)
    values = some()
    with np.errstate(over="ignore"):
        assert np.array_equal(FLOAT16.narrow(values), values.astype(np.float16).view(np.uint16))


@pytest.mark.parametrize("form", [FLOAT8_E4M3, FLOAT8_E5M2], ids=["e4m3", "e5m2"])
def test_the_nearest_is_taken_and_of_two_the_even(form: Narrow) -> None:
    every = form.widen(np.arange(1 << (form.bits - 1)))
    every = every[np.isfinite(every)].astype(np.float64)
    values = np.abs(some())
    values = values[values <= every[-1]].astype(np.float64)
    above = np.clip(np.searchsorted(every, values), 1, len(every) - 1)
    down, up = values - every[above - 1], every[above] - values
    wanted = np.where((down < up) | ((down == up) & (above % 2 == 1)), above - 1, above)
    assert np.array_equal(form.narrow(values.astype(np.float32)), wanted)


def test_values_of_the_published_tables() -> None:
    """OCP 8-bit Floating Point Specification: largest, smallest normal and smallest subnormal number, specials."""
    assert FLOAT8_E4M3.widen(np.array([0x7E, 0x08, 0x01, 0x80])).tolist() == [448, 2**-6, 2**-9, 0]
    assert FLOAT8_E5M2.widen(np.array([0x7B, 0x04, 0x01, 0x7C])).tolist() == [57344, 2**-14, 2**-16, np.inf]
    assert np.isnan(FLOAT8_E4M3.widen(np.array([0x7F, 0xFF]))).all()
    assert np.isnan(FLOAT8_E5M2.widen(np.array([0x7D, 0x7E, 0x7F]))).all()


@FORMS
def test_what_is_too_large(form: Narrow) -> None:
    values = np.array([form.largest, -form.largest, form.largest * 1.2, np.inf, np.nan], np.float32)
    over = form.overflows(values, form.narrow(values))
    # Infinity is no number too large where the format has one.
    assert over.tolist() == [False, False, True, not form.infinities, False]
