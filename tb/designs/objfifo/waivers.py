# SPDX-License-Identifier: Apache-2.0
"""Obligations of engines and of their array that nothing can meet with the default parameters, each with its reason."""

from __future__ import annotations

from goldbeat.tb.obligations.obligation import bits_of, high_bits

_HOLES = ((6, 7), (13, 15))
"""Bits of PAD_BEFORE and PAD_AFTER below their highest field that belong to none."""
_UNENTERED = ((1, 7), (10, 10))
"""Places of the way of a release at which none enters: S2MM releases take 12 edges, those of core tiles 4, of cores 3."""


def engine_waivers(ns: int, nm: int) -> dict[str, str]:
    """Waivers of engines with so many channels to and from memory, at least 3 of each, and 32-bit words."""
    channels = ns + nm
    to_memory, from_memory = (0, ns - 1), (ns, channels - 1)
    return {
        **high_bits("SLVERR is the only error", ("axil_regs.sv", "?resp_q", 0, 0)),
        **high_bits("registers are whole words", *bits_of("objfifo_regs.sv", ("waddr", "raddr"), (0, 1))),
        **high_bits(
            "no field has this bit; it is 0 once the descriptor is written",
            *bits_of("objfifo_bd_table.sv", (f"gen_port[*].gen_word[{word}].rdata" for word in (7, 8)), *_HOLES),
        ),
        **high_bits(
            "padding of dimensions 1 and 2 has 5 and 4 bits",
            *bits_of("objfifo_sequencer.sv", ("fetch_before_q[1]", "fetch_after_q[1]"), (5, 5)),
            *bits_of("objfifo_sequencer.sv", ("fetch_before_q[2]", "fetch_after_q[2]"), (4, 5)),
            ("objfifo_walk.sv", "first_q[1]", 5, 5),
            ("objfifo_walk.sv", "first_q[2]", 4, 5),
        ),
        **high_bits(
            "the first three bits of a number up to 64 are 4 at most",
            *bits_of("objfifo_counter_after.sv", ("high_remainder", "remainder_q"), (3, 6)),
        ),
        **high_bits(
            "a remainder is below the size; an assertion checks it",
            ("objfifo_counter_after.sv", "low_remainder", 6, 6),
        ),
        "values objfifo_counter_after.sv:*: unused_remainder *": "a remainder is below the size; an assertion checks it",
        **high_bits("only words to streams are padding", ("objfifo_dma.sv", "word_padding", *to_memory)),
        **high_bits("only streams from memory tell when a word is sent", ("objfifo_dma.sv", "sent", *to_memory)),
        **high_bits(
            "only channels to memory are out of order",
            *bits_of("objfifo_dma.sv", ("by_header", "head", "named"), from_memory),
        ),
        **high_bits("behind is what has a higher number", ("objfifo_round_robin.sv", "*behind*", 0, 0)),
        **high_bits("there are four errors", ("objfifo_status.sv", "code*", 3, 3)),
        **high_bits("there are fewer than eight channels", ("objfifo_status.sv", "channel*", 3, 3)),
        **high_bits("the last word of a line closes its group", ("objfifo_gather.sv", "kept_q", 3, 3)),
        **high_bits("it is 12 or 16", ("objfifo_mm2s_npu1.sv", "depth", 0, 1)),
        **high_bits(
            "releases enter 12, 4 or 3 edges before they count",
            *bits_of("objfifo_channel.sv", ("*.enters",), *_UNENTERED),
        ),
        "values objfifo_ingress.sv:*: behind_ready *": "two descriptors wait at most; an assertion checks it",
        "values objfifo_bd_table.sv:*: `if (fields[?])` is *": "a function of constants, evaluated while the RTL is built",
        **dict.fromkeys(
            (
                "values objfifo_regs.sv:*: *lane_q*",
                "values objfifo_regs.sv:*: (*lane_q == l*",
            ),
            "a word of 32 bits has one lane; a variant has four",
        ),
    }


def array_waivers() -> dict[str, str]:
    """Waivers of the array with its default parameters: two engines, two streams each way, one worker."""
    found = engine_waivers(ns=3, nm=4)
    found |= high_bits("registers are whole words", *bits_of("objfifo_switch_regs.sv", ("waddr", "raddr"), (0, 1)))
    found |= high_bits(
        "the table has 32 descriptors",
        *bits_of("objfifo_channel.sv", ("next.bd", "cur_q.bd", "over_bd.bd", "done_bd_q", "bad_address_id"), (5, 5)),
        *bits_of("objfifo_sequencer.sv", ("fetch_q.bd", "next.bd"), (5, 5)),
    )
    found |= high_bits(
        "there are 16 locks",
        ("objfifo_dma.sv", "lock_overflow_id", 4, 5),
        ("objfifo_locks.sv", "overflow_lock", 4, 5),
        ("objfifo_status.sv", "lock_overflow_id", 4, 5),
    )
    found |= high_bits("workers of these cases pause for 40 cycles at most", ("objfifo_worker.sv", "pause_q", 6, 15))
    worker = "packets of workers have arbiters of their own, so that nothing goes round in circles"
    found |= high_bits(worker, ("objfifo_packet_switch.sv", "gen_source[10].mine", 0, 3))
    found |= high_bits(worker, *(("objfifo_packet_switch.sv", f"gen_arbiter[{a}].requests", 10, 10) for a in range(4)))
    found["values objfifo_array.sv:*: *unused_out_keep*"] = "TKEEP of an engine is all ones"
    return found
