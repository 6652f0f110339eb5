# SPDX-License-Identifier: Apache-2.0
"""Every rule of ``goldbeat tpu check``, broken on purpose."""

import struct

import numpy as np
import pytest

from goldbeat.pymodels.tpu.streams.bmodel import BModel, CommandStream
from goldbeat.pymodels.tpu.streams.checks import ADVICE, RULES, bare, check_streams, failed, stream_place
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.encode import encode_commands, padded
from goldbeat.pymodels.tpu.streams.tables import Chip, chip


def make(name: str = "BM1690", cores: int = 1) -> CodeGen:
    made = CodeGen(chip(name), cores=cores)
    tiu, end = ("SYSID", "sDMA_sys") if name == "BM1684X" else ("SYS", "sDMA_sys")
    for core in range(cores):
        for _ in range(3):
            made.emit(f"gdma:{core}", end, func=1)
            made.emit(f"tiu:{core}", tiu, func=1)
    if name != "BM1684X":
        made.barrier(2)
    return made


def rules(of: Chip, streams: list[CommandStream], container: BModel | None = None) -> list[str]:
    return [one.rule for one in check_streams(of, streams, container)]


def loaded(made: CodeGen) -> tuple[Chip, BModel]:
    return made.chip, BModel.parse(made.bmodel("m", b"1234"))


def edit(model: BModel, old: bytes, new: bytes) -> BModel:
    raw = model.data.tobytes()
    assert raw.count(old) >= 1
    return BModel.parse(raw.replace(old, new, 1))


def whole(of: Chip, model: BModel) -> list[str]:
    return rules(of, model.streams(), model)


@pytest.mark.parametrize("name", ["BM1684X", "BM1688", "BM1690"])
def test_a_sound_model_has_no_finding(name):
    of, model = loaded(make(name, 1 if name == "BM1684X" else 2))
    assert whole(of, model) == []


def test_checksum():
    of, model = loaded(make())
    assert whole(of, edit(model, b"1234", b"1235")) == ["checksum"]


def patch(model: BModel, stream: int, at: int, form: str, value: int) -> BModel:
    raw = bytearray(model.data.tobytes())
    struct.pack_into(form, raw, model.streams()[stream].offset + at, value)
    return BModel.parse(bytes(raw))


def test_framing_rules_come_with_the_place_in_the_file():
    of, model = loaded(make())
    tiu = model.streams()[0]
    bad = patch(model, 0, 16 * 3 + 5, "<B", 0x16)  # typ 11
    (one,) = check_streams(of, bad.streams(), bad)
    assert (one.rule, one.offset, one.stream) == ("unknown-kind", tiu.offset + 48, "core0.sub0.g0.tiu")
    bad = patch(model, 1, 126, "<B", 5)
    (one,) = check_streams(of, bad.streams(), bad)
    assert (one.rule, one.offset) == ("padding", model.streams()[1].offset + 126)
    # END becomes a no-operation: the zeros behind it are no END.
    bad = patch(model, 1, 16 * 5, "<Q", 0x2600000008)
    found = check_streams(of, bad.streams(), bad)
    assert [f.rule for f in found] == ["missing-end"]


def test_counts_and_lengths_of_the_container():
    made = make()
    made.finish()
    line = made._lines[("tiu", 0, 0)]
    stream, count = line.groups[0]
    line.groups[0] = (stream, count + 1)
    of, model = loaded(made)
    (one,) = check_streams(of, model.streams(), model)
    assert (one.rule, one.text) == ("count", f"found {count} commands, expected {count + 1}")
    flat = model.model["net"][0]["parameter"][0]["sub_net"][0]["cmd_group"][0]
    flat["bdc_cmd_byte"] = 16
    model.model["net"][0]["parameter"][0]["sub_net"][0]["cmd_group"][0]["bdc_num"] = count
    assert [f.rule for f in check_streams(of, model.streams(), model)] == ["length"]


def test_ids_out_of_order():
    of, model = loaded(make("BM1684X"))
    raw = bytearray(model.data.tobytes())
    at = model.streams()[0].offset + 16
    (head,) = struct.unpack_from("<Q", raw, at)
    struct.pack_into("<Q", raw, at, head & ~(0xFFFFF << 1) | 7 << 1)
    bad = BModel.parse(bytes(raw))
    (one,) = [f for f in check_streams(of, bad.streams(), bad) if f.rule == "id-order"]
    assert one.text == "found tiu id 7 at place 2, expected 2"
    assert one.id == 7


def pair(tiu_waits: list[int], dma_waits: list[int]) -> list[CommandStream]:
    """A stream of each engine of BM1690: no-operations that wait."""
    of, made = chip("BM1690"), []
    for name, form, waits, suffix in (("tiu", "SYS", tiu_waits, "tiu"), ("gdma", "sDMA_sys", dma_waits, "dma")):
        engine = of.engine(name)
        raw = encode_commands(engine, engine.kind(form), func=1, dep=np.array(waits, np.int64)).tobytes()
        data = np.frombuffer(padded(engine, raw), np.uint8)
        made.append(CommandStream(f"core0.sub0.g0.{suffix}", name, data, 0 if name == "tiu" else 512))
    return made


def test_a_dependency_that_is_never_met():
    streams = pair([9], [])
    (one,) = check_streams(chip("BM1690"), streams)
    assert (one.rule, one.id, one.offset) == ("never-met", 1, 0)
    assert one.text == "command 1 (system.spb) waits for gdma command 9, the last one is 1"
    # Alone, nothing is known of the other engine.
    assert check_streams(chip("BM1690"), streams[:1]) == []


