# SPDX-License-Identifier: Apache-2.0
"""The protocol rules by name: what C++ reports, what ``Kernel.rule`` switches, what docs/protocol-rules.md lists."""

from __future__ import annotations

from collections.abc import Mapping

from goldbeat.pymodels.buses import BUSES, Bus

ASSERTION = "rtl_assertion"
"""The rule of assertions inside the design."""

RULES: dict[str, str] = {
    **{name: demand for bus in BUSES for name, demand in bus.full_rules.items()},
    "mem_bounds": "A burst stays inside of one region of the memory's address space; the memory answers others with DECERR.",
    "mem_rights": "A burst keeps to the rights of its region; the memory answers others with SLVERR.",
    ASSERTION: "Every assertion of the RTL holds, and no `$error` is called.",
}
"""Every rule, on by default, and what it demands. A bus that is not one of Goldbeat's adds its own."""


WARNINGS: set[str] = {f"{bus.name}_{name}" for bus in BUSES for name in bus.warnings}
"""Those of them that fail nothing."""


def add_rules(bus: Bus) -> None:
    """Make the rules of a bus known, so that they can be waived."""
    RULES.update(bus.full_rules)
    WARNINGS.update(f"{bus.name}_{name}" for name in bus.warnings)


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
`combinational` flips each input in up to 8 cycles of an episode, drawn from its length, and in 12 of the register accesses and
bursts before it, and puts it back before the next edge (IHI 0022, A3.1.1);
not in builds with coverage, which would count the flips. Streams may have TREADY follow TVALID; a TVALID that
follows TREADY breaks `axis_valid_waits` (IHI 0051, 2.2). `valid_waits` needs the pattern `after-valid`, which `sweep`
has: behind such an episode, Goldbeat raises each withheld ready for 16 cycles, and a valid that was low for 64 cycles must
not rise. A register master that has taken no response before it was there does the same when it gives up, in the first
episode of each `sweep` at the latest; so does `AxiMaster` of cocotb tests. The native masters of AXI4
slaves hold B and R back likewise.
APB has no ready that a response could wait for. After a WLAST or RLAST in the wrong place, beats are
counted by AxLEN.

`data_waits` needs the same pattern: in the episode of `sweep` that withholds readies, AWREADY waits for WVALID, at most 48, 64,
80 and 96 cycles of the first four writes that have no data before them. Data that come within 16 cycles of AWREADY all four
times have waited for it; data that come earlier or later end the probe.

**Clauses.** AXI4 and AXI-Lite: ARM IHI 0022, issues D to H. AXI-Stream: ARM IHI 0051A. APB: ARM IHI 0024E. `-` is no demand of the
protocol, but of a bound or a property that the user gives, or of a run's end.

| not checked | why |
|---|---|
| X on a valid, ready or payload | Verilator has two states; see X below |
| order of responses of one ID (A5.3) | a response does not name its request; wrong lengths and wrong data are found |
| write data interleaving (A5.4) | AXI4 has no WID: interleaved data break `axi_wlast_early` or `axi_wlast_late`, and the data |
| splitting and merging of non-modifiable accesses (A4.3) | needs both sides of an interconnect; memories are compared |
| AxCACHE of exclusive accesses (A7.2.4) | whether a slave's monitor sees an access depends on the system |
| a mix of OKAY and EXOKAY in a read | counts as OKAY |
| AxQOS (A8.1), user signals (A8.3) | any value is allowed; `payload_stable` holds them |
| low-power interface (A9), PWAKEUP, TWAKEUP, parity, ACE and AXI5 signals | not driven and not watched |
| reserved AxPROT, TID and TDEST of more than 24 bits together (2.1) | nothing is reserved; widths are recommendations |
| PSELx one-hot (2.1) | each APB bundle has one PSEL; slaves that share the other signals need a wrapper |
| PREADY and PRDATA outside of an access (3.1, 3.3) | any value is allowed |

**What a checker must be told.** The rules of reset need the reset: described designs have it, in cocotb tests it is
`AxiStreamSink(..., reset="aresetn")`, likewise for `AxiStreamMonitor` and `AxiChecker`. `interleaved=False` says that packets, or
the read data of a burst, come whole; in a description it is `interleaved = false` of a stream.

