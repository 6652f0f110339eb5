# SPDX-License-Identifier: Apache-2.0
"""RTL that holds all its mutants: a number chosen at run time says which one it is, and 0 that it is the original."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from goldbeat.tb.mutate.mutant import Mutant, MutatedPlace

PLUSARG = "goldbeat_mutant"
REACHED = "goldbeat_mutant: reached"
"""What a simulator prints at its end where mutant and original differed somewhere."""
_PACKAGE = "goldbeat_mutant"

SELECTOR = f"""// The mutant that is at work; 0: none.
package {_PACKAGE};
  int unsigned id /*verilator public_flat_rw*/;
  int unsigned seen /*verilator public_flat_rw*/;

  // Called where mutant and original differ: the change has been reached.
  function automatic bit reached(bit differs);
    if (differs) seen = seen + 1;
    return 1'b1;
  endfunction
endpackage

module goldbeat_mutant_choice;
  initial begin
    {_PACKAGE}::seen = 0;
    if (!$value$plusargs("{PLUSARG}=%d", {_PACKAGE}::id)) {_PACKAGE}::id = 0;
  end
  final if ({_PACKAGE}::seen != 0) $display("{REACHED}");
endmodule
"""
"""Compiled in front of all other files; :func:`binding` puts the module into a top."""


def binding(top: str) -> str:
    """What puts the choice of the mutant into a top module; compiled behind it."""
    return f"bind {top} goldbeat_mutant_choice goldbeat_mutant_choice_i ();\n"


def rewrite(path: Path, mutants: Iterable[Mutant], *, watched: bool = False) -> str:
    """A file with its mutants inside.

    Args:
        path: the source.
        mutants: all of that file.
        watched: tell whether the chosen mutant and the original ever differ; slower.
    """
    data = path.read_bytes()
    insertions: list[tuple[int, int, int, str]] = []
    ordered = sorted(mutants, key=lambda m: (m.place.start, m.place.end, m.place.depth, m.place.statement, m.number))
    for place, found in groupby(ordered, key=lambda m: m.place):
        before, behind = _around(place, list(found), watched=watched)
        # At one place the outer text opens first and closes last; what closes comes before what opens.
        insertions.append((place.start, 1, place.depth, before))
        insertions.append((place.end, 0, -place.depth, behind))
    pieces, at = [], 0
    for where, _, _, text in sorted(insertions, key=lambda one: one[:3]):
        pieces += [data[at:where], text.encode()]
        at = where
    return b"".join([*pieces, data[at:]]).decode(errors="surrogateescape")


def _around(place: MutatedPlace, mutants: Sequence[Mutant], *, watched: bool) -> tuple[str, str]:
    if place.statement:
        chosen = " && ".join(f"{_PACKAGE}::id != 32'd{m.number}" for m in mutants)
        return f"begin if ({chosen}) ", f" else {_PACKAGE}::seen = 1; end" if watched else " end"
    opened = ""
    for m in mutants:
        choice = f"{_PACKAGE}::id == 32'd{m.number}"
        if watched:
            choice += f" && {_PACKAGE}::reached(({m.text}) !== ({place.text}))"
        opened += f"(({choice}) ? ({m.text}) : "
    return f"{opened}(", ")" * (len(mutants) + 1)
