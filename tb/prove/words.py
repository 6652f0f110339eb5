# SPDX-License-Identifier: Apache-2.0
"""APB and Wishbone bundles of a proof."""

from __future__ import annotations

from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.prove.sheet import Sheet

EXCUSED = {
    "unaligned": "a warning",
    "slverr_early": "a warning",
    "strobe_alone": "a warning",
    "ready_late": "a warning",
    "outstanding": "a run ends, a proof does not",
    "places_lost": "about a long run",
}
NO_PROPERTY = {
    "burst": "no property yet; simulation checks it",
    "answer_without_cyc": "the bench's side keeps STB low without CYC here; simulation checks it",
}
_OF_MASTERS = (
    "sequence",
    "select_in_reset",
    "payload_stable",
    "strobe_read",
    "request_in_reset",
    "request_held",
    "burst",
)
_OF_SLAVES = ("answers_exclusive", "answer_without_request", "answer_without_cyc")


def _widths(port: ApbPort | WishbonePort) -> dict[str, int]:
    return {one.name: one.width for one in port.wires()}


def _unproven(sheet: Sheet, port: ApbPort | WishbonePort) -> None:
    kept = _OF_MASTERS if port.direction == "in" else _OF_SLAVES
    excused = EXCUSED | dict.fromkeys(kept, "the bench's side keeps it")
    sheet.leave(port.spec.name, port.name, port.spec.rules, NO_PROPERTY, excused)


def add_apb(sheet: Sheet, port: ApbPort) -> None:
    """An APB bundle: the bench is master or slave."""
    name, widths = port.name, _widths(port)
    sel, enable = f"{name}_psel", f"{name}_penable"
    ready = f"{name}_pready" if port.has("pready") else "1'b1"
    controls: list[str] = [role for role in ("paddr", "pwrite", "pwdata", "pstrb", "pprot") if role in widths]
    open_ = sheet.register(f"{name}_open", f"prover_live & {sel} & ~({enable} & {ready}) & ({name}_open | ~{enable})")
    for role in controls:
        sheet.register(f"{name}_{role}_was", f"{name}_{role}", widths[role])
    _unproven(sheet, port)
    if port.direction == "in":
        _drive_apb(sheet, port, controls, widths)
        return
    for role in ("prdata", "pslverr", "pready"):
        if role in widths:
            free = sheet.free(f"{name}_{role}_free", widths[role])
            value = sheet.remembered(f"{name}_{role}", free) if role == "prdata" else free
            sheet.lines.append(f"  assign {name}_{role} = {value};")
    stays = " | ".join(
        f"({name}_{role} != {name}_{role}_was{f' & {name}_pwrite' if role == 'pwdata' else ''})" for role in controls
    )
    first = f"prover_live & ~{open_} & {sel}"
    sheet.check(
        f"apb_sequence {name}",
        "penable is high only from the cycle after psel rises until pready, with psel",
        f"prover_live & ({open_} ? ~({sel} & {enable}) : {sel} & {enable})",
        open_,
    )
    sheet.check(
        f"apb_select_in_reset {name}", "psel and penable are low in reset", f"prover_settled & ({sel} | {enable})"
    )
    sheet.check(
        f"apb_payload_stable {name}",
        "address, direction, strobes and write data stay from setup to pready",
        f"{open_} & {sel} & {enable} & ({stays})",
        open_,
    )
    if port.has("pstrb"):
        sheet.check(
            f"apb_strobe_read {name}",
            "pstrb is 0 in a read",
            f"{first} & ~{enable} & ~{name}_pwrite & |{name}_pstrb",
            f"{first} & ~{name}_pwrite",
        )


def _drive_apb(sheet: Sheet, port: ApbPort, controls: list[str], widths: dict[str, int]) -> None:
    """The bench's master: setup, then access until the answer."""
    name = port.name
    open_ = f"{name}_open"
    sheet.lines.append(f"  assign {name}_psel = {open_} | (prover_go & {sheet.free(f'{name}_psel_free')});")
    sheet.lines.append(f"  assign {name}_penable = {open_};")
    low = int(port.data_width) // 8 - 1
    if low:
        sheet.assumed.append(f"{name}: addresses of whole words")
    for role in controls:
        made = sheet.free(f"{name}_{role}_free", widths[role])
        if role == "paddr" and low:
            made = f"({made} & ~{widths[role]}'d{low})"
        if role == "pstrb":
            made = f"({name}_pwrite ? {made} : '0)"
        sheet.lines.append(f"  assign {name}_{role} = {open_} ? {name}_{role}_was : {made};")


