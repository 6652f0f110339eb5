# SPDX-License-Identifier: Apache-2.0
"""Inputs of any name that store words, or begin something, and what only looks like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.handshakes import with_handshakes

HEAD = "module m(input clk, input rst, "
TAKEN = """input ev, input [7:0] a, input [7:0] b, output reg [8:0] s, output reg got);
  reg [2:0] n; reg on, was, up; reg [7:0] x, y;
  always @(posedge clk) if (rst) {on, got, n, was, up} <= 0; else begin
    got <= 0; was <= ev; up <= ev && !was;
    if (on) begin n <= n + 1; if (&n) begin s <= x + y; got <= 1; on <= 0; end end
    else if (ev) begin x <= a; y <= b; on <= 1; end
  end
endmodule"""
STATES = """input ev, input [7:0] a, input [7:0] b, output reg [8:0] s, output reg got);
  reg [1:0] st, nx; reg [7:0] x, y, xn, yn;
  always @* begin nx = st; xn = x; yn = y; case (st) 0: if (ev) begin xn = a; yn = b; nx = 1; end
    1: nx = 2; default: nx = 0; endcase end
  always @(posedge clk) if (rst) begin st <= 0; got <= 0; end
    else begin st <= nx; x <= xn; y <= yn; got <= st == 2; s <= x + y; end
endmodule"""
EDGE = TAKEN.replace("if (ev) begin", "if (up) begin")
LASTING = TAKEN.replace("x <= a; y <= b; ", "").replace("s <= x + y", "s <= a + b")
LOW = TAKEN.replace("input ev", "input ev_n").replace("was <= ev;", "").replace("up <= ev && !was;", "")
LOW = LOW.replace("if (ev)", "if (!ev_n)")
SUMS = """input ev, input [7:0] a, input [7:0] b, output reg [8:0] s, output reg got);
  reg [1:0] n; reg [8:0] t;
  always @(posedge clk) if (rst) {n, got, t} <= 0; else begin got <= 0;
    if (ev) begin n <= n + 1; t <= t + a + b; if (&n) begin s <= t; got <= 1; end end end
endmodule"""
ROUND = """input all, input ev, input [7:0] a, input [7:0] b, output reg [8:0] s, output reg got);
  reg [7:0] t; always @(posedge clk) if (rst) {t, got, s} <= 0; else if (all) begin
    t <= t + 1; got <= ev; s <= ev ? a + b : s; end
endmodule"""
SHOWN = """input ev, input [7:0] a, input [7:0] b, output reg line, output taken_up);
  reg [15:0] w; reg [4:0] n; assign taken_up = n != 0;
  always @(posedge clk) if (rst) n <= 0; else if (n != 0) begin line <= w[0]; w <= w >> 1; n <= n - 1; end
    else if (ev) begin w <= {a, b}; n <= 16; end
