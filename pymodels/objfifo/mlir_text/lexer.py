# SPDX-License-Identifier: Apache-2.0
"""MLIR text as tokens with their places, and a cursor over them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from goldbeat.pymodels.errors import InputError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|//[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<ssa>%[\w$.-]+(?:\#\d+|:\d+)?)
    |(?P<symbol>@(?:[\w$.-]+|"[^"\n]*")(?:::@[\w$.-]+)*)
    |(?P<block>\^\w+)
    |(?P<hash>[\#!][A-Za-z_][\w.]*)
    |(?P<number>0x[0-9A-Fa-f]+(?![\w])|-?\d+(?:\.\d*(?:[eE][+-]?\d+)?)?)
    |(?P<word>[A-Za-z_][\w.$]*)
    |(?P<punct>->|\{-\#|\#-\}|[()\[\]{}<>,:=*?+/|&;.-])""",
    re.VERBOSE,
)
_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}


class MlirError(InputError):
    """Text that is not understood.

    Args:
        found, expected: as of any input.
        file: its name.
        line, column: counted from 1.
    """

    def __init__(self, found: str, expected: str, *, file: Path | None, line: int, column: int) -> None:
        self.column = column
        super().__init__(found, expected, file=file, line=line)

    @property
    def where(self) -> str:
        """``file:line:column: ``."""
        return f"{self.file or 'text'}:{self.line}:{self.column}: "


@dataclass(frozen=True)
class Token:
    """One token: its kind (a group of the lexer, or ``end``), its text and its place."""

    kind: str
    text: str
    line: int
    column: int


class TokenCursor:
    """Tokens of a text, one after the other.

    Args:
        text: all of it.
        file: its name, for errors.

    Raises:
        MlirError: a character that begins no token.
    """

    def __init__(self, text: str, file: Path | None = None) -> None:
        self.file = file
        self.tokens = [*self._split(text)]
        self.at = 0

    @classmethod
    def on(cls, tokens: list[Token], last: Token | None = None, file: Path | None = None) -> TokenCursor:
        """A cursor on some tokens of a text; ``last`` is where they end."""
        made = cls("", file)
        end = made.tokens[-1] if last is None else Token("end", "the end of the operation", last.line, last.column)
        made.tokens = [*tokens, end]
        return made

    def _split(self, text: str) -> list[Token]:
        found, at, line, start = [], 0, 1, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise MlirError(repr(text[at]), "MLIR text", file=self.file, line=line, column=at - start + 1)
            kind = match.lastgroup or "space"
            if kind != "space":
                found.append(Token(kind, match.group(), line, at - start + 1))
            if "\n" in match.group():
                line += match.group().count("\n")
                start = at + match.group().rindex("\n") + 1
            at = match.end()
        found.append(Token("end", "the end of the text", line, at - start + 1))
        return found

    @property
    def now(self) -> Token:
        """The token at hand."""
        return self.tokens[self.at]

    def ahead(self, count: int = 1) -> Token:
        """A later token."""
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def fail(self, expected: str, token: Token | None = None, found: str | None = None) -> NoReturn:
        """Raise an error at a token, the one at hand without any."""
        where = token or self.now
        said = where.text if where.kind == "end" else repr(where.text[:40])
        raise MlirError(found or said, expected, file=self.file, line=where.line, column=where.column)

    def take(self) -> Token:
        """The token at hand; go on."""
        token = self.now
        if token.kind != "end":
            self.at += 1
        return token

    def accept(self, text: str) -> bool:
        """Go on if this is the token at hand."""
        if self.now.text == text and self.now.kind in ("punct", "word"):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        """The token with this text; an error if it is another."""
        if not self.accept(text):
            self.fail(repr(text))
        return self.tokens[self.at - 1]

    def kind(self, kind: str, what: str) -> Token:
        """The token of this kind; an error if it is another."""
        if self.now.kind != kind:
            self.fail(what)
        return self.take()

    def integer(self, what: str = "a whole number") -> int:
        """A number."""
        token = self.kind("number", what)
        try:
            return int(token.text, 0)
        except ValueError:
            self.fail(what, token)

    def symbol(self) -> str:
        """``@name`` without the sign."""
        return self.kind("symbol", "a symbol such as @name").text.rpartition("@")[2].strip('"')

    def balanced(self) -> list[Token]:
        """What is between the bracket at hand and its other half; go on behind it."""
        first = self.take()
        stack = [_OPEN[first.text]]
        inner: list[Token] = []
        while stack:
            token = self.take()
            if token.kind == "end":
                self.fail(f"{stack[-1]!r} for the {first.text!r} of line {first.line}", token)
            if token.kind == "punct":
                if token.text in _OPEN:
                    stack.append(_OPEN[token.text])
                elif token.text == stack[-1]:
                    stack.pop()
                elif token.text in (")", "]", "}"):
                    self.fail(f"{stack[-1]!r} for the {first.text!r} of line {first.line}", token)
            if stack:
                inner.append(token)
        return inner

    def skip_operation(self) -> None:
        """Go on to the next operation: to the next line, over whole brackets."""
        line = self.tokens[self.at - 1].line if self.at else 0
        while self.now.kind != "end" and self.now.line == line:
            if self.now.kind == "punct" and self.now.text in _OPEN:
                self.balanced()
                line = self.tokens[self.at - 1].line
            elif self.now.text in ("}", ")", "]"):
                return
            else:
                line = self.take().line
