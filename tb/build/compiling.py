# SPDX-License-Identifier: Apache-2.0
"""Compiling sources with slang, as one unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.dead_arms import without_dead_arms
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.errors import missing
from goldbeat.tb.extras import install_hint

_VHDL = (".vhd", ".vhdl")
_ENCRYPTED = re.compile(
    rb"^[ \t]*`(?:pragma[ \t]+protect[ \t]+(?:begin_protected|data_block)|protected\b)", re.MULTILINE
)
_NO_MACRO = re.compile(r"(.*):(\d+):\d+: error: unknown macro or compiler directive '`(\w+)'")
_NO_MODULE = re.compile(r"(.*):(\d+):\d+: error: unknown module ")
_NO_INCLUDE = re.compile(r": error: '([^']+)': No such file or directory")
_HINT = "If Verilator accepts these sources, --relaxed makes the errors warnings."


def _slang() -> Any:
    try:
        import pyslang
    except ImportError as error:
        raise missing("pyslang", str(error), install_hint("probe")) from None
    return pyslang


def symbol_kind(symbol: Any) -> str:
    """The last word of slang's kind."""
    return str(symbol.kind).rpartition(".")[2]


def direction_of(port: Any) -> str:
    """The last word of slang's direction; empty for what has none."""
    return str(getattr(port, "direction", "")).rpartition(".")[2]


def operator_of(node: Any) -> str:
    """The last word of slang's operator, of an expression with one or two operands."""
    return str(node.op).rpartition(".")[2]


@cache
def is_reserved_word(name: str) -> bool:
    """Whether SystemVerilog keeps a name for itself."""
    return len(_slang().syntax.SyntaxTree.fromText(f"module m; logic {name}; endmodule").diagnostics) > 0


@dataclass(frozen=True)
class Compiled:
    """Sources after slang has read them.

    Attributes:
        compilation, manager: slang's own objects.
        libraries: files whose modules are no top.
        edited: text of files that were read otherwise than they are, with as many bytes and lines.
    """

    compilation: Any
    manager: Any
    libraries: frozenset[Path] = frozenset()
    edited: Mapping[str, bytes] = field(default_factory=dict)

    def tops(self) -> list[Any]:
        """The instances that no other module holds."""
        return [one for one in self.compilation.getRoot().topInstances if self.is_given(one.body.definition)]

    def is_given(self, definition: Any) -> bool:
        """Whether a module may be the top: it is not there for others alone."""
        return Path(self.manager.getFileName(definition.location)).resolve() not in self.libraries

    def only_top(self) -> str | None:
        """The name of the one module that may be the top, where modules of libraries are not used either."""
        tops = self.tops()
        more = len(tops) < len(self.compilation.getRoot().topInstances)
        return str(tops[0].name) if more and len(tops) == 1 else None

    def errors(self) -> tuple[str, ...]:
        """What slang calls errors, one text each."""
        slang = _slang()
        engine, client = slang.DiagnosticEngine(self.manager), slang.TextDiagnosticClient()
        client.showColors(False)
        engine.addClient(client)
        engine.setIgnoreAllWarnings(True)
        found, said = [], ""
        for diagnostic in self.compilation.getAllDiagnostics():
            before = engine.numErrors
            engine.issue(diagnostic)
            text = client.getString()
            if engine.numErrors > before:
                found.append(text[len(said) :].strip())
            said = text
        return tuple(found)

    def indexes_scalars(self) -> bool:
        """Whether a single bit, or what is too narrow, is indexed: no error of slang's, but Verilator refuses the first."""
        codes = {str(one.code) for one in self.compilation.getAllDiagnostics()}
        return any(f"({name})" in code for name in ("CannotIndexScalar", "IndexOOB", "RangeOOB") for code in codes)

    def checked(self, *, relaxed: bool) -> tuple[str, ...]:
        """The errors, for a mode in which they are warnings.

        Raises:
            UsageError: there are some, and the mode is not relaxed.
        """
        found = self.errors()
        if found and not relaxed:
            macros, shown = undefined_macros(found), _without_macros(found)
            advice = [macros_hint(macros)] if macros else []
            headers = dict.fromkeys(match[1] for text in found if (match := _NO_INCLUDE.search(text)) is not None)
            advice += [f"{', '.join(headers)}: name the folder with -I DIR"] if headers else []
            raise UsageError("\n".join([f"slang finds {len(shown)} error(s):", *shown, *advice, _HINT]))
        return found


def undefined_macros(errors: Iterable[str]) -> list[str]:
    """The macros that are used and that nothing defines, by slang's errors."""
    return list(dict.fromkeys(match[3] for text in errors if (match := _NO_MACRO.match(text)) is not None))


