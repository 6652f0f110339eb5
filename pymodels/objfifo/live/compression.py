# SPDX-License-Identifier: Apache-2.0
"""What a compressing MM2S channel sends and a decompressing S2MM channel takes: groups of bytes without their zeros.

A group is a mask, then its bytes that are not zero in order, then zeros up to the alignment. Bit n of the mask is 1 if
byte n is not zero. Numbers are little-endian.

Sources. AIE-ML: AM020, chapter "Sparsity": 32 bits of mask for 256 bits of data, guard bits up to 32 bits. npu1 and
npu2: sha256 of results on silicon in mlir-aie's programming_examples/basic/dma_compression, test_dma_compression.py.
Both sums of each device are met: of a ramp that was compressed, and of one that was read as if it were compressed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES

GroupWords = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class ZeroFormat:
    """How a generation of arrays leaves zeros out.

    Attributes:
        words: 32-bit words of a group before compression.
        align: 32-bit words that the bytes of a group are filled up to.
    """

    words: int
    align: int

    @property
    def mask_words(self) -> int:
        """32-bit words of a mask."""
        return self.words * WORD_BYTES // 32

    def payload_words(self, mask: GroupWords) -> int:
        """32-bit words that follow a mask."""
        count = sum(int(word).bit_count() for word in mask)
        step = self.align * WORD_BYTES
        return -(-count // step) * self.align

    def compress(self, words: GroupWords) -> GroupWords:
        """Words as they go on the stream.

        Raises:
            UsageError: parts of groups.
        """
        self.require_groups(len(words), "data to compress")
        raw = np.ascontiguousarray(words, "<u4").view(np.uint8).reshape(-1, self.words * WORD_BYTES)
        parts: list[npt.NDArray[np.uint8]] = []
        for group in raw:
            kept = group[group != 0]
            fill = -len(kept) % (self.align * WORD_BYTES)
            parts += [np.packbits(group != 0, bitorder="little"), kept, np.zeros(fill, np.uint8)]
        return np.concatenate(parts).view("<u4").astype(np.uint32) if parts else np.zeros(0, np.uint32)

    def expand(self, group: GroupWords) -> GroupWords:
        """The words of one whole group as it came on the stream; what fills it up is not looked at."""
        raw = np.ascontiguousarray(group, "<u4").view(np.uint8)
        split = self.mask_words * WORD_BYTES
        here = np.unpackbits(raw[:split], bitorder="little").astype(bool)
        found = np.zeros(self.words * WORD_BYTES, np.uint8)
        found[here] = raw[split : split + int(here.sum())]
        return found.view("<u4").astype(np.uint32)

    def require_groups(self, count: int, what: str) -> None:
        """Raise a :class:`UsageError` for a number of words that is not whole groups."""
        if count % self.words:
            raise UsageError(
                f"{what}: {count} words, expected a multiple of {self.words}: how a part of a group is sent is not known"
            )


FORMATS = {"npu1": ZeroFormat(8, 1), "npu2": ZeroFormat(16, 2), "xcve2802": ZeroFormat(8, 1)}
"""By the first part of a device's name."""


def zero_format(device: str) -> ZeroFormat:
    """The format of a device.

    Raises:
        UsageError: it is known of devices with a name alone.
    """
    found = FORMATS.get(device.partition("_")[0])
    if found is None:
        raise UsageError(f"compression on {device}: bytes differ between devices, expected one of {', '.join(FORMATS)}")
    return found


@dataclass
class ZeroExpander:
    """The group that is being received.

    Attributes:
        form: its format.
        name: of the channel, for messages.
        got: its words so far.
    """

    form: ZeroFormat
    name: str
    got: list[int] = field(default_factory=list)

    @property
    def wants(self) -> int:
        """Words that are certain to belong to the group and have not come."""
        mask = self.form.mask_words
        if len(self.got) < mask:
            return mask - len(self.got)
        return mask + self.form.payload_words(np.array(self.got[:mask], np.uint32)) - len(self.got)

    def take(self, words: GroupWords, ends: bool) -> GroupWords | None:
        """Take at most :attr:`wants` words; the group's own words once it is whole.

        Args:
            words: as they came.
            ends: a packet ends with them.

        Raises:
            UsageError: it ends inside the group.
        """
        self.got += [int(word) for word in words]
        if not self.wants:
            group, self.got = np.array(self.got, np.uint32), []
            return self.form.expand(group)
        if ends:
            raise UsageError(f"{self.name}: a packet ends inside a compressed group; missing words: {self.wants}")
        return None
