# SPDX-License-Identifier: Apache-2.0
"""Reading SystemVerilog with slang."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.ports.recognition import Dimension, Pin, TopParameter
from goldbeat.tb.errors import missing
from goldbeat.tb.probe.defaults import check_defaults
from goldbeat.tb.probe.module import TopModule
from goldbeat.tb.probe.wiring import trace

_WAYS: dict[str, Literal["input", "output", "inout"]] = {"In": "input", "Out": "output", "InOut": "inout"}
_STRUCTS = {
    "PackedStructType": "packed struct",
    "PackedUnionType": "packed union",
    "UnpackedStructType": "unpacked struct",
    "UnpackedUnionType": "unpacked union",
    "EnumType": "enum",
}


def _slang() -> Any:
    try:
        import pyslang
    except ImportError as error:
        raise missing("pyslang", str(error), "pip install 'goldbeat[probe]'") from None
    return pyslang


def elaborate(
    sources: Sources, top: str | None = None, parameters: Mapping[str, str] | None = None, *, relaxed: bool = False
) -> TopModule:
    """Compile sources and describe one top module.

    Args:
        sources: what to compile.
        top: the top module; may be left out where only one module is used by no other.
        parameters: values of the top's parameters, as SystemVerilog.
        relaxed: slang's errors become warnings of the module, as long as it finds the module and its ports.

    Raises:
        ToolError: pyslang is not installed.
        UsageError: no files, errors in them (with slang's own lines), no such top, no such parameter, a parameter without a value.
    """
    slang = _slang()
    if not sources.files:
        raise UsageError("no source files given")
    for path in sources.files:
        if not path.is_file():
            raise UsageError(f"no such source file: {path}")
    overrides = dict(parameters or {})
    manager = slang.SourceManager()
    manager.setDisableProximatePaths(True)
    options = slang.ast.CompilationOptions()
    options.topModules = set() if top is None else {top}
    options.paramOverrides = [f"{name}={value}" for name, value in overrides.items()]
    flags = slang.ast.CompilationFlags
    options.flags = flags.AllowTopLevelIfacePorts | flags.DisableInstanceCaching | flags.AllowUseBeforeDeclare
    preprocessor = slang.parsing.PreprocessorOptions()
    preprocessor.predefines = [f"{name}={value}" if value else name for name, value in sources.defines.items()]
    preprocessor.additionalIncludePaths = [str(d) for d in sources.include_dirs]
    bag = slang.Bag()
    bag.compilationOptions, bag.preprocessorOptions = options, preprocessor
    compilation = slang.ast.Compilation(bag)
    # One unit, as Verilator reads it: a macro is known in all files after the one that defines it.
    compilation.addSyntaxTree(slang.syntax.SyntaxTree.fromFiles([str(p) for p in sources.files], manager, bag))
    check_defaults(compilation, top, overrides)
    warnings = _errors(slang, compilation, manager, relaxed=relaxed)
    instance = _pick(compilation, top)
    body = instance.body
    ports = [_port(port, manager) for port in body.portList]
    found = [_parameter(p, {q.name for q in body.parameters}, overrides) for p in body.parameters if not p.isLocalParam]
    unknown = sorted(overrides.keys() - {p.name for p in found})
    if unknown:
        known = ", ".join(p.name for p in found) or "none"
        raise UsageError(f"{instance.name} has no parameter {unknown[0]!r}; it has: {known}")
    wiring = trace(instance, [p.name for p in ports if p.way == "input"], [p.name for p in ports if p.way == "output"])
    return TopModule(instance.name, tuple(ports), tuple(found), wiring, warnings)


def _errors(slang: Any, compilation: Any, manager: Any, *, relaxed: bool) -> tuple[str, ...]:
    """What slang calls errors, one text each, in relaxed mode.

    Raises:
        UsageError: there are some, and the mode is not relaxed.
    """
    engine, client = slang.DiagnosticEngine(manager), slang.TextDiagnosticClient()
    client.showColors(False)
    engine.addClient(client)
    engine.setIgnoreAllWarnings(True)
    found, said = [], ""
    for diagnostic in compilation.getAllDiagnostics():
        before = engine.numErrors
        engine.issue(diagnostic)
        text = client.getString()
        if engine.numErrors > before:
            found.append(text[len(said) :].strip())
        said = text
    if found and not relaxed:
        hint = "If Verilator accepts these sources, --relaxed makes the errors warnings."
        raise UsageError(f"slang finds {engine.numErrors} error(s):\n{said.rstrip()}\n{hint}")
    return tuple(found)


def _pick(compilation: Any, top: str | None) -> Any:
    tops = list(compilation.getRoot().topInstances)
    if top is not None:
        for instance in tops:
            if instance.name == top:
                return instance
    names = ", ".join(sorted(t.name for t in tops)) or "none"
    if top is not None:
        raise UsageError(f"no top module {top!r}; found: {names}")
    if len(tops) != 1:
        raise UsageError(f"which module is the top? Name it with --top; candidates: {names}")
    return tops[0]


# -- ports ----------------------------------------------------------------------------------------------------------


def _port(port: Any, manager: Any) -> Pin:
    where = f"{manager.getFileName(port.location)}:{manager.getLineNumber(port.location)}"
    kind = str(port.kind).rpartition(".")[2]
    if kind == "InterfacePort":
        name = port.interfaceDef.name if port.interfaceDef is not None else "generic"
        modport = f".{port.modport}" if port.modport else ""
        return Pin(port.name, "inout", 0, refusal=f"SystemVerilog interface {name}{modport}", where=where)
    if kind != "Port" or port.isNullPort:
        return Pin(port.name or "(unnamed)", "inout", 0, refusal="a port made of several expressions", where=where)
    way = _WAYS.get(str(port.direction).rpartition(".")[2])
    if way is None:
        return Pin(port.name, "inout", 0, refusal="a ref port", where=where)
    packed_texts, unpacked_texts = _written_dimensions(port)
    unpacked, inner = _peel(port.type, "FixedSizeUnpackedArrayType", unpacked_texts)
    packed, element = _peel(inner, "PackedArrayType", packed_texts)
    refusal = None
    name = type(element).__name__
    if element.isError:
        return Pin(port.name, way, 0, refusal="a type that slang does not understand", where=where)
    if name in _STRUCTS:
        refusal = f"{_STRUCTS[name]} {port.type.name}".rstrip()
    elif not element.isIntegral:
        refusal = f"type {port.type}"
    elif way == "inout":
        refusal = "inout"
    if not packed and element.isIntegral and element.bitWidth > 1:
        # int, byte and the like have a range without writing one.
        packed = (Dimension(element.bitWidth - 1, 0),)
    return Pin(port.name, way, port.type.bitstreamWidth, packed, unpacked, refusal, where)


def _peel(kind: Any, name: str, texts: list[str]) -> tuple[tuple[Dimension, ...], Any]:
    found = []
    kind = kind.canonicalType
    while type(kind).__name__ == name:
        found.append(kind.range)
        kind = kind.elementType.canonicalType
    if len(texts) != len(found):
        texts = [""] * len(found)
    return tuple(Dimension(r.left, r.right, t) for r, t in zip(found, texts, strict=True)), kind


def _written_dimensions(port: Any) -> tuple[list[str], list[str]]:
    """The text of a port's packed and unpacked ranges."""
    node = getattr(port.internalSymbol, "syntax", None)
    unpacked = [_range(d) for d in getattr(node, "dimensions", None) or [] if hasattr(d, "specifier")]
    while node is not None and not (hasattr(node, "header") or hasattr(node, "declarators")):
        node = node.parent
    # Where a Verilog-95 output is declared as a register again, that declaration has the range.
    kind = getattr(getattr(node, "header", None), "dataType", None) or getattr(node, "type", None)
    return [_range(d) for d in getattr(kind, "dimensions", None) or [] if hasattr(d, "specifier")], unpacked


def _range(dimension: Any) -> str:
    return re.sub(r"\s+", "", str(dimension.specifier)) if dimension.specifier is not None else ""


# -- parameters -----------------------------------------------------------------------------------------------------


def _parameter(parameter: Any, names: set[str], overrides: Mapping[str, str]) -> TopParameter:
    if not hasattr(parameter, "value"):
        return TopParameter(parameter.name, None, False, "a type")
    written = str(parameter.syntax or "").partition("=")[2]
    free = parameter.name in overrides or not names & set(re.findall(r"[A-Za-z_]\w*", written))
    value = parameter.value.value
    if isinstance(value, str):
        return TopParameter(parameter.name, value, free)
    if type(value).__name__ == "SVInt" and not value.hasUnknown:
        return TopParameter(parameter.name, int(value), free)
    return TopParameter(parameter.name, None, False, str(parameter.type))
