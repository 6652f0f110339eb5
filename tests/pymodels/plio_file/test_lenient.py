# SPDX-License-Identifier: Apache-2.0
"""Lenient reading does what the vendor's simulator does, and says so."""

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file import lex, parse_text


def test_wrong_numbers_of_samples_are_dropped():
    file = parse_text(b"1 2\n3\n5 6 7\nTLAST\n8 9\n", "int16", 32, lenient=True)
    assert file.trace.samples("int16").tolist() == [1, 2, 8, 9]
    assert file.trace.last.tolist() == [False, True]
    assert file.lines.tolist() == [1, 5]
    expected = "2 numbers (int16 on 32 bits)"
    assert file.dropped == ((2, "1 number", expected), (3, "3 numbers", expected))


def test_a_dropped_line_takes_its_time_and_tlast_along():
    raw = b"T 4 ns\n1 2\nT 8 ns\nTLAST\n3\nT 12 ns\n5 6\n"
    file = parse_text(raw, "int16", 32, lenient=True)
    assert file.trace.time_ps.tolist() == [4000, 12_000]
    assert file.trace.last.tolist() == [False, False]
    assert file.dropped[0][0] == 5


def test_blank_lines_are_dropped():
    file = parse_text(b"1 2\n\n3 4\n", "int16", 32, lenient=True)
    assert file.dropped == ((2, "an empty line", "T, TLAST or samples"),)


def test_nothing_dropped_from_a_good_file():
    assert parse_text(b"1 2\n3 4\n", "int16", 32, lenient=True).dropped == ()


@pytest.mark.parametrize("bad", ["x 1", "40000 1", "TLAST\nTLAST\n1 2", "T 4\n1 2", "TKEEP 9\n1 2", "\0"])
def test_other_mistakes_stay_mistakes(bad):
    with pytest.raises(InputError):
        parse_text(f"1 2\n{bad}\n3 4\n".encode(), "int16", 32, lenient=True)


def test_nothing_left():
    with pytest.raises(InputError, match="missing data line"):
        parse_text(b"1\n2\n", "int16", 32, lenient=True)


def test_drops_among_many_blocks(monkeypatch):
    monkeypatch.setattr(lex, "BLOCK", 256)
    lines = [f"T {4 * k} ns\n{k} 1" for k in range(3000)]
    for k in (17, 1500, 1501, 2999):
        lines[k] = f"T {4 * k} ns\nTLAST\n{k}"
    file = parse_text("\n".join(lines).encode(), "int16", 32, lenient=True)
    kept = [k for k in range(3000) if k not in (17, 1500, 1501, 2999)]
    assert file.trace.samples("int16")[::2].tolist() == kept
    assert file.trace.cycle.tolist() == kept
    assert not file.trace.last.any()
    assert [line for line, _, _ in file.dropped] == [2 * 17 + 3, 2 * 1500 + 4, 2 * 1501 + 5, 2 * 2999 + 6]
