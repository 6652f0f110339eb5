# SPDX-License-Identifier: Apache-2.0
"""Executes operations of common dialects: ``arith``, ``memref``, ``scf``, ``cf``, ``func``.

A value is a Python number, or a numpy array that writes through. What waits is a generator (:class:`Blocked`); the rest is
plain code, made once per operation.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.iron.worker import TRACE_CALLS, NoStandInError, call_stand_in
from goldbeat.pymodels.objfifo.live.agent import Blocked
from goldbeat.pymodels.objfifo.mlir_exec import memref_ops, scalars
from goldbeat.pymodels.objfifo.mlir_exec.endless_loops import branches_endlessly, while_is_endless
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError
from goldbeat.pymodels.objfifo.mlir_text.tree import Code, FlowCode, MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.plan.access import may_wait

Env = dict[str, Any]
Waits = Generator[Blocked | None, None, Any]
_NOT_UNDERSTOOD = (
    *(LookupError, ValueError, TypeError, ArithmeticError, AttributeError, StopIteration, AssertionError),
    RecursionError,
)
"""What reading the operands of an operation raises if it has others, or types that do not go together."""
_FAIR = 64
"""Passes of a loop after which others have a turn."""


class CompiledCallError(MlirError, NoStandInError):
    """A call of compiled code that nothing stands for."""


class ProgramTextError(MlirError):
    """An operation that cannot be executed with its operands, such as an access outside an array."""


class ScalarProgram:
    """A program in text: a core's, or the host's sequence.

    Args:
        file: for errors.
        functions: bodies of ``func.func`` by name.
        kernels: Python functions that stand for those without a body.
    """

    def __init__(
        self, file: Path | None, functions: Mapping[str, MlirOp], kernels: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.file = file
        self.functions = functions
        self.kernels = kernels
        self.at: MlirOp | None = None
        """The operation that is at work."""
        self.endless = 0
        """Loops that it is in and in which it may wait when all is done."""

    def place(self) -> str:
        """The line that is at work."""
        return "" if self.at is None else f"line {self.at.token.line}"

    def fail(self, op: MlirOp, found: str, expected: str) -> NoReturn:
        """Raise an error at an operation."""
        raise MlirError(found, expected, file=self.file, line=op.token.line, column=op.token.column)

    # -- regions

    def region(self, blocks: list[MlirBlock], env: Env, arguments: Sequence[Any] = ()) -> Waits:
        """Run a region to its end, the first block with its arguments; what its terminator yields."""
        block = blocks[0]
        before = self.endless
        while True:
            env.update(zip(block.arguments, arguments, strict=True))
            ended = yield from self.block(block, env)
            if not (isinstance(ended, tuple) and ended and ended[0] == "branch"):
                self.endless = before
                return ended
            last, (block, arguments) = block, (next(b for b in blocks if b.label == ended[1]), ended[2])
            if self.endless == before and blocks.index(block) <= blocks.index(last):
                self.endless += branches_endlessly(blocks, block, env)
            yield None

    def block(self, block: MlirBlock, env: Env) -> Waits:
        """Run a block; what its last operation yields."""
        for op in block.ops:
            self.at = op
            try:
                if op.code is None and op.flow is None:
                    self.prepare(op)
                if op.code is not None:
                    op.code(env)
                    continue
                assert op.flow is not None
                ended = yield from op.flow(env)
            except InputError as error:
                if error.file is not None or error.line is not None:
                    raise
                self.fail(op, error.found, error.expected)
            except _NOT_UNDERSTOOD as error:
                token = op.token
                raise ProgramTextError(
                    *_said(op, error), file=self.file, line=token.line, column=token.column
                ) from error
            if ended is not None:
                return ended
        return None

    def prepare(self, op: MlirOp) -> None:
        """Find out how an operation is executed."""
        dialect, _, name = op.name.partition(".")
        if dialect == "arith":
            op.code = self._arith(op, name)
        elif dialect == "memref":
            op.code = memref_ops.memref_code(op, self.fail)
        elif op.name in ("scf.for", "affine.for"):
            op.flow = self._for(op)
        elif op.name == "scf.if":
            op.flow = self._if(op)
        elif op.name == "scf.while":
            op.flow = self._while(op)
        elif op.name in ("func.call", "call"):
            op.flow = self._call(op)
        elif op.name in ("scf.yield", "scf.condition", "cf.br", "cf.cond_br", "func.return", "return", "affine.yield"):
            op.flow = self._leave(op)
        elif op.name == "builtin.unrealized_conversion_cast":
            op.code = _copy(op)
        else:
            self.other(op)

    def other(self, op: MlirOp) -> None:
        """Prepare an operation of another dialect."""
        self.fail(op, repr(op.name), "an operation that is executed: see docs/objfifo-exec.md")

    # -- arith

    def _arith(self, op: MlirOp, name: str) -> Code:
        kind = op.tokens[-1].text if op.tokens else ""
        result = op.results[0]
        if name == "constant":
            return self._constant(op, result)
        used = op.operands
        if name in scalars.SHIFTS:
            return _shift(used, name, kind, result)
        if name in scalars.SIGNED:
            call = scalars.SIGNED[name]
            a, b = used

            def two(env: Env) -> None:
                env[result] = scalars.wrapped(call(env[a], env[b]), kind)

            return two
        if name in scalars.UNSIGNED:
            plain = scalars.UNSIGNED[name]
            a, b = used

            def bits(env: Env) -> None:
                value = plain(scalars.unsigned(env[a], kind), scalars.unsigned(env[b], kind))
                env[result] = scalars.wrapped(value, kind)

            return bits
        if name in ("cmpi", "cmpf"):
            return self._compare(op, kind, result)
        if name == "select":

            def select(env: Env) -> None:
                env[result] = env[used[1]] if env[used[0]] else env[used[2]]

            return select
        return self._cast(op, name, kind, result)

    def _cast(self, op: MlirOp, name: str, kind: str, result: str) -> Code:
        source = op.operands[0]
        before = next((t.text for t, n in zip(op.tokens, op.tokens[1:], strict=False) if n.text == "to"), kind)
        if name in ("extui", "index_castui", "uitofp"):

            def widen(env: Env) -> None:
                env[result] = scalars.wrapped(scalars.unsigned(env[source], before), kind)

            return widen
        if name not in ("extsi", "trunci", "index_cast", "sitofp", "fptosi", "fptoui", "extf", "truncf", "negf"):
            self.fail(op, repr(op.name), "an operation that is executed: see docs/objfifo-exec.md")

        def cast(env: Env) -> None:
            env[result] = scalars.wrapped(-env[source] if name == "negf" else env[source], kind)

        return cast

    def _compare(self, op: MlirOp, kind: str, result: str) -> Code:
        predicate = op.tokens[0].text.strip('"')
        a, b = op.operands
        plain = predicate.startswith("u") and kind in ("i8", "i16", "i32", "i64", "index")
        compare = scalars.COMPARE.get(predicate if predicate in ("eq", "ne") else predicate[1:])
        if compare is None:
            self.fail(op, predicate, "a comparison")

        def done(env: Env) -> None:
            x, y = env[a], env[b]
            if plain:
                x, y = scalars.unsigned(x, kind), scalars.unsigned(y, kind)
            env[result] = int(compare(x, y))

        return done

    def _constant(self, op: MlirOp, result: str) -> Code:
        value = constant_value(op)
        if value is None:
            self.fail(op, "a constant of another kind", "a number or dense<...>")

        def put(env: Env) -> None:
            env[result] = value

        return put

    # -- control flow

    def _for(self, op: MlirOp) -> FlowCode:
        names = op.operands
        numbers = [t for t in op.tokens if t.kind == "number"]
        affine = op.name == "affine.for"
        if affine and len(names) > 1:
            self.fail(op, "affine bounds", "bounds that are numbers")
        start = next((n for n, t in enumerate(op.tokens) if t.text == "iter_args"), len(op.tokens))
        carried = [t.text for t in op.tokens[start:] if t.kind == "ssa"]
        inner, outer = carried[::2], carried[1::2]
        body = op.blocks[0]

        def loop(env: Env) -> Waits:
            bounds = [*(int(t.text) for t in numbers), 1] if affine else [env[n] for n in names[1:4]]
            if bounds[2] < 1:
                self.fail(op, f"{op.name} with a step of {bounds[2]}", "a step of at least 1")
            values = [env[n] for n in outer]
            turns = range(bounds[0], bounds[1], bounds[2])
            self.endless += may_wait(turns)
            for turn, index in enumerate(turns):
                env[names[0]] = index
                env.update(zip(inner, values, strict=True))
                ended = yield from self.block(body, env)
                if ended is not None and ended[0] == "yield":
                    values = ended[1]
                elif ended is not None:
                    return ended
                if turn % _FAIR == _FAIR - 1:
                    yield None
            self.endless -= may_wait(turns)
            _bind(op, env, values)
            return None

        return loop

    def _if(self, op: MlirOp) -> FlowCode:
        condition = op.operands[0]

        def branch(env: Env) -> Waits:
            chosen = 0 if env[condition] else 1
            if chosen >= len(op.regions):
                return None
            ended = yield from self.region(op.regions[chosen], env)
            if ended is not None and ended[0] != "yield":
                return ended
            _bind(op, env, [] if ended is None else ended[1])
            return None

        return branch

    def _while(self, op: MlirOp) -> FlowCode:
        carried = op.operands
        inner, outer = carried[::2], carried[1::2]

        def loop(env: Env) -> Waits:
            values = [env[n] for n in outer]
            before = self.endless
            while True:
                env.update(zip(inner, values, strict=True))
                ended = yield from self.region(op.regions[0], env)
                go, values = ended[1][0], ended[1][1:]
                if not go:
                    self.endless = before
                    break
                if self.endless == before:
                    self.endless += while_is_endless(op, env)
                ended = yield from self.region(op.regions[1], env, values)
                values = [] if ended is None else ended[1]
                yield None
            _bind(op, env, values)
            return None

        return loop

    def _leave(self, op: MlirOp) -> FlowCode:
        if op.name.startswith("cf."):
            return self._branch(op)
        used = op.operands
        kind = "return" if op.name.endswith("return") else "yield"

        def leave(env: Env) -> Waits:
            return kind, [env[n] for n in used]
            yield None

        return leave

    def _branch(self, op: MlirOp) -> FlowCode:
        targets: list[tuple[str, list[str]]] = []
        condition = ""
        colon = False
        for token in op.tokens:
            if token.kind == "block":
                targets.append((token.text, []))
                colon = False
            elif token.text == ":":
                colon = True
            elif token.kind == "ssa" and not targets:
                condition = token.text
            elif token.kind == "ssa" and not colon:
                targets[-1][1].append(token.text)

        def jump(env: Env) -> Waits:
            label, names = targets[0] if not condition or env[condition] else targets[1]
            return "branch", label, [env[n] for n in names]
            yield None

        return jump

    # -- functions

    def waits_of(self, stand_in: Generator[Any, Any, Any]) -> Waits:
        """Run a stand-in that waits for ports of its core."""
        raise NotImplementedError

    def _call(self, op: MlirOp) -> FlowCode:
        name, used = op.symbols[0], op.operands
        found = self.functions.get(name)
        if found is not None and found.regions:
            names = [t.text for t in found.tokens if t.kind == "ssa"]
            body = found.regions[0]

            def inside(env: Env) -> Waits:
                mine = dict(env)
                mine.update(zip(names, [env[n] for n in used], strict=True))
                ended = yield from self.region(body, mine)
                _bind(op, env, [] if ended is None else ended[1])
                return None

            return inside
        kernel = self.kernels.get(name)
        if kernel is None and name in TRACE_CALLS and not used:
            return _marks_a_trace
        if kernel is None:
            raise CompiledCallError(
                f"a call of @{name}, which is compiled code",
                f"a stand-in: --kernel {name}=FILE.py:FUNCTION",
                file=self.file,
                line=op.token.line,
                column=op.token.column,
            )

        def outside(env: Env) -> Waits:
            answer = call_stand_in(name, kernel, [env[n] for n in used])
            if isinstance(answer, Generator):
                answer = yield from self.waits_of(answer)
            values = list(answer) if isinstance(answer, tuple) else [answer]
            if op.results and (len(values) != len(op.results) or any(value is None for value in values)):
                found = "None" if answer is None else f"{len(values)} values"
                self.fail(op, f"{found} from the stand-in for @{name}", f"{len(op.results)} values, none of them None")
            _bind(op, env, values)
            return None

        return outside


def _marks_a_trace(_: Env) -> Waits:
    """A call that has no effect on data."""
    yield from ()
    return None


def _said(op: MlirOp, error: BaseException) -> tuple[str, str]:
    """What an error of reading or executing an operation says to a user: found and expected."""
    if isinstance(error, scalars.OperationError):
        return f"{op.name}: {error}", error.expected
    if isinstance(error, KeyError):
        return f"{op.name}: {error.args[0]} has no value when it is used", "an operation in a form that is executed"
    return f"{op.name} with operands in another form", "an operation in a form that is executed"


def constant_value(op: MlirOp) -> Any:
    """The value of ``arith.constant``; None of a kind that is not read."""
    first = op.tokens[0]
    if first.text in ("true", "false"):
        return int(first.text == "true")
    if first.kind == "number":
        kind = op.tokens[-1].text
        text = first.text
        if scalars.width_of(kind) is None and not text.startswith("0x"):
            return float(text)
        return scalars.wrapped(int(text, 0), kind)
    if first.text == "dense":
        return memref_ops.dense_value(op)
    return None


def _bind(op: MlirOp, env: Env, values: Sequence[Any]) -> None:
    for name, value in zip(op.results, values, strict=False):
        env[name] = value.item() if isinstance(value, np.generic) else value


def _shift(used: list[str], name: str, kind: str, result: str) -> Code:
    source, count = used
    call = scalars.SHIFTS[name]

    def shift(env: Env) -> None:
        value = scalars.unsigned(env[source], kind) if name == "shrui" else env[source]
        env[result] = scalars.wrapped(call(value, scalars.shift_count(env[count], kind)), kind)

    return shift


def _copy(op: MlirOp) -> Code:
    source, result = op.operands[0], op.results[0]

    def copy(env: Env) -> None:
        env[result] = env[source]

    return copy
