# SPDX-License-Identifier: Apache-2.0
"""SDP that hands its results to PDP: random operations of both, and convolutions in front of them."""

from __future__ import annotations

from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.cdp_operations import cdp_operation
from goldbeat.tb.designs.nvdla.convolution_mixes import small_convolution
from goldbeat.tb.designs.nvdla.traffic import ATOM, DrawnOperation, MemorySpace, Size, random_pdp, random_sdp


def to_pdp(sdp: DrawnOperation) -> DrawnOperation:
    """The SDP operation, its results on their way to PDP."""
    sdp.set("SDP", "D_FEATURE_MODE_CFG", OUTPUT_DST=1)
    return sdp


def flying_pdp(
    rng: Rng,
    space: MemorySpace,
    size: Size | None = None,
    *,
    wild: bool = False,
    windows: tuple[int, int] | None = None,
) -> DrawnOperation:
    """A PDP operation as :func:`random_pdp` draws it that takes its data from SDP."""
    pdp = random_pdp(rng, space, size=size, wild=wild, windows=windows)
    pdp.set("PDP", "D_OPERATION_MODE_CFG", FLYING_MODE=0)
    return pdp


def input_size(pdp: DrawnOperation) -> Size:
    """Width, height and channels of a PDP operation's input."""
    width, height, channels = (
        pdp.fields["PDP", f"D_DATA_CUBE_IN_{side}", f"CUBE_IN_{side}"] + 1 for side in ("WIDTH", "HEIGHT", "CHANNEL")
    )
    return width, height, channels


def pooled(rng: Rng, space: MemorySpace, pdp: DrawnOperation) -> list[DrawnOperation]:
    """A PDP operation on the fly and the SDP operation from memory that feeds it, either of them first."""
    pair = [to_pdp(random_sdp(rng, space, size=input_size(pdp))), pdp]
    return pair if rng.integers(2) else pair[::-1]


def pooled_in_parts(rng: Rng, space: MemorySpace) -> list[DrawnOperation]:
    """SDP and PDP whose cubes differ: PDP takes atoms of several SDP operations, and what one has left is for the next."""
    width, height = int(rng.integers(1, 12)), int(rng.integers(2, 8))
    pools = [flying_pdp(rng, space, (width, height, ATOM)) for _ in range(2)]
    (wide, high, _), (other, more, _) = (input_size(pdp) for pdp in pools)
    left = wide * high + other * more
    found = [pools[0]]
    while left:
        atoms = int(rng.integers(1, left + 1))
        found.append(to_pdp(random_sdp(rng, space, size=(atoms, 1, ATOM))))
        left -= atoms
        if len(found) == 2:
            found.append(pools[1])
    return found


def pooled_convolution(rng: Rng, space: MemorySpace) -> list[DrawnOperation]:
    """A chain of all three: convolution, SDP on the fly, PDP on the fly."""
    size = int(rng.integers(1, 9)), int(rng.integers(1, 7)), int(rng.integers(1, 18))
    pdp = flying_pdp(rng, space, size)
    small = small_convolution(rng, space, input_size(pdp))
    return [small.conv, *([to_pdp(small.sdp), pdp] if rng.integers(2) else [pdp, to_pdp(small.sdp)])]


def flying_mix(rng: Rng, space: MemorySpace, count: int) -> list[DrawnOperation]:
    """Operations on the fly of any kind among those of SDP, PDP and CDP with data from memory."""
    operations: list[DrawnOperation] = []
    for _ in range(count):
        match int(rng.integers(8)):
            case 0:
                operations.append(random_sdp(rng, space))
            case 1:
                operations.append(random_pdp(rng, space))
            case 2:
                operations.append(cdp_operation(rng, space))
            case 3:
                operations += pooled_in_parts(rng, space)
            case 4 | 5:
                operations += pooled_convolution(rng, space)
            case _:
                operations += pooled(rng, space, flying_pdp(rng, space, wild=bool(rng.integers(4) == 0)))
    return operations
