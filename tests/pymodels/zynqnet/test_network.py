# SPDX-License-Identifier: Apache-2.0
"""Networks: ZynqNet's table, descriptions in files, the memory map and its bounds."""

import json

import pytest
from zynqnet_reference import LAYERS

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.zynqnet.hardware import ErrorCode, Hardware, check_layer, configuration_error
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import load_network, parse_network
from goldbeat.pymodels.zynqnet.networks import mini, zynqnet
from goldbeat.pymodels.zynqnet.registers import layer_program, layer_rows, setup_rows
from goldbeat.pymodels.zynqnet.shifts import Shifts

# Source: the public host's network and memory sizes, in words.
WEIGHTS, RESERVED, NEEDED, MACS = 2_528_800, 3_403_776, 3_436_544, 529_301_504

DESCRIPTION = """
name = "tiny"
input = {width = 8, height = 6, channels = 3}

[[layer]]
name = "c1"
ch_out = 16
stride = 2

[[layer]]
name = "e1"
ch_out = 32
kernel = 1
split = "first"

[[layer]]
name = "e3"
ch_out = 32
split = "second"
shifts = {bias = -2, out = 9, concat = 1}
"""


def test_zynqnet_is_the_published_one():
    found = [
        (
            *(n.name, n.width, n.height, n.ch_in, n.ch_out, n.kernel, n.stride, int(n.relu)),
            *(int(n.split == "first"), int(n.split == "second"), int(n.gpool)),
            *(n.mem_in, n.mem_out, n.mem_weights, n.weights),
        )
        for n in zynqnet().layers
    ]
    assert found == [row[:-1] for row in LAYERS]
    assert (zynqnet().weights, zynqnet().macs) == (WEIGHTS, MACS)


def test_the_original_reserves_too_little_and_we_do_not():
    memory = MemoryMap(zynqnet())
    overrun = memory.overrun()
    assert overrun is not None
    assert (overrun.layer, overrun.reserved, overrun.needed, overrun.bytes) == ("c10/p2", RESERVED, NEEDED, 128 * 1024)
    assert memory.words == WEIGHTS + NEEDED == 5_965_344
    memory.check()
    # The words that the original declares for its simulation are 32,768 too few, and one less than needed is too few as well.
    for words, layer in ((WEIGHTS + RESERVED, "c10/p1"), (memory.words - 1, "c10/p2")):
        with pytest.raises(UsageError, match=f"output of {layer}: .* are not inside a memory of {words} words"):
            memory.check(words)


def test_nothing_but_pool_sums_overlaps_what_is_still_needed():
    memory = MemoryMap(zynqnet())
    layers = zynqnet().layers
    for layer in layers:
        source, target = memory.layer_input(layer), memory.layer_output(layer)
        assert source.end <= target.first
        assert memory.layer_weights(layer).end <= memory.data_offset
    assert [memory.layer_pool(n).first - memory.data_offset for n in layers if n.gpool] == [0, 512]


def test_a_network_without_a_split_end_is_large_enough():
    assert (
        MemoryMap(parse_network({"input": {"width": 8, "height": 8, "channels": 3}, "layer": [_layer("a")]})).overrun()
        is None
    )


def test_a_described_network(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(DESCRIPTION)
    network = load_network(path)
    one, first, second = network.layers
    assert (one.width_out, one.height_out, one.mem_out) == (4, 3, 1024)
    assert (first.width, first.height, first.ch_in, second.ch_in) == (4, 3, 16, 16)
    assert (first.mem_in, second.mem_in, first.mem_out, second.mem_out) == (1024, 1024, 2048, 2080)
    assert second.shifts is not None
    assert (second.shifts.bias, second.shifts.out, second.shifts.concat) == (-2, 9, 1)
    same = tmp_path / "tiny.json"
    same.write_text(
        json.dumps(
            {
                "name": "tiny",
                "input": {"width": 8, "height": 6, "channels": 3},
                "layer": [
                    {"name": "c1", "ch_out": 16, "stride": 2},
                    {"name": "e1", "ch_out": 32, "kernel": 1, "split": "first"},
                    {"name": "e3", "ch_out": 32, "split": "second", "shifts": {"bias": -2, "out": 9, "concat": 1}},
                ],
            }
        )
    )
    assert load_network(same) == network


def _layer(name, **more):
    return {"name": name, "ch_out": 16, **more}


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "layer"),
        ([_layer("a", ch_out=0)], r"layer\.0\.ch_out: 0"),
        ([_layer("a", ch_out=513)], r"layer\.0\.ch_out: 513"),
        ([_layer("a", kernel=5)], r"layer\.0\.kernel: 5"),
        ([_layer("a", kernel=True)], r"layer\.0\.kernel: True, expected a whole number"),
        ([_layer("a", stride=1.0)], r"layer\.0\.stride: 1\.0, expected a whole number"),
        ([_layer("a", ch_out="16")], r"layer\.0\.ch_out: '16', expected a whole number"),
        ([_layer("a", ch_out=16.0)], r"layer\.0\.ch_out: 16\.0, expected a whole number"),
        ([_layer("a", relu=1)], r"layer\.0\.relu: 1, expected true or false"),
        ([_layer("a", gpool="yes")], r"layer\.0\.gpool: 'yes', expected true or false"),
        ([_layer("a", shifts={"out": True})], r"layer\.0\.shifts\.out: True, expected a whole number"),
        ([_layer("a", colour=1)], r"layer\.0\.colour"),
        ([_layer("much too long")], r"layer\.0\.name"),
        ([_layer("a"), _layer("a")], "two layers are called 'a'"),
        ([_layer("a", split="first")], "needs its second"),
        ([_layer("a", split="second")], "right after a first"),
        ([_layer("a", split="first"), _layer("b")], "right after a first"),
        ([_layer("a", split="first"), _layer("b", split="second", ch_out=32)], "same ch_out"),
        ([{"name": "a"}], r"layer\.0\.ch_out: nothing"),
    ],
)
def test_descriptions_that_make_no_sense(layers, message):
    with pytest.raises(InputError, match=message):
        parse_network({"input": {"width": 8, "height": 8, "channels": 3}, "layer": layers})


