# SPDX-License-Identifier: Apache-2.0
"""RTL that holds all its mutants: a number chosen at run time says which one it is, and 0 that it is the original."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.mutate.mutant import Mutant, MutatedPlace

PLUSARG = "goldbeat_mutant"
CHOICE = "goldbeat_mutant.txt"
"""A file with a number in the simulator's folder: the mutant from the next initial values on, whatever the command line says."""
REACHED = "goldbeat_reached.txt"
"""A file that the simulator makes there as soon as mutant and original differ."""
_PACKAGE = "goldbeat_mutant"

SELECTOR = f"""// The mutant that is at work; 0: none.
package {_PACKAGE};
  int unsigned id /*verilator public_flat_rw*/;
  int unsigned seen /*verilator public_flat_rw*/;

  // Called where mutant and original differ: the change has been reached.
  function automatic bit reached(bit differs);
    if (differs && seen == 0) begin
      seen = 1;
      $fclose($fopen("{REACHED}", "w"));
    end
    return 1'b1;
  endfunction
endpackage

module goldbeat_mutant_choice;
  int chosen;
  initial begin
    {_PACKAGE}::seen = 0;
    if (!$value$plusargs("{PLUSARG}=%d", {_PACKAGE}::id)) {_PACKAGE}::id = 0;
    chosen = $fopen("{CHOICE}", "r");
    if (chosen != 0) begin
      void'($fscanf(chosen, "%d", {_PACKAGE}::id));
      $fclose(chosen);
    end
  end
endmodule
"""
"""Compiled in front of all other files; :func:`binding` puts the module into a top."""

_Piece = tuple[int, int, int, str]
"""Where, 1 for what opens and 0 for what closes, depth, and text."""


def binding(top: str) -> str:
    """What puts the choice of the mutant into a top module; compiled behind it."""
    return f"bind {top} goldbeat_mutant_choice goldbeat_mutant_choice_i ();\n"


def rewrite(path: Path, mutants: Iterable[Mutant], *, watched: bool = False) -> str:
    """A file with its mutants inside.

    Args:
        path: the source.
        mutants: all of that file.
        watched: tell whether the chosen mutant and the original ever differ; slower.

    Raises:
        UsageError: the file has changed since its mutants were found.
    """
    data = path.read_bytes()
    mutants = list(mutants)
    _check_unchanged(path, data, mutants)
    every = [(m.place, m, m.text) for m in mutants]
    every += [(also[0], m, also[1]) for m in mutants if (also := m.made.also) is not None]
    every.sort(key=lambda o: (o[0].start, o[0].end, o[0].depth, o[0].statement, o[1].number))
    insertions: list[_Piece] = []
    for place, found in groupby(every, key=lambda one: one[0]):
        around = _statement if place.statement else _expression
        insertions += _pieces(place, *around(place, [(m, text) for _, m, text in found], watched=watched))
    late = sorted((m for m in mutants if m.made.late), key=lambda m: m.made.late.block.start)  # type: ignore[union-attr]
    for block, group in groupby(late, key=lambda m: m.made.late.block):  # type: ignore[union-attr]
        insertions += _pieces(block, _late_block(list(group)), " end")
    pieces, at = [], 0
    for where, _, _, text in sorted(insertions, key=lambda one: one[:3]):
        pieces += [data[at:where], text.encode()]
        at = where
    return b"".join([*pieces, data[at:]]).decode(errors="surrogateescape")


def rewrite_alone(mutant: Mutant) -> str:
    """The source file of a mutant with nothing but its change in it.

    Raises:
        UsageError: the file has changed since its mutants were found.
    """
    place, made = mutant.place, mutant.made
    # A statement that is left out may be all that a branch has.
    edits = [(place, (made.text if place.statement else f"({made.text})") if made.text else ";")]
    if made.also is not None:
        edits.append((made.also[0], f"({made.also[1]})"))
    data = place.file.read_bytes()
    _check_unchanged(place.file, data, [mutant])
    if made.late is not None:
        target, block = made.late.target, made.late.block
        edits = [(place, f"begin late <= {made.late.value}; due <= 1'b1; end")]
        head = f"begin static type({target}) late; static bit due; due <= 1'b0; if (due) {target} <= late; "
        empty = MutatedPlace(place.file, block.start, block.start, block.line, block.column, "", 0)
        end = MutatedPlace(place.file, block.end, block.end, block.line, block.column, "", 0)
        edits += [(empty, head), (end, " end")]
    for where, text in sorted(edits, key=lambda one: (one[0].start, one[0].end), reverse=True):
        data = data[: where.start] + text.encode(errors="surrogateescape") + data[where.end :]
    return data.decode(errors="surrogateescape")


def _check_unchanged(path: Path, data: bytes, mutants: Sequence[Mutant]) -> None:
    """A campaign reads its sources again for the watched build, and offsets are those of the first reading."""
    for m in mutants:
        found = data[m.place.start : m.place.end].decode(errors="surrogateescape")
        if found != m.place.text:
            wanted = f"{m.place.text!r} at line {m.place.line}"
            raise UsageError(f"{path} has changed since its mutants were found: expected {wanted}; start again")


def _pieces(place: MutatedPlace, before: str, behind: str) -> list[_Piece]:
    # At one place the outer text opens first and closes last; what closes comes before what opens.
    return [(place.start, 1, place.depth, before), (place.end, 0, -place.depth, behind)]


def _expression(place: MutatedPlace, texts: Sequence[tuple[Mutant, str]], *, watched: bool) -> tuple[str, str]:
    opened = ""
    for m, text in texts:
        choice = f"{_PACKAGE}::id == 32'd{m.number}"
        if watched:
            choice += f" && {_PACKAGE}::reached({m.made.reached or f'({text}) !== ({place.text})'})"
        opened += f"(({choice}) ? ({text}) : "
    return f"{opened}(", ")" * (len(texts) + 1)


def _statement(place: MutatedPlace, texts: Sequence[tuple[Mutant, str]], *, watched: bool) -> tuple[str, str]:
    behind = ""
    for m, text in texts:
        does = f" void'({_PACKAGE}::reached({m.made.reached}));" if watched else ""
        if m.made.late is not None:
            does += f" goldbeat_late{m.number} <= {m.made.late.value}; goldbeat_due{m.number} <= 1'b1;"
        does += f" {text}" if text else ""
        if does:
            behind += f" else if ({_PACKAGE}::id == 32'd{m.number}) begin{does} end"
    chosen = " && ".join(f"{_PACKAGE}::id != 32'd{m.number}" for m, _ in texts)
    # Its own block: an `if` without `else` takes no other's.
    return f"begin if ({chosen}) begin ", f" end{behind} end"


def _late_block(mutants: Sequence[Mutant]) -> str:
    """What stands in front of a clocked block's statement: values of the cycle before, which whatever follows may override."""
    variables = does = ""
    for m in mutants:
        assert m.made.late is not None
        target, value, due = m.made.late.target, f"goldbeat_late{m.number}", f"goldbeat_due{m.number}"
        variables += f"static type({target}) {value}; static bit {due}; "
        does += f"if ({_PACKAGE}::id == 32'd{m.number}) begin {due} <= 1'b0; if ({due}) {target} <= {value}; end "
    return f"begin {variables}{does}"
