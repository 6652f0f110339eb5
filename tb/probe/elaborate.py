# SPDX-License-Identifier: Apache-2.0
"""Reading SystemVerilog with slang."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.compiling import Compiled, compile_sources, direction_of, symbol_kind
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.ports.recognition import Dimension, Pin, TopParameter
from goldbeat.tb.probe.absent import absent_modules
from goldbeat.tb.probe.carried import carried
from goldbeat.tb.probe.conditions import Conditions
from goldbeat.tb.probe.defaults import check_defaults
from goldbeat.tb.probe.fifo_use import FifoUses
from goldbeat.tb.probe.fifos import fifo_sides
from goldbeat.tb.probe.flat import FlatModule, PackedFields
from goldbeat.tb.probe.flatten import Flattener, needs_flat
from goldbeat.tb.probe.leaves import COMPOUND, WAYS, peel, ranges, reachable_name
from goldbeat.tb.probe.looks import Looks
from goldbeat.tb.probe.module import TopModule
from goldbeat.tb.probe.readable import check_synthesizable
from goldbeat.tb.probe.wiring import Graph, trace, without_casts


def elaborate(
    sources: Sources,
    top: str | None = None,
    parameters: Mapping[str, str] | None = None,
    *,
    relaxed: bool = False,
    packs: Mapping[str, PackedFields] | None = None,
) -> TopModule:
    """Compile sources and describe one top module.

    Args:
        sources: what to compile.
        top: the top module; may be left out where only one module is used by no other.
        parameters: values of the top's parameters, as SystemVerilog.
        packs: bundles whose TDATA is made of several ports, by :func:`goldbeat.tb.probe.chosen.packed`.
        relaxed: slang's errors become warnings of the module, as long as it finds the module and its ports.

    Raises:
        ToolError: pyslang is not installed.
        UsageError: no files, errors in them (with slang's own lines), no such top, no such parameter, a parameter without a value.
    """
    overrides = dict(parameters or {})
    compiled = compile_sources(sources, top, overrides)
    if top is None and (top := compiled.only_top()) is not None:
        compiled = compile_sources(sources, top, overrides)
    if (open_top := check_defaults(compiled, top, overrides)) is not None:
        compiled = compile_sources(sources, open_top, overrides, unset_top=True)
    flat: FlatModule | None = None
    instance = _try_pick(compiled, top)
    if instance is not None:
        check_synthesizable(instance, compiled.manager)
    if instance is not None and (packs or needs_flat(instance.body)):
        flattener = Flattener(sources, instance.body, instance.name, overrides, packs or {})
        flat, compiled = flattener.run()
        overrides = {name: value for name, value in overrides.items() if name not in flattener.used}
        top = flat.name
    warnings = compiled.checked(relaxed=relaxed)
    instance = _pick(compiled, top)
    body = instance.body
    ports = [_port(port, compiled.manager) for port in body.portList]
    found = [_parameter(p, {q.name for q in body.parameters}, overrides) for p in body.parameters if not p.isLocalParam]
    unknown = sorted(overrides.keys() - {p.name for p in found})
    if unknown:
        known = ", ".join(p.name for p in found) or "none"
        raise UsageError(f"{flat.module if flat else instance.name} has no parameter {unknown[0]!r}; it has: {known}")
    inputs, outputs = ([p.name for p in ports if p.way == way] for way in ("input", "output"))
    graph = Graph(instance)
    conditions = Conditions(instance, graph)
    wiring = trace(graph, instance.name, inputs, outputs)
    sides = fifo_sides(ports)
    looks = cache(lambda: Looks(graph))
    uses = FifoUses(instance, graph, conditions, looks)
    fifos, late = uses.of(sides), uses.comes_late
    passed = carried(instance, graph, conditions, looks, inputs, outputs)
    absent = absent_modules(instance, compiled.compilation, warnings)
    return TopModule(instance.name, tuple(ports), tuple(found), wiring, warnings, flat, fifos, passed, absent, late)


def _try_pick(compiled: Compiled, top: str | None) -> Any:
    """The top module; None: there is not one, which the errors of the sources may explain."""
    tops = compiled.tops()
    named = [t for t in tops if t.name == top] if top is not None else tops
    return named[0] if len(named) == 1 else None


def _pick(compiled: Compiled, top: str | None) -> Any:
    tops = compiled.tops()
    if top is not None:
        for instance in tops:
            if instance.name == top:
                return instance
    names = ", ".join(sorted(t.name for t in tops)) or "none"
    if top is not None:
        raise UsageError(f"no top module {top!r}; found: {names}")
    if not tops:
        raise UsageError("no module of the source files could be the top; name one with --top")
    if len(tops) != 1:
        raise UsageError(f"several modules could be the top; choose one with --top: {names}")
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
    way = WAYS.get(direction_of(port))
    if way is None:
        return Pin(port.name, "inout", 0, refusal="a ref port", where=where)
    packed_texts, unpacked_texts = _written_dimensions(port)
    unpacked, inner = peel(port.type, "FixedSizeUnpackedArrayType", unpacked_texts)
    packed, element = peel(inner, "PackedArrayType", packed_texts)
    element = element.canonicalType
    refusal = None
    name = type(element).__name__
    if element.isError:
        return Pin(port.name, way, 0, refusal="a type that slang cannot resolve", where=where)
    if name in COMPOUND:
        refusal = f"{COMPOUND[name]} {port.type.name}".rstrip()
    elif not element.isIntegral:
        refusal = f"type {port.type}"
    elif way == "inout":
        refusal = "inout"
    if not packed and element.isIntegral and element.bitWidth > 1:
        # int, byte and the like have a range without writing one.
        packed = (Dimension(element.bitWidth - 1, 0),)
    return Pin(port.name, way, port.type.bitstreamWidth, packed, unpacked, refusal, where)


def _written_dimensions(port: Any) -> tuple[list[str], list[str]]:
    """The text of a port's packed and unpacked ranges."""
    node = getattr(port.internalSymbol, "syntax", None)
    unpacked = ranges(getattr(node, "dimensions", None))
    while node is not None and not (hasattr(node, "header") or hasattr(node, "declarators")):
        node = node.parent
    # Where a Verilog-95 output is declared as a register again, that declaration has the range.
    kind = getattr(getattr(node, "header", None), "dataType", None) or getattr(node, "type", None)
    return ranges(getattr(kind, "dimensions", None)), unpacked


# -- parameters -----------------------------------------------------------------------------------------------------


def _parameter(parameter: Any, names: set[str], overrides: Mapping[str, str]) -> TopParameter:
    if not hasattr(parameter, "value"):
        return TopParameter(parameter.name, None, False, "a type")
    written = str(parameter.syntax or "").partition("=")[2]
    free = parameter.name in overrides or not names & set(re.findall(r"[A-Za-z_]\w*", written))
    value = parameter.value.value
    text = _text(parameter)
    if text is not None:
        return TopParameter(parameter.name, text, free)
    struct = type(parameter.type.canonicalType).__name__ in ("PackedStructType", "PackedUnionType")
    if type(value).__name__ == "SVInt" and not value.hasUnknown and not struct:
        enum = type(parameter.type.canonicalType).__name__ == "EnumType"
        named = reachable_name(parameter.type) if enum else ""
        # No other module can say a value of an enum that only this one knows.
        return TopParameter(parameter.name, int(value), free and bool(named or not enum), enum=named)
    return TopParameter(parameter.name, None, False, str(parameter.type))


def _text(parameter: Any) -> str | None:
    """The value of a parameter whose default, or the default of the one that it is equal to, is a string; None: another one."""
    if isinstance(parameter.value.value, str):
        return str(parameter.value.value)
    written = without_casts(parameter.initializer)
    while symbol_kind(written) == "NamedValue" and getattr(written.symbol, "initializer", None) is not None:
        written = without_casts(written.symbol.initializer)
    if symbol_kind(written) != "StringLiteral":
        return None
    # A vector may be too narrow for it, and numbers say control characters better.
    whole = parameter.value.convertToStr().value == written.value and written.value.isprintable()
    return str(written.value) if whole else None
