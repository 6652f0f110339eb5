# SPDX-License-Identifier: Apache-2.0
"""Results of regions, calls and branches: each value that an operation promises is made, with the type that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.operand_types import Types, check_same
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.mlir_text.type_names import DEPTH, types_listed

FUNCTIONS = ("func.func", "func")
_RETURNS = ("func.return", "return")
_LAST = ("scf.yield", "scf.condition", "affine.yield", "cf.br", "cf.cond_br", *_RETURNS)
"""Nothing follows these in their block."""
_YIELDS = {
    **dict.fromkeys(("scf.if", "scf.for", "scf.while", "scf.index_switch", "scf.execute_region"), "scf.yield"),
    **dict.fromkeys(("affine.for", "affine.if"), "affine.yield"),
}
"""Operations whose regions give their results, and what ends these regions."""
_IFS = ("scf.if", "affine.if")
_LOOPS = ("scf.for", "affine.for")
_BLOCKS = ("scf.execute_region", *FUNCTIONS)
"""Their regions have several blocks."""


def check_region(op: MlirOp, number: int, region: Sequence[MlirBlock], known: Types) -> None:
    """The ends of a region against the results of its operation, and its branches against the blocks that they name.

    Args:
        op: what has the region.
        number: which of its regions.
        region: its blocks.
        known: the types of values, those of the region included.

    Raises:
        MlirError: a value that is not made, one too many, or one of another type.
    """
    first = region[0]
    executed = op.name in (*_YIELDS, *FUNCTIONS) or op.name.startswith(("aie.", "aiex."))
    if first.arguments and executed and not (op.name == "scf.while" and number):
        op.fail(
            f"{', '.join(first.arguments)} at the first block of {op.name}", "arguments behind the operation's name"
        )
    for block in region:
        for one in block.ops[:-1]:
            if one.name in _LAST:
                one.fail(f"{one.name} before the end of its block", "it as the last operation")
        for one in block.ops[-1:]:
            _branches(one, region, known)
    if op.name in FUNCTIONS:
        for one in (one for block in region for one in block.ops[-1:] if one.name in _RETURNS):
            _gives(op, one, one.operands, listed_types(one, ":"), listed_types(op, "->"), known)
    if op.name not in _YIELDS:
        return
    if op.name not in _BLOCKS and len(region) > 1:
        op.fail(f"{op.name} with {len(region)} blocks", "one block")
    for block in region:
        _ends(op, number, block, known)


def check_results(op: MlirOp, known: Types) -> None:
    """The names, carried values and regions of an operation against the results that it names."""
    if op.name not in (*_YIELDS, "func.call", "call"):
        return
    types = listed_types(op, "->")
    if op.results and len(op.results) != len(types):
        op.fail(f"{len(op.results)} results of {op.name}", f"{len(types)}, as it names types")
    if op.name in _IFS and types and len(op.regions) < 2:
        op.fail(f"{op.name} of {', '.join(types)} without else", f"else with {_YIELDS[op.name]} of {', '.join(types)}")
    if op.name in _LOOPS:
        texts = [token.text for token in op.tokens]
        at = texts.index("iter_args") if "iter_args" in texts else len(texts)
        _counted(op, "carried values", sum(token.kind == "ssa" for token in op.tokens[at:]) // 2, len(types))
    if op.name == "scf.while":
        outer, kinds = op.operands[1::2], listed_types(op, ":")
        _counted(op, "carried values", len(outer), len(kinds))
        for name, kind in zip(outer, kinds, strict=True):
            check_same(op, known, name, kind)
        for block in op.regions[1][:1] if len(op.regions) > 1 else ():
            _counted(op, "arguments of the block", len(block.arguments), len(types))


def check_signatures(ops: Iterable[MlirOp], outer: Mapping[str, MlirOp]) -> None:
    """Calls against the functions that they call.

    Args:
        ops: operations of one block or text.
        outer: functions around them, by name.

    Raises:
        MlirError: another number of arguments or results, or other types.
    """
    ops = [*ops]
    functions = {**outer, **{op.symbols[0]: op for op in ops if op.name in FUNCTIONS and op.symbols}}
    for op in ops:
        found = functions.get(op.symbols[0]) if op.name in ("func.call", "call") and op.symbols else None
        if found is not None:
            _call(op, found)
        check_signatures(op.ops, functions)


def _call(op: MlirOp, found: MlirOp) -> None:
    name = f"@{op.symbols[0]}"
    takes = list(argument_types(found.tokens).values()) or _bracketed(found.tokens)
    _counted(op, f"arguments of {name}", len(op.operands), len(takes))
    for what, own, needed in (
        ("argument", listed_types(op, ":"), takes),
        ("result", listed_types(op, "->"), listed_types(found, "->")),
    ):
        _counted(op, f"types of the {what}s of {name}", len(own), len(needed))
        for number, (kind, other) in enumerate(zip(own, needed, strict=True)):
            value = f"{what} {number} of {name}"
            check_same(op, {value: other}, value, kind)


def argument_types(tokens: Sequence[Token]) -> dict[str, str]:
    """Types of arguments by their names: of a sequence, a function or a block."""
    found: dict[str, str] = {}
    for at, token in enumerate(tokens[:-2]):
        if token.kind == "ssa" and tokens[at + 1].text == ":":
            found[token.text] = next(iter(_split(tokens[at + 2 :])), "")
    return found


def _ends(op: MlirOp, number: int, block: MlirBlock, known: Types) -> None:
    """The last operation of a block gives what the region has to give."""
    types, needed = listed_types(op, "->"), _YIELDS[op.name]
    if op.name == "scf.while":
        needed = "scf.yield" if number else "scf.condition"
        types = listed_types(op, ":") if number else types
    last = block.ops[-1] if block.ops else op
    if last.name == needed:
        skipped = needed == "scf.condition"
        _gives(op, last, last.operands[skipped:], listed_types(last, ":"), types, known)
    elif op.name in _BLOCKS and last.name.startswith("cf."):
        return
    elif last.name in (*_LAST, "aie.end"):
        last.fail(f"{last.name} at the end of {op.name}", needed)
    elif types or needed == "scf.condition":
        of = f" of {', '.join(types)}" if types else ""
        last.fail(f"the end of a block of {op.name} after {last.name}" if block.ops else f"an empty block of {op.name}",
                  f"{needed}{of}")  # fmt: skip


def _gives(
    op: MlirOp, last: MlirOp, used: Sequence[str], named: Sequence[str], types: Sequence[str], known: Types
) -> None:
    """Values of a terminator against the types that its operation has; the generic form names a condition's type too."""
    what = f"values of {last.name}"
    _counted(last, what, len(used), len(types), f", as {op.name} of line {op.token.line} has them")
    for name, own, kind in zip(used, named[-len(used) :] if used else (), types, strict=False):
        check_same(last, known, name, own)
        check_same(last, {name: kind}, name, own)
    if used and len(named) < len(used):
        last.fail(f"{len(named)} types of {last.name}", f"{len(used)}: {', '.join(types)}")