**Warnings.** No protocol bounds how long ready may take. `ready_bound = N` in a description, or `--ready-bound N`, warns by
`axis_ready_late` of stream inputs whose beats waited for more than N cycles, with the worst beat, on the terminal and in
`report.json` under `warnings`. `axil_ready_late` and `axi_ready_late` do the same for the readies that a design drives: AW, W and
AR of its slaves, B and R of its masters, each port with its longest wait; `apb_ready_late` for APB slaves with an access of more
than N wait states. `apb_slverr_early` is a warning too: the protocol recommends it. A warning fails nothing; waived ones are
counted as violations are.

**Back ends.** A run with `--transactors cocotbext` is watched by the same checkers, flips and probes. That back end has no AXI4
memories, so `axi_*` and `mem_*` do not apply to it.

**Position bytes.** A byte with TKEEP and without TSTRB holds a place in the stream and no data (IHI 0051). Where a described input
has TSTRB, one of eight kept bytes is one, drawn from the seed; reserved pairs are never driven. A model gets them as `Trace.tstrb`
and says what comes out: TKEEP and TSTRB are then compared, the data of position bytes are not. A model that leaves `tstrb` out has
all kept bytes compared as data. PLIO files have none, and cocotbext-axi's streams have no TSTRB.

**Assertions of the RTL.** A concurrent or immediate assertion that fails, and `$error`, fail the run with the assertion's
name and instance, the first cycle and a count: `rtl_assertion: my_filter.u_fifo.has_room, cycle 41 of aclk: ...`. Waive
them by `rtl_assertion`, or by `rtl_assertion:NAME` with the assertion's own name or the whole path. The simulation goes
on; `$fatal` and `$stop` end it. In cocotb tests, `$error` ends it as well. `hdl/common/assertions.svh` has the macros that
Goldbeat's own RTL uses.

**X.** Verilator has two states, so nothing can be seen to be unknown. What can be told: Goldbeat's simulators start all
flip-flops and undriven signals with random values from the run's seed. A control signal that depends on a flip-flop
without reset, or on nothing at all, is high in some seeds: it then breaks a rule that has a name (`valid_in_reset`,
`b_without_request`, `r_without_request`, `valid_held`), and differs from the golden model from one seed to the next.
Several seeds are the test; one seed is not.

`goldbeat run --x-check` is the test for the rest: every episode runs once more with other initial values of all registers and
memories, and transfers, their cycles, answers, status outputs and memories must be the same. The first difference fails the
run with its port, beat and cycle, also where the golden model compares no cycles and has nothing to say of it
(`x_check: with other initial values of registers and memories, s_axis differs: beat 0 in cycle 181: cycle 181 and 97`). Data that
do not count, as bytes without TKEEP, may differ.

With `--waves`, the second run's waves are in the folder `x-check` of the run's, and the text ends with a register:
`first register that differs: lucky.away, 0xb1 and 0xf3 out of reset` (needs the [extra](install.md#extras) `waves`). Many registers
without reset differ, and most do no harm. The one that is named differs at the release of reset and still when the ports begin
to differ, and has moved until then, as counters and states do; of several, the narrowest. It is a good guess, no proof. In
`report.json`, `x_check` lists each episode that differs with its `text`, the first of them with up to 20 such `registers`
(`name`, and the two values `one` and `other`) and their `count`.

"""


def bus_table(bus: Bus) -> str:
    """A bus's rules as a table of a page."""
    if not bus.clauses:
        return _table(bus.title, bus.full_rules)
    rows = "".join(
        f"| `{bus.name}_{name}` | {bus.clauses.get(name, '-')} | {text} |\n" for name, text in bus.rules.items()
    )
    return f"## {bus.title}\n\n| rule | clause | demands |\n|---|---|---|\n{rows}"


def _table(title: str, rules: Mapping[str, str]) -> str:
    rows = "".join(f"| `{name}` | {demand} |\n" for name, demand in rules.items())
    return f"## {title}\n\n| rule | demands |\n|---|---|\n{rows}"


def document() -> str:
    """The text of docs/protocol-rules.md."""
    others = {"mem_": "AXI4 memory", "rtl_": "RTL"}
    texts = [bus_table(bus) for bus in BUSES]
    texts += [_table(t, {n: d for n, d in RULES.items() if n.startswith(start)}) for start, t in others.items()]
    return _INTRODUCTION + "\n".join(texts)
