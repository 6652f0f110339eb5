# SPDX-License-Identifier: Apache-2.0
"""Compiled files are decoded and encoded byte for byte; damage is an error with its place."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.artefact.cdo import read_cdo
from goldbeat.pymodels.objfifo.artefact.listing import CompiledFile, decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.operation import OpKind
from goldbeat.pymodels.objfifo.artefact.transaction import decode_transaction
from tests.support.objfifo_compiled import LONG_TXN, SHORT_TXN, cdo_bytes, hex_bytes, pdi_bytes, xclbin_bytes

ALL = {
    "0.1": hex_bytes(LONG_TXN),
    "1.0": hex_bytes(SHORT_TXN),
    "cdo": cdo_bytes(),
    "pdi": pdi_bytes(),
    "xclbin": xclbin_bytes(),
}


def _text(data: bytes) -> str:
    return "\n".join(to_listing(decode_compiled(data)))


@pytest.mark.parametrize("name", ALL)
def test_text_and_back_is_the_same_file(name: str) -> None:
    data = ALL[name]
    assert decode_compiled(data).encode() == data
    text = _text(data)
    assert from_listing(text).encode() == data
    assert " | " not in text


def test_the_worked_example() -> None:
    text = _text(ALL["0.1"]).splitlines()
    assert text[0] == ".txn version=0.1 generation=3 rows=6 columns=1 mem_rows=1 rest=0 ; npu1"
    assert text[1] == "block 0,0+1D020 40 0 0 0 80000000 0 0 2000000 ; DMA_BD1_0: length=64 burst=2 valid=1"
    assert text[2] == "patch 0,0+1D024 #2,0 ; DMA_BD1_1: address of argument 2 + 0"
    assert text[3] == "write 0,0+1D204 80000001 ; DMA_S2MM_0_Task_Queue: bd=1 repeat=0 token=1"
    assert text[6] == "write 0,0+1D214 0 ; DMA_MM2S_0_Task_Queue: bd=0 repeat=0 token=0"
    assert text[7] == "wait #0,0,0,1,1,0 ; wait for a token of S2MM 0"
    both = [[op.meaning for op in decode_compiled(ALL[v]).ops] for v in ("0.1", "1.0")]
    assert both[0] == both[1]


def test_hexadecimal_words_are_read() -> None:
    words = struct.unpack(f"<{len(ALL['0.1']) // 4}I", ALL["0.1"])
    text = "".join(f"{w:08X}\n" for w in words)
    assert decode_compiled(text.encode()).encode() == ALL["0.1"]
    with pytest.raises(InputError, match="line 3: found '0000000z'"):
        decode_compiled("\n".join([*text.splitlines()[:2], "0000000z"]).encode())


def test_unusual_words_are_kept() -> None:
    """A compiler may store the tile in a block write's second word, and 32 bytes for a masked write."""
    words = [0x06030100, 0x101, 3, 0, 1, 0x0201, 0x0201D000, 20, 7, 3, 0, 0x1D210, 0, 0x1F, 0xFF, 32, 0, 5 | 0x100]
    words[3] = 4 * len(words)
    data = struct.pack(f"<{len(words)}I", *words)
    text = _text(data)
    assert "block 1,0+1D000 7 | 00000001 00000201" in text
    assert "mask 0,0+1D210 1F mask=FF | 00000003" in text
    assert from_listing(text).encode() == data
    with pytest.raises(InputError, match="line 2: found words of: block 1,0"):
        from_listing(text.replace("block 1,0+1D000 7 |", "block 1,0+1D000 8 |"))


