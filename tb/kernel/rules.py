# SPDX-License-Identifier: Apache-2.0
"""The protocol rules by name: what C++ reports, what ``Kernel.rule`` switches, what docs/protocol-rules.md lists."""

from __future__ import annotations

from collections.abc import Mapping

from goldbeat.pymodels.buses import BUSES, Bus

ASSERTION = "rtl_assertion"
"""The rule of assertions inside the design."""

RULES: dict[str, str] = {
    **{name: demand for bus in BUSES for name, demand in bus.full_rules.items()},
    "mem_bounds": "A burst stays inside one region of the memory's address space; others get DECERR.",
    "mem_rights": "A burst keeps to the access rights of its region; others get SLVERR.",
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

Checkers in C++ watch every bundle of a design in every cycle. A broken rule fails the run. The report starts with the
rule's name, then port, cycle and what was seen. A cocotb test fails in the same way
([Broken protocol rules](cocotb.md#broken-protocol-rules)).

## Waivers

A rule that a design breaks on purpose is waived by `RULE` for every port, or by `RULE:PORT` for one port or one array
of ports. A failing run names them as such:

| where | how |
|---|---|
| description | `waive = ["axis_valid_held:m_axis"]`; in Python `Design(waive=...)` |
| command line | `goldbeat run DESIGN --waive axis_valid_held:m_axis`, repeated for more |
| suite | `waive = [...]` in `[[run]]` |
| cocotb | `Kernel(dut, waive=[...])`, `GoldbeatVerilator(waive=[...])` |

Waived violations are counted: on the terminal (`waived: axis_valid_held:m_axis, 12 violation(s)`), in `report.json`
under `waived`, on the page of a regression, and in its JUnit file as properties. A waiver that was never needed is
reported. An unknown rule or port is refused. At most 100 reports are kept per port and episode (always the first of
each rule), so counts end near 100. In cocotb tests `Kernel.rule("axi_cache", False)` switches a rule off: nothing is
counted.

## How rules are checked

Requests and responses are judged in the first cycle of their valid; after that, `payload_stable` guards them. A
response in the same cycle as the handshake that it answers is too early. After a WLAST or RLAST in the wrong place,
beats are counted by AxLEN.

| rule | how |
|---|---|
| `valid_in_reset` | from the fifth edge in reset on, of the slowest clock too: it may have to come over from there |
| `valid_after_reset` | at the first edge after such a reset |
| `combinational` | each input is flipped in some cycles, and flipped back before the next edge (IHI 0022, A3.1.1) |
| `valid_waits` | with the pattern `after-valid`, which `sweep` has |
| `data_waits` | in the same episode: AWREADY waits for WVALID |

- `combinational` flips in up to 8 cycles of an episode, drawn from its length, and in 12 of the register accesses and
  bursts before it. Builds with coverage are excepted, because they would count the flips.
- A3.1.1 forbids every combinational path between inputs and outputs, so AWREADY = AWVALID & WVALID breaks it as well.
  Many slaves do that, and it works where no master closes the loop: waive the rule for the port.
- In streams TREADY may follow TVALID. A TVALID that follows TREADY breaks `axis_valid_waits` (IHI 0051, 2.2).
- `valid_waits`: after such an episode Goldbeat raises each withheld ready for 16 cycles. A valid that was low for 64
  cycles must not rise then. A register master that never took a response before it was there does the same when it
  gives up, at the latest in the first episode of each `sweep`. So does `AxiMaster` of cocotb tests. The native masters
  of AXI4 slaves withhold B and R in the same way. APB has no ready that a response could wait for.
- `data_waits`: AWREADY waits at most 48, 64, 80 and 96 cycles in the first four writes that have no data before them.
  Data that come within 16 cycles after AWREADY all four times have waited for it. Data that come earlier or later end
  the probe.
- `axi_exclusive_pair` compares address, burst, size, length, AxCACHE, AxPROT and AxREGION.
- The rules of reset need the reset. Descriptions have it; in cocotb tests give it, as in
  `AxiStreamSink(..., reset="aresetn")`. `AxiStreamMonitor` and `AxiChecker` take it too.
- `interleaved=False` means that packets, or the read data of a burst, are never interleaved. In a description it is
  `interleaved = false` of a stream.

Runs with `--transactors cocotbext` have the same checkers, flips and probes. That back end has no memories and makes no
bursts, so `axi_*` and `mem_*` do not apply to it: such runs are refused.

## Warnings

No protocol limits how long ready may take. `ready_bound = N` in a description, or `--ready-bound N`, adds warnings
about longer waits, on the terminal and in `report.json` under `warnings`:

| warning | about |
|---|---|
| `axis_ready_late`, `avalonst_ready_late` | stream inputs whose beats waited more than N cycles, and the worst beat |
| `axil_ready_late`, `axi_ready_late` | AW, W and AR of slaves, B and R of masters, with the longest wait of each port |
| `apb_ready_late`, `wishbone_ready_late`, `avalon_ready_late` | slaves with an access of more than N wait states |

`apb_slverr_early`, `apb_unaligned` and `wishbone_strobe_alone` are warnings too. The first is about slaves: a memory of
the bench drives PSLVERR at random outside of a transfer ([payload without
valid](running.md#payload-without-valid)). A design with such a memory may pass that on, so it is not warned of. A
master of the bench likewise drives STB without CYC, so `wishbone_strobe_alone` is for designs without Wishbone slaves.

`axis_valid_in_reset` and `axis_valid_after_reset` are warnings about streams with other names than those of
AXI-Stream (`out_valid`, `v_o`): nothing says that their valid is low in reset. A warning fails nothing. Waived warnings
are counted as violations are.

## Handshakes with other names

`goldbeat new` and `verify` write `house = true` for a stream whose names are not those of AXI-Stream (`out_valid`,
`v_o`, `!stall`). The rules that the standard alone makes fail nothing there:

| rule | what it does |
|---|---|
| `axis_valid_waits`, `axis_valid_held` | the run is partial and lists it |
| `axis_payload_stable`, `axis_strobe_reserved` | the run is partial and lists it |
| `axis_valid_in_reset`, `axis_valid_after_reset` | warnings |
| `axis_interleaved` | fails: a description asks for it |
| `axis_outstanding`, `axis_places_lost` | fail: they are about beats |

A sink that waits for valid may get nothing from an output that waits for ready. Such an episode is not judged, and all
others are. Delete `house = true` if the stream is AXI-Stream.

## Position bytes

A byte with TKEEP and without TSTRB holds a place in the stream and no data (IHI 0051). If a described input has TSTRB,
one of eight kept bytes is a position byte, drawn from the seed. Reserved pairs are never driven. A model gets the
bytes as `Trace.tstrb` and predicts those of the output. Then TKEEP and TSTRB are compared, and the data of position
bytes are not. If a model leaves `tstrb` out, all kept bytes are compared as data. PLIO files have no position bytes,
and cocotbext-axi's streams have no TSTRB.

## Assertions of the RTL

A concurrent or immediate assertion that fails, and `$error`, fail the run with the assertion's name and instance, the
first cycle and a count: `rtl_assertion: my_filter.u_fifo.has_room, cycle 41 of aclk: ...`. Waive them by
`rtl_assertion`, or by `rtl_assertion:NAME` with the assertion's name or its whole path. The simulation continues;
`$fatal` and `$stop` end it. In cocotb tests, `$error` ends it too. Goldbeat's RTL uses the macros of
`hdl/common/assertions.svh`.

## X

Verilator has two states, so no signal is ever seen as unknown. Instead, Goldbeat's simulators start all flip-flops and
undriven signals with random values from the run's seed. A control signal that depends on a flip-flop without reset, or
is undriven, is high in some seeds. It then breaks a rule (`valid_in_reset`, `b_without_request`, `r_without_request`,
`valid_held`) or differs from the golden model in some seeds. So run several seeds.

`goldbeat run --x-check` finds the rest. Every episode runs once more with other initial values of all registers and
memories. Transfers, cycles, answers, status outputs and memories must be equal. The first difference fails the run
with its port, beat and cycle, even if the golden model predicts no cycles:

```
x_check: with other initial values of registers and memories, s_axis differs: beat 0 in cycle 181: cycle 181 and 97
```

Data without meaning, such as bytes without TKEEP, may differ.

With `--waves`, the waves of the second run are in the folder `x-check` of the run, and the text ends with a register:
`first register that differs: lucky.away, 0xb1 and 0xf3 out of reset`. This needs the [extra](install.md#extras)
`waves`. Many registers without reset differ, and most are harmless. The listed one differs at the release of reset and
still when the ports begin to differ, and has changed in between, as counters and states do. Of several, it is the
narrowest. It is a good guess, not a proof.

In `report.json`, `x_check` lists each episode that differs with its `text`. The first one has up to 20 such
`registers` (`name`, and the two values `one` and `other`) and their `count`.

## Not checked

| not checked | why |
|---|---|
| X on a valid, ready or payload | Verilator has two states: see X above |
| order of responses of one ID (A5.3) | a response does not name its request; wrong lengths and data are found |
| write data interleaving (A5.4) | AXI4 has no WID: it breaks `axi_wlast_early` or `axi_wlast_late`, and the data |
| splitting and merging of non-modifiable accesses (A4.3) | needs both sides of an interconnect |
| AxCACHE of exclusive accesses (A7.2.4) | whether a slave's monitor sees an access depends on the system |
| a mix of OKAY and EXOKAY in a read | counts as OKAY |
| AxQOS (A8.1), user signals (A8.3) | any value is allowed; `payload_stable` applies |
| low-power interface (A9), PWAKEUP, TWAKEUP, parity, ACE, AXI5 | not driven and not watched |
| reserved AxPROT, TID and TDEST of more than 24 bits together (2.1) | nothing is reserved; widths are recommendations |
| PSELx one-hot (2.1) | each APB bundle has one PSEL; slaves that share the other signals need a wrapper |
| PREADY and PRDATA outside an access (3.1, 3.3) | any value is allowed |
| Wishbone LOCK and user-defined tags | not driven and not watched |
| Wishbone ACK that was never low (permission 3.35) | allowed: such a slave answers every cycle at once |
| Avalon-ST EMPTY outside of the last beat, VALID and payload that change while they wait | allowed (5.9.1, 5.11) |
| Avalon-ST packets that are interleaved across channels | allowed and not driven |
| Avalon-ST without VALID, BEATSPERCYCLE, MAXCHANNEL, VALID in reset | not described: no rule |
| Avalon-MM BYTEENABLE of bytes that are not adjacent (3.2) | driven and not watched: agents store each byte alone |
| Avalon-MM fixed wait states, bursts that wrap (LINEWRAPBURSTS), BURSTCOUNT in symbols | not driven |
| Wishbone answers after a pipelined master lets CYC fall | one cycle of them is allowed |

## Clauses

In the tables below, clauses of AXI4 and AXI-Lite are those of ARM IHI 0022, issues D to H. Those of AXI-Stream are of
ARM IHI 0051A, those of APB of ARM IHI 0024E. Those of Wishbone are sections and rules of its
specification B3; pipelined cycles are those of B4. Those of Avalon-MM and Avalon-ST are sections of Intel's
683091 of 2022. `-` is no demand of the protocol, but a bound or property that the user sets, or a check at the end of
a run.

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
