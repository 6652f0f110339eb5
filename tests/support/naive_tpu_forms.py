# SPDX-License-Identifier: Apache-2.0
"""The forms of TPU commands, the plain way."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from naive_tpu import (
    ALIGNED,
    COMPACT,
    FLOATS,
    SIZE,
    NaiveTpu,
    Shape,
    bits_to_number,
    cells,
    held,
    number_to_bits,
    rounded,
)

F32 = np.float32


def arithmetic(tpu: NaiveTpu) -> None:
    f, func, shape = tpu.f, tpu.func, tpu.shape
    pair = f("tsk_opd_num") > 1
    source, target = f("opd0_prec"), f("res0_prec")
    signed = bool(f("opd0_sign") or (pair and f("opd1_sign")) or func == 16)
    a = tpu.number("opd0", (1, *shape[1:]) if func == 28 else shape, f("opd0_str"))
    b = tpu.number("opd1", shape, f("opd1_str")) if pair else None
    found = {}
    for index in cells(shape):
        first = a((0, *index[1:])) if func == 28 else a(index)
        if func == 14:
            found[index] = cast(first, source, target, bool(f("opd2_sign")), f("opd2_n_str"))
        elif func in (10, 11, 13):
            true = {10: first > b(index), 11: first == b(index), 13: first < b(index)}[func]
            found[index] = f("opd2_addr") & (1 << 8 * SIZE[target]) - 1 if true else 0
        elif func == 12:
            found[index] = divided(F32(first), F32(b(index)), target, f("opd2_n_str"), old=bool(f("old")))
        elif source in FLOATS:
            found[index] = floats(func, first, b(index) if b else 0.0, target)
        else:
            found[index] = integers(tpu, first, b(index) if b else 0, signed)
    tpu.store("res0", shape, found, f("res0_str"))


def fitted(value: float, prec: int) -> np.float32:
    """Rounded to a type; in fp32 without numbers below the least normal one."""
    number = F32(bits_to_number(number_to_bits(value, prec), prec, True))
    return F32(math.copysign(0.0, number)) if prec == 2 and abs(number) < F32(2.0**-126) else number


def inverse_root(x: np.float32, prec: int, steps: int) -> np.float32:
    """The guess from half of the bits, and Newton's rule y(3/2 - xyy/2), product by product."""
    magic = {1: 0x59BA, 2: 0x5F3759DF, 5: 0x5F37}[prec]
    y = F32(bits_to_number(magic - (number_to_bits(x, prec) >> 1) & (1 << 8 * SIZE[prec]) - 1, prec, True))
    half = fitted(x * F32(0.5), prec)
    for _ in range(steps):
        inner = fitted(fitted(half * y, prec) * y, prec)
        y = fitted(y * fitted(F32(1.5) - inner, prec), prec)
    return y


def divided(a: np.float32, b: np.float32, prec: int, iterations: int, *, old: bool) -> int:
    with np.errstate(all="ignore"):
        root = inverse_root(abs(b), prec, iterations + 1)
        if np.isinf(b) and not old:
            root = F32(0)
        found = fitted(fitted(a, prec) * fitted(root * root, prec), prec)
    return number_to_bits(-found if np.signbit(b) else found, prec)


def special(tpu: NaiveTpu) -> None:
    """12: a polynomial, whose coefficients lie in the lane of the channel; 17: one over the root."""
    f, shape = tpu.f, tpu.shape
    prec, x = f("opd0_prec"), tpu.number("opd0", tpu.shape)
    found = {}
    for index in cells(shape):
        value = F32(x(index))
        if tpu.func == 17:
            found[index] = number_to_bits(root_of(value, f("opd2_n_str"), old=bool(f("old")), none=f("no_root")), prec)
            continue
        total = F32(0)
        for place in reversed(range(f("opd1_n"))):
            data, at = tpu.lane(f("opd1_addr"), (0, index[1] % tpu.memory.lanes, 0, place), (0, 0, 0, 1), SIZE[prec])
            coefficient = F32(bits_to_number(tpu.load((data, at), SIZE[prec]), prec, True))
            with np.errstate(all="ignore"):
                total = fitted(fitted(total * value, prec) + coefficient, prec)
        found[index] = number_to_bits(total, prec)
    tpu.store("res0", shape, found)


