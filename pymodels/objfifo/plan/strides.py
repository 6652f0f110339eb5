# SPDX-License-Identifier: Apache-2.0
"""Data layouts: (size, stride) pairs in elements to dimensions in words, and what can be said about a walk."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.plan.design import Dims
from goldbeat.pymodels.objfifo.plan.plan import Bd, Dim, Iteration, Pad
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES


def in_words(dims: Dims, itemsize: int, what: str, *, padded: bool = False) -> tuple[Dim, ...]:
    """Dimensions in words, innermost first; inner ones of size 1 are left out where an element is no whole word.

    If all of them are 1 then, none is left: the wrap of half a word is 0 in the register, which is no wrap, as upstream
    allows it.

    Args:
        dims: pairs of size and stride in elements, outermost first.
        itemsize: bytes of an element.
        what: for messages.
        padded: the dimensions have padding, so that none is left out.

    Raises:
        RuleError: ``dims-form`` or ``dims-words``.
    """
    for size, stride in dims:
        if size < 1 or stride < 1:
            raise RuleError("dims-form", f"{what}: size {size}, stride {stride}; both start at 1")
    if not dims:
        return ()
    parts = itemsize % WORD_BYTES != 0
    if parts and not padded and all(size == 1 for size, _ in dims):
        return ()
    while parts and not padded and len(dims) > 1 and dims[-1][0] == 1:
        dims = dims[:-1]
    inner, outer = dims[-1], dims[-2::-1]
    if parts:
        bits = 8 * itemsize
        if inner[1] != 1:
            raise RuleError("dims-words", f"{what}: inner stride {inner[1]} with {bits}-bit elements, expected 1")
        if inner[0] * itemsize % WORD_BYTES:
            raise RuleError(
                "dims-words", f"{what}: an inner run of {inner[0]} {bits}-bit elements is not a multiple of 32 bits"
            )
        for _, stride in outer:
            if stride * itemsize % WORD_BYTES:
                raise RuleError(
                    "dims-words", f"{what}: a stride of {stride} {bits}-bit elements is not a multiple of 32 bits"
                )
        first = [Dim(inner[0] * itemsize // WORD_BYTES, 1)]
    else:
        per = itemsize // WORD_BYTES
        if per == 1 or inner[1] == 1:
            first = [Dim(inner[0] * per, 1 if inner[1] == 1 else inner[1])]
        else:
            first = [Dim(per, 1), Dim(inner[0], inner[1] * per)]
    return (*first, *(Dim(size, stride * itemsize // WORD_BYTES) for size, stride in outer))


def host_walk(dims: Dims, itemsize: int, what: str) -> tuple[tuple[Dim, ...], int, int, Iteration]:
    """A transfer of the host: its walk and length in words, how often it is repeated, and what moves it then.

    Args:
        dims: of the transfer in elements, outermost first; more than three, or an outermost one that stays, repeat it.
        itemsize: bytes of an element.
        what: for messages.

    Raises:
        RuleError: ``dims-form`` or ``dims-words``.
    """
    dims = tuple(d for d in dims[:-1] if d[0] > 1) + dims[-1:]
    repeat, iteration = 0, Iteration()
    if len(dims) > 3 or (len(dims) > 1 and dims[0][1] == 0):
        (size, stride), dims = dims[0], dims[1:]
        if stride * itemsize % WORD_BYTES:
            raise RuleError("dims-words", f"{what}: a stride of {stride * itemsize} bytes is not a multiple of 32 bits")
        # A descriptor's field has the step less 1: one of 0 is no iteration.
        repeat, iteration = size - 1, Iteration(size, stride * itemsize // WORD_BYTES) if stride else Iteration()
    if any(stride == 0 for _, stride in dims):
        raise RuleError(
            "dims-form",
            f"{what}: stride 0 in an inner dimension; a descriptor of a shim takes it in the outermost of four alone: "
            "split the transfer",
        )
    walk = in_words(dims, itemsize, what)
    return () if len(walk) == 1 and walk[0].step == 1 else walk, product(walk), repeat, iteration


def pads_in_words(padding: Dims, itemsize: int, what: str) -> tuple[Pad, ...]:
    """Padding innermost first, the inner one in words; ``pad-form`` if that is not whole."""
    if not padding:
        return ()
    out = []
    for number, (before, after) in enumerate(reversed(padding)):
        if before < 0 or after < 0:
            raise RuleError("pad-form", f"{what}: padding ({before}, {after}), expected none below 0")
        if number == 0:
            if before * itemsize % WORD_BYTES or after * itemsize % WORD_BYTES:
                raise RuleError(
                    "pad-form",
                    f"{what}: inner padding ({before}, {after}) of {8 * itemsize}-bit elements is not a multiple of 32 bits",
                )
            before, after = before * itemsize // WORD_BYTES, after * itemsize // WORD_BYTES
        out.append(Pad(before, after))
    return tuple(out)


def pad_word(value: int, itemsize: int) -> int:
    """A padding value of an element as a whole word; of elements that are wider, the lowest word of it."""
    bits = 8 * itemsize
    one = value & ((1 << bits) - 1)
    return sum(one << shift for shift in range(0, 32, bits)) if bits < 32 else one & 0xFFFFFFFF


def product(dims: Sequence[Dim], padding: Sequence[Pad] = ()) -> int:
    """Words that a walk moves, padding included."""
    sizes = [d.size for d in dims]
    for i, pad in enumerate(padding):
        sizes[i] += pad.before + pad.after
    return math.prod(sizes)


def reach(dims: Sequence[Dim]) -> int:
    """The last word that a walk touches, from its start."""
    return sum((d.size - 1) * d.step for d in dims)


def stretched(dims: tuple[Dim, ...], length: int) -> tuple[Dim, ...]:
    """The walk with its outermost dimension as long as ``length`` lets it run; the same if that is not whole."""
    inner = product(dims[:-1])
    if not dims or length % inner:
        return dims
    return (*dims[:-1], Dim(length // inner, dims[-1].step))


def extent(dims: tuple[Dim, ...], length: int) -> tuple[int, bool]:
    """The last word that ``length`` words of a walk touch, and True if they touch no word twice.

    The outermost dimension goes on until the length ends it, in the middle of the others if need be.
    """
    walk = stretched(dims, length)
    if product(walk) == length:
        return reach(walk), once(walk)
    inner = product(dims[:-1])
    found = addresses((*dims[:-1], Dim(-(-length // inner), dims[-1].step)))[:length]
    return int(found.max()), len(np.unique(found)) == length


def addresses(dims: Sequence[Dim]) -> npt.NDArray[np.int64]:
    """Every word that a walk touches, in order, from its start."""
    out = np.zeros(1, np.int64)
    for dim in dims:
        out = (np.arange(dim.size, dtype=np.int64)[:, None] * dim.step + out[None, :]).reshape(-1)
    return out


def once(dims: Sequence[Dim]) -> bool:
    """True if no word is touched twice."""
    span = 1
    for dim in sorted((d for d in dims if d.size > 1), key=lambda d: d.step):
        if dim.step < span:
            break
        span = (dim.size - 1) * dim.step + span
    else:
        return True
    found = addresses(dims)
    return len(np.unique(found)) == len(found)


def bd_addresses(bd: Bd) -> npt.NDArray[np.int64]:
    """The word address of every word of a descriptor, in order; -1 for padding."""
    rest = np.arange(bd.length, dtype=np.int64)
    if not bd.dims and not bd.padding:
        return bd.base_words + rest
    dims = bd.dims or (Dim(bd.length - sum(p.before + p.after for p in bd.padding[:1]), 1),)
    out = np.full(bd.length, bd.base_words, np.int64)
    padded = np.zeros(bd.length, np.bool_)
    for number, dim in enumerate(dims):
        before = after = 0
        if number < len(bd.padding):
            before, after = bd.padding[number].before, bd.padding[number].after
        if number == len(dims) - 1:
            digit = rest
        else:
            digit, rest = rest % (before + dim.size + after), rest // (before + dim.size + after)
        if before or after:
            padded |= (digit < before) | (digit >= before + dim.size)
        out += (digit - before) * dim.step
    out[padded] = -1
    return out
