# SPDX-License-Identifier: Apache-2.0
"""Compressed words against results of silicon, against the manual, and there and back."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.compression import FORMATS, ZeroExpander, zero_format

SILICON = {
    "npu1": (
        "f30dcae2d175d710e81d8410be5cc980bf06e364de359b6bc6f87194012ebc7d",
        "865270a4c87149f42933e7f5aa037891e392812b4338829b3419f320660ea089",
    ),
    "npu2": (
        "f947e931d2e3c530be240f4e622d1c3757b2e1d5e23a05be5d21768332420bc5",
        "1215bcd067bc6097eecdb81fb8ebf45211cb1e9ea00c95674eea4e8d476a7152",
    ),
}
"""sha256 of what comes out of a ramp of 4096 words, compressed and decompressed, its first 1024 words as they are.

Source: GOLDEN_SHA_BY_ARCH of mlir-aie's programming_examples/basic/dma_compression/test_dma_compression.py.
"""
RAMP = np.arange(4096, dtype=np.uint32)


def expanded(form, words, parts=None, wanted=None):
    """Words of whole groups, handed to an expander in parts; as many as are wanted."""
    expander, found, at = ZeroExpander(form, "S2MM 0"), [], 0
    while at < len(words) and (wanted is None or sum(map(len, found)) < wanted):
        count = min(expander.wants, next(parts) if parts else 1 << 20, len(words) - at)
        group = expander.take(words[at : at + count], ends=False)
        at += count
        if group is not None:
            found.append(group)
    return np.concatenate(found) if found else np.zeros(0, np.uint32), at


@pytest.mark.parametrize("device", SILICON)
def test_a_compressed_ramp_as_on_silicon(device):
    found = np.concatenate([RAMP[:1024], FORMATS[device].compress(RAMP[1024:])])
    assert len(found) == 2944
    assert hashlib.sha256(found.astype("<u4").tobytes()).hexdigest() == SILICON[device][0]


@pytest.mark.parametrize("device", SILICON)
def test_a_ramp_that_is_decompressed_as_on_silicon(device):
    found, _ = expanded(FORMATS[device], RAMP[1024:2944], wanted=3072)
    whole = np.concatenate([RAMP[:1024], found])
    assert hashlib.sha256(whole.astype("<u4").tobytes()).hexdigest() == SILICON[device][1]


def test_a_group_as_the_manual_has_it():
    # AM020, "Sparsity": one bit of 32 for each of 32 bytes, then those that are not zero, then up to 32 bits.
    raw = np.zeros(32, np.uint8)
    raw[[0, 9, 10, 30, 31]] = 0x11, 0x22, 0x33, 0x44, 0x55
    found = FORMATS["xcve2802"].compress(raw.view("<u4").astype(np.uint32))
    assert [hex(word) for word in found] == ["0xc0000601", "0x44332211", "0x55"]


def test_a_group_of_64_bytes():
    raw = np.zeros(64, np.uint8)
    raw[[0, 9, 10, 30, 31, 32, 41, 42, 62, 63]] = [0x11, 0x22, 0x33, 0x44, 0x55] * 2
    twice = raw.view("<u4").astype(np.uint32)
    assert [hex(word) for word in FORMATS["npu2"].compress(twice)] == [
        "0xc0000601", "0xc0000601", "0x44332211", "0x33221155", "0x5544", "0x0",
    ]  # fmt: skip


def test_the_smallest_and_the_largest_group():
    for form in FORMATS.values():
        assert form.compress(np.zeros(form.words, np.uint32)).tolist() == [0] * form.mask_words
        full = np.full(form.words, 0x01010101, np.uint32)
        assert len(form.compress(full)) == form.words + form.mask_words
        assert form.compress(full[:0]).tolist() == []


@given(
    st.sampled_from(sorted(FORMATS)),
    st.lists(st.sampled_from([0, 0, 0, 1, 0x80, 0xFF]), min_size=64, max_size=64),
    st.integers(1, 5),
    st.lists(st.integers(1, 9), min_size=1),
)
def test_there_and_back_in_parts_of_any_size(device, values, copies, sizes):
    form = zero_format(device)
    raw = np.concatenate([np.roll(np.array(values, np.uint8), n) for n in range(copies)])
    words = raw.view("<u4").astype(np.uint32)
    packed = form.compress(words)
    assert len(packed) % form.align == 0
    endless = (size for _ in iter(int, 1) for size in sizes)
    found, used = expanded(form, packed, endless)
    assert found.tolist() == words.tolist()
    assert used == len(packed)


def test_what_fills_a_group_up_is_not_looked_at():
    form = FORMATS["npu1"]
    packed = form.compress(np.array([0x11, 0, 0, 0, 0, 0, 0, 0], np.uint32))
    assert form.expand(packed | np.uint32(0)).tolist() == form.expand(packed ^ np.array([0, 0xABCDEF00])).tolist()


def test_parts_of_groups_are_refused():
    for form in FORMATS.values():
        with pytest.raises(UsageError, match=f"expected a multiple of {form.words}"):
            form.compress(np.zeros(form.words + 4, np.uint32))
    expander = ZeroExpander(FORMATS["npu1"], "S2MM 0 of core tile (0, 2)")
    with pytest.raises(UsageError, match=r"S2MM 0 .* a packet ends inside a compressed group; missing words: 2"):
        expander.take(np.array([0x1F], np.uint32), ends=True)


def test_devices_without_a_known_format():
    assert zero_format("npu1_1col") is FORMATS["npu1"]
    assert zero_format("npu2_4col") is FORMATS["npu2"]
    with pytest.raises(UsageError, match=r"compression on npu: .* npu1, npu2"):
        zero_format("npu")