def linear(tpu: NaiveTpu) -> None:
    """1: times one number of the channel plus another; 20 and 21: the square of a sum and of a difference."""
    f, func, shape = tpu.f, tpu.func, tpu.shape
    prec, x = f("res0_prec"), tpu.number("opd0", tpu.shape)
    a, b = (tpu.number(f"opd{n}", (1, shape[1], 1, 1), COMPACT) for n in (1, 2))
    found = {}
    for index in cells(shape):
        first, one = F32(x(index)), (0, index[1], 0, 0)
        term = {1: first * F32(a(one)), 20: first + F32(a(one)), 21: first - F32(a(one))}[func]
        inner = F32(bits_to_number(number_to_bits(term, prec), prec, True))
        found[index] = number_to_bits(inner + F32(b(one)) if func == 1 else inner * inner, prec)
    tpu.store("res0", shape, found)


def root_of(x: np.float32, iterations: int, *, old: bool, none: int) -> np.float32:
    with np.errstate(all="ignore"):
        if old:
            return inverse_root(x, 2, iterations + 1)
        if abs(x) < F32(2.0**-126):
            return F32(math.copysign(math.inf, x))
        if x < 0:
            return np.uint32(none).view(F32)
        return F32(0) if np.isinf(x) else inverse_root(x, 2, iterations + 1)


def cast(value: float | int, source: int, target: int, signed: bool, mode: int) -> int:
    if target in FLOATS:
        if source == target:
            whole = float(rounded(Fraction(value), mode)) if abs(value) < 2**24 else value
            value = math.copysign(whole, value)
        elif value:
            value = narrowed(value, target, mode, magnitude=source in FLOATS)
        return number_to_bits(value, target)
    whole = rounded(Fraction(value), mode)
    return number_to_bits(held(whole, target, signed), target)


def narrowed(value: float | int, target: int, mode: int, *, magnitude: bool) -> float:
    """A number of a float type; ties "up" and "down" are those of the magnitude, or of the number."""
    digits, least = {1: (10, -14), 2: (23, -126), 5: (7, -126)}[target]
    size = abs(Fraction(value))
    power = max(math.frexp(value)[1] - 1, least)
    step = Fraction(2) ** (power - digits)
    if magnitude and mode > 4 and size >= Fraction(2) ** least:
        return math.copysign(rounded(size / step, mode) * step, value)
    return math.copysign(float(abs(rounded(Fraction(value) / step, mode) * step)), value)


def floats(func: int, a: float, b: float, target: int) -> int:
    x, y = F32(a), F32(b)
    with np.errstate(all="ignore"):
        if func in (19, 28):
            return number_to_bits(a, target)
        made = {
            0: lambda: x * y,
            2: lambda: x + y,
            3: lambda: x - y,
            4: lambda: max(x, y),
            5: lambda: min(x, y),
            26: lambda: abs(x),
            27: lambda: abs(x - y),
        }[func]()
    return number_to_bits(made, target)


def integers(tpu: NaiveTpu, a: int, b: int, signed: bool) -> int:
    func, target, source = tpu.func, tpu.f("res0_prec"), tpu.f("opd0_prec")
    width = 8 * SIZE[source]
    mask = (1 << width) - 1
    if func in (6, 21, 22):
        if func == 22:
            turn = b % width
            raw = a & mask
            return number_to_bits((raw << turn | raw >> (width - turn)) & mask, target)
        value = a if func == 21 else a & mask
        amount = max(-width, min(width, b))
        return number_to_bits(rounded(Fraction(value) * Fraction(2) ** amount, tpu.f("opd2_n_str")), target)
    made = {
        0: lambda: a * b,
        1: lambda: ~a,
        2: lambda: a + b,
        3: lambda: a - b,
        4: lambda: max(a, b),
        5: lambda: min(a, b),
        7: lambda: a & b,
        8: lambda: a | b,
        9: lambda: a ^ b,
        15: lambda: a + b,
        16: lambda: a - b,
        19: lambda: a,
        20: lambda: a * b,
        26: lambda: abs(a),
        27: lambda: abs(a - b),
        28: lambda: a,
    }[func]()
    if tpu.f("tsk_opd_num") > 2:
        shift = int(bits_to_number(tpu.f("opd2_addr") & 0xFF, 0, True))
        made = rounded(Fraction(made) * Fraction(2) ** shift, tpu.f("opd2_n_str"))
    return number_to_bits(held(made, target, signed) if func in (15, 16, 20) else made, target)


