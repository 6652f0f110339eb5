# SPDX-License-Identifier: Apache-2.0
"""File lists (``.f``) as simulators take them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.design.library import VENDOR, with_library

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|(?m:(?:^|(?<=\s))#[^\n]*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")


@dataclass(frozen=True)
class Sources:
    """What is compiled.

    Attributes:
        files: in order, each once.
        include_dirs: searched by ```include``.
        defines: macros; an empty text defines without a value.
        lists: the file lists that were read.
        added: those of the files that only a library gave.
        libraries, extensions: folders whose files are added where sources need them, and how the names of those end.
    """

    files: tuple[Path, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    libraries: tuple[Path, ...] = ()
    extensions: tuple[str, ...] = ()
    lists: tuple[Path, ...] = ()
    added: tuple[Path, ...] = ()

    def __add__(self, other: Sources) -> Sources:
        given = {*self.files} - {*self.added} | {*other.files} - {*other.added}
        return Sources(
            tuple(dict.fromkeys((*self.files, *other.files))),
            tuple(dict.fromkeys((*self.include_dirs, *other.include_dirs))),
            {**self.defines, **other.defines},
            tuple(dict.fromkeys((*self.libraries, *other.libraries))),
            tuple(dict.fromkeys((*self.extensions, *other.extensions))),
            tuple(dict.fromkeys((*self.lists, *other.lists))),
            tuple(path for path in dict.fromkeys((*self.added, *other.added)) if path not in given),
        )

    def complete(self) -> Sources:
        """The same with the files that the libraries give, and stand-ins for vendors' cells that nothing defines.

        Raises:
            UsageError: a library folder is not there.
        """
        files = with_library(self.files, self.libraries, self.extensions, self.include_dirs)
        files = with_library(files, (VENDOR,), (), self.include_dirs)
        added = tuple(path for path in files if path in self.added or path not in self.files)
        return replace(self, files=files, libraries=(), added=added)


def read_filelist(path: Path, *, relative: bool = False) -> Sources:
    """Read a file list.

    ``+incdir+``, ``-I``, ``+define+``, ``-D``, ``-y``, ``+libext+``, ``-f``, ``-F``, comments (``//``, ``/* */``,
    ``#``) and environment variables are known. Paths count from the current folder, or from the list's own folder with
    ``relative`` (``-F``);
    a path that is only in the list's own folder is found there too.

    Raises:
        InputError: with file and line: no such file, an option that is not known, a list that names itself.
    """
    return _read(path, relative, ()).complete()


def _read(path: Path, relative: bool, above: tuple[Path, ...]) -> Sources:
    if not path.is_file():
        raise InputError("no such file", "a file list", file=path)
    if path.resolve() in above:
        raise InputError("a file list that includes itself", "lists without circles", file=path)
    # Comments keep their line breaks, so that lines are numbered as in the file.
    text = _COMMENT.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(errors="replace"))
    found = Sources(lists=(path,))
    chain = (*above, path.resolve())
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(_expand(line, path, number))
        except ValueError as error:
            raise InputError(str(error), "quotes that end on their line", file=path, line=number) from None
        while words:
            found += _one(words, path, number, relative, chain)
    return found


def _one(words: list[str], path: Path, line: int, relative: bool, chain: tuple[Path, ...]) -> Sources:
    """What the first word (and its argument) says; takes them off the list."""
    word = words.pop(0)

    def place(name: str) -> Path:
        given = Path(name)
        nearby = path.parent / given
        if given.is_absolute() or (not relative and given.exists()) or not (relative or nearby.exists()):
            return given
        return nearby

    def argument(option: str) -> str:
        if len(word) > len(option):
            return word[len(option) :]
        if not words:
            raise InputError(f"{option} at the end of the line", "its argument", file=path, line=line)
        return words.pop(0)

    if word.startswith("+incdir+"):
        return Sources(include_dirs=tuple(place(d) for d in word.split("+")[2:] if d))
    if word.startswith("+define+"):
        return Sources(defines=macros(word.split("+")[2:]))
    if word.startswith("-I"):
        return Sources(include_dirs=(place(argument("-I")),))
    if word.startswith("-D"):
        return Sources(defines=macros([argument("-D")]))
    if word.startswith("-y"):
        folder = place(argument("-y"))
        if not folder.is_dir():
            raise InputError(f"{folder}, which does not exist", "a folder of sources", file=path, line=line)
        return Sources(libraries=(folder,))
    if word.startswith("+libext+"):
        return Sources(extensions=extensions(word))
    if word in ("-f", "-F"):
        return _read(place(argument(word)), relative or word == "-F", chain)
    if word.startswith(("-", "+")):
        raise InputError(
            f"option {word}", "a file, +incdir+, -I, +define+, -D, -y, +libext+, -f or -F", file=path, line=line
        )
    source = place(word)
    if not source.is_file():
        raise InputError(f"{word}, which does not exist", "a source file", file=path, line=line)
    return Sources((source,))


def extensions(word: str) -> tuple[str, ...]:
    """What ``+libext+.sv+.v`` lists."""
    return tuple(end for end in word.split("+")[2:] if end)


def macros(items: Sequence[str]) -> dict[str, str]:
    """``NAME`` and ``NAME=VALUE`` as a mapping."""
    return {name: value for name, _, value in (item.partition("=") for item in items) if name}


def _expand(line: str, path: Path, number: int) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        if name not in os.environ:
            raise InputError(f"${name}, which is not set", "environment variables that are", file=path, line=number)
        return os.environ[name]

    return _VARIABLE.sub(value, line)
