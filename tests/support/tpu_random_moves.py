# SPDX-License-Identifier: Apache-2.0
"""Random moves of TPUs."""

from __future__ import annotations

from tpu_random import SIZE, CommandMaker, RandomCommand

ZERO, AREA_SRC, AREA_DST, AREA_INDEX = 0x100, 4, 0, 12
FAR_SRC, FAR_DST, FAR_INDEX = 0x0, 0x8000, 0x10000


COMMAND_KINDS = (
    *("arithmetic", "lanes", "convolution", "pooling", "comparison", "picking", "rows", "cut", "tensor", "turned"),
    *("matrix", "general", "gather", "division", "special", "linear", "quantised", "requantised"),
)
"""Names of the methods that draw a command."""


class MoveMaker(CommandMaker):
    """Random moves, too."""

    def end(self, name: str, *, far: bool, lane: int | None = None) -> dict[str, int]:
        """An address: offset in global memory, or lane and byte of local memory."""
        areas = {"src": (FAR_SRC, AREA_SRC), "dst": (FAR_DST, AREA_DST), "index": (FAR_INDEX, AREA_INDEX)}
        return {f"{name}_far": int(far), f"{name}_place": areas[name][0] if far else self.address(areas[name][1], lane)}

    def steps(self, name: str, shape: tuple[int, int, int, int], *, far: bool) -> dict[str, int]:
        """Strides with gaps."""
        _, c, h, w = shape
        w_step = self.pick(1, 1, 2)
        h_step = w * w_step + self.pick(0, 1)
        c_step = h * h_step + self.pick(0, 2)
        rows = c if far else (2 * self.memory.lanes + c) // self.memory.lanes + 1
        return {
            f"{name}_{axis}stride": s for axis, s in zip("nchw", (rows * c_step, c_step, h_step, w_step), strict=True)
        }

    def head(self, prec: int) -> dict[str, int]:
        full = 0xFFFFFFFF
        found = {"src_data_format": prec, "stride_enable": 1, "localmem_mask_l32": full, "localmem_mask_h32": full}
        return found | {"default_lanemask1": full, "default_lanemask2": full}

    def tensor(self) -> RandomCommand:
        func, prec = self.pick(0, 0, 0, 1, 3), self.pick(0, 1, 2)
        n, c, h, w = src = (self.pick(1, 2), self.channels(), self.extent(), self.extent())
        far = [bool(self.pick(0, 1)), bool(self.pick(0, 1))]
        if func == 3:
            far[1] = False
        if func == 1:
            far[self.pick(0, 1)] = True
        fields = self.head(prec) | {f"src_{axis}size": s for axis, s in zip("nchw", src, strict=True)}
        dst = {0: src, 1: (c, n, h, w), 3: (n, self.channels(), h, w)}[func]
        copy = self.pick(0, 1) if func == 0 else 0
        if func == 0 and not copy:
            dst = (n, c, w, h)
        if func == 3:
            fields["src_csize"] = 1
        fields |= {f"dst_{axis}size": s for axis, s in zip("nchw", dst, strict=True)}
        fields |= self.steps("src", src, far=far[0]) | self.steps("dst", dst, far=far[1]) | {"nchw_copy": copy}
        fields |= self.end("src", far=far[0]) | self.end("dst", far=far[1])
        if func == 3:
            lane = self.pick(0, self.memory.lanes - 1) if dst[1] == 1 else 0
            fields |= self.end("dst", far=False, lane=lane)
        if func == 0 and self.rng.integers(5) == 0:
            fields |= {"fill_constant_en": 1, "constant_value": self.constant(2)}
        return RandomCommand("gdma", "DMA_tensor", func, fields, {AREA_SRC: prec})

    def turned(self) -> RandomCommand:
        prec = self.pick(0, 1, 2)
        n, c, h, w = src = (self.pick(1, 2), self.channels(), self.extent(), self.extent())
        dst = (n, w, h, c)
        far = [bool(self.pick(0, 1)), bool(self.pick(0, 1))]
        fields = self.head(prec) | {f"src_{axis}size": s for axis, s in zip("nchw", src, strict=True)}
        fields |= {f"dst_{axis}size": s for axis, s in zip("nchw", dst, strict=True)}
        for name, shape, out in (("src", src, far[0]), ("dst", dst, far[1])):
            fields |= self.steps(name, shape, far=out) | self.end(name, far=out)
        return RandomCommand("gdma", "DMA_cw_transpose", 0, fields, {AREA_SRC: prec}, plain={"cw_transpose": 1})

    def matrix(self) -> RandomCommand:
        func, prec, to_local = self.pick(0, 1), self.pick(0, 1, 2), bool(self.pick(0, 1))
        high, wide = self.extent(), self.pick(1, 3, 5, 9, 17)
        far, near = ("src", "dst") if to_local else ("dst", "src")
        rows, columns = (wide, high) if func else (high, wide)
        cut = self.pick(1, 2, 3, 4)
        channels = -(-columns // cut)
        row = cut + self.pick(0, 3)
        step = ((2 * self.memory.lanes + channels) // self.memory.lanes + 1) * row
        fields = self.head(prec) | {
            f"{far}_hsize": high,
            f"{far}_wsize": wide,
            f"{far}_hstride": wide + self.pick(0, 2),
        }
        fields |= {f"{near}_nsize": rows, f"{near}_csize": channels, f"{near}_wsize": cut, f"{near}_hsize": 1}
        fields |= {f"{near}_nstride": step, f"{near}_cstride": row}
        fields |= self.end("src", far=to_local) | self.end("dst", far=not to_local)
        return RandomCommand("gdma", "DMA_matrix", func, fields, {AREA_SRC: prec})

    def general(self) -> RandomCommand:
        func, prec, many = self.pick(0, 1), self.pick(0, 1, 2), self.pick(1, 3, 17, 64)
        far = [bool(self.pick(0, 1)), bool(self.pick(0, 1)) and func == 0]
        fields = self.head(prec) | {"src_cstride": many, "src_cstride(move_length)": many, "dst_csize": 1}
        fields |= self.end("src", far=far[0]) | self.end("dst", far=far[1])
        if func == 1:
            fields |= {"dst_csize": self.pick(1, 2, self.memory.lanes)} | self.end("dst", far=False, lane=0)
        return RandomCommand("gdma", "DMA_general", func, fields, {AREA_SRC: prec})

    def gather(self) -> RandomCommand:
        prec, scatter = self.pick(0, 1, 2), bool(self.pick(0, 1))
        c, w = self.pick(1, 2, 3), self.extent()
        high, rows = self.pick(1, 3, 7), self.pick(1, 2, 5)
        src, dst = ((1, c, rows, w), (1, c, high, w)) if scatter else ((1, c, high, w), (1, c, rows, w))
        own = self.pick(1, c)
        fields = self.head(prec) | {"constant_value": self.constant(2), "index_csize": own, "index_hsize": rows}
        for name, shape in (("src", src), ("dst", dst)):
            _, cs, hs, ws = shape
            step = ws + self.pick(0, 1)
            fields |= {f"{name}_csize": cs, f"{name}_hsize": hs, f"{name}_wsize": ws}
            fields |= {f"{name}_hstride": step, f"{name}_cstride": hs * step + self.pick(0, 2)}
            fields |= self.end(name, far=bool(self.pick(0, 1)))
        fields |= {"index_cstride": rows, "index_hstride": 1} | self.end("index", far=True)
        form = "DMA_scatter" if scatter else "DMA_gather"
        return RandomCommand(
            "gdma", form, 0, fields, {AREA_SRC: prec}, (ZERO, high, SIZE[2]), {"scatter": int(scatter)}
        )