def test_files_that_are_no_networks(tmp_path):
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'name = "\xe9"')
    with pytest.raises(InputError, match=r"latin\.toml.*: found bytes that are not UTF-8"):
        load_network(latin)
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    for path in (broken, tmp_path / "missing.json"):
        with pytest.raises(InputError, match=path.name):
            load_network(path)


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"kernel": 2}, "KERNEL", "expected 1 or 3"),
        ({"stride": 3}, "STRIDE", "expected 1 or 2"),
        ({"width": 7, "stride": 2}, "SIZE", "even sizes"),
        ({"height": 257}, "SIZE", "1 to 256"),
        ({"width": 0}, "SIZE", "1 to 256"),
        ({"width": 1, "ch_in": 3}, "CH_IN", "at least 4 words"),
        ({"ch_out": 24}, "CH_OUT", "a multiple of 16"),
        ({"ch_out": 528}, "CH_OUT", "up to 512"),
        ({"width": 128, "ch_in": 65}, "IMAGE_CACHE", "288 entries"),
        ({"ch_in": 800, "ch_out": 64}, "WEIGHTS_CACHE", "3200 rows"),
        ({"mem_out": 1026}, "ALIGNMENT", "multiples of 16"),
        ({"mem_out": 1 << 23}, "MEMORY", "not inside"),
        ({"mem_out": 2048}, "OVERLAP", "overlaps"),
        # With several, the lowest code is the one.
        ({"kernel": 2, "stride": 3, "mem_out": 2048}, "KERNEL", "expected 1 or 3"),
    ],
)
def test_layers_that_cannot_run(change, code, message):
    layer, memory = mini().layers[3], MemoryMap(mini())
    check_layer(layer, memory)
    wrong = layer.model_copy(update=change)
    assert configuration_error(wrong, memory, Hardware()) is ErrorCode[code]
    with pytest.raises(UsageError, match=message):
        check_layer(wrong, memory)


def test_fewer_processing_elements_have_deeper_caches():
    layer = mini().layers[3].model_copy(update={"width": 8, "ch_in": 192, "ch_out": 256, "mem_out": 16384})
    memory = MemoryMap(zynqnet())
    for npe in (4, 8, 16):
        assert configuration_error(layer, memory, Hardware(npe=npe)) is ErrorCode.NONE
        more = layer.model_copy(update={"ch_in": 193})
        assert configuration_error(more, memory, Hardware(npe=npe)) is ErrorCode.WEIGHTS_CACHE


def test_register_programs():
    memory = MemoryMap(zynqnet())
    assert [(r.address, r.value) for r in setup_rows(memory)] == [
        (0x88, 0x3800_0000),
        (0x90, 0),
        (0xA0, WEIGHTS),
        (0xB8, WEIGHTS + NEEDED),
    ]
    rows = {r.register: r for r in layer_rows(zynqnet().layer("f2/e3"))}
    assert (rows["NAME0"].value, rows["NAME1"].value) == (0x652F3266, 0x33)
    expected = {"WIDTH": 64, "HEIGHT": 64, "CH_IN": 16, "CH_OUT": 64, "KERNEL": 3, "STRIDE": 1, "PAD": 1, "RELU": 1}
    expected |= {"FIRST_SPLIT": 0, "SECOND_SPLIT": 1, "GLOBAL_POOL": 0, "MEM_IN": 1245184, "MEM_OUT": 1310784}
    expected |= {"MEM_WEIGHTS": 12112, "NUM_WEIGHTS": 9280}
    assert {name: rows[name].value for name in expected} == expected
    accesses = layer_program(zynqnet().layers[0], memory)
    assert (accesses[0].address, accesses[-1].address, accesses[-1].value) == (0x88, 0x00, 1)
    assert all(a.op == "write" for a in accesses)
    shifted = zynqnet().layers[0].model_copy(update={"shifts": Shifts(bias=-2, out=11, concat=-1)})
    assert {r.register: r.value for r in layer_rows(shifted)}["SHIFTS"] == 0xFF0BFE