endmodule"""
READY = LASTING.replace("got", "ready_o")


def found_of(folder: Path, text: str) -> Found:
    """What is found in a module."""
    (folder / "dut.sv").write_text(HEAD + text)
    return discover(Sources((folder / "dut.sv",)))


@pytest.mark.parametrize(
    ("text", "signals", "until", "held"),
    [
        (TAKEN, {"tvalid": "ev"}, "got", False),
        (STATES, {"tvalid": "ev"}, "got", False),
        (EDGE, {"tvalid": "ev"}, "got", True),
        (LASTING, {"tvalid": "ev"}, "got", True),
        (READY, {"tvalid": "ev"}, "ready_o", True),
        (LOW, {"tvalid": "!ev_n"}, "got", False),
        (SUMS, {"tvalid": "ev"}, None, False),
        (ROUND, {"tvalid": "ev"}, None, False),
        (SHOWN, {"tvalid": "ev", "tready": "!taken_up"}, None, False),
    ],
    ids=["busy", "states", "edge", "lasting", "ready", "low", "always", "enable", "shown"],
)
def test_what_stores_words_is_a_strobe(
    text: str, signals: dict[str, str], until: str | None, held: bool, tmp_path: Path
) -> None:
    found = found_of(tmp_path, text)
    given = found.streams[0]
    assert (dict(given.signals), given.until, given.held, [*given.fields]) == (signals, until, held, ["a", "b"])
    # No name speaks for it.
    assert signals["tvalid"].removeprefix("!") in found.guesses
    results = [(p.pin("tvalid"), p.after, [*p.fields]) for p in found.streams[1:]]
    assert results == ([] if text is SHOWN else [(until or "got", "in" if until else None, ["s"])])
    assert found.ties == ({"all": -1} if text is ROUND else {})


@pytest.mark.parametrize(
    ("one", "other"), [(("a_ok", "a_dat"), ("b_ok", "b_dat")), (("there0", "x0"), ("there1", "x1"))]
)
def test_strobes_that_count_together_have_their_own_words(
    one: tuple[str, str], other: tuple[str, str], tmp_path: Path
) -> None:
    ports = ", ".join(f"input {ok}, input [7:0] {word}" for ok, word in (one, other))
    both = f"{one[0]} && {other[0]}"
    text = f"""input ce, {ports}, output reg s_ok, output reg [8:0] s);
      always @(posedge clk) if (rst) s_ok <= 0; else if (ce) begin s_ok <= {both}; if ({both}) s <= {one[1]} + {other[1]}; end
    endmodule"""
    found = found_of(tmp_path, text)
    assert {p.pin("tvalid"): p.payload_pins("tdata") for p in found.streams} == {
        one[0]: (one[1],),
        other[0]: (other[1],),
        "s_ok": ("s",),
    }
    assert f"it counts only beside {other[0]}" in found.guesses[one[0]]


@pytest.mark.parametrize(
    "text",
    [
        "input way, input [7:0] a, input [7:0] b, output reg [7:0] y); always @(posedge clk) if (way) y <= a; else y <= b;",
        "input ev, input [2:0] at, input [7:0] d, output [7:0] q); reg [7:0] m [0:7]; assign q = m[at]; "
        "always @(posedge clk) if (ev) m[at] <= d;",
        "input ev, input [7:0] d, output [7:0] q); assign q = ev ? d : 0;",
        "input ev, input [7:0] d, output reg q, output reg r); always @(posedge clk) begin r <= q; if (ev || d == 1) q <= 1; end",
    ],
    ids=["selects", "words by address", "no register", "only looked at"],
)
def test_what_only_looks_like_a_strobe_is_none(text: str, tmp_path: Path) -> None:
    assert not found_of(tmp_path, text + " endmodule").streams


def test_an_enable_with_a_ready_is_its_valid(tmp_path: Path) -> None:
    text = """input [7:0] word, input word_ENABLE, output word_ready, output reg o_valid, output reg [7:0] o_data,
      input [7:0] cfg, input cfg_ENABLE, input go, input [3:0] taps);
      reg [1:0] n; reg [7:0] k; reg [3:0] t; assign word_ready = word_ENABLE && n != 3;
      always @(posedge clk) begin n <= rst ? 0 : n + 1; o_valid <= !rst && word_ENABLE && word_ready;
        if (word_ENABLE && word_ready) o_data <= word ^ k ^ t; if (cfg_ENABLE) k <= cfg; if (go) t <= taps; end
    endmodule"""
    for name in ("enable", "en", "ce"):
        found = with_handshakes(found_of(tmp_path, text.replace("ENABLE", name)))
        given = {p.pin("tvalid"): p.pin("tready") if p.has("tready") else None for p in found.streams}
        # Another enable has data of its own.
        assert given == {f"word_{name}": "word_ready", "o_valid": None, f"cfg_{name}": None}
        # What else stores a word beside a stream may be a setting: it is named.
        assert found.unplaced["go"] == "input, 1 bit: tied to 0; the RTL stores taps with it"


def test_what_lets_words_in_is_on(tmp_path: Path) -> None:
    text = """input spin, input s_valid, output s_ready, input [7:0] s_data, output reg m_valid, input m_ready,
      output reg [7:0] m_data); assign s_ready = spin & (!m_valid | m_ready);
      always @(posedge clk) if (rst) m_valid <= 0; else if (spin) if (s_ready) {m_valid, m_data} <= {s_valid, s_data};
    endmodule"""
    assert found_of(tmp_path, text).ties == {"spin": -1}
    assert found_of(tmp_path, text.replace("(spin)", "(!spin)").replace("= spin", "= ~spin")).ties == {"spin": 0}


def test_the_argument_of_a_put_goes_in(tmp_path: Path) -> None:
    text = """input [7:0] give, input EN_give, output RDY_give, output [7:0] take, input EN_take, output RDY_take);
      reg [7:0] d; reg full; assign RDY_give = !full, RDY_take = full, take = d;
      always @(posedge clk) if (rst) full <= 0; else begin
        if (EN_give) begin d <= give; full <= 1; end if (EN_take) full <= 0; end
    endmodule"""
    sides = {p.name: (p.direction, p.pin("tvalid"), p.pin("tready"), p.gated) for p in found_of(tmp_path, text).streams}
    assert sides == {"give": ("in", "EN_give", "RDY_give", True), "take": ("out", "RDY_take", "EN_take", True)}
