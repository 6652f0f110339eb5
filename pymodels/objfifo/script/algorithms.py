# SPDX-License-Identifier: Apache-2.0
"""``aie.iron.algorithms``: designs that apply a function or a kernel to arrays, and loops of cores on rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron import worker
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo
from goldbeat.pymodels.objfifo.iron.runtime import Runtime
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.script import jit
from goldbeat.pymodels.objfifo.script.declared import ScriptProgram, ScriptWorker
from goldbeat.pymodels.objfifo.script.tensor import ScriptTensor


class TilesError(UsageError, ValueError):
    """Arrays that do not divide into tiles; mlir-aie raises a ``ValueError``."""


def _of(size: int, dtype: Any) -> Any:
    return np.ndarray.__class_getitem__(((size,), np.dtype.__class_getitem__(np.dtype(dtype).type)))


def _whole(kind: Any) -> ObjectType:
    return ObjectType(kind.shape, kind.dtype) if isinstance(kind, ScriptTensor) else object_type(kind)


def _kinds(kind: Any, tile: int) -> tuple[ObjectType, Any, Any]:
    """The whole array, and the types of it and of a tile."""
    whole = _whole(kind)
    return whole, _of(whole.elements, whole.dtype), _of(tile, whole.dtype)


def _passes(whole: ObjectType, tile: int) -> int:
    """How many tiles fill an array.

    Raises:
        TilesError: they do not.
    """
    if whole.elements % tile:
        raise TilesError(f"{whole.elements} elements: the number must be a multiple of tile size {tile}")
    return whole.elements // tile


def _check_kernel(func: Any, tile: int) -> None:
    """A kernel's first argument is a tile.

    Raises:
        TilesError: it is of another size.
    """
    kinds = func.arg_types if isinstance(func, worker.Kernel) else ()
    if kinds and len(get_args(kinds[0])) == 2 and object_type(kinds[0]).elements != tile:
        raise TilesError(
            f"tile_size {tile} does not match the {object_type(kinds[0]).elements} elements of {func.name}"
        )


def _sent(one: Any) -> bool:
    """An argument of a kernel that a fifo brings; numbers are known when the design is made."""
    return isinstance(one, ScriptTensor) or len(get_args(one)) == 2


class _Tiles:
    """What a core does with tiles: a function of each element, or a kernel with further arguments.

    Args:
        func: either.
        params: the kernel's arguments behind the tiles.
        passes: number of tiles.
        size: elements of a tile, which a kernel gets last if ``takes_size``.
    """

    def __init__(self, func: Any, params: Sequence[Any], passes: int, size: int, takes_size: bool = True) -> None:
        self.func, self.params, self.passes, self.size, self.takes_size = func, list(params), passes, size, takes_size

    def __call__(self, ins: Sequence[Any], extra: Sequence[Any], out: Any) -> None:
        sent = iter([one.acquire(1) for one in extra])
        given = [next(sent) if _sent(one) else one for one in self.params]
        for _ in range_(self.passes):
            found, made = [one.acquire(1) for one in ins], out.acquire(1)
            if isinstance(self.func, worker.Kernel):
                self.func(*found, made, *given, *([self.size] if self.takes_size else []))
            else:
                for at in range_(self.size):
                    made[at] = self.func(*[one[at] for one in found])
            for one in (*ins, out):
                one.release(1)
        for one in extra:
            one.release(1)


def _transform(func: Any, kind: Any, count: int, params: Sequence[Any], tile_size: int) -> Any:
    _check_kernel(func, tile_size)
    whole, array, tile = _kinds(kind, tile_size)
    ins = [ObjectFifo(tile, name=f"in{n}") for n in range(count)]
    kinds = [_of(_whole(p).elements, _whole(p).dtype) for p in params if _sent(p)]
    extra = [ObjectFifo(kind, name=f"param{n}") for n, kind in enumerate(kinds)]
    out = ObjectFifo(tile, name="out")
    work = _Tiles(func, params, _passes(whole, tile_size), tile_size)

    def body(*handles: Any) -> None:
        work(handles[:count], handles[count:-1], handles[-1])

    def sequence(*args: Any) -> None:
        arrays, handles = args[: count + 1 + len(extra)], args[count + 1 + len(extra) :]
        for handle, one in zip(handles, (*arrays[:count], *arrays[count + 1 :]), strict=False):
            handle.fill(one)
        handles[-1].drain(arrays[count], wait=True)

    one = ScriptWorker(body, [*(f.cons() for f in (*ins, *extra)), out.prod()])
    ends = [*(f.prod() for f in (*ins, *extra)), out.cons()]
    rt = Runtime(sequence, [*[array] * (count + 1), *kinds, *ends])
    return ScriptProgram(jit.current_device(), rt, [one]).resolve_program()


def transform(func: Any, kind: Any, *params: Any, tile_size: int = 16, trace_size: int = 0, **_: Any) -> Any:
    """A function of each element, tile by tile, on one core; a kernel may take further arguments.

    Until April 2026 it was called with the tensors of its result, too.
    """
    more = params if isinstance(func, worker.Kernel) else ()
    return _transform(func, kind, 1, more, tile_size)


def transform_binary(func: Any, kind: Any, *_: Any, tile_size: int = 16, trace_size: int = 0, **__: Any) -> Any:
    """The same of two arrays."""
    return _transform(func, kind, 2, (), tile_size)


def transform_parallel(
    func: Any, kind: Any, *_: Any, count: int = 1, tile_size: int = 16, num_channels: int = 1, trace_size: int = 0,
    pass_size_to_kernel: bool = True,
) -> Any:  # fmt: skip
    """A function of each element, one worker for each column and channel.

    Raises:
        TilesError: an array that does not divide among them.
    """
    device = jit.current_device()
    _check_kernel(func, tile_size)
    whole, array, tile = _kinds(kind, tile_size)
    columns = AIEDevice.npu1.value.columns if device is ANY else device.columns
    lanes = [(c, n) for c in range(columns) for n in range(num_channels)]
    part, rest = divmod(whole.elements, len(lanes))
    if rest or part % tile_size:
        what = f"{whole.elements} elements for {len(lanes)} workers"
        raise TilesError(f"{what}: the number must be a multiple of tile size {tile_size} for each")
    ins = [[ObjectFifo(tile, name=f"in{n}_{c}_{h}") for n in range(count)] for c, h in lanes]
    outs = [ObjectFifo(tile, name=f"out_{c}_{h}") for c, h in lanes]
    work = _Tiles(func, (), part // tile_size, tile_size, pass_size_to_kernel)

    def body(*handles: Any) -> None:
        work(handles[:-1], (), handles[-1])

    workers = [ScriptWorker(body, [*(f.cons() for f in i), o.prod()]) for i, o in zip(ins, outs, strict=True)]

    def sequence(*args: Any) -> None:
        arrays, fills, drains = args[: count + 1], args[count + 1], args[count + 2]
        for lane, handles in enumerate(fills):
            for handle, one in zip(handles, arrays, strict=False):
                handle.fill(one, sizes=[1, 1, 1, part], strides=[0, 0, 0, 1], offset=lane * part)
        for lane, handle in enumerate(drains):
            handle.drain(arrays[-1], sizes=[1, 1, 1, part], strides=[0, 0, 0, 1], offset=lane * part, wait=True)

    ends = [[[f.prod() for f in i] for i in ins], [o.cons() for o in outs]]
    rt = Runtime(sequence, [*[array] * (count + 1), *ends])
    return ScriptProgram(device, rt, workers).resolve_program()


def transform_parallel_binary(func: Any, kind: Any, *_: Any, **more: Any) -> Any:
    """The same of two arrays."""
    return transform_parallel(func, kind, count=2, **more)


def for_each(func: Any, kind: Any, *params: Any, tile_size: int = 16) -> Any:
    """A function of each element, back into the array it came from."""
    _check_kernel(func, tile_size)
    whole, array, tile = _kinds(kind, tile_size)
    source, target = ObjectFifo(tile, name="in"), ObjectFifo(tile, name="out")
    kinds = [_of(_whole(p).elements, _whole(p).dtype) for p in params if _sent(p)]
    extra = [ObjectFifo(kind, name=f"param{n}") for n, kind in enumerate(kinds)]
    work = _Tiles(func, params, _passes(whole, tile_size), tile_size)

    def body(taken: Any, given: Any, *more: Any) -> None:
        work([taken], more, given)

    def sequence(*args: Any) -> None:
        arrays, fills, drain = args[: 1 + len(extra)], args[1 + len(extra) : -1], args[-1]
        for fill, data in zip(fills, arrays, strict=True):
            fill.fill(data)
        drain.drain(arrays[0], wait=True)

    one = ScriptWorker(body, [source.cons(), target.prod(), *(f.cons() for f in extra)])
    rt = Runtime(sequence, [array, *kinds, source.prod(), *(f.prod() for f in extra), target.cons()])
    return ScriptProgram(jit.current_device(), rt, [one]).resolve_program()


def reduce(func: Any, kind: Any, result: Any, **_: Any) -> Any:
    """A kernel of the whole array, called once."""
    whole, answer = object_type(kind), object_type(result)
    source, target = ObjectFifo(kind, name="in"), ObjectFifo(result, name="out")

    def body(taken: Any, given: Any, kernel: Any) -> None:
        made, found = given.acquire(1), taken.acquire(1)
        kernel(found.reshape(whole.shape), made.reshape(answer.shape), whole.elements)
        taken.release(1)
        given.release(1)

    one = ScriptWorker(body, [source.cons(), target.prod(), func])

    def sequence(data: Any, out: Any, fill: Any, drain: Any) -> None:
        fill.fill(data)
        drain.drain(out, wait=True)

    rt = Runtime(sequence, [kind, result, source.prod(), target.cons()])
    return ScriptProgram(jit.current_device(), rt, [one]).resolve_program()


# -- loops of cores on the rows of a picture --------------------------------------------------------------------------------


def row_at_a_time(of_in: Any, of_out: Any, *, n_rows: int, do_kernel: Callable[..., Any], of_wts: Any = None) -> None:
    """``do_kernel(row, result, weights)`` for each row; the weights are acquired once."""
    row_at_a_time_tiled(of_in, of_out, n_rows=n_rows, n_tiles_per_row=1, do_kernel=do_kernel, of_wts=of_wts)


def row_at_a_time_tiled(
    of_in: Any, of_out: Any, *, n_rows: int, n_tiles_per_row: int, do_kernel: Callable[..., Any], of_wts: Any = None
) -> None:
    """The same for rows in several objects."""
    weights = None if of_wts is None else of_wts.acquire(1)
    for _ in range_(n_rows * n_tiles_per_row):
        do_kernel(of_in.acquire(1), of_out.acquire(1), weights)
        of_in.release(1)
        of_out.release(1)
    if of_wts is not None:
        of_wts.release(1)


def row_at_a_time_with_skip(
    of_in: Any, of_out: Any, of_skip: Any, *, n_rows: int, do_kernel: Callable[..., Any], of_wts: Any = None
) -> None:
    """``do_kernel(row, result, skipped row, weights)`` for each row."""
    weights = None if of_wts is None else of_wts.acquire(1)
    for _ in range_(n_rows):
        do_kernel(of_in.acquire(1), of_out.acquire(1), of_skip.acquire(1), weights)
        for one in (of_in, of_out, of_skip):
            one.release(1)
    if of_wts is not None:
        of_wts.release(1)


def sliding_3row(
    of_in: Any, of_out: Any, *, n_out_rows: int, do_kernel: Callable[..., Any], of_wts: Any = None
) -> None:
    """``do_kernel(above, row, below, result, weights, border)``: the first and the last row are their own neighbours."""
    weights = None if of_wts is None else of_wts.acquire(1)
    rows = of_in.acquire(2)
    do_kernel(rows[0], rows[0], rows[1], of_out.acquire(1), weights, 0)
    of_out.release(1)
    for _ in range_(n_out_rows - 2):
        rows = of_in.acquire(3)
        do_kernel(rows[0], rows[1], rows[2], of_out.acquire(1), weights, 1)
        of_in.release(1)
        of_out.release(1)
    rows = of_in.acquire(2)
    do_kernel(rows[0], rows[1], rows[1], of_out.acquire(1), weights, 2)
    of_in.release(2)
    of_out.release(1)
    if of_wts is not None:
        of_wts.release(1)


NAMES = {one.__name__: one for one in (
    transform, transform_binary, transform_parallel, transform_parallel_binary, for_each, reduce, row_at_a_time,
    row_at_a_time_tiled, row_at_a_time_with_skip, sliding_3row)}  # fmt: skip