def lanes(tpu: NaiveTpu) -> None:
    n, c, h, w = shape = tpu.shape
    size, address = SIZE[tpu.f("res0_prec")], tpu.f("opd0_addr")
    turned = tpu.func in (0, 1)
    source = (n, w, h, c) if turned else (n, 1 if tpu.func == 3 else c, h, w)
    strides = tpu.own_strides(address, source, size)
    found = {}
    for i in cells(shape):
        at = (i[0], i[3], i[2], i[1]) if turned else (i[0], 0 if tpu.func == 3 else i[1], i[2], i[3])
        found[i] = tpu.load(tpu.lane(address, at, strides, size), size)
    target = tpu.f("res0_addr")
    out = tpu.own_strides(target, shape, size)
    if tpu.func == 0:
        # Lines of the result are aligned.
        line = -(-w * size // tpu.memory.unit) * tpu.memory.unit // size
        rows = -(-(target // tpu.memory.lane_bytes + c) // tpu.memory.lanes)
        out = (rows * h * line, h * line, line, 1)
    for i, bits in found.items():
        tpu.put(tpu.lane(target, i, out, size), size, bits)


# -- windows --------------------------------------------------------------------------------------------------------


def seen(tpu: NaiveTpu, high: int, wide: int, y: int, x: int, ky: int, kx: int) -> tuple[int, int] | str | None:
    """The input element that an output element meets at a place of the kernel: None a zero, a text the padding."""
    f = tpu.f
    iy = y * f("res_op_y_str") + ky * (f("opd1_y_ins0") + 1) - f("opd0_up_pad")
    ix = x * f("res_op_x_str") + kx * (f("opd1_x_ins0") + 1) - f("opd0_lf_pad")
    dy, dx = f("opd0_y_ins0") + 1, f("opd0_x_ins0") + 1
    full = (high - 1) * dy + 1, (wide - 1) * dx + 1
    if not (0 <= iy < full[0] and 0 <= ix < full[1]):
        mode = f("pad_mode")
        if mode == 0:
            return "pad"
        iy, ix = (bent(at, size, mode) for at, size in ((iy, full[0]), (ix, full[1])))
    return (iy // dy, ix // dx) if iy % dy == 0 and ix % dx == 0 else None


def bent(at: int, size: int, mode: int) -> int:
    """A place beyond the edge: 1 mirrored without the edge, 2 the edge, 3 from the other side."""
    if mode == 3:
        return at % size
    if mode == 2:
        return max(0, min(size - 1, at))
    while not 0 <= at < size:
        at = -at if at < 0 else 2 * (size - 1) - at
    return at


def depthwise(tpu: NaiveTpu) -> None:
    f, func = tpu.f, tpu.func
    n, c = tpu.shape[:2]
    shape = tpu.shape
    high, wide, kh, kw = f("opd0_h"), f("opd0_w"), f("opd1_h"), f("opd1_w")
    prec, target = f("opd0_prec"), f("res0_prec")
    a = tpu.number("opd0", (n, c, high, wide))
    k = tpu.number("opd1", (1, c, kh, kw), COMPACT)
    bias = tpu.number("opd2", (1, c, 1, 1), COMPACT) if func in (0, 2) and not f("opd2_const") else None
    pad = bits_to_number(f("opd3_addr") & (1 << 8 * SIZE[prec]) - 1, prec, bool(f("opd0_sign")))
    found = {}
    for i, ch, y, x in cells(shape):
        terms = []
        for ky, kx in product(range(kh), range(kw)):
            at = seen(tpu, high, wide, y, x, ky, kx)
            value = pad if at == "pad" else 0 if at is None else a((i, ch, *at))
            place = (kh - 1 - ky, kw - 1 - kx) if f("kernel_rotate") else (ky, kx)
            terms.append((value, k((0, ch, *place))) if func in (0, 1, 2) else value)
        if func in (3, 4):
            total = max(terms) if func == 4 else min(terms)
        elif prec in FLOATS:
            start = [] if bias is None else [F32(bias((0, ch, 0, 0)))]
            total = chains(start + [F32(p) * F32(q) for p, q in terms], target)
        else:
            total = sum(p * q for p, q in terms) + (0 if bias is None else bias((0, ch, 0, 0)))
        total = max(total, 0) if func == 2 or f("relu") else total
        if f("rq"):
            total = held(requantised(tpu, int(total), ch), target, bool(f("res0_sign")))
        elif prec not in FLOATS and func not in (3, 4):
            total = held(total, target, bool(f("opd0_sign") or f("opd1_sign") or f("opd2_sign")))
        found[i, ch, y, x] = number_to_bits(total, target)
    tpu.store("res0", shape, found)


def chains(terms: list[np.float32], prec: int = 2) -> np.float32:
    """Two sums, of even and odd places; every number of the type."""

    def fit(value: np.float32) -> np.float32:
        return F32(bits_to_number(number_to_bits(value, prec), prec, True))

    sums = [F32(0), F32(0)]
    for place, term in enumerate(terms):
        sums[place % 2] = fit(F32(sums[place % 2] + fit(term)))
    return fit(F32(sums[0] + sums[1]))


def exponent(value: Fraction) -> int:
    """Of the leading one."""
    power = value.numerator.bit_length() - value.denominator.bit_length()
    return power if Fraction(2) ** power <= abs(value) else power - 1


def group_sum(pairs: list[tuple[float, float]]) -> np.float32:
    """Products of one group: 24 bits below the leading one of the greatest are kept."""
    products = [Fraction(p) * Fraction(q) for p, q in pairs]
    if not any(products):
        return F32(0)
    unit = Fraction(2) ** (max(exponent(abs(p)) for p in products if p) - 24)
    return F32(float(sum(int(p / unit) for p in products) * unit))


def convolution(tpu: NaiveTpu) -> None:
    f = tpu.f
    n, oc = tpu.shape[:2]
    shape = tpu.shape
    ic, high, wide, kh, kw = f("opd0_c"), f("opd0_h"), f("opd0_w"), f("opd1_h"), f("opd1_w")
    prec, target = f("opd0_prec"), f("res0_prec")
    a = tpu.number("opd0", (n, ic, high, wide), f("opd0_str"))
    cube = {1: tpu.memory.cube, 2: tpu.memory.cube // 2, 4: 1}[SIZE[prec]]
    groups = -(-ic // cube)
    k = tpu.number("opd1", (1, oc, 1, groups * kh * kw * cube), COMPACT)
    bias = tpu.number("opd2", (1, oc, 1, 1), COMPACT) if not f("opd2_const") else None
    pad = bits_to_number(f("opd3_addr") & (1 << 8 * SIZE[prec]) - 1, prec, bool(f("opd0_sign")))
    found = {}
    for i, o, y, x in cells(shape):
        start = bias((0, o, 0, 0)) if bias else 0
        total: float | int | np.float32 = F32(start) if prec in (1, 5) else start
        terms = []
        for g, ky, kx in product(range(groups), range(kh), range(kw)):
            place = (kh - 1 - ky, kw - 1 - kx) if f("kernel_rotate") else (ky, kx)
            pairs = []
            for ch in range(g * cube, min(ic, (g + 1) * cube)):
                at = seen(tpu, high, wide, y, x, ky, kx)
                value = pad if at == "pad" else 0 if at is None else a((i, ch, *at))
                weight = k((0, o, 0, ((g * kh + place[0]) * kw + place[1]) * cube + ch % cube))
                pairs.append((value, weight))
            if prec in (1, 5):
                total = F32(total + group_sum(pairs))
            elif prec == 2:
                terms += [F32(p) * F32(q) for p, q in pairs]
            else:
                total += sum(p * q for p, q in pairs)
        if prec == 2:
            total = chains(([F32(start)] if bias else []) + terms)
        found[i, o, y, x] = total
    finish(tpu, shape, found, target)


def word(tpu: NaiveTpu, address: int, channel: int, place: int) -> int:
    """One of the words of 32 bits that lie side by side in a channel's lane."""
    return tpu.load(tpu.lane(address, (0, channel, 0, place), (0, 0, 0, 1), 4), 4)


def low(value: int, bits: int) -> int:
    """The low bits as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def scaled(value: int, multiplier: int, shift: int, mode: int) -> int:
    return rounded(Fraction(value * low(multiplier, 32)) * Fraction(2) ** low(shift, 8), mode)


def requantised(tpu: NaiveTpu, value: int, channel: int) -> int:
    """By the scale of a channel, which lies where a register that is 0 says."""
    multiplier, rest = (word(tpu, 0, channel, place) for place in range(2))
    return scaled(value, multiplier, rest, tpu.f("opd2_n_str")) + low(rest >> 16, 16)


def quantising(tpu: NaiveTpu) -> None:
    """0 and 1 to narrow integers, 3 and 4 back; odd and even ones by whole numbers and floats."""
    f, func, shape = tpu.f, tpu.func, tpu.shape
    a = tpu.number("opd0", shape, f("opd0_str"))
    target, signed, old = f("res0_prec"), bool(f("opd2_sign")), bool(f("old"))
    found = {}
    for index in cells(shape):
        x = a(index)
        count = 3 if old and func in (1, 4) else 2
        if f("opd1_const"):
            words = [f("opd1_addr"), f("opd2_addr")]
            words = words[::-1] if func == 3 and not old else words
        else:
            words = [word(tpu, f("opd1_addr"), index[1], place) for place in range(count)]
        if func in (1, 4):
            shift, zero = words[1], words[2] if len(words) == 3 else words[1] >> 16
            zero = low(zero, 16) if signed or not old or func == 4 else zero & 0xFFFF
            whole = scaled(x, words[0], shift, f("opd2_n_str")) + zero
            if func == 4:
                whole = scaled(x - zero, words[0], shift, f("opd2_n_str"))
            found[index] = number_to_bits(held(whole, target, signed), target)
        elif func == 3:
            zero = low(words[0], 16) if f("opd0_sign") or not old else words[0] & 0xFFFF
            found[index] = number_to_bits(F32(F32(x - zero) * bits_to_number(words[1], 2, True)), 2)
        else:
            factor, offset = (F32(bits_to_number(one, 2, True)) for one in words)
            whole = rounded(Fraction(float(F32(F32(x) * factor) + offset)), 0)
            found[index] = number_to_bits(held(whole, target, signed), target)
    tpu.store("res0", shape, found, f("res0_str"))


def finish(tpu: NaiveTpu, shape: Shape, found: dict[Shape, float | int], target: int) -> None:
    """Add the old result, cut off below 0, round."""
    f = tpu.f
    signed = bool(f("res0_sign") if f("own_sign") else f("opd0_sign") or f("opd1_sign") or f("opd2_sign"))
    where = tpu.tensor("res0", shape, ALIGNED)
    bits = {}
    for index, value in found.items():
        if f("res_add"):
            old = bits_to_number(tpu.load(where(index), SIZE[target]), target, signed)
            value = F32(value) + F32(old) if target in FLOATS else value + old
        value = max(value, 0) if f("relu") else value
        value = requantised(tpu, int(value), index[1]) if f("rq") else value
        bits[index] = number_to_bits(value if target in FLOATS else held(int(value), target, signed), target)
    tpu.store("res0", shape, bits)


def select(tpu: NaiveTpu) -> None:
    f, func, shape = tpu.f, tpu.func, tpu.shape
    a, b = (tpu.number(name, shape, f(f"{name}_str")) for name in ("opd0", "opd1"))
    raw = {}
    for name in ("opd0", "opd1", "opd2", "opd3"):
        prec = f("opd0_prec") if name in ("opd0", "opd1") else f("opd2_prec")
        strides = tpu.own_strides(f(f"{name}_addr"), shape, SIZE[prec])
        raw[name] = (prec, strides)

    def bits(name: str, index: Shape) -> int:
        prec, strides = raw[name]
        if f(f"{name}_const"):
            return f(f"{name}_addr") & (1 << 8 * SIZE[prec]) - 1
        return tpu.load(tpu.lane(f(f"{name}_addr"), index, strides, SIZE[prec]), SIZE[prec])

    results: dict[str, dict[Shape, int]] = {"res0": {}, "res1": {}}
    for index in cells(shape):
        p, q = a(index), b(index)
        true = {22: p > q, 23: p > q, 24: p == q, 25: p < q, 26: p < q}[func]
        other = bits("opd2" if true else "opd3", index)
        if func in (22, 25):
            results["res0"][index] = bits("opd0" if true else "opd1", index)
            results["res1"][index] = other
        else:
            results["res0"][index] = other
    for name, prec in (("res0", f("opd0_prec") if func in (22, 25) else f("opd2_prec")), ("res1", f("opd2_prec"))):
        strides = tpu.own_strides(f(f"{name}_addr"), shape, SIZE[prec])
        for index, value in results[name].items():
            tpu.put(tpu.lane(f(f"{name}_addr"), index, strides, SIZE[prec]), SIZE[prec], value)
