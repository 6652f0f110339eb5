# SPDX-License-Identifier: Apache-2.0
"""The commands of ``goldbeat objfifo`` for compiled files: ``compile``, ``dis``, ``asm`` and ``load``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.emit import configuration, instructions
from goldbeat.pymodels.objfifo.artefact.files import read_bytes, read_compiled
from goldbeat.pymodels.objfifo.artefact.listing import address_text, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.raw_design import fixed_design
from goldbeat.pymodels.objfifo.artefact.register_names import describe_op
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction
from goldbeat.pymodels.objfifo.compiled_design import load_compiled, stand_ins
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.export import to_json
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.plan import Plan
from goldbeat.tb.cli.common import Force, Json, check_free, facts, print_json, say
from goldbeat.tb.designs.objfifo.plan_text import print_plan
from goldbeat.tb.designs.objfifo.run_command import Arguments, Design, Lax

Output = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Output file [stdout].")]


def dis(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="insts.bin, CDO, PDI or xclbin.")],
    output: Output = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List a compiled file: all register writes by name.

    ``goldbeat objfifo asm`` makes the same file from the listing.
    """
    if output is not None:
        check_free(output, force)
    found = read_compiled(file)
    if as_json:
        print_json({"format": 1, "file": str(file), "parts": [_part(p.offset, p.content) for p in found.parts]})
    elif output is None:
        say("\n".join(to_listing(found)))
    if output is not None:
        output.write_text("\n".join(to_listing(found)) + "\n")


def asm(
    listing: Annotated[Path, typer.Argument(metavar="LISTING", help="Text that dis has written.")],
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The compiled file.")],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make a compiled file from a listing, byte for byte."""
    check_free(output, force)
    try:
        text = read_bytes(listing, "a listing").decode()
    except UnicodeDecodeError as error:
        raise InputError("bytes that are no UTF-8", "the text of a listing", file=listing, offset=error.start) from None
    found = from_listing(text, listing)
    data = found.encode()
    output.write_bytes(data)
    if as_json:
        print_json({"format": 1, "file": str(output), "bytes": len(data), "operations": len(found.ops)})
    else:
        say(f"{output}: {len(data)} bytes, {len(found.ops)} operations")


def compile_design(
    design: Design,
    arguments: Arguments = None,
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder of the files.")] = Path(),
    packets: Annotated[bool, typer.Option("--packets", help="Send every fifo as packets.")] = False,
    lax: Lax = False,
    force: Force = False,
) -> None:
    """Write a design as compiled files: insts.bin and main.cdo.

    The files hold memory, locks, descriptors, streams and the host's transfers. Cores have no program in them.
    Streams take the first free ports of the switches, so a compiler's files differ there.
    """
    written = open_fifo_design(design, arguments or ())
    missing = [*written.unplanned, *(written.fixed.unsupported if written.fixed is not None else ())]
    if missing:
        raise UsageError(f"parts that are only executed: {'; '.join(missing)}")
    found = lower(written, strict=not lax, packets=packets)
    made = {"insts.bin": instructions(written, found), "main.cdo": configuration(found)}
    output.mkdir(parents=True, exist_ok=True)
    for name in made:
        check_free(output / name, force)
    for name, data in made.items():
        (output / name).write_bytes(data)
        say(f"{output / name}: {len(data)} bytes")


def _part(offset: int, content: Any) -> dict[str, Any]:
    if isinstance(content, bytes):
        return {"kind": "bytes", "offset": offset, "bytes": content.hex()}
    stream = isinstance(content, Transaction)
    mem_rows = content.header.mem_rows if stream else 1
    return {
        "kind": "txn" if stream else "cdo",
        "version": "{}.{}".format(*content.header.version) if stream else f"{content.version:#x}",
        "offset": offset,
        "operations": [
            {
                "kind": op.kind.value,
                "offset": op.offset,
                "address": op.address,
                "at": address_text(op.address),
                "values": list(op.values),
                "mask": op.mask,
                "numbers": list(op.numbers),
                "note": describe_op(op, mem_rows),
            }
            for op in content.ops
        ],
    }


def load_files(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="insts.bin, or a configuration alone.")],
    cdo: Annotated[
        list[Path] | None, typer.Option("--cdo", metavar="PATH", help="A CDO, or a folder of them from the compiler.")
    ] = None,
    xclbin: Annotated[
        list[Path] | None, typer.Option("--xclbin", metavar="FILE", help="An xclbin or PDI with the configuration.")
    ] = None,
    mlir: Annotated[
        Path | None, typer.Option("--mlir", metavar="FILE", help="Lowered MLIR text as the configuration.")
    ] = None,
    core: Annotated[
        list[str] | None,
        typer.Option(
            "--core", metavar="C,R=FILE.py:FUNCTION", help="Python function in place of a core's program; or C,R=copy."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the design that is in compiled files.

    Lists buffers, locks, descriptors and streams, and the cores that need a Python function.
    """
    design = fixed_design(
        load_compiled(file, [*(cdo or ()), *(xclbin or ()), *([mlir] if mlir else ())]), stand_ins(core or ())
    )
    fixed = design.fixed
    assert fixed is not None
    groups = {"left out": fixed.remarks, "unsupported": fixed.unsupported, "no stand-in": fixed.waiting}
    if as_json:
        print_json({**to_json(fixed.plan), **{name.replace(" ", "_"): list(found) for name, found in groups.items()}})
        return
    print_plan(fixed.plan)
    _print_streams(fixed.plan)
    for name, found in groups.items():
        for text in found:
            say(f"{name}: {text}")


def _print_streams(plan: Plan) -> None:
    for tile in plan.tiles:
        if tile.locks:
            facts(f"{tile.tile}, locks", [(str(lock.id), f"initially {lock.initial}") for lock in tile.locks])
    rows = []
    for flow in plan.flows:
        ends = ", ".join(f"S2MM {d.channel} of {d.tile}" for d in flow.dests)
        header = "" if flow.packet is None else f" (packet {flow.packet.id})"
        rows.append((flow.fifo, f"MM2S {flow.source.channel} of {flow.source.tile} to {ends}{header}"))
    facts("streams", rows or [("", "none")])
