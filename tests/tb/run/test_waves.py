# SPDX-License-Identifier: Apache-2.0
"""Wave files as signals."""

import ctypes
import multiprocessing
import random
import subprocess
from pathlib import Path

import pytest

from goldbeat.tb.build.workshop import KERNEL
from goldbeat.tb.run.waves import wave_signals, waves_readable

VARIABLES = 40
COMPRESS = """
#include <lz4.h>
#include <zlib.h>
extern "C" int lz4(const char* source, char* target, int size) {
  return LZ4_compress_default(source, target, size, LZ4_compressBound(size));
}
extern "C" int kept(unsigned char* target, const unsigned char* source, unsigned long size) {
  unsigned long written = compressBound(size);
  return compress2(target, &written, source, size, 9) == Z_OK && written == size;
}
"""


@pytest.fixture
def waves(tmp_path: Path) -> Path:
    """A file that is long enough for its reader to think of threads."""
    names = [chr(33 + n) for n in range(VARIABLES)]
    head = ["$timescale 1ps $end", "$scope module top $end"]
    head += [f"$var wire 8 {name} s{n} $end" for n, name in enumerate(names)]
    head += ["$upscope $end", "$enddefinitions $end"]
    body = [line for time in range(2000) for line in (f"#{time}", *(f"b{time % 256:b} {name}" for name in names))]
    (tmp_path / "waves.vcd").write_text("\n".join([*head, *body]))
    return tmp_path / "waves.vcd"


def values(path: Path) -> int:
    found = wave_signals(path)
    assert len(found) == VARIABLES
    return sum(len(signal.values) for signal in found.values())


@pytest.mark.skipif(not waves_readable(), reason="pywellen is not installed")
def test_a_forked_process_reads_what_its_parent_has_read(waves: Path):
    assert values(waves) == VARIABLES * 2000
    child = multiprocessing.get_context("fork").Process(target=values, args=(waves,), daemon=True)
    child.start()
    child.join(20)
    assert child.exitcode == 0


def unpacked(block: bytes) -> bytes:
    """The content of a block in the LZ4 block format, which must end as the format says."""
    out, at = bytearray(), 0

    def length(low: int) -> int:
        nonlocal at
        total = low
        while low == 15:
            total, at = total + block[at], at + 1
            if block[at - 1] < 255:
                break
        return total

    while True:
        token, at = block[at], at + 1
        count = length(token >> 4)
        out += block[at : at + count]
        at += count
        if at == len(block):
            assert count >= 5 or len(out) == count
            return bytes(out)
        back = int.from_bytes(block[at : at + 2], "little")
        at += 2
        assert 0 < back <= len(out)
        for _ in range(4 + length(token & 15)):
            out.append(out[-back])


def test_compressed_blocks_are_lz4(tmp_path: Path):
    (tmp_path / "c.cpp").write_text(COMPRESS)
    command = ["c++", "-O1", "-shared", "-fPIC", f"-I{KERNEL}/fst", "-o", "c.so", "c.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "c.so"))
    rng = random.Random(1)
    noise = rng.randbytes(70_000)
    texts = [b"", *(bytes(n) for n in (1, 12, 13, 17, 300, 100_000)), noise, noise[:300] * 3, noise + noise[:5000]]
    texts += [bytes(rng.choices(b"ab\0", k=rng.randrange(2000))) for _ in range(40)]
    for text in texts:
        room = ctypes.create_string_buffer(len(text) + len(text) // 255 + 16)
        size = library.lz4(text, room, len(text))
        assert unpacked(room.raw[:size]) == text
        assert library.kept(room, text, len(text))
        assert room.raw[: len(text)] == text
    assert library.lz4(bytes(100_000), ctypes.create_string_buffer(101_000), 100_000) < 500
