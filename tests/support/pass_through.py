# SPDX-License-Identifier: Apache-2.0
"""Descriptions of a design with one stream in and one out, which passes on what it is given."""


def _stream(name: str, way: str, width: int, *, last: bool) -> str:
    wires = ("tdata", "tlast", "tvalid", "tready") if last else ("tdata", "tvalid", "tready")
    signals = ", ".join(f'{wire} = "{name}_{wire}"' for wire in wires)
    return f'[[streams]]\nname = "{name}"\ndirection = "{way}"\nwidth = {width}\nsignals = {{ {signals} }}\n'


def pass_through(name: str, file: str, *, width: int = 8, last: bool = False, more: str = "") -> str:
    """The description.

    Args:
        name: of the design and its module.
        file: its source.
        width: of both streams, in bits.
        last: both have TLAST, and frames of 1 to 12 beats.
        more: further lines for the top of the description.
    """
    head = f'name = "{name}"\ntop = "{name}"\nfiles = ["{file}"]\nmodel = "identity"\ncompare_time = false\n{more}'
    clock = '[[clocks]]\nname = "aclk"\nreset = "aresetn"\n'
    streams = _stream("s_axis", "in", width, last=last) + _stream("m_axis", "out", width, last=last)
    return f"{head}{clock}{streams}[traffic]\n" + ("frame = [1, 12]\n" if last else "")
