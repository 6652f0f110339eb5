# SPDX-License-Identifier: Apache-2.0
"""Random single commands of TPUs: every kind that is executed, small shapes, tensors that wrap over the lanes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from goldbeat.pymodels.tpu.hazards.memory import MEMORY, ChipMemory

SIZE = {0: 1, 1: 2, 2: 4, 3: 2, 4: 4, 5: 2}
INTEGERS, FLOATS = (0, 3, 4), (1, 2, 5)
AREA = 0x1000
"""Bytes of a lane for each operand."""
FAR = 1 << 20
"""Where global memory begins, behind its tag."""


@dataclass
class RandomCommand:
    """A command.

    Attributes:
        engine, form, func: of it.
        fields: as the encoder takes them, and as the plain implementation reads them.
        types: type of the elements to fill the operands with, by area of a lane.
        index: (area, limit) of indices, if it has some.
        plain: what only the plain implementation reads.
        words: an area of the lanes, and the words of 32 bits that lie there, lane by lane.
    """

    engine: str
    form: str
    func: int
    fields: dict[str, int]
    types: dict[int, int] = field(default_factory=dict)
    index: tuple[int, int, int] | None = None
    plain: dict[str, int] = field(default_factory=dict)
    words: tuple[int, list[list[int]]] | None = None


class CommandMaker:
    """Random commands of a chip."""

    def __init__(self, chip: str, rng: np.random.Generator) -> None:
        self.chip, self.rng = chip, rng
        self.memory: ChipMemory = MEMORY[chip]
        self.lane = int(rng.integers(self.memory.lanes))
        """Operands of one command begin in one lane."""
        self.old = chip == "BM1684X"
        """Its commands have no requantisation, and other names for some forms."""

    def pick(self, *values: int) -> int:
        return int(self.rng.choice(values))

    def rotation(self) -> int:
        """Whether kernels are turned, which the smallest chip does not do."""
        return 0 if self.chip == "CV184X" else self.pick(0, 1)

    def extent(self) -> int:
        """1, small or odd."""
        return self.pick(1, 1, 2, 3, 5, 7)

    def channels(self) -> int:
        """Few, as many as lanes, one more, or two rows of them."""
        lanes = self.memory.lanes
        return self.pick(1, 2, 3, 5, lanes - 1, lanes, lanes + 1, 2 * lanes + 3) if lanes <= 8 else self.extent()

    def address(self, area: int, lane: int | None = None) -> int:
        """Beginning of an area."""
        lane = self.lane if lane is None else lane
        return lane * self.memory.lane_bytes + area * AREA

    def shape(self) -> dict[str, int]:
        n, h, w = self.pick(1, 1, 2), self.extent(), self.extent()
        return {"res0_n": n, "res0_c": self.channels(), "res0_h": h, "res0_w": w}

    def strides(self, name: str, shape: dict[str, int], *, repeat: bool) -> dict[str, int]:
        """Strides of a layout with gaps; a stride of 0 repeats where that is allowed."""
        h, w = shape["res0_h"], shape["res0_w"]
        w_str = self.pick(1, 2)
        h_str = w * w_str + self.pick(0, 1)
        row = h * h_str + self.pick(0, 3)
        rows = (2 * self.memory.lanes + shape["res0_c"]) // self.memory.lanes + 1
        found = {"n": rows * row, "c": row, "h": h_str, "w": w_str}
        if repeat:
            found[str(self.rng.choice(list("nchw")))] = 0
        return {f"{name}_{axis}_str": value for axis, value in found.items()}

    # -- TIU ----------------------------------------------------------------------------------------------------

    def arithmetic(self) -> RandomCommand:
        shape = self.shape()
        floating = bool(self.rng.integers(2))
        if floating:
            func = self.pick(0, 2, 3, 4, 5, 14, 19, 26, 27, 10, 11, 13, 28 if self.old else 19)
            source = self.pick(*FLOATS)
            target = self.pick(*FLOATS, *INTEGERS) if func == 14 else source
        else:
            func = self.pick(0, 1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 19, 20, 21, 26, 10, 11, 13)
            source = self.pick(*INTEGERS)
            target = self.pick(*INTEGERS, *FLOATS) if func == 14 else source
        sign = self.pick(0, 1) if not floating else 1
        pair = func not in (1, 14, 19, 26, 28)
        fields = shape | {"tsk_opd_num": 2 if pair else 1, "res0_prec": target, "opd0_prec": source}
        fields |= {"opd1_prec": source, "opd0_sign": sign, "opd1_sign": sign, "opd2_sign": self.pick(0, 1)}
        fields |= {"res0_addr": self.address(0), "opd0_addr": self.address(4), "opd1_addr": self.address(8)}
        fields["opd2_n_str"] = self.pick(*range(7)) if func in (14, 21) else 0
        if func in (10, 11, 13):
            fields |= {"tsk_opd_num": 3, "opd2_const": 1, "opd2_addr": self.constant(target), "opd2_prec": target}
        elif not floating and func in (0, 2, 3, 15, 16, 20) and self.rng.integers(2):
            fields |= {"tsk_opd_num": 3, "opd2_const": 1, "opd2_addr": self.pick(0, 1, 2, 0xFF, 0xFD), "opd2_prec": 0}
            fields["opd2_n_str"] = self.pick(*range(7))
        for name in ("opd0", "opd1", "res0"):
            if self.rng.integers(2):
                fields |= {f"{name}_str": 3} | self.strides(name, shape, repeat=name != "res0" and self.pick(0, 1) > 0)
        if func == 21:
            fields |= {
                "opd1_const": 1,
                "opd1_addr": self.pick(0, 1, 3, 0xFF, 0xFD, 0xF9),
                "opd1_prec": 0,
                "opd1_sign": 1,
            }
        elif pair and self.rng.integers(3) == 0:
            fields |= {"opd1_const": 1, "opd1_addr": self.constant(source)}
        types = {4: source, 8: source, 0: target}
        return RandomCommand("tiu", "sAR", func, fields, types, plain={"own_types": 1})

    def division(self) -> RandomCommand:
        """Floats by floats, with 1 to 4 Newton steps."""
        shape, prec = self.shape(), 2 if self.old else self.pick(*FLOATS)
        fields = shape | {"tsk_opd_num": 2, "res0_prec": prec, "opd0_prec": prec, "opd1_prec": prec}
        fields |= {"opd0_sign": 1, "opd1_sign": 1, "opd2_n_str": self.pick(0, 1, 2, 3)}
        fields |= {"res0_addr": self.address(0), "opd0_addr": self.address(4), "opd1_addr": self.address(8)}
        if self.rng.integers(3) == 0:
            fields |= {"opd0_const": 1, "opd0_addr": self.constant(prec)}
        return RandomCommand("tiu", "sAR", 12, fields, {4: prec, 8: prec, 0: prec}, plain={"old": int(self.old)})

    def special(self) -> RandomCommand:
        """Polynomials with coefficients in each lane, and inverse roots."""
        # Nobody knows what becomes of negative numbers on the old chip.
        func = self.pick(12, 12, 12 if self.old else 17)
        prec = 2 if func == 17 else self.pick(*FLOATS)
        fields = self.shape() | {"res0_prec": prec, "opd0_prec": prec, "opd0_sign": 1}
        fields |= {"res0_addr": self.address(0), "opd0_addr": self.address(4), "opd1_addr": self.address(8)}
        fields |= {"opd1_n": self.pick(1, 2, 3, 7, 10)} if func == 12 else {"opd2_n_str": self.pick(0, 1, 2, 3)}
        plain = {"old": int(self.old), "no_root": 0xFFC00000 if self.chip == "BM1688" else 0x7FFFFFFF}
        return RandomCommand("tiu", "sSFU", func, fields, {4: prec, 8: prec, 0: prec}, plain=plain)

    def linear(self) -> RandomCommand:
        """Two numbers for each channel, of one type with the others."""
        prec = self.pick(5) if self.memory.lanes <= 8 else self.pick(*FLOATS)
        fields = self.shape() | {"res0_prec": prec, "opd0_prec": prec}
        fields |= {"res0_addr": self.address(0), "opd0_addr": self.address(4)}
        for name, area in (("opd1", 8), ("opd2", 12)):
            fixed = self.pick(0, 0, 1)
            fields |= {f"{name}_const": fixed, f"{name}_addr": self.constant(prec) if fixed else self.address(area)}
        return RandomCommand(
            "tiu", "sLIN", self.pick(1, 20, 21), fields, {4: prec, 8: prec, 12: prec}, plain={"opd2_prec": prec}
        )

    def constant(self, prec: int) -> int:
        """Bits of a number."""
        if prec in FLOATS:
            bits = int(np.float32(self.rng.normal()).view(np.uint32))
            return {1: int(np.float16(self.rng.normal()).view(np.uint16)), 2: bits, 5: bits >> 16}[prec]
        return int(self.rng.integers(1 << 8 * SIZE[prec]))

    def lanes(self) -> RandomCommand:
        func = self.pick(0, 1, 2, 3)
        lanes = self.memory.lanes
        n, h = self.pick(1, 2), self.extent()
        c, w = (min(self.channels(), 2 * lanes) for _ in range(2))
        if self.memory.lanes <= 8 and self.pick(0, 1):
            c, w = self.pick(1, lanes, lanes + 1), self.pick(1, lanes - 1, lanes + 2)
        prec = self.pick(0, 1, 2)
        fields = {"res0_n": n, "res0_c": c, "res0_h": h, "res0_w": w, "res0_prec": prec}
        fields |= {"opd0_c": w if func < 2 else c if func == 2 else 1, "opd0_w": c if func < 2 else w}
        aligned = func < 2
        fields |= {
            "res0_addr": self.address(0, 0 if aligned else None),
            "opd0_addr": self.address(4, 0 if aligned else None),
        }
        name = "sTRANS&sBC" if self.old else "sCW&sBC"
        return RandomCommand("tiu", name, func, fields, {4: prec})

    def window(self, *, insert: bool = True) -> dict[str, int]:
        """A window that fits."""
        kh, kw, oh, ow = (self.pick(1, 2, 3) for _ in range(4))
        found = {"opd1_h": kh, "opd1_w": kw, "res0_h": oh, "res0_w": ow}
        for axis, side, k, o, size in (("y", ("up", "dn"), kh, oh, "opd0_h"), ("x", ("lf", "rt"), kw, ow, "opd0_w")):
            stride, dilation, inserted = self.pick(1, 2), self.pick(0, 0, 1), self.pick(0, 0, 1)
            needs = (o - 1) * stride + (k - 1) * (dilation + 1) + 1
            pads = (self.pick(0, 1), self.pick(0, 1))
            if needs - sum(pads) < 1:
                pads = (0, 0)
            # The input is as large as the windows need: what is beyond them is not described.
            inner = needs - sum(pads)
            if (inner - 1) % (inserted + 1) or not insert:
                inserted = 0
            found |= {f"res_op_{axis}_str": stride, f"opd1_{axis}_ins0": dilation, f"opd0_{axis}_ins0": inserted}
            found |= {f"opd0_{side[0]}_pad": pads[0], f"opd0_{side[1]}_pad": pads[1]}
            found[size] = (inner - 1) // (inserted + 1) + 1
        return found

    def convolution(self) -> RandomCommand:
        prec = self.pick(0, 1, 2, 5)
        target = {0: 4, 1: self.pick(1, 2), 2: 2, 5: self.pick(5, 2)}[prec]
        fields = self.window() | {"res0_n": self.pick(1, 2), "res0_c": self.channels(), "opd0_c": self.channels()}
        fields |= {
            "opd0_prec": prec,
            "opd1_prec": prec,
            "res0_prec": target,
            "opd3_const": 1,
            "opd3_addr": self.constant(prec),
            "opd4_const": 1,
        }
        signed = 1 if prec else self.pick(0, 1)
        fields["res0_sign"] = self.pick(0, 1)
        fields |= {"opd0_sign": signed, "opd1_sign": signed, "opd2_sign": 1, "kernel_rotate": self.rotation()}
        fields |= {"res0_addr": self.address(0, 0), "opd0_addr": self.address(4, 0), "opd1_addr": self.address(8, 0)}
        bias = bool(self.rng.integers(2)) and not (self.old and prec == 0)
        wide = 4 if prec == 0 else 2
        if self.chip.startswith("BM1690") and prec in (1, 5):
            wide = self.pick(*FLOATS)
        fields |= {"opd2_const": int(not bias), "opd2_addr": self.address(12, 0) if bias else 0, "opd2_prec": wide}
        if not self.old and self.rng.integers(3) == 0:
            fields["relu"] = 1
        types = {4: prec, 8: prec, 12: wide, 0: target}
        return RandomCommand("tiu", "sCONV", 0, fields, types, plain={"bias_prec": wide, "own_sign": int(not self.old)})

    def pooling(self) -> RandomCommand:
        func = self.pick(0, 0, 1, 4) if self.old else self.pick(0, 0, 1, 3, 4)
        prec = self.pick(1, 2, 5) if func in (0, 1) else self.pick(0, 1, 2, 5)
        fields = self.window(insert=False) | {"res0_n": self.pick(1, 2), "res0_c": self.channels()}
        fields |= {"opd0_prec": prec, "res0_prec": prec, "opd3_const": 1, "opd3_addr": self.constant(prec)}
        fields |= {"opd0_sign": 1, "opd1_sign": 1, "opd2_sign": 1}
        fields |= {"res0_addr": self.address(0, 0), "opd0_addr": self.address(4, 0), "opd1_addr": self.address(8, 0)}
        bias = func == 0 and bool(self.rng.integers(2))
        fields |= {"opd2_const": int(not bias), "opd2_addr": self.address(12, 0) if bias else 0}
        if func == 1:
            fields |= {"opd1_const": 1, "opd1_addr": self.constant(prec)}
        if func == 0:
            fields["kernel_rotate"] = self.rotation()
        if bias and self.chip.startswith("BM1690"):
            fields["opd2_prec"] = self.pick(0, prec)
        types = {4: prec, 8: prec, 12: prec}
        return RandomCommand("tiu", "sPorD", func, fields, types, plain={"bias_prec": prec})

    def scale(self, wide: int) -> tuple[int, int, int]:
        """Multiplier, shift and zero point that bring numbers of so many bits to some 8."""
        multiplier = int(self.rng.integers(1 << 28, 1 << 31)) * self.pick(1, 1, -1)
        return multiplier & 0xFFFFFFFF, -int(self.rng.integers(20, 29)) - wide, int(self.rng.integers(-100, 100))

    def quantised(self) -> RandomCommand:
        """Integers to narrow ones, and to floats, by a scale for all or for each channel."""
        func = self.pick(1, 1, 3) if self.old or self.chip == "CV184X" else self.pick(0, 1, 3, 4)
        source = self.pick(0, 3) if func > 1 else self.pick(3, 4) if self.old else self.pick(0, 3, 4)
        target = {0: self.pick(0, 3), 1: self.pick(0, 3), 3: 2, 4: self.pick(3, 4)}[func]
        signed = 1 if self.old and source == 4 else self.pick(0, 1)
        fields = {"res0_n": self.pick(1, 2), "res0_c": self.pick(1, 2, 3, self.memory.lanes)}
        fields |= {"res0_h": self.extent(), "res0_w": self.extent(), "opd0_prec": source, "res0_prec": target}
        fields |= {"opd0_sign": signed, "opd2_sign": self.pick(0, 1), "opd2_n_str": self.pick(*range(7))}
        fields |= {"res0_addr": self.address(0, 0), "opd0_addr": self.address(4, 0), "opd1_addr": self.address(8, 0)}
        bits = {0: 0, 3: 8, 4: 24}[source]
        words = [self._words(func, bits) for _ in range(self.memory.lanes)]
        if self.pick(0, 1):
            multiplier, shift, zero = self.scale(bits)
            float_words = words[0] if func == 0 or self.old else words[0][::-1]
            pair = [multiplier, shift & 0xFF | (zero & 0xFFFF) << 16] if func in (1, 4) else float_words
            fields |= {"opd1_const": 1, "opd1_addr": pair[0], "opd2_addr": pair[1]}
        plain = {"old": int(self.old)}
        return RandomCommand("tiu", "sRQ&sDQ", func, fields, {4: source, 0: target}, plain=plain, words=(8, words))

    def _words(self, func: int, bits: int) -> list[int]:
        """Those of a channel in local memory."""
        multiplier, shift, zero = self.scale(bits)
        if func in (1, 4):
            packed = [multiplier, shift & 0xFF | (zero & 0xFFFF) << 16]
            return [multiplier, shift & 0xFFFFFFFF, zero & 0xFFFFFFFF] if self.old else packed
        factor = int(np.float32(self.rng.uniform(0.01, 3) / 2**bits).view(np.uint32))
        return [factor, int(np.float32(zero + 0.3).view(np.uint32))] if func == 0 else [zero & 0xFFFFFFFF, factor]

    def requantised(self) -> RandomCommand:
        """A convolution or an average of int8 that scales its sums; the scales lie where registers that are 0 say."""
        if self.old:
            return self.quantised()
        one = self.convolution() if self.pick(0, 1) else self.pooling()
        one.func = 0 if one.form == "sCONV" else 1
        signed = self.pick(0, 1)
        one.fields |= {"opd0_prec": 0, "opd1_prec": 0, "res0_prec": 0, "opd0_sign": signed, "opd1_sign": signed}
        one.fields |= {"opd2_const": 1, "opd2_addr": 0, "opd3_addr": self.constant(0), "res0_sign": self.pick(0, 1)}
        one.fields |= {"opd2_n_str": self.pick(*range(7)), "rq": 1, "opd4_const": 1, "relu": self.pick(0, 1)}
        one.fields |= {"res0_c": self.pick(1, 3, self.memory.lanes), "res0_addr": self.address(2, 0)}
        if one.form == "sPorD":
            one.fields |= {"opd1_const": 1, "opd1_addr": self.constant(0), "relu": 0}
        one.types = {4: 0, 8: 0}
        one.plain = {"bias_prec": 4, "own_sign": 1}
        one.words = 0, [self._words(1, 12) for _ in range(self.memory.lanes)]
        return one

    def comparison(self) -> RandomCommand:
        func = self.pick(22, 23, 24, 25, 26)
        first, second = self.pick(0, 1, 2, 5), self.pick(0, 1, 2)
        fields = self.shape() | {"opd0_prec": first, "opd2_prec": second, "opd0_sign": 1, "opd1_sign": 1}
        areas = {"res0": 0, "res1": 3, "opd0": 6, "opd1": 8, "opd2": 10, "opd3": 12}
        fields |= {f"{name}_addr": self.address(area) for name, area in areas.items()}
        for name, prec in (("opd1", first), ("opd2", second), ("opd3", second)):
            if self.rng.integers(3) == 0:
                fields |= {f"{name}_const": 1, f"{name}_addr": self.constant(prec)}
        types = {6: first, 8: first, 10: second, 12: second}
        return RandomCommand("tiu", "sCMP", func, fields, types)

    def picking(self) -> RandomCommand:
        func, prec, index = self.pick(13, 14), self.pick(0, 1, 2), 0
        c = self.channels()
        # More than one line is refused by the functional models, and by this one.
        high, wide, many = 1, self.pick(1, 2, 5, 9, 17), self.extent()
        limit = wide
        fields = {"res0_n": self.pick(1, 2), "res0_c": c, "opd1_c": c, "opd1_w": many, "opd1_prec": index}
        fields |= {"res0_prec": prec, "opd0_prec": prec, "opd2_const": 1, "opd2_addr": self.constant(prec)}
        table = {"opd0_h": high, "opd0_w": wide}
        if func == 13:
            fields |= table | {"res0_h": 1, "res0_w": many}
        else:
            fields |= {"res0_h": high, "res0_w": wide, "opd0_h": 1, "opd0_w": many}
        fields |= {"res0_addr": self.address(0, 0), "opd0_addr": self.address(4, 0), "opd1_addr": self.address(8, 0)}
        # The last of two equal targets of a scatter is not tried: nothing public says which stays.
        return RandomCommand("tiu", "sSG", func, fields, {4: prec, 0: prec}, (8, limit, SIZE[index]))

    def rows(self) -> RandomCommand:
        func, prec = self.pick(4, 5), self.pick(1, 5)
        rows, columns, inner = self.channels(), self.extent(), self.pick(1, 3, 9, 17, 40)
        right = (inner, columns) if func == 4 else (columns, inner)
        bias = not self.old and bool(self.rng.integers(2))
        wide = self.pick(*FLOATS) if self.chip.startswith("BM1690") else 2
        if func == 6:
            rows = min(rows, 7)
        target = 4 if prec == 0 else self.pick(prec, 2)
        fields = {"res0_c": rows, "res0_w": columns, "opd1_c": right[0], "opd1_w": right[1]}
        fields |= {"opd2_const": int(not bias), "opd2_addr": self.address(12, 0) if bias else 0}
        fields |= {
            "opd0_prec": prec,
            "opd1_prec": prec,
            "opd2_prec": wide,
            "res0_prec": target,
            "opd0_sign": 1,
            "opd1_sign": 1,
        }
        fields |= {"res0_addr": self.address(0, 0), "opd0_addr": self.address(4, 0), "opd1_addr": self.address(8, 0)}
        types = {4: prec, 8: prec, 12: wide}
        return RandomCommand("tiu", "sMM2", func, fields, types, plain={"bias_prec": wide})

    def cut(self) -> RandomCommand:
        prec = 0
        wide, channels = self.pick(1, 3, 4), self.pick(1, 2, 3)
        last = self.pick(*range(1, wide + 1))
        rows = self.extent()
        turned = self.pick(0, 1)
        fields = {"opd0_n": rows, "opd0_c": channels, "opd0_w": wide, "opd1_w": last, "res0_c": self.pick(1, 2, 3)}
        fields |= {"res0_w": self.pick(1, 3, 4), "left_tran": turned, "opd2_const": 1, "opd0_prec": prec}
        fields |= {"res0_prec": self.pick(0, 3), "opd0_sign": 1, "opd1_sign": 1, "res0_sign": 1}
        fields |= {"res0_addr": self.address(0, 0), "opd0_addr": self.address(4, 0), "opd1_addr": self.address(8, 0)}
        return RandomCommand("tiu", "sMM", 1, fields, {4: prec, 8: prec}, plain={"own_sign": 1})