def _branches(op: MlirOp, region: Sequence[MlirBlock], known: Types) -> None:
    """``cf.br`` and ``cf.cond_br`` give each block its arguments."""
    blocks = {block.label: block for block in region}
    for at, token in enumerate(op.tokens if op.name.startswith("cf.") else ()):
        if token.kind != "block" or token.text not in blocks:
            continue
        block = blocks[token.text]
        behind = op.tokens[at + 1 :]
        inner = _inside(behind) if behind and behind[0].text == "(" else []
        colon = next((n for n, one in enumerate(inner) if one.text == ":"), len(inner))
        values = [one.text for one in inner[:colon] if one.kind == "ssa"]
        _counted(op, f"values for {token.text}", len(values), len(block.arguments))
        needed = argument_types(block.tokens)
        for name, own, argument in zip(values, _split(inner[colon + 1 :]), block.arguments, strict=False):
            check_same(op, known, name, own)
            check_same(op, {name: needed.get(argument, "")}, name, own)


def _counted(op: MlirOp, what: str, found: int, expected: int, why: str = "") -> None:
    if found != expected:
        op.fail(f"{found} {what}", f"{expected}{why}")


def listed_types(op: MlirOp, mark: str) -> list[str]:
    """The types behind ``->`` or a colon outside brackets, in brackets or without them."""
    depth = 0
    for at, token in enumerate(op.tokens[:-1]):
        compares = token.text == ">" and op.tokens[at + 1].text == "="  # as in an affine set
        depth += 0 if compares else DEPTH.get(token.text, 0)
        if not depth and token.text == mark:
            return types_listed(op, mark) if op.tokens[at + 1].text == "(" else _split(op.tokens[at + 1 :])
    return []


def _bracketed(tokens: Sequence[Token]) -> list[str]:
    """The types of the first brackets, as of a declaration."""
    at = next((n for n, token in enumerate(tokens) if token.text == "("), len(tokens))
    return _split(_inside(tokens[at:])) if at < len(tokens) else []


def _inside(tokens: Sequence[Token]) -> list[Token]:
    """What is between the bracket that tokens begin with and its other half."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += DEPTH.get(token.text, 0)
        if not depth:
            return [*tokens[1:at]]
    return []


def _split(tokens: Sequence[Token]) -> list[str]:
    """Types that commas separate, up to what does not belong to them."""
    found, depth = [""], 0
    for token in tokens:
        if not depth and (token.text not in ("<", ",") if found[-1] else token.kind not in ("word", "hash")):
            break
        depth += DEPTH.get(token.text, 0)
        if depth == 0 and token.text == ",":
            found.append("")
        else:
            found[-1] += token.text
    return [kind for kind in found if kind]
