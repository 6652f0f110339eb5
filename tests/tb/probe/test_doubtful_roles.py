# SPDX-License-Identifier: Apache-2.0
"""What looks like a part of a handshake and is none is left out, or is told as a guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.tb.cli.subject import tie_matters
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.model_guess import guessed_model, reworked


def found_of(folder: Path, ports: str, body: str) -> Found:
    """What is found in a module; ``i`` and ``o`` begin the ports of each direction."""
    words = {"i": "input logic", "o": "output logic"}
    listed = ["input logic clk", "input logic rst_n"]
    listed += [f"{words[way]} {name}" for way, name in (one.strip().split(" ", 1) for one in ports.split(","))]
    (folder / "m.sv").write_text(f"module m ({', '.join(listed)});\n{body}\nendmodule\n")
    return discover(Sources((folder / "m.sv",)))


def roles(found: Found) -> dict[str, tuple[str, bool, set[str]]]:
    """By valid: its ready, whether that is inverted, and the payload."""
    named = {}
    for port in found.streams:
        joined = (
            found.module.flat.packs[port.name].ports
            if found.module.flat and port.name in found.module.flat.packs
            else ()
        )
        rest = [pin for role, pin in (port.signals or {}).items() if role not in ("tvalid", "tready")]
        ready = port.pin("tready") if port.has("tready") else ""
        plain = {pin for pin in rest if not joined or "tdata" not in pin.lower()}
        named[port.pin("tvalid")] = (ready, bool(ready) and port.inverts("tready"), plain | set(joined))
    return named


BYTES = "i byte_stb, i [7:0] byte_x, i go, i done, o SEEN, o [7:0] kept"
SEEN = """always_ff @(posedge clk) begin
    if (!rst_n || done) SEEN <= 0; else if (go) SEEN <= 1;
    if (byte_stb && SEEN) kept <= byte_x;
  end"""


@pytest.mark.parametrize("name", ["cmd_sent", "phase"])
def test_an_output_that_no_beat_moves_may_be_a_status(name: str, tmp_path: Path) -> None:
    found = found_of(tmp_path, BYTES.replace("SEEN", name), SEEN.replace("SEEN", name))
    assert roles(found)["byte_stb"][0] == name
    assert set(found.guesses) >= {name}
    # One that falls with a beat is a ready.
    ready = SEEN.replace("SEEN", "phase").replace("|| done", "|| byte_stb && phase")
    assert "phase" not in found_of(tmp_path, BYTES.replace("SEEN", "phase"), ready).guesses


@pytest.mark.parametrize("word", ["ack", "taken"])
def test_a_pulse_behind_a_beat_is_a_guess(word: str, tmp_path: Path) -> None:
    body = """logic room; always_ff @(posedge clk) begin
        in_WORD <= 0; room <= go;
        if (in_valid && room && rst_n) begin kept <= in_x; in_WORD <= 1; end
      end""".replace("WORD", word)
    found = found_of(tmp_path, f"i go, i in_valid, i [7:0] in_x, o in_{word}, o [7:0] kept", body)
    assert roles(found)["in_valid"][0] == f"in_{word}"
    assert set(found.guesses) == {f"in_{word}"}


ASKS = """logic [7:0] left; assign ask_stb = on;
  logic on; assign ask_x = left;
  always_ff @(posedge clk) if (!rst_n) on <= 0; else if (!on) begin on <= go; left <= 8'd9; end
    else if (WHEN) on <= 0; else if (!ask_wait) left <= left - 1;"""


@pytest.mark.parametrize(("when", "guesses"), [("done", {"ask_stb"}), ("done && !ask_wait", set())])
def test_a_strobe_that_may_fall_before_it_is_taken_is_a_guess(when: str, guesses: set[str], tmp_path: Path) -> None:
    found = found_of(tmp_path, "i go, i done, o ask_stb, o [7:0] ask_x, i ask_wait", ASKS.replace("WHEN", when))
    assert roles(found) == {"ask_stb": ("ask_wait", True, {"ask_x"})}
    assert set(found.guesses) == guesses


def test_data_to_other_pins_is_no_payload_of_what_comes_from_them(tmp_path: Path) -> None:
    ports = (
        "i in_valid, o in_accept, i [7:0] in_x, o [7:0] pad_out, "
        "i [7:0] pad_in, i pad_go, o out_valid, i out_accept, o [7:0] out_x"
    )
    body = """logic full; assign in_accept = !full;
      always_ff @(posedge clk) begin
        if (in_valid && in_accept) begin pad_out <= in_x; full <= 1; end else if (full) full <= 0;
        if (!out_valid) begin out_valid <= pad_go; out_x <= pad_in; end else if (out_accept) out_valid <= 0;
        if (!rst_n) {full, out_valid} <= 0;
      end"""
    found = found_of(tmp_path, ports, body)
    assert roles(found) == {
        "in_valid": ("in_accept", False, {"in_x"}),
        "out_valid": ("out_accept", False, {"out_x"}),
    }
    assert "pad_out" in found.unplaced
    assert guessed_model(found) is None
    # What has no register may go along with anything.
    plain = body.replace("begin pad_out <= in_x; full", "begin full").replace("out_x <= pad_in;", "")
    plain = f"assign pad_out = in_x, out_x = in_x ^ pad_in; {plain}"
    assert roles(found_of(tmp_path, ports, plain))["out_valid"][2] == {"pad_out", "out_x"}


def test_ports_of_another_prefix_stay_with_it(tmp_path: Path) -> None:
    ports = (
        "i cmd_valid, i [3:0] cmd_op, o cmd_accept, i word_valid, i word_strb, i [7:0] word, i word_last, o word_accept, "
        "o phy_valid, o [7:0] phy_data, i phy_ready"
    )
    body = """logic busy, none, last; assign cmd_accept = !busy, word_accept = busy && phy_ready, phy_valid = busy;
      always_ff @(posedge clk) begin
        if (cmd_valid && cmd_accept) begin phy_data <= cmd_op; none <= !word_strb; last <= word_last; busy <= 1; end
        else if (word_valid && word_accept) begin phy_data <= word; busy <= !word_last; end
        if (!rst_n) busy <= 0;
      end"""
    made = roles(found_of(tmp_path, ports, body))
    assert made["cmd_valid"] == ("cmd_accept", False, {"cmd_op"})
    assert (made["word_valid"][0], made["phy_valid"][0]) == ("word_accept", "phy_ready")
    assert made["word_valid"][2] >= {"word_strb", "word_last"}
    assert not any("accept" in pin for _, _, payload in made.values() for pin in payload)


def test_what_holds_up_is_no_payload_and_a_guess_where_nothing_looks_at_it(tmp_path: Path) -> None:
    ports = "i r_dv, i [7:0] r_x, o r_hld, i w_dv, i [7:0] w_x, o w_hld, o dv, o [7:0] x, i hld"
    body = """logic turn; assign dv = r_dv || w_dv, x = r_dv ? r_x : w_x, r_hld = hld, w_hld = hld || r_dv;
      always_ff @(posedge clk) turn <= rst_n && (r_dv && !r_hld || w_dv && !w_hld);"""
    found = found_of(tmp_path, ports, body)
    assert roles(found) == {
        "r_dv": ("r_hld", True, {"r_x"}),
        "w_dv": ("w_hld", True, {"w_x"}),
        "dv": ("hld", True, {"x"}),
    }
    assert set(found.guesses) == {"hld"}


@pytest.mark.parametrize(("write", "read"), [("wr", "rd"), ("reg_we", "reg_re")])
def test_a_read_beside_a_write_is_no_payload_of_it(write: str, read: str, tmp_path: Path) -> None:
    ports = f"i {write}, i {read}, i [3:0] a_word, i [7:0] x_word, o [7:0] q"
    body = f"logic [7:0] all [16]; always_ff @(posedge clk) if ({write}) all[a_word] <= x_word; else if ({read}) q <= all[a_word];"
    found = found_of(tmp_path, ports, body)
    assert all(read not in payload for _, _, payload in roles(found).values())
    assert set(found.guesses) >= {write}


def test_a_bit_that_is_only_stored_is_no_valid(tmp_path: Path) -> None:
    ports = "i fetch, o stuck, i [7:0] map_page, i map_allow_write, o [7:0] page, o allowed"
    body = """logic keep; assign stuck = keep;
      always_ff @(posedge clk) begin
        keep <= rst_n && fetch && !keep;
        if (!stuck) begin page <= map_page; allowed <= map_allow_write; end
      end"""
    assert "map_allow_write" not in roles(found_of(tmp_path, ports, body))


@pytest.mark.parametrize(
    "stall", ["wire stop = to_valid && !to_ok; assign in_ok = !stop;", "assign in_ok = !(to_valid && !to_ok);"]
)
def test_a_wire_of_a_stall_says_when_a_word_is_taken(stall: str, tmp_path: Path) -> None:
    ports = "i in_valid, i [10:0] in_word, o in_ok, o to_valid, o [10:0] to_word, i to_ok"
    body = f"""{stall}
      always_ff @(posedge clk) begin
        if (in_ok) {{to_valid, to_word}} <= {{in_valid, in_word}};
        if (!rst_n) to_valid <= 0;
      end"""
    made = roles(found_of(tmp_path, ports, body))
    assert made == {"in_valid": ("in_ok", False, {"in_word"}), "to_valid": ("to_ok", False, {"to_word"})}


def test_an_underscore_behind_a_name_says_low(tmp_path: Path) -> None:
    ports = "i in_valid, i [10:0] in_word, o in_ready_, o to_valid, o [10:0] to_word, i to_ready_"
    body = """assign in_ready_ = to_valid && to_ready_;
      always_ff @(posedge clk) begin
        if (!in_ready_) {to_valid, to_word} <= {in_valid, in_word};
        if (!rst_n) to_valid <= 0;
      end"""
    made = roles(found_of(tmp_path, ports, body))
    assert made == {"in_valid": ("in_ready_", True, {"in_word"}), "to_valid": ("to_ready_", True, {"to_word"})}


def test_an_enable_of_something_may_matter_although_it_is_on() -> None:
    ties = {"prog_en": -1, "core_enable_i": -1, "clk_en": -1, "tx_ready": -1, "mode": 0, "flush": 0}
    assert {port for port in ties if tie_matters(port, ties)} == {"prog_en", "mode"}


BUSY = """logic [1:0] n; logic [7:0] kept [2]; assign out_valid = n != 0, out_x = kept[0], busy = n != 0;
  always_ff @(posedge clk) begin
    if (out_valid && out_ready) n <= n - 1; if (in_valid LOOK) begin kept[0] <= in_x; n <= 1; end if (!rst_n) n <= 0;
  end"""


@pytest.mark.parametrize(("look", "guessed"), [("", True), ("&& !busy", False)], ids=["stored anyway", "looks"])
def test_a_busy_that_nothing_looks_at_may_be_a_status(look: str, guessed: bool, tmp_path: Path) -> None:
    ports = "i in_valid, i [7:0] in_x, o busy, o out_valid, o [7:0] out_x, i out_ready"
    found = found_of(tmp_path, ports, BUSY.replace("LOOK", look))
    assert roles(found)["in_valid"][:2] == ("busy", True)
    assert ("busy" in found.guesses) is guessed


@pytest.mark.parametrize(("look", "gated"), [("", True), ("&& !full_o", False)], ids=["unguarded", "guarded"])
def test_a_write_is_never_high_in_vain_where_the_queue_does_not_look(look: str, gated: bool, tmp_path: Path) -> None:
    ports = "i write_i, i [7:0] a_i, i [7:0] b_i, o full_o, o [15:0] sum"
    body = f"""logic [2:0] n; assign full_o = n[2];
      always_ff @(posedge clk) begin if (write_i {look}) begin sum <= {{a_i, b_i}}; n <= n + 1; end if (!rst_n) n <= 0; end"""
    assert [port.gated for port in found_of(tmp_path, ports, body).streams if port.direction == "in"] == [gated]


def test_how_full_a_queue_is_goes_along_with_no_beat(tmp_path: Path) -> None:
    ports = "o pop_valid, i pop_ready, o pop_data, o pop_empty, o [2:0] pop_items"
    body = "assign pop_items = 0, pop_empty = 0; always_ff @(posedge clk) {pop_valid, pop_data} <= {rst_n, pop_ready};"
    found = with_handshakes(found_of(tmp_path, ports, body))
    assert [[*port.fields] for port in found.streams] == [["pop_data"]]
    assert {"pop_empty", "pop_items"} <= found.unplaced.keys()


BLOCK = """always_comb begin logic some; some = in_x; out_valid = 0; out_x = some; in_ready = READY;
    for (int n = 0; n < 1; n++) if (in_valid) begin out_valid = 1; out_x = some ^ in_sel; end MORE end"""


@pytest.mark.parametrize(
    ("body", "ready", "guessed"),
    [
        ("assign out_valid = in_valid, out_x = in_x ^ in_sel, in_ready = READY;", "out_ready & !in_sel", True),
        ("assign out_valid = in_valid, out_x = in_x ^ in_sel, in_ready = READY;", "out_ready", False),
        (BLOCK, "out_ready & !in_sel", True),
        (BLOCK, "out_ready", False),
        (BLOCK.replace("MORE", "if (in_sel) in_ready = 0;"), "out_ready", True),
        (BLOCK.replace("MORE", "case (in_sel) 1: in_ready = 0; default; endcase"), "out_ready", True),
        (BLOCK.replace("MORE", "case (out_ready) 1: out_x = in_sel; default; endcase"), "out_ready", False),
        (BLOCK.replace("always_comb", "always @*"), "out_ready", False),
    ],
)
def test_what_a_ready_follows_at_once_may_select(body: str, ready: str, guessed: bool, tmp_path: Path) -> None:
    ports = "i in_valid, i in_x, i in_sel, o in_ready, o out_valid, o out_x, i out_ready"
    body = body.replace("READY", ready).replace("MORE", "")
    found = with_handshakes(found_of(tmp_path, ports, body))
    assert ("follows it in the same cycle" in found.guesses.get("in_sel", "")) is guessed


def test_an_enable_that_stores_what_nothing_else_has_is_a_valid(tmp_path: Path) -> None:
    ports = "i i_ce, i [7:0] i_x, o o_ce, o [7:0] o_x"
    body = "always_ff @(posedge clk) begin o_ce <= rst_n & i_ce; if (i_ce) o_x <= i_x + 1; end"
    found = found_of(tmp_path, ports, body)
    assert {p.pin("tvalid"): (p.direction, [*p.fields]) for p in found.streams} == {
        "i_ce": ("in", ["i_x"]),
        "o_ce": ("out", ["o_x"]),
    }
    assert set(found.guesses) == {"i_ce", "o_ce"}
    # Beside one that says when a word is there, it is what lets everything happen.
    found = found_of(tmp_path, ports + ", i go", body.replace("if (i_ce)", "if (i_ce && go)"))
    assert ({p.pin("tvalid") for p in found.streams}, dict(found.ties)) == ({"go", "o_ce"}, {"i_ce": -1})


AGAIN = """logic [2:0] n; assign busy = n != 0; logic [7:0] x;
  always_ff @(posedge clk) begin
    done <= n == 1; if (n != 0) n <= n - 1; if (n == 1) begin root <= x; rest <= x >> 1; end
    if (go LOOK) begin x <= rad; n <= 5; end if (!rst_n) n <= 0;
  end"""


@pytest.mark.parametrize(("look", "loose"), [("", True), ("&& !busy", False)], ids=["begins again", "looks"])
def test_a_start_that_begins_again_is_a_pulse(look: str, loose: bool, tmp_path: Path) -> None:
    ports = "i go, i [7:0] rad, o busy, o done, o [7:0] root, o [7:0] rest"
    found = found_of(tmp_path, ports, AGAIN.replace("LOOK", look))
    given, result = found.streams
    assert (given.until == "done") is loose
    assert ("done" in found.guesses) is loose or result.after == given.name
    assert {*result.fields} == {"root", "rest"}


def test_wide_operands_go_along_with_a_tag_as_guesses(tmp_path: Path) -> None:
    ports = "i stb, i tag, i [7:0] x, i [7:0] y, o busy, o [8:0] sum, o out_tag"
    body = """logic [8:0] early; logic on; assign busy = on;
      always_ff @(posedge clk) begin
        early <= x + y; on <= rst_n && stb && !busy; if (stb && !busy) out_tag <= tag; if (on) sum <= early;
      end"""
    found = found_of(tmp_path, ports, body)
    assert roles(found)["stb"][2] == {"tag", "x", "y"}
    assert {"x", "y"} <= found.guesses.keys()
    assert "tag" not in found.guesses


def test_a_serial_output_is_no_payload(tmp_path: Path) -> None:
    ports = "i tx_dv, i [7:0] tx_byte, o tx_ready, o rx_dv, o [7:0] rx_byte, i miso, o mosi"
    body = """logic [7:0] word; logic [3:0] left; assign tx_ready = left == 0;
      always_ff @(posedge clk) begin
        rx_dv <= left == 1; if (left != 0) begin left <= left - 1; mosi <= word[3'(left - 1)]; rx_byte[3'(left - 1)] <= miso; end
        if (tx_dv && tx_ready) begin word <= tx_byte; left <= 8; end if (!rst_n) {left, rx_dv} <= 0;
      end"""
    found = found_of(tmp_path, ports, body)
    assert {name: payload for name, (_, _, payload) in roles(found).items()} == {
        "tx_dv": {"tx_byte"},
        "rx_dv": {"rx_byte"},
    }
    assert "mosi" in found.unplaced


@pytest.mark.parametrize(("first", "second"), [("want0", "want1"), ("ok0", "ok1")], ids=["asked", "granted"])
def test_grants_of_an_arbiter_are_readies(first: str, second: str, tmp_path: Path) -> None:
    ports = "i want0, i [7:0] d0, o ok0, i want1, i [7:0] d1, o ok1, o there, o [7:0] y, i taken, o spare"
    body = f"""wire room = !there || taken; assign ok0 = room && want0, ok1 = room && want1 && !want0, spare = room && !want0;
      always_ff @(posedge clk) if (!rst_n) there <= 0; else if (room) begin
        there <= want0 || want1; if ({first}) y <= d0; else if ({second}) y <= d1; end"""
    found = found_of(tmp_path, ports, body)
    given = {p.pin("tvalid"): (p.pin("tready"), p.gated) for p in found.streams if p.direction == "in"}
    assert given == {"want0": ("ok0", False), "want1": ("ok1", False)}
    assert "spare" in found.unplaced


def test_a_flag_of_the_same_count_is_no_payload(tmp_path: Path) -> None:
    ports = "i nudge, i [7:0] w, o brim, o present, o [7:0] q, i take"
    body = """logic [7:0] m [8]; logic [3:0] wp, rp; wire [3:0] fill = wp - rp;
      assign brim = fill >= 6, present = fill != 0, q = m[rp[2:0]];
      always_ff @(posedge clk) if (!rst_n) {wp, rp} <= 0; else begin
        if (nudge && fill != 8) begin m[wp[2:0]] <= w; wp <= wp + 1; end
        if (take && present) rp <= rp + 1;
      end"""
    found = found_of(tmp_path, ports, body)
    assert roles(found)["present"][2] == {"q"}
    assert "brim" in found.unplaced


def test_a_serial_line_is_no_payload_of_words_that_come_in(tmp_path: Path) -> None:
    ports = "i rx, o tx, i put, i [7:0] sent, o busy, o valid, i take, o [7:0] word"
    body = """logic [3:0] n, m; logic [8:0] s; assign busy = n != 0;
      always_ff @(posedge clk) if (!rst_n) {n, m, valid} <= 0; else begin
        if (put) begin {s, tx} <= {sent, 2'b01}; n <= 10; end else if (busy) begin {s, tx} <= {1'b1, s}; n <= n - 1; end
        if (!valid) begin word <= {rx, word[7:1]}; m <= m + 1; if (m == 15) valid <= 1; end else if (take) valid <= 0;
      end"""
    found = found_of(tmp_path, ports, body)
    assert {name: payload for name, (_, _, payload) in roles(found).items()} == {"put": {"sent"}, "valid": {"word"}}
    assert ("tx" in found.unplaced, "word" in found.guesses) == (True, True)


@pytest.mark.parametrize(
    ("ports", "streams"),
    [
        ("sum_valid, [7:0] sum, sum_last", {"sum_valid": "tdata=sum tlast=sum_last"}),
        ("sum_valid_o, [15:0] sum_o, sum_last_o", {"sum_valid_o": "tdata=sum_o tlast=sum_last_o"}),
        ("sum_valid, [8:0] sum, sum_last", {"sum_valid": "sum sum_last"}),
        ("sum_valid, [7:0] sum, sum_last, [1:0] sum_kind", {"sum_valid": "sum sum_kind sum_last"}),
        (
            "sum_valid, [8:0] sum, sum_last, sum_of_valid, sum_of_last, [8:0] sum_of",
            {"sum_valid": "sum sum_last", "sum_of_valid": "sum_of sum_of_last"},
        ),
    ],
)
def test_a_port_named_as_the_valid_without_its_word_is_payload(
    ports: str, streams: dict[str, str], tmp_path: Path
) -> None:
    names = [port.split()[-1] for port in ports.split(", ")]
    body = f"always_ff @(posedge clk) begin {' '.join(f'{name} <= {name} + !go;' for name in names)} end"
    found = with_handshakes(found_of(tmp_path, f"i go, o {ports.replace(', ', ', o ')}", body))
    assert {
        p.pin("tvalid"): " ".join(sorted([*p.fields, *(f"{r}={n}" for r, n in p.signals.items() if r != "tvalid")]))
        for p in found.streams
        if p.signals
    } == streams
    assert not {*names} & found.unplaced.keys()


READER = """logic [1:0] s; logic [10:0] kept; assign out_x = kept;
  always_ff @(posedge clk) begin
    kept <= s == 0 ? src_word : kept + 1;
    case (s) 0: s <= {TAKE, 1'b0}; 2: s <= 3; default: s <= 0; endcase
    if (!rst_n) s <= 0;
  end """
TAKES = {
    "read": ("src_valid", "src_read", "assign src_read = src_valid && s == 0;", set()),
    "pop": ("src_vld", "src_pop", "always_comb begin src_pop = 0; if (src_vld) if (s == 0) src_pop = 1; end", set()),
    "get": (
        "src_valid_n",
        "src_get",
        "wire there = !src_valid_n; assign src_get = s == 0 ? there : 1'b0;",
        {"src_get"},
    ),
    "next": ("src_valid", "src_next", "assign src_next = s == 0 && (src_valid || go);", {"src_next"}),
    "any": ("src_valid", "src_used", "assign src_used = (s == 0) & src_valid;", {"src_used"}),
    "case": (
        "src_valid",
        "src_rd",
        "always_comb case ({s, src_valid}) 1: src_rd = 1; default: src_rd = 0; endcase",
        {"src_rd"},
    ),
}


@pytest.mark.parametrize("kind", TAKES)
def test_what_is_high_only_beside_a_valid_takes_its_word(kind: str, tmp_path: Path) -> None:
    valid, take, body, guesses = TAKES[kind]
    ports = f"i go, i {valid}, i [10:0] src_word, o {take}, o [10:0] out_x"
    found = found_of(tmp_path, ports, READER.replace("TAKE", take) + body)
    assert roles(found) == {valid: (take, False, {"src_word"})}
    assert {*found.guesses} == guesses


LATE_WORD = """logic [2:0] n, m; logic ask, late; assign ask = n != 0 && DST_OK;
  always_ff @(posedge clk) begin
    if (go) n <= 7; else if (ask) n <= n - 1;
    late <= ask; {DST_PUT, dst_x} <= {WHEN, dst_x + 11'd1};
    if (!rst_n) {n, late, DST_PUT, dst_x} <= 0;
  end"""


@pytest.mark.parametrize(
    ("put", "room", "when", "guessed"),
    [
        ("dst_write", "dst_ready", "late", True),
        ("dst_valid", "dst_ready", "late", True),
        ("dst_push", "dst_full_n", "late", True),
        # It does not look at the ready at all: a fault, or slack that is somewhere else.
        ("dst_write", "dst_ready", "go", True),
        ("dst_valid", "dst_ready", "go", False),
        ("dst_tvalid", "dst_tready", "late", False),
        ("dst_write", "dst_ready", "ask", False),
    ],
)
def test_a_ready_that_is_looked_at_some_cycles_before_is_a_guess(
    put: str, room: str, when: str, guessed: bool, tmp_path: Path
) -> None:
    body = LATE_WORD.replace("DST_PUT", put).replace("DST_OK", room).replace("WHEN", when)
    found = with_handshakes(found_of(tmp_path, f"i go, o {put}, i {room}, o [10:0] dst_x", body))
    assert roles(found).get(put, ("",))[0] == room
    assert ("a word may come while it is low" in found.guesses.get(room, "")) is guessed


QUEUE = """logic [8:0] m [8]; logic [2:0] w, r; logic [3:0] n; assign wfull = n[3], FLAG, LEVEL;
  wire put = winc && !wfull, get = GET;
  always_ff @(posedge clk) begin
    if (put) begin m[w] <= wword; w <= w + 1; end
    if (get) r <= r + 1;
    n <= n + 4'(put) - 4'(get);
    DATA
    if (!rst_n) {w, r, n} <= 0;
  end """
BEHIND = "rword <= m[r];"
SHAPES = {
    "every cycle": (BEHIND, "", "rinc && !rempty", "rempty = n == 0"),
    "unguarded": (BEHIND, "", "rinc", "rempty = n == 0"),
    "low flag": (BEHIND, "", "rinc && rempty_n", "rempty_n = n != 0"),
    "two stages": ("x <= m[r]; rword <= x;", "logic [8:0] x;", "rinc && !rempty", "rempty = n == 0"),
    "through a wire": ("x <= m[r];", "logic [8:0] x; assign rword = ~x;", "rinc && !rempty", "rempty = n == 0"),
    "at once": ("", "assign rword = m[r];", "rinc && !rempty", "rempty = n == 0"),
    "with the read": ("if (get) rword <= m[r];", "", "rinc && !rempty", "rempty = n == 0"),
    "one word": ("if (put) rword <= wword;", "", "rinc && !rempty", "rempty = n == 0"),
}


@pytest.mark.parametrize("level", ["fill", "seen_w"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_word_that_comes_behind_its_flag_is_no_payload_and_neither_is_a_level(
    shape: str, level: str, tmp_path: Path
) -> None:
    data, more, get, flag = SHAPES[shape]
    text = QUEUE.replace("DATA", data).replace("GET", get).replace("FLAG", flag).replace("LEVEL", f"{level} = n")
    empty = flag.split()[0]
    ports = f"i winc, i [8:0] wword, o wfull, i rinc, o {empty}, o [8:0] rword, o [3:0] {level}"
    found = found_of(tmp_path, ports, f"{text} {more}")
    behind = shape in ("every cycle", "unguarded", "low flag", "two stages", "through a wire")
    assert roles(found)[empty][2] & {"rword", level} == (set() if behind else {"rword"})
    assert ("nothing tells when its word is there" in found.unplaced.get("rword", "")) is behind
    assert level in found.unplaced


def test_a_write_and_a_read_of_one_queue_are_tried_together(tmp_path: Path) -> None:
    """Each has a flag of its own; a reset of any name that an edge gives clears nothing by itself."""
    ports = "i wr_n, i [8:0] d, o full_n, i rd_n, o empty_n, o [8:0] q, o ask_req, i ask_ack, i go"
    body = """logic on; logic [1:0] n; assign full_n = !n[1], empty_n = n != 0, ask_req = on; logic [8:0] m [2]; assign q = m[0];
      always_ff @(posedge clk or negedge rst_n) if (!rst_n) {n, on} <= 0; else begin
        if (!wr_n && full_n) m[n[0]] <= d; if (!rd_n && empty_n) m[0] <= m[1];
        n <= n + 2'(!wr_n && full_n) - 2'(!rd_n && empty_n); if (ask_req && ask_ack) on <= 0; else if (go) on <= 1;
      end"""
    found = found_of(tmp_path, ports, body)
    assert {valid: ready for valid, (ready, *_) in roles(found).items()} | {"ask_req": "ask_ack"} == {
        "wr_n": "full_n",
        "empty_n": "rd_n",
        "ask_req": "ask_ack",
    }
    assert not {"wr_n", "rd_n", "ask_req", "ask_ack"} & found.guesses.keys()
    (tmp_path / "m.sv").write_text((tmp_path / "m.sv").read_text().replace("rst_n", "rn"))
    assert "ask_req" not in discover(Sources((tmp_path / "m.sv",))).guesses


def test_an_array_of_flags_with_the_other_level_is_no_bundle(tmp_path: Path) -> None:
    ports = "i [1:0] in_push, i [17:0] in_word, o [1:0] in_full, o [17:0] kept"
    body = """for (genvar n = 0; n < 2; n++) always_ff @(posedge clk) begin
        if (in_push[n] && !in_full[n]) begin kept[9 * n +: 9] <= in_word[9 * n +: 9]; in_full[n] <= 1; end
        if (!rst_n) in_full[n] <= 0;
      end"""
    found = found_of(tmp_path, ports, body)
    assert not found.streams
    assert any("tready cannot be inverted: it is no single bit" in note for note in found.notes)


def test_data_named_as_their_valid_alone_keep_what_belongs_to_them(tmp_path: Path) -> None:
    body = """logic [15:0] total; assign dout = total;
      always_ff @(posedge clk) begin
        dout_valid <= din_valid; if (din_valid) total <= fresh ? din : total + din; if (!rst_n) {total, dout_valid} <= 0;
      end"""
    ports = "i din_valid, i [7:0] din, i fresh, o dout_valid, o [15:0] dout"
    found = with_handshakes(found_of(tmp_path, ports, body))
    assert {valid: payload - {"din_tdata"} for valid, (_, _, payload) in roles(found).items()} == {
        "din_valid": {"din", "fresh"},
        "dout_valid": {"dout"},
    }


@pytest.mark.parametrize("names", ["req_a gnt_a word_a req_b gnt_b word_b", "l_put l_busy l_x r_put r_busy r_x"])
def test_what_another_request_hands_over_is_no_payload_although_it_is_stored_with_this_one(
    names: str, tmp_path: Path
) -> None:
    one, taken, word, other, other_taken, other_word = names.split()
    low = "!" if "busy" in taken else ""
    body = f"""wire pick = {other} && (!{one} || !turn); logic turn;
      assign {taken} = {low}({one} && !pick), {other_taken} = {low}pick;
      always_ff @(posedge clk) begin
        if (pick || {one}) begin kept <= pick ? {other_word} : {word}; turn <= pick; end
        if ({one} && {other} && pick) kept <= {{{other_word}[8:1], {word}[0]}};
      end"""
    ports = f"i {one}, i [8:0] {word}, o {taken}, i {other}, i [8:0] {other_word}, o {other_taken}, o [8:0] kept"
    made = roles(found_of(tmp_path, ports, body))
    assert {valid: payload for valid, (_, _, payload) in made.items()} == {one: {word}, other: {other_word}}


STORES = """always_ff @(posedge clk) if (!rst_n) SEEN else if (in_wr && in_ctrl == 0) begin kept <= in_data; seen <= 1; end
    else if (in_wr) seen <= 0; MORE"""


def test_a_setting_that_counts_beside_a_valid_of_its_name_goes_along(tmp_path: Path) -> None:
    ports = "i in_wr, i [7:0] in_data, i [3:0] in_ctrl, o [7:0] kept, o seen"
    body = STORES.replace("SEEN", "{kept, seen} <= 0;").replace("MORE", "")
    found = found_of(tmp_path, ports, body)
    assert roles(found)["in_wr"][2] == {"in_data", "in_ctrl"}
    assert "in_ctrl" in found.guesses
    # One that acts alone is a setting.
    alone = body + " always_ff @(posedge clk) other <= in_ctrl == 5;"
    found = found_of(tmp_path, f"{ports}, o other", alone)
    assert (roles(found)["in_wr"][2], "in_ctrl" in found.unplaced) == ({"in_data"}, True)


def test_what_selects_the_word_that_is_stored_is_named(tmp_path: Path) -> None:
    ports = "i in_valid, o in_ready, i [7:0] in_data, i [1:0] bank_sel, o out_valid, i out_ready, o [7:0] out_data"
    body = """logic [7:0] m [4]; assign in_ready = !out_valid || out_ready; always_ff @(posedge clk)
      if (!rst_n) out_valid <= 0; else if (in_ready) begin
        out_valid <= in_valid; if (in_valid) m[bank_sel] <= in_data; out_data <= m[0];
      end"""
    found = found_of(tmp_path, ports, body)
    assert "it selects the word" in found.beside["bank_sel"]
    # What another port asks for is no word of this one.
    assert "bank_sel" not in found_of(tmp_path, ports, body.replace("m[0]", "m[bank_sel]")).beside


@pytest.mark.parametrize(("name", "told"), [("op_kill", False), ("twice", True)])
def test_what_acts_without_a_valid_is_no_payload(name: str, told: bool, tmp_path: Path) -> None:
    body = """logic [3:0] c; assign op_rdy = c == 0, sum_vld = op_rdy; always_ff @(posedge clk)
      if (!rst_n) {c, sum} <= 0; else if (KILL || (op_vld && op_rdy)) begin c <= KILL ? 0 : 8; sum <= op_a; end
      else if (c != 0) begin c <= c - 1; sum <= sum + 1; end"""
    ports = f"i op_vld, o op_rdy, i {name}, i [8:0] op_a, o sum_vld, o [8:0] sum"
    found = found_of(tmp_path, ports, body.replace("KILL", name))
    assert roles(found)["op_vld"] == ("op_rdy", False, {"op_a"})
    assert "without op_vld" in found.unplaced[name]
    assert (name in found.beside) is told
    beside = body.replace("if (KILL ||", "if (").replace("KILL ? 0 : 8", "KILL ? 2 : 8")
    assert name in roles(found_of(tmp_path, ports, beside.replace("KILL", name)))["op_vld"][2]


QUEUED = """logic [8:0] m [4]; logic [2:0] w, r, n; assign got_val = m[r[1:0]], got_avail = AVAIL;
  always_ff @(posedge clk) if (!rst_n) {w, r, n} <= 0; else begin
    if (in_valid) begin m[w[1:0]] <= in_x; w <= w + 1; end {TOLD, n} <= {TAKE, n + in_valid - TAKE}; if (TAKE) r <= r + 1;
  end"""


@pytest.mark.parametrize(
    ("take", "avail", "told", "found_as"),
    [
        ("thanks", "w != r", "yummy", True),
        ("pop_in", "n != 0", "back", True),
        ("go", "n != 0", "yummy", False),
        ("in_last", "n != 0", "yummy", False),
    ],
)
def test_what_moves_a_queue_on_without_a_look_takes_its_word(
    take: str, avail: str, told: str, found_as: bool, tmp_path: Path
) -> None:
    ports = f"i in_valid, i [8:0] in_x, i {take}, o {told}, o [8:0] got_val, o got_avail"
    body = QUEUED.replace("AVAIL", avail).replace("TOLD", told).replace("TAKE", take)
    found = found_of(tmp_path, ports, body)
    (ready, _, payload) = roles(found)["got_avail"]
    assert (ready, payload) == (take if found_as else "", {"got_val"})
    assert [port.gated for port in found.streams if port.direction == "out"] == [found_as]
    assert (take in found.guesses) is found_as
    assert told in found.unplaced


LATER = """logic on; logic [2:0] n; always_ff @(posedge clk) if (!rst_n) {on, n, src_GET} <= 0; else begin
    on <= go; n <= on ? n + 1 : 0; src_GET <= 0; GIVEN
    if (on && n == 7 && src_avail) begin kept <= src_x; src_GET <= 1; end
  end"""


@pytest.mark.parametrize(("name", "ready"), [("get", "src_get"), ("rd", "src_rd"), ("seen", "")])
def test_a_pulse_behind_the_word_that_it_takes_is_a_guess(name: str, ready: str, tmp_path: Path) -> None:
    ports = f"i go, i src_avail, i [8:0] src_x, o src_{name}, o [8:0] kept"
    found = found_of(tmp_path, ports, LATER.replace("GET", name).replace("GIVEN", ""))
    assert roles(found)["src_avail"] == (ready, False, {"src_x"})
    assert not any(port.gated for port in found.streams)
    assert ("must stay until then" in found.guesses.get(ready, "")) is bool(ready)


@pytest.mark.parametrize(("flag", "free"), [("cmd_ready", "cmd_ready"), ("busy", "!busy")])
def test_a_ready_that_two_inputs_share_is_told(flag: str, free: str, tmp_path: Path) -> None:
    ports = f"i rd_req, i [8:0] rd_addr, i wr_req, i [8:0] wr_word, o {flag}, o [8:0] kept"
    body = f"""logic [2:0] n; assign {flag} = {"!" * ("!" in free)}(n == 0);
      always_ff @(posedge clk) if (!rst_n) n <= 0; else if (n != 0) n <= n - 1;
        else if (rd_req && {free}) begin n <= 5; kept <= rd_addr; end
        else if (wr_req && {free}) begin n <= 3; kept <= wr_word; end"""
    found = found_of(tmp_path, ports, body)
    assert {valid: ready for valid, (ready, _, _) in roles(found).items()} == {"rd_req": flag, "wr_req": ""}
    assert "--tie rd_req=0" in found.guesses["wr_req"]


WORDS = "i in_valid, i [7:0] in_data, i in_last, o in_ready, o out_valid, o [7:0] out_data, o out_last, i out_ready, i [7:0] k"
PLACE = """logic [8:0] mem [4]; logic [2:0] n; logic [1:0] at; assign in_ready = !n[2]; assign out_valid = n != 0;
  wire put = in_valid && in_ready && COUNTS, take = out_valid && out_ready;
  wire [1:0] from = at - n[1:0];
  assign {out_last, out_data} = SHOWN;
  always_ff @(posedge clk) if (!rst_n) {n, at} <= 0; else begin
    if (put) begin at <= at + 1; mem[at] <= {in_last, STORED}; end
    n <= n + 3'(put) - 3'(take);
  end"""


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, ""),
        ({"COUNTS": "(in_last || n < 3)"}, ""),
        ({"SHOWN": "({9{from[0]}} & mem[{from[1], 1'b1}]) | ({9{~from[0]}} & mem[{from[1], 1'b0}])"}, ""),
        ({"SHOWN": "mem[from][8] ? mem[from] : mem[from] >> at[2]"}, ""),
        ({"COUNTS": "in_data != 0"}, "in_data is looked at or changed for put"),
        ({"STORED": "in_data + k"}, "in_data is looked at or changed for mem"),
        ({"SHOWN": "out_ready ? mem[from] : 9'h1c3"}, "out_data gets words that do not come in"),
        ({"STORED": "in_last ? k : in_data"}, "mem gets words that do not come in"),
        ({"SHOWN": "mem[from] ^ 9'h5"}, "mem is looked at or changed for out_last"),
    ],
)
def test_what_the_rtl_does_with_words_is_said(change: dict[str, str], why: str, tmp_path: Path) -> None:
    """Memories, registers and multiplexers store and select; a flag beside the words may decide."""
    body = PLACE
    for name, text in ({"COUNTS": "1'b1", "SHOWN": "mem[from]", "STORED": "in_data"} | change).items():
        body = body.replace(name, text)
    assert reworked(found_of(tmp_path, WORDS, body)).partition(", and")[0] == why


PLACE_OF_ONE = """logic full; logic [11:0] kept; assign room = !full; assign dav = full; assign r = kept;
  wire put = load && room, take = dtaken && dav;
"""
STATE = "always_ff @(posedge clk or negedge rst_n) if (!rst_n) full <= 0; else"
SAID_BY_STRUCTURE = {
    "case of conditions": f"""{STATE} case ({{put, take}})
      2'b10, 2'b11: begin kept <= w; full <= 1; end
      2'b01: full <= 0;
      default: ;
    endcase""",
    "case of one": f"""{STATE} case (1'b1)
      put: begin kept <= w; full <= 1; end
      take: full <= 0;
      default: ;
    endcase""",
    "equations": f"""wire [11:0] next = ({{12{{put}}}} & w) | ({{12{{~put}}}} & kept);
      {STATE} full <= put | (full & ~dtaken);
      always_ff @(posedge clk) kept <= next;""",
    "one if": f"{STATE} if (!full) begin if (load) begin full <= 1; kept <= w; end end else if (dtaken) full <= 0;",
}


@pytest.mark.parametrize("style", SAID_BY_STRUCTURE)
def test_a_place_of_any_names_in_any_style(style: str, tmp_path: Path) -> None:
    ports = "i load, o room, i [11:0] w, o dav, i dtaken, o [11:0] r"
    found = found_of(tmp_path, ports, PLACE_OF_ONE + SAID_BY_STRUCTURE[style])
    assert roles(found) == {"load": ("room", False, {"w"}), "dav": ("dtaken", False, {"r"})}
    assert found.guesses.keys() <= {"r"}


def test_levels_settle_which_ready_answers(tmp_path: Path) -> None:
    """A ready by its name, at whose other level words go in, offers the word instead."""
    body = """logic idle; assign {busy_n, rdy_n} = {2{idle}};
      always_ff @(posedge clk or negedge rst_n) if (!rst_n) idle <= 1;
        else if (idle) begin if (!we_n) begin q <= d; idle <= 0; end end else if (!oe_n) idle <= 1;"""
    found = found_of(tmp_path, "i we_n, o busy_n, i [7:0] d, o rdy_n, i oe_n, o [7:0] q", body)
    assert roles(found) == {"we_n": ("busy_n", False, {"d"}), "rdy_n": ("oe_n", True, {"q"})}


def test_a_pulse_beside_results_is_their_valid_though_its_name_is_a_readys(tmp_path: Path) -> None:
    body = """logic [1:0] n; logic busy; logic [7:0] kept; assign rfd = !busy;
      always_ff @(posedge clk) if (!rst_n) {busy, rdy} <= 0; else begin
        rdy <= 0; n <= n + 1;
        if (!busy) begin if (nd) begin kept <= din; busy <= 1; n <= 0; end end
        else if (&n) begin busy <= 0; rdy <= 1; dout <= kept; end
      end"""
    found = found_of(tmp_path, "i nd, o rfd, i [7:0] din, o rdy, o [7:0] dout", body)
    assert roles(found)["nd"] == ("rfd", False, {"din"})
    assert [(one.pin("tvalid"), *one.fields) for one in found.streams if one.direction == "out"] == [("rdy", "dout")]


def test_an_output_that_says_what_may_come_is_the_ready_and_the_prefix_may_be_the_data(tmp_path: Path) -> None:
    place = """assign can_put = !has || take; assign odd = ^thing && has;
      always_ff @(posedge clk) if (!rst_n) has <= 0; else if (can_put) begin has <= put; if (put) thing <= item; end"""
    ports = "i put, o can_put, i [7:0] item, o has, i take, o [7:0] thing, o odd"
    assert roles(found_of(tmp_path, ports, place)) == {
        "put": ("can_put", False, {"item"}),
        "has": ("take", False, {"thing"}),
    }
    master = """logic n; assign x_in_rd_en = !n && !x_in_empty; assign {r_valid, r} = {n, kept}; logic [7:0] kept;
      always_ff @(posedge clk) if (!rst_n) n <= 0; else if (n) n <= 0; else if (!x_in_empty) begin kept <= x_in; n <= 1; end"""
    found = found_of(tmp_path, "i [7:0] x_in, o x_in_rd_en, i x_in_empty, o r_valid, o [7:0] r", master)
    assert roles(found)["x_in_empty"] == ("x_in_rd_en", False, {"x_in"})


def test_a_clear_that_is_low_by_its_name_is_a_reset_or_rests_high(tmp_path: Path) -> None:
    body = """assign in_ready = !out_valid || out_ready;
      always_ff @(posedge clk) if (!rst_n) out_valid <= 0; else if (!clr_n) out_valid <= in_valid ? 1 : 0;
        else if (in_ready) begin out_valid <= in_valid; out_data <= in_data; end"""
    ports = "i clr_n, i in_valid, i [7:0] in_data, o in_ready, o out_valid, o [7:0] out_data, i out_ready"
    found = found_of(tmp_path, ports, body)
    assert (found.clocks[0].reset, found.ties) == ("rst_n", {"clr_n": -1})
    alone = (
        (tmp_path / "m.sv")
        .read_text()
        .replace("input logic rst_n, ", "")
        .replace("if (!rst_n) out_valid <= 0; else", "")
    )
    (tmp_path / "alone.sv").write_text(alone)
    other = discover(Sources((tmp_path / "alone.sv",)))
    assert (other.clocks[0].reset, other.clocks[0].active_high, other.ties) == ("clr_n", False, {})