def macros_hint(macros: Sequence[str]) -> str:
    """What to do about them."""
    give = " ".join(f"-D {name}" for name in macros)
    return (
        f"nothing defines the macros {', '.join(macros)}: give the file that does, its folder by -I, or {give} "
        f"(-D NAME=VALUE; +define+NAME=VALUE in a file list)"
    )


def _without_macros(errors: Sequence[str]) -> list[str]:
    """Errors without those of instances of a macro that nothing defines: slang takes the instance's name for the module's."""
    places = {match.group(1, 2) for text in errors if (match := _NO_MACRO.match(text)) is not None}
    return [text for text in errors if (m := _NO_MODULE.match(text)) is None or m.group(1, 2) not in places]


def compile_sources(
    sources: Sources,
    top: str | None,
    parameters: Mapping[str, str],
    more: Mapping[str, str] | None = None,
    *,
    unset_top: bool = False,
    own_enums: bool = False,
) -> Compiled:
    """Compile sources.

    Args:
        sources: what to compile.
        top: the top module; None: every module that no other holds, of files that no library gave.
        parameters: values of the top's parameters, as SystemVerilog.
        more: sources that are no files, text by name; they come last.
        unset_top: the top may have parameters without a value.
        own_enums: vectors are assigned to enums whose names nobody else knows.

    Raises:
        ToolError: pyslang is not installed.
        UsageError: no files, or one that is not there or cannot be read.
    """
    if not sources.files:
        raise UsageError("no source files given, expected FILES or -f LIST")
    for path in sources.files:
        if not path.is_file():
            raise UsageError(f"no such source file: {path}")
    _check_readable(sources.files)
    flags = _slang().ast.CompilationFlags
    switches = flags.AllowTopLevelIfacePorts | flags.DisableInstanceCaching | flags.AllowUseBeforeDeclare
    switches |= flags.AllowInvalidTop if unset_top else flags.None_
    switches |= flags.RelaxEnumConversions if own_enums else flags.None_
    read = partial(_read, sources, top, parameters, more or {}, switches)
    found = read({})
    edited = without_dead_arms(found.compilation.getRoot().topInstances, found.manager)
    return read(edited) if edited else found


def _read(
    sources: Sources,
    top: str | None,
    parameters: Mapping[str, str],
    more: Mapping[str, str],
    switches: Any,
    edited: Mapping[str, bytes],
) -> Compiled:
    """Read sources, some of them from other text than that of their files."""
    slang = _slang()
    manager = slang.SourceManager()
    manager.setDisableProximatePaths(True)
    options = slang.ast.CompilationOptions()
    options.topModules = set() if top is None else {top}
    options.paramOverrides = [f"{name}={value}" for name, value in parameters.items()]
    options.flags = switches
    # Simulators give modules without a time scale one; slang calls a mixture an error.
    options.defaultTimeScale = slang.TimeScale.fromString("1ns/1ps")
    preprocessor = slang.parsing.PreprocessorOptions()
    preprocessor.predefines = [f"{name}={value}" if value else name for name, value in sources.defines.items()]
    # What is read as text has no folder of its own.
    folders = dict.fromkeys([*sources.include_dirs, *(Path(file).parent for file in edited)])
    preprocessor.additionalIncludePaths = [str(d) for d in folders]
    bag = slang.Bag()
    bag.compilationOptions, bag.preprocessorOptions = options, preprocessor
    compilation = slang.ast.Compilation(bag)
    texts = {file: text.decode(errors="surrogateescape") for file, text in edited.items()} | dict(more)
    names = [*map(str, sources.files), *more]
    buffers = [manager.assignText(n, texts[n]) if n in texts else manager.readSource(n, None) for n in names]
    # One unit, as Verilator reads it: a macro is known in all files after the one that defines it.
    compilation.addSyntaxTree(slang.syntax.SyntaxTree.fromBuffers(buffers, manager, bag))
    libraries = frozenset(one.resolve() for one in sources.added if top is None)
    return Compiled(compilation, manager, libraries, edited)


def _check_readable(files: Iterable[Path]) -> None:
    """Refuse sources that neither slang nor Verilator reads.

    Raises:
        UsageError: VHDL, or encrypted; it says what to do.
    """
    for path in files:
        if path.suffix.lower() in _VHDL:
            raise UsageError(
                f"{path}: VHDL is not supported: convert it with `ghdl synth --out=verilog` and give that file"
            )
        if path.is_file() and _ENCRYPTED.search(path.read_bytes()):
            raise UsageError(
                f"{path}: encrypted sources are not supported: use the vendor's plain simulation model, or write one"
            )
