# SPDX-License-Identifier: Apache-2.0
"""The protocol rules by name: what C++ reports, what ``Kernel.rule`` switches, what docs/protocol-rules.md lists."""

from __future__ import annotations

ASSERTION = "rtl_assertion"
"""The rule of assertions inside the design."""

_HANDSHAKE = {
    "valid_held": "A valid that is high stays high until its ready is.",
    "payload_stable": "While a valid waits for its ready, nothing else on its channel changes.",
    "valid_in_reset": "No valid is high in reset.",
    "valid_after_reset": "No valid is high at the first edge out of reset: it may rise behind that edge.",
}
_SHARED = {
    **_HANDSHAKE,
    "exokay": "EXOKAY answers exclusive accesses only; AXI-Lite has none.",
    "b_without_request": "BVALID comes only while a write is outstanding.",
    "b_before_data": "BVALID comes only after the address and all data of its write.",
    "r_without_request": "RVALID comes only while a read is outstanding.",
    "data_before_address": "Write data precede their address by so many beats at most: 256, or what the checker was told.",
}
_BURSTS = {
    "wlast_early": "WLAST is low on all beats of a burst but the last of AWLEN + 1.",
    "wlast_late": "WLAST is high on the last beat of AWLEN + 1.",
    "rlast_early": "RLAST is low on all beats of a burst but the last of ARLEN + 1.",
    "rlast_late": "RLAST is high on the last beat of ARLEN + 1.",
    "b_id": "BID is the ID of an outstanding write.",
    "r_id": "RID is the ID of an outstanding read.",
    "4k_boundary": "No INCR burst crosses a 4 KiB boundary.",
    "burst_type": "AxBURST is not the reserved value 3.",
    "wrap_length": "A WRAP burst has 2, 4, 8 or 16 beats.",
    "wrap_alignment": "A WRAP burst starts at a multiple of its beat size.",
    "fixed_length": "A FIXED burst has at most 16 beats.",
    "size": "A beat is not wider than the bus.",
    "strobe_lanes": "WSTRB is low in the lanes that a beat does not use.",
    "exclusive": "An exclusive access has at most 16 beats; its bytes are a power of two up to 128, its address a multiple.",
    "exclusive_pair": "An exclusive write follows a complete exclusive read of its ID, with its address, size and length.",
    "region": "AxREGION is the same for all of 4 KiB.",
    "interleaved": "Read data of a burst come without those of another between them, where the bundle's checker was told so.",
    "cache": "With AxCACHE[1] low (not modifiable), AxCACHE[3:2] are low.",
    "narrow_unsupported": "No beat is narrower than the bus, where the bundle's checker was told that none may be.",
    "fixed_unsupported": "No burst is FIXED, where the bundle's checker was told that none may be.",
}

_COMBINATIONAL = "No output follows an input of the same interface within a cycle."

RULES: dict[str, str] = {
    **{f"axis_{name}": text for name, text in _HANDSHAKE.items()},
    **{
        f"{name}_valid_waits": "A valid does not wait for its ready (seen where a sink is ready only after valid)."
        for name in ("axis", "axi")
    },
    "axis_strobe_reserved": "No byte has TSTRB without TKEEP; one with TKEEP alone is a position byte, which stays in the stream.",
    "axis_interleaved": "No beat of another TID or TDEST comes within a packet, where the bundle's checker was told so.",
    "axil_combinational": _COMBINATIONAL,
    "axi_combinational": _COMBINATIONAL,
    "axis_ready_late": "No beat of an input waits for TREADY longer than a bound, where one is given; a warning.",
    "axis_outstanding": "At the end of a run, an output offers no beat that nobody has taken.",
    **{f"axil_{name}": text for name, text in _SHARED.items()},
    "axil_outstanding": "At the end of a cocotb test, every access of a master has its answer.",
    "axil_valid_waits": "A valid does not wait for its ready (seen where a master is ready only after valid).",
    **{f"axi_{name}": text for name, text in {**_SHARED, **_BURSTS}.items()},
    "axi_outstanding": "At the end of a run, every access that the design has begun in a memory is complete; "
    "at the end of a cocotb test, every burst of a master.",
    "apb_outstanding": "At the end of a cocotb test, every access of a master has its answer.",
    "csb_outstanding": "At the end of a cocotb test, every access of a master has its answer.",
    "csb_response_without_request": "A response comes only while a read is outstanding.",
    "csb_complete_without_request": "A completion comes only while a write that is not posted is outstanding.",
    "mem_bounds": "A burst stays inside of one region of the memory's address space; the memory answers others with DECERR.",
    "mem_rights": "A burst keeps to the rights of its region; the memory answers others with SLVERR.",
    ASSERTION: "Every assertion of the RTL holds, and no `$error` is called.",
}
"""Every rule, on by default, and what it demands."""

