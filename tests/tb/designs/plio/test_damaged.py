# SPDX-License-Identifier: Apache-2.0
"""PLIO files, text and CSV, and numpy files of samples, mutated: every command that reads them answers or refuses."""

from contextlib import suppress
from functools import partial
from io import BytesIO

import numpy as np
import pytest
from damaged import Reader, commands, goldbeat
from mutations import MANY, QUICK
from turns import TURN

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.measure import measure
from goldbeat.pymodels.plio_file.generate import load_samples
from goldbeat.pymodels.plio_file.packets import file_to_packets

_WORDS = b"T ,TLAST\n,TKEEP ,TKEEP -1\n, ns, ps, us, s,\n,\r\n,nan,inf,-,0x,1e,\xef\xbb\xbf,\0".split(b",")
_CSV_WORDS = b'D|STALL|TLAST|TKEEP|CMD|,|\n|"|-1|0x|\xef\xbb\xbf'.split(b"|")


def _text(parts, beats=24, frame=8, timed=True, numbers=None):
    """A file as the simulator writes it."""
    rng = np.random.default_rng(3)
    lines = []
    for beat in range(beats):
        lines += [f"T {100 + 4 * beat + 8 * (beat // frame)} ns"] if timed else []
        lines += ["TLAST"] if beat % frame == frame - 1 else []
        row = (
            rng.integers(-100, 100, parts)
            if numbers is None
            else [numbers[(beat + n) % len(numbers)] for n in range(parts)]
        )
        lines.append(" ".join(map(str, row)) + " ")
    return ("\n".join(lines) + "\n").encode()


def _read(path, dtype, width):
    """All that the commands do with a file, short of printing it."""
    with suppress(GoldbeatError):
        plio_file.read(path, dtype, width, lenient=True)
    found = plio_file.read(path, dtype, width)
    measure(found.trace, dtype)
    with suppress(GoldbeatError):
        plio_file.format_text(found.trace, dtype, found.style)
    with suppress(GoldbeatError):
        plio_file.format_csv(found.trace, dtype)


def _packets_of(path):
    return file_to_packets(plio_file.read(path, "int32", 32), name=str(path))


def _text_reader(tmp_path, dtype, width, *files):
    port = f"-t {dtype} -w {width}"
    (tmp_path / "good.txt").write_bytes(files[0])
    read = commands(
        tmp_path / "a.txt",
        partial(_read, dtype=dtype, width=width),
        f"plio info {{}} {port} --json",
        f"plio info {{}} {port} --lenient",
        f"plio throughput {{}} {port} --json",
        f"plio diff {{folder}}/good.txt {{}} {port} --json",
        f"plio diff {{}} {{folder}}/good.txt {port} --time 8ns",
        f"plio convert {{}} {{folder}}/b.csv {port} --force",
        f"plio unpack {{}} {{folder}}/b.npy {port} --force",
    )
    return Reader(files, read, _WORDS)


def _cint16(tmp_path):
    return _text_reader(tmp_path, "cint16", 32, _text(2), _text(2, timed=False))


def _float(tmp_path):
    return _text_reader(tmp_path, "float", 64, _text(2, numbers=["0.5", "-1e-3", "3.25e10"]))


def _int8(tmp_path):
    return _text_reader(tmp_path, "int8", 128, _text(16, timed=False), _text(16))


def _packets(tmp_path):
    goldbeat(*f"plio gen {tmp_path}/p.txt -t int32 -w 32 -p ramp --samples 64 --frame 16 --packets 0-3".split())
    read = commands(tmp_path / "a.txt", _packets_of, "plio info {} -t int32 -w 32 --packets --json")
    return Reader([(tmp_path / "p.txt").read_bytes()], read, _WORDS)


def _csv(tmp_path):
    port = "-t int16 -w 64"
    (tmp_path / "good.txt").write_bytes(_text(4, timed=True))
    goldbeat(*f"plio convert {tmp_path}/good.txt {tmp_path}/good.csv {port}".split())
    read = commands(
        tmp_path / "a.csv",
        partial(_read, dtype="int16", width=64),
        f"plio info {{}} {port} --json",
        f"plio info {{}} {port} --lenient",
        f"plio throughput {{}} {port} --clock 250 --json",
        f"plio diff {{folder}}/good.csv {{}} {port} --json",
        f"plio convert {{}} {{folder}}/b.txt {port} --time --clock 250 --force",
    )
    return Reader([(tmp_path / "good.csv").read_bytes()], read, _CSV_WORDS)


def _samples(tmp_path):
    files = []
    for values in (np.arange(64, dtype=np.int16), np.arange(64, dtype=np.complex64), np.ones((32, 2), np.int64)):
        stream = BytesIO()
        np.save(stream, values)
        files.append(stream.getvalue())
    pack = "plio pack {} {folder}/b.txt -t cint16 -w 32 --force"
    gen = "plio gen {folder}/b.txt -t int16 -w 32 -p {} --force"
    return Reader(
        files[1:],
        commands(tmp_path / "a.npy", lambda path: load_samples(str(path), "cint16"), pack, gen),
        (b"'descr'", b"'<i8'", b"'|O'", b"(99999999999,)"),
    )


READERS = (_cint16, _float, _int8, _packets, _csv, _samples)


@pytest.mark.parametrize("make", READERS, ids=lambda make: make.__name__[1:])
def test_damaged_files_are_refused_with_a_reason(make, tmp_path):
    make(tmp_path).check(QUICK, 1)


@pytest.mark.slow
@pytest.mark.parametrize("make", READERS, ids=lambda make: make.__name__[1:])
def test_many_damaged_files(make, tmp_path):
    make(tmp_path).check(MANY, 2 + TURN)
