# SPDX-License-Identifier: Apache-2.0
"""Traffic of the bus models goes everywhere: an address bit that is lost, however high, gives another value."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import WRITE
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.address_places import address_lines, address_places
from goldbeat.tb.design.bus_episodes import bus_episode
from goldbeat.tb.design.bus_ports import BusPorts
from goldbeat.tb.design.bus_traffic import OPTIONS, bus_cases
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.design.register_walks import storage_words

CLOCKS = {"aclk": Clock(4000, 4000)}


def setting(seed=0, numbers=(), **options):
    return CaseContext({}, {**OPTIONS, **options}, seed, clocks=CLOCKS, numbers=lambda: numbers)


def lite(bits, name="s", direction="in"):
    return LitePort(name=name, clock="aclk", direction=direction, address_width=bits, data_width=32)


def axi(bits, name="s", direction="in"):
    return MemoryPort(name=name, clock="aclk", direction=direction, address_width=bits, data_width=32, id_width=2)


def memory(port, size):
    return BusPorts([port], [], [AddressStretch(0, size, (port.name,))])


def differs(stimulus, wrong):
    """Whether a memory whose addresses are ``wrong`` gives other data than the programs expect."""
    held: dict[int, int] = {}
    for access in stimulus.program.get("s", ()):
        for lane in range(4):
            at = wrong(access.address) + lane
            if access.op == "write":
                if access.strobe >> lane & 1:
                    held[at] = access.value >> 8 * lane & 0xFF
            elif access.value is not None and held.get(at, 0) != access.value >> 8 * lane & 0xFF:
                return True
    for program in stimulus.bursts.values():
        bursts, addresses = program.bursts, program.bursts.addresses().astype(object)
        for row, at in enumerate(bursts.of_beat):
            start = wrong(int(addresses[row]) // 4 * 4)
            for lane in range(4):
                if bursts.kind[at] == WRITE and program.strobe[row, lane]:
                    held[start + lane] = int(program.data[row, lane])
                elif program.checked[row, lane] and held.get(start + lane, 0) != program.data[row, lane]:
                    return True
    return False


def _tied(address, bit, other):
    return address & ~(1 << bit) | (address >> other & 1) << bit


@pytest.mark.parametrize("make", [lite, axi])
@pytest.mark.parametrize("bits", [5, 13, 32])
def test_every_address_bit_that_is_lost_shows(make, bits):
    made = bus_episode(memory(make(bits), 1 << bits), setting(), np.random.default_rng(1), plain=True)
    assert not differs(made, lambda address: address)
    for bit in range(2, bits):
        assert differs(made, lambda address, lost=1 << bit: address & ~lost), bit
        assert differs(made, lambda address, stuck=1 << bit: address | stuck), bit
        for other in {2, bit - 1, bit + 1, bits - 1} & {*range(2, bits)} - {bit}:
            tied = partial(_tied, bit=bit, other=other)
            assert differs(made, tied), (bit, other)


def test_words_at_numbers_of_the_rtl_and_on_every_page_are_tried():
    made = bus_episode(memory(lite(16), 1 << 16), setting(numbers=(0xABC,)), np.random.default_rng(1), plain=True)
    lost = {}
    for access in made.program["s"]:
        lost.setdefault(access.address, []).append(access.op)
    assert {"write", "read"} <= set(lost[0x2AF0]) & set(lost[0xABC])
    assert {address >> 12 for address in lost} == set(range(16))


def test_places_of_slaves_are_apart_and_have_all_bits():
    masters = [axi(32, "m", "out")]
    stretches = [
        AddressStretch(0x4000_0000, 1 << 20, ("a", "b"), "m"),
        AddressStretch(0x3000, 0x4000, ("a",), "m", 0x20_0000),
    ]
    ports = BusPorts([axi(32, "a"), lite(32, "b")], masters, stretches)
    places = address_places(ports, 2048, np.random.default_rng(3))
    targets = [place.target for place in places]
    assert len(set(targets)) == len(targets)
    ends = [
        range(base - s.base + s.target, base - s.base + s.target + size)
        for s in stretches
        for base, size in s.ends(2048)
    ]
    assert not any(target in end for target in targets for end in ends)
    for place in places:
        assert place.stretch.base <= place.base <= place.stretch.base + place.stretch.size - 4
    for slave, stretch in (("a", stretches[0]), ("b", stretches[0]), ("a", stretches[1])):
        own = {p.base for p in places if (p.slave, p.stretch) == (slave, stretch)}
        own |= {at for base in stretch.parts(slave, 2048) for at in range(base, base + 2048, 4)}
        for bit in range(2, 20 if stretch is stretches[0] else 14):
            assert any(at ^ 1 << bit in own for at in own), (slave, bit)


def test_lines_of_slaves_are_apart_and_differ_in_one_bit():
    stretches = [AddressStretch(0, 1 << 16, ("a", "b"), "m")]
    ports = BusPorts([axi(32, "a"), lite(32, "b")], [axi(32, "m", "out")], stretches)
    lines = address_lines(ports, 64, np.random.default_rng(5))
    targets = [at for line in lines for at in range(line.target, line.target + line.size)]
    assert len(set(targets)) == len(targets)
    assert not set(targets) & {at for base, size in stretches[0].ends(64) for at in range(base, base + size)}
    for slave in "ab":
        home, *others = [line.base for line in lines if line.slave == slave]
        assert len(others) > 8
        assert {(home ^ other).bit_count() for other in others} == {1}


def test_memories_behind_masters_hold_the_places():
    ports = BusPorts([lite(20)], [lite(20, "m", "out")], [AddressStretch(0, 1 << 20, ("s",), "m")])
    made = bus_episode(ports, setting(), np.random.default_rng(2), plain=True)
    regions = made.memories["m"].regions
    assert sum(len(region.data) for region in regions) < 6000
    for access in made.program["s"]:
        assert any(region.base <= access.address < region.end for region in regions)
    (sweep,) = (case for case in bus_cases(lambda _: ports, {}) if case.name == "sweep")
    first, second = (sweep.make(replace(setting(5), options=sweep.options)) for _ in range(2))
    assert [one.program for one in first] == [one.program for one in second]


def test_long_storage_is_walked_at_words_that_differ_in_one_bit():
    port = lite(16).model_copy(update={"storage": (Storage(base=0, words=4096),)})
    for seed in range(3):
        words = {word.address for word in storage_words(port, setting(seed), np.random.default_rng(seed))}
        assert len(words) < 60
        assert {0, 0x3FFC, *(1 << bit for bit in range(2, 14)), *(0x3FFC ^ 1 << bit for bit in range(2, 14))} <= words


def test_addresses_that_lead_to_the_same_bytes_take_turns():
    """No two stretches of an episode share a byte of a master; over some episodes all are used, by each slave."""
    slaves, master = [lite(16), lite(16, "t")], lite(16, "m", "out")
    stretches = [
        AddressStretch(0x4000, 0x400, ("s",), "m", 0),
        AddressStretch(0x4400, 4, ("s",), "m", 0),
        AddressStretch(0x8000, 0x400, ("t",), "m", 0x200),
        AddressStretch(0x9000, 0x400, ("s", "t"), "m", 0x800),
    ]
    ports = BusPorts(slaves, [master], stretches)
    used = set()
    for seed in range(8):
        made = bus_episode(ports, setting(errors=False), np.random.default_rng(seed), plain=True)
        used |= {a.address & ~0x3FF for program in made.program.values() for a in program if a.op == "write"}
        used |= {a.address for program in made.program.values() for a in program if a.address == 0x4400}
        regions = sorted(made.memories["m"].regions, key=lambda region: region.base)
        assert all(one.end <= other.base for one, other in pairwise(regions))
    assert used == {0x4000, 0x4400, 0x8000, 0x9000}


def test_addresses_within_words():
    """Bytes before the address are neither written nor compared."""
    made = bus_episode(memory(lite(10), 1 << 10), setting(unaligned=True), np.random.default_rng(3), plain=True)
    assert not differs(made, lambda address: address & ~3)
    for access in made.program["s"]:
        assert access.address % 4 == access.offset
        if access.op == "write":
            assert not access.strobe & (1 << access.offset) - 1
        elif access.offset:
            assert access.mask == 0xFFFF_FFFF >> 8 * access.offset << 8 * access.offset
    offsets = {(access.op, access.offset) for access in made.program["s"]}
    assert {(op, offset) for op in ("read", "write") for offset in range(3)} <= offsets