_INTRODUCTION = """\
# Protocol rules

Checkers watch every bundle of a design from C++, on every cycle. What breaks a rule fails the run; the report
begins with the rule's name, then port, cycle and what was seen. A cocotb test fails likewise
([Broken protocol rules](cocotb.md#broken-protocol-rules)).

**Waivers.** A rule that a design breaks on purpose is waived by `RULE` for every port, or by `RULE:PORT` for one (or for the array
of that name):

| where | |
|---|---|
| description | `waive = ["axis_valid_held:m_axis"]`; in Python `Design(waive=...)` |
| command line | `goldbeat run DESIGN --waive axis_valid_held:m_axis`, any number of times |
| suite | `waive = [...]` in `[[run]]` |
| cocotb | `Kernel(dut, waive=[...])`, `GoldbeatVerilator(waive=[...])` |

Waived violations are still watched and counted: on the terminal (`waived: axis_valid_held:m_axis, 12 violation(s)`), in
`report.json` under `waived`, on the page of a regression, and in its JUnit file as properties. A waiver that nothing
broke is reported, an unknown rule or port is refused. At most 100 reports are kept per port and episode (the first of each
rule always), so counts stop about there. In cocotb tests `Kernel.rule("axi_cache", False)` switches a rule off
altogether: nothing is counted.

Requests and responses are judged in the first cycle of their valid; from then on `payload_stable` guards them. A
response in the very cycle of the handshake that it answers counts as too early. `valid_in_reset` looks from the fifth edge
in reset on, because a reset may have to pass a synchroniser first, and `valid_after_reset` at the first edge behind such a reset.
`combinational` flips each input in up to 8 cycles of an episode, drawn from its length, and puts it back before the next edge
(IHI 0022, A3.1.1); not in builds with coverage, which would count the flips. Streams may have TREADY follow TVALID; a TVALID that
follows TREADY breaks `axis_valid_waits` (IHI 0051, 2.2.1). `valid_waits` needs the pattern `after-valid`, which `sweep`
has: behind such an episode, Goldbeat raises each withheld ready for 16 cycles, and a valid that was low for 64 cycles must
not rise. A register master that has taken no response before it was there does the same when it gives up, in the first
episode of each `sweep` at the latest; so does `AxiMaster` of cocotb tests. No master drives AXI4 slave ports in `goldbeat run`.
APB and the CSB have no ready that a response could wait for. After a WLAST or RLAST in the wrong place, beats are
counted by AxLEN.

**What a checker must be told.** The rules of reset need the reset: described designs have it, in cocotb tests it is
`AxiStreamSink(..., reset="aresetn")`, likewise for `AxiStreamMonitor` and `AxiChecker`. `interleaved=False` says that packets, or
the read data of a burst, come whole; in a description it is `interleaved = false` of a stream.

**Warnings.** No protocol bounds how long ready may take. `ready_bound = N` in a description, or `--ready-bound N`, warns by
`axis_ready_late` of stream inputs whose beats waited for more than N cycles, with the worst beat, on the terminal and in
`report.json` under `warnings`. A warning fails nothing.

**Assertions of the RTL.** A concurrent or immediate assertion that fails, and `$error`, fail the run with the assertion's
name and instance, the first cycle and a count: `rtl_assertion: plio_fir.u_fifo.has_room, cycle 41 of aclk: ...`. Waive
them by `rtl_assertion`, or by `rtl_assertion:NAME` with the assertion's own name or the whole path. The simulation goes
on; `$fatal` and `$stop` end it. In cocotb tests, `$error` ends it as well. `hdl/common/assertions.svh` has the macros that
Goldbeat's own RTL uses.

**X.** Verilator has two states, so nothing can be seen to be unknown. What can be told: Goldbeat's simulators start all
flip-flops and undriven signals with random values from the run's seed. A control signal that depends on a flip-flop
without reset, or on nothing at all, is high in some seeds: it then breaks a rule that has a name (`valid_in_reset`,
`b_without_request`, `r_without_request`, `valid_held`), and differs from the golden model from one seed to the next.
Several seeds are the test; one seed is not.

"""


def document() -> str:
    """The text of docs/protocol-rules.md."""
    titles = {
        "axis": "AXI-Stream",
        "axil": "AXI-Lite",
        "axi": "AXI4",
        "apb": "APB",
        "csb": "CSB",
        "mem": "AXI4 memory",
        "rtl": "RTL",
    }
    text = _INTRODUCTION
    for prefix, title in titles.items():
        text += f"## {title}\n\n| rule | demands |\n|---|---|\n"
        text += "".join(f"| `{name}` | {rule} |\n" for name, rule in RULES.items() if name.startswith(f"{prefix}_"))
        text += "\n"
    return text.rstrip("\n") + "\n"
