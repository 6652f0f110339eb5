# SPDX-License-Identifier: Apache-2.0
"""What the kernel must know of a verilated model, read from what Verilator has written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_PARAMETER = re.compile(r'varInsert\("(\w+)", .*?, true, VLVT_')
_PORT = re.compile(r"VL_(IN|OUT|INOUT)(?:8|16|64|W)?\(&?(\w+),(\d+),(\d+)(?:,\d+)?\);")
_NO_DELAYS = "No delays in the design"
# Members of these types are not drawn by a constructor.
_CONTAINER = re.compile(
    r"^ +(Vl(Queue|AssocArray|ClassRef|ProcessRef|ForkSync|SampledQueue)\b|std::string ).*;$", re.MULTILINE
)
_PLACE = re.compile(r'(VL_(?:STOP|FATAL|FINISH)_MT\()"([^"]*)"')
_EVAL = "void Vtop___024root___eval(Vtop___024root* vlSelf);"


def model_facts(folder: Path) -> str:
    """The text of ``described.h`` for a folder in which Verilator has written ``Vtop``."""
    header, source, symbols = ((folder / name).read_text() for name in ("Vtop.h", "Vtop.cpp", "Vtop__Syms.h"))
    parts = "".join(path.read_text() for path in sorted([*folder.glob("Vtop_*.h"), *folder.glob("Vtop_*__Slow.cpp")]))
    return describe_model(header, source) + describe_renewal(source, symbols, parts)


def hide_places(folder: Path, names: Mapping[str, Path]) -> None:
    """Name the sources in the model by these names wherever Verilator follows links to where they are."""
    places = {str(path.resolve()): name for name, path in names.items()}
    for path in folder.glob("Vtop*.cpp"):
        before = path.read_text(errors="surrogateescape")
        after = _PLACE.sub(lambda m: f'{m[1]}"{places.get(m[2], m[2])}"', before)
        if after != before:
            path.write_text(after, errors="surrogateescape")


def port_names(header: str) -> list[str]:
    """Names in Verilog of the ports that a model's class (``Vtop.h``) has."""
    return [plain for _, _, plain, _ in _ports(header)]


def parameter_names(folder: Path) -> list[str]:
    """Names of the parameters in the scopes of a model in this folder that Verilator was told to make public."""
    found = (_PARAMETER.findall(path.read_text(errors="replace")) for path in sorted(folder.glob("Vtop__Syms*.cpp")))
    return sorted({name for names in found for name in names})


def _ports(header: str) -> list[tuple[str, str, str, int]]:
    """Direction (``IN`` or ``OUT``), name in C++, name in Verilog, and bits of the ports that a model's class has.

    Ports that are unpacked arrays have no single address and are left out; so are ``inout`` ports.
    """
    found = []
    for way, name, msb, lsb in _PORT.findall(header):
        # Characters that C++ names cannot hold are written as __0 and two hexadecimal digits.
        plain = re.sub(r"__0([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), name)
        found.append((way, name, plain, abs(int(msb) - int(lsb)) + 1))
    return [port for port in found if port[0] != "INOUT"]


def describe_model(header: str, source: str) -> str:
    """What model.cpp must know of a model, from the text of Verilator's ``Vtop.h`` and ``Vtop.cpp``."""
    rows = [
        f'{{"{plain}", &top.{name}, {bits}, {"true" if way == "IN" else "false"}}}'
        for way, name, plain, bits in _ports(header)
    ]
    lines = [f"#define GOLDBEAT_PORTS(top) {', '.join(rows)}"]
    # Only where the model is as model.cpp takes it to be: one thread, and this very function.
    if _EVAL in source and "threads() const { return 1; }" in source:
        lines.append("#define GOLDBEAT_DIRECT_EVAL 1")
    return "\n".join(lines) + "\n"


def describe_renewal(source: str, symbols: str, classes: str) -> str:
    """How model.cpp puts a model back to before its first evaluation; empty where that would leave something as it is.

    Variables are drawn anew by what the constructors of a model's parts call, and initial blocks run at the next evaluation.
    A part with delays has processes that are waiting, and containers keep what they hold: such models have to start anew.

    Args:
        source: ``Vtop.cpp``.
        symbols: ``Vtop__Syms.h``.
        classes: headers and constructors of the model's parts.
    """
    parts = re.findall(r"^    (Vtop_\w+) +(TOP\w*);$", symbols, re.MULTILINE)
    if _NO_DELAYS not in source or "bool __Vm_didInit = false;" not in symbols or _CONTAINER.search(classes):
        return ""
    draws: dict[str, list[str]] = {}
    for function, kind in re.findall(r"^ +((Vtop_\w+?)___ctor_var_reset\w*)\(this\);$", classes, re.MULTILINE):
        draws.setdefault(kind, []).append(function)
    functions = [(kind, f) for kind in dict.fromkeys(kind for kind, _ in parts) for f in draws.get(kind, ())]
    if not functions:
        return ""
    lines = ["#define GOLDBEAT_RENEWABLE 1", '#include "Vtop__Syms.h"']
    lines += [f"void {function}({kind}* vlSelf);" for kind, function in functions]
    lines += ["static inline void goldbeat_renew(Vtop& top) {", "  Vtop__Syms& all = *top.rootp->vlSymsp;"]
    lines += [f"  {function}(&all.{part});" for kind, part in parts for function in draws.get(kind, ())]
    return "\n".join([*lines, "  all.__Vm_didInit = false;", "}"]) + "\n"
