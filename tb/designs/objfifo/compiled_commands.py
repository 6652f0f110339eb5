# SPDX-License-Identifier: Apache-2.0
"""The commands of ``goldbeat objfifo`` for compiled files: ``dis`` and ``asm``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.artefact.files import read_bytes, read_compiled
from goldbeat.pymodels.objfifo.artefact.listing import address_text, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.register_names import describe_op
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction
from goldbeat.tb.cli.common import Force, Json, check_free, print_json, say

Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the listing to this file.")]


def dis(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="insts.bin, CDO, PDI or xclbin.")],
    output: Output = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List a compiled file: every register write with its name. ``asm`` makes the same file of the listing."""
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
    listing: Annotated[Path, typer.Argument(metavar="LISTING", help="Text as dis writes it.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The compiled file.")],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make a compiled file of a listing, byte for byte what ``dis`` read."""
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