def test_waiting_for_an_earlier_command_is_advice():
    found = check_streams(chip("BM1690"), pair([3, 2], [0, 0, 0]))
    assert [f.rule for f in found] == ["dep-order"]
    assert not failed(found)
    assert set(RULES) >= ADVICE


def test_a_deadlock_names_all_that_wait():
    found = check_streams(chip("BM1690"), pair([1, 3], [0, 2, 0]))
    assert [f.rule for f in found] == ["deadlock", "deadlock"]
    assert found[0].text == "core 0 tiu is stuck at command 2, which waits for gdma command 3"
    assert found[1].text == "core 0 gdma is stuck at command 2, which waits for tiu command 2"
    assert found[1].offset == 512 + 16


def barrier(change: dict[str, tuple[int, int]], name: str = "BM1688") -> list[str]:
    """Two cores with a barrier; ``change`` gives another (message, count) for some engine's WAIT."""
    of = chip(name)
    streams = []
    for core in range(2):
        for name in ("tiu", "gdma"):
            engine = of.engine(name)
            assert engine.send is not None
            assert engine.wait is not None
            assert engine.end is not None
            raw = b""
            for spec, key in ((engine.send, f"{name}{core}.send"), (engine.wait, f"{name}{core}.wait")):
                message, count = change.get(key, (3, 4))
                if count == 0:
                    continue
                value = message << spec.id[0] | count << spec.count[0]
                raw += encode_commands(engine, engine.end[0], {spec.field: value}, func=spec.func).tobytes()
            data = np.frombuffer(padded(engine, raw), np.uint8)
            suffix = "dma" if name == "gdma" else name
            streams.append(CommandStream(f"core{core}.sub0.g0.{suffix}", name, data, 0, core=core))
    return [str(f) for f in check_streams(of, streams)]


def test_barriers_across_cores():
    assert barrier({}) == []
    (one,) = barrier({"tiu1.wait": (3, 5)})
    assert one.startswith("sync-count")
    assert "core 1 tiu says 4, 5" in one
    found = barrier({"gdma0.send": (3, 0)})
    assert found[0].startswith("sync-count: core0.sub0.g0.tiu: message 3: 3 SENDs, each for 4 WAITs, and 4 WAITs,")
    assert found[0].endswith("core 0 gdma has 0 SENDs and 1 WAITs")
    found = barrier({"gdma1.send": (4, 4), "gdma1.wait": (4, 4)})
    assert any("sync-count" in one or "deadlock" in one for one in found)


@pytest.mark.parametrize("name", ["CV184X", "SGTPUV8"])
def test_barriers_of_chips_whose_table_of_sys_is_short(name):
    """The vendor's table of their SYS ends before the message: looking it up was a KeyError."""
    assert barrier({}, name) == []
    (one,) = barrier({"tiu1.wait": (3, 5)}, name)
    assert "message 3: counts differ" in one
    (one,) = barrier({"gdma1.wait": (3, 5)}, name)
    assert "core 1 gdma says 4, 5" in one


def used_again(second: tuple[int, int]) -> list[str]:
    """Core 0 sends message 5 for two WAITs of core 1, which answers; then for one, with ``second`` as counts."""
    of, streams = chip("BM1690"), []
    steps = {(0, "gdma"): f"S5:2 W6:1 S5:{second[0]}", (0, "tiu"): ""}
    steps |= {(1, "gdma"): f"W5:1 S6:1 W5:{second[1]}", (1, "tiu"): "W5:1"}
    for (core, name), text in steps.items():
        engine, raw = of.engine(name), b""
        for number, step in enumerate(text.split()):
            spec = engine.send if step[0] == "S" else engine.wait
            message, count = map(int, step[1:].split(":"))
            value = {spec.field: message << spec.id[0] | count << spec.count[0]}
            answer = {"dep": 1} if (core, name, number) == (1, "gdma", 1) else {}
            raw += encode_commands(engine, engine.end[0], value, func=spec.func, **answer).tobytes()
        data = np.frombuffer(padded(engine, raw), np.uint8)
        suffix = "dma" if name == "gdma" else name
        streams.append(CommandStream(f"core{core}.sub0.g0.{suffix}", name, data, 0, core=core))
    return [str(f) for f in check_streams(of, streams)]


def test_a_message_used_again_may_have_another_count():
    assert used_again((1, 1)) == []
    (one,) = used_again((3, 1))
    assert "message 5: use 2: 1 SENDs, each for 3 WAITs, and 1 WAITs, each for 1 SENDs; core 0 gdma command 3" in one
    (one,) = used_again((1, 2))
    assert "message 5: use 2: 1 SENDs, each for 1 WAITs, and 1 WAITs, each for 2 SENDs" in one


def test_counts_that_differ_name_the_command():
    (one,) = barrier({"tiu1.wait": (3, 5)})
    assert "; core 1 tiu command 2 says 5, expected 4 (byte 0x10)" in one


def test_places_in_names():
    assert stream_place("core3.sub1.g2.tiu") == (0, 0, 3, 1, 2)
    assert stream_place("net1.stage2.core0.sub0.sdma0") == (1, 2, 0, 0, 0)
    assert stream_place("stream") is None
    assert bare(CommandStream("core3.sub1.g2.tiu", "tiu", np.zeros(0, np.uint8), 0)).core == 3
    assert bare(CommandStream("x", "tiu", np.zeros(0, np.uint8), 0)).core == 0