def add_wishbone(sheet: Sheet, port: WishbonePort) -> None:
    """A Wishbone bundle: the bench is master or slave."""
    name, widths = port.name, _widths(port)
    there: list[str] = [role for role in ("ack", "err", "rty") if role in widths]
    answered = "(" + " | ".join(f"{name}_{role}" for role in there) + ")"
    piped = port.has("stall")
    asks = f"({name}_cyc & {name}_stb)"
    taken = f"~{name}_stall" if piped else answered
    waits = sheet.register(f"{name}_waits", f"prover_live & {asks} & ~{taken}")
    controls: list[str] = [role for role in ("adr", "we", "wdat", "sel", "cti", "bte") if role in widths]
    for role in controls:
        sheet.register(f"{name}_{role}_was", f"{name}_{role}", widths[role])
    count = f"{name}_count"
    sheet.register(
        count,
        f"prover_live & {name}_cyc ? {count} + 4'({asks} & {taken}) - 4'({answered} & {'1' if piped else '0'}) : '0",
        4,
    )
    _unproven(sheet, port)
    if port.direction == "in":
        _drive_wishbone(sheet, port, controls, widths, piped=piped)
        _check_wishbone_answers(sheet, port, there, answered, piped=piped)
        return
    room = f"{count} + 4'({asks} & {taken}) != 0" if piped else asks
    for n, role in enumerate(there):
        # One answer at a time.
        others = "".join(f" & ~{name}_{before}" for before in there[:n])
        sheet.lines.append(
            f"  assign {name}_{role} = prover_live & {name}_cyc & ({room}){others} & {sheet.free(f'{name}_{role}_free')};"
        )
    for role in ("rdat", "stall"):
        if role in widths:
            sheet.lines.append(f"  assign {name}_{role} = {sheet.free(f'{name}_{role}_free', widths[role])};")
    changed = " | ".join(
        f"({name}_{role} != {name}_{role}_was{f' & {name}_we' if role == 'wdat' and 'we' in widths else ''})"
        for role in controls
    )
    gone = f"{name}_cyc & ~{name}_stb" if piped else f"~{asks}"
    sheet.check(
        f"wishbone_request_in_reset {name}",
        "cyc and stb are low in reset",
        f"prover_settled & ({name}_cyc | {name}_stb)",
    )
    sheet.check(
        f"wishbone_request_held {name}", "cyc and stb stay until the request is taken", f"{waits} & {gone}", waits
    )
    sheet.check(
        f"wishbone_payload_stable {name}",
        "the address and all that belongs to it stay while stb waits",
        f"{waits} & {asks} & ({changed})",
        waits,
    )


def _drive_wishbone(
    sheet: Sheet, port: WishbonePort, controls: list[str], widths: dict[str, int], *, piped: bool
) -> None:
    name = port.name
    ask = sheet.free(f"{name}_stb_free")
    room = f"{name}_count < 4" if piped else "1'b1"
    sheet.lines.append(f"  assign {name}_stb = {name}_waits | (prover_go & {ask} & ({room}));")
    if piped:
        sheet.assumed.append(f"{name}: at most 4 accesses are open")
    if "cti" in controls:
        sheet.assumed.append(f"{name}: no bursts")
    if not port.in_words and int(port.data_width) > 8:
        sheet.assumed.append(f"{name}: addresses of whole words")
    stays = f" | ({name}_count != 0)" if piped else ""
    sheet.lines.append(f"  assign {name}_cyc = {name}_stb{stays};")
    for role in controls:
        made = "'0" if role in ("cti", "bte") else sheet.free(f"{name}_{role}_free", widths[role])
        low = int(port.data_width) // 8 - 1
        if role == "adr" and low and not port.in_words:
            made = f"({made} & ~{widths[role]}'d{low})"
        sheet.lines.append(f"  assign {name}_{role} = {name}_waits ? {name}_{role}_was : {made};")


def _check_wishbone_answers(sheet: Sheet, port: WishbonePort, there: list[str], answered: str, *, piped: bool) -> None:
    name = port.name
    if len(there) > 1:
        several = " + ".join(f"2'({name}_{role})" for role in there)
        sheet.check(
            f"wishbone_answers_exclusive {name}",
            "at most one of ack, err and rty is high",
            f"prover_live & ({several}) > 1",
            answered,
        )
    # A slave without wait states may hold ack high for ever.
    tied = sheet.register(f"{name}_low_once", f"prover_live & ({name}_low_once | ~{name}_ack)")
    asks = f"({name}_cyc & {name}_stb)"
    none = f"{name}_cyc & ({name}_count == 0) & ~({asks} & ~{name}_stall)" if piped else f"~{asks}"
    sheet.check(
        f"wishbone_answer_without_request {name}",
        "ack, err and rty come only for a request",
        f"prover_live & {tied} & {answered} & {none}",
        answered,
    )