@pytest.mark.parametrize(
    ("words", "place", "found"),
    [
        ([0x06030200, 0x101, 0, 16], 0, "version 0.2"),
        ([0x06050100, 0x101, 0, 16], 2, "device generation 5"),
        ([0x06030100, 0x101, 0, 20], 12, "a size of 20 bytes"),
        ([0x06030100, 0x101, 1, 16], 8, "1 operations announced"),
        ([0x06030100, 0x101, 0, 20, 5], 16, "4 bytes after operation 0"),
        ([0x06030100, 0x101, 1, 20, 9], 16, "operation 9"),
        ([0x06030100, 0x101, 1, 40, 0, 0, 0, 0, 0, 20], 36, "write of 20 bytes"),
        ([0x06030100, 0x101, 1, 32, 1, 0, 0, 14], 28, "block of 14 bytes"),
        ([0x06030100, 0x101, 1, 32, 1, 0, 0, 400], 16, "16 bytes to the end"),
        ([0x06030100, 0x101, 1, 24, 0x80, 12], 20, "operation 0x80 of 12 bytes"),
    ],
)
def test_what_is_no_stream(words: list[int], place: int, found: str) -> None:
    with pytest.raises(InputError) as error:
        decode_transaction(struct.pack(f"<{len(words)}I", *words), Path("insts.bin"))
    assert error.value.offset == place
    assert str(error.value).startswith(f"insts.bin: byte {place}: found {found}")


def _outcome(data: bytes) -> CompiledFile | InputError:
    try:
        return decode_compiled(data)
    except InputError as error:
        return error


def test_every_truncation_is_an_error() -> None:
    for name, data in ALL.items():
        whole = [op.meaning for op in decode_compiled(data).ops]
        for length in range(len(data)):
            found = _outcome(data[:length])
            if isinstance(found, InputError):
                assert found.offset is not None
                assert found.offset <= length
            else:
                # What follows the last configuration object of a PDI is not part of it.
                assert name in ("pdi", "xclbin")
                assert [op.meaning for op in found.ops] == whole


def test_no_flipped_bit_crashes() -> None:
    rng = random.Random(20)
    errors = 0
    for data in ALL.values():
        for _ in range(600):
            damaged = bytearray(data)
            for _ in range(rng.randint(1, 3)):
                damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            found = _outcome(bytes(damaged))
            if isinstance(found, InputError):
                errors += 1
                assert found.offset is not None or found.line is not None
            else:
                assert found.encode() == bytes(damaged)
                assert from_listing("\n".join(to_listing(found))).encode() == bytes(damaged)
    assert errors > 300


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("write 0,0+0 1", 1, "found the operation write"),
        (".txn version=0.1 generation=3 rows=6 columns=1\nwrit 0,0+0 1", 2, "found 'writ'"),
        (".txn version=0.1 generation=3 rows=6 columns=1\nwrite 0,0 1", 2, "found 0,0"),
        (".txn version=0.1 generation=3 rows=6 columns=1\nwrite 0,40+0 1", 2, "found 0,40+0"),
        (".txn version=0.1 generation=3 rows=6 columns=1\nwrite 0,0+0 100000000", 2, "found 100000000"),
        (".txn version=0.1 generation=3 rows=600 columns=1", 1, "found '.txn version"),
        (".txn version=1.0 generation=3 rows=6 columns=1\npdi #1,2,3,4", 2, "found 'pdi #1,2,3,4'"),
        (".cdo magic=1 version=0x200", 1, "found the words"),
        (".cdo magic=584C4E58 version=0x200\nwait #0,0,0,1,1,0", 2, "found 'wait"),
        ("", 1, "missing part"),
    ],
)
def test_a_wrong_line_is_named(text: str, place: int, found: str) -> None:
    with pytest.raises(InputError) as error:
        from_listing(text, Path("x.txt"))
    assert str(error.value).startswith(f"x.txt:{place}: {found}")


def test_a_cdo_has_both_forms_of_addresses() -> None:
    words = [
        0x00020103,
        0x0201D000,
        5,
        0x00030102,
        0x0201D000,
        0xFF,
        6,
        0x00040101,
        0x02000000,
        1,
        2,
        3,
        0x104 | 1 << 16,
        9,
    ]
    head = [4, 0x584C4E58, 0x200, len(words)]
    data = struct.pack(f"<{len(words) + 5}I", *head, ~sum(head) & 0xFFFFFFFF, *words)
    ops = read_cdo(data).ops
    assert [op.kind for op in ops] == [OpKind.WRITE, OpKind.MASK, OpKind.POLL, OpKind.COMMAND]
    assert (ops[1].mask, ops[1].values, ops[2].numbers) == (0xFF, (6,), (3,))
    assert from_listing(_text(data)).encode() == data
