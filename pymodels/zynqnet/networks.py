# SPDX-License-Identifier: Apache-2.0
"""Networks that come with Goldbeat: ZynqNet and a very small one."""

from __future__ import annotations

from functools import cache

from goldbeat.pymodels.zynqnet.network import InputShape, LayerSpec, Network, NetworkSpec, Split, place_layers

_SQUEEZES = (
    # name, kernel, stride, channels, channels of each expand half
    ("f2", 3, 2, 16, 64),
    ("f3", 1, 1, 16, 64),
    ("f4", 3, 2, 32, 128),
    ("f5", 1, 1, 32, 128),
    ("f6", 3, 2, 64, 256),
    ("f7", 1, 1, 64, 192),
    ("f8", 3, 2, 112, 256),
    ("f9", 1, 1, 112, 368),
)
"""The fire modules of ZynqNet v1 (D. Gschwend, "ZynqNet: An FPGA-Accelerated Embedded Convolutional Neural Network", 2016)."""


@cache
def zynqnet() -> Network:
    """ZynqNet as published: 27 layers on an image of 256 x 256 pixels, 1024 classes."""
    layers = [LayerSpec(name="c1", ch_out=64, kernel=3, stride=2)]
    for fire, kernel, stride, squeeze, expand in _SQUEEZES:
        layers.append(
            LayerSpec.model_validate(
                {"name": f"{fire}/s{kernel}", "ch_out": squeeze, "kernel": kernel, "stride": stride}
            )
        )
        layers.append(LayerSpec(name=f"{fire}/e1", ch_out=expand, kernel=1, split="first"))
        layers.append(LayerSpec(name=f"{fire}/e3", ch_out=expand, kernel=3, split="second"))
    halves: tuple[tuple[str, Split], ...] = (("c10/p1", "first"), ("c10/p2", "second"))
    for name, split in halves:
        layers.append(LayerSpec(name=name, ch_out=512, kernel=1, relu=False, split=split, gpool=True))
    return place_layers(
        NetworkSpec(name="zynqnet", input=InputShape(width=256, height=256, channels=3), layer=tuple(layers))
    )


@cache
def mini() -> Network:
    """All kinds of layers in a network that a simulator runs in no time: 16 x 16 pixels, 32 classes."""
    layers = (
        LayerSpec(name="c1", ch_out=16, kernel=3, stride=2),
        LayerSpec(name="f2/s1", ch_out=16, kernel=1),
        LayerSpec(name="f2/e1", ch_out=16, kernel=1, split="first"),
        LayerSpec(name="f2/e3", ch_out=16, kernel=3, split="second"),
        LayerSpec(name="f3/s3", ch_out=32, kernel=3, stride=2),
        LayerSpec(name="c4/p1", ch_out=16, kernel=1, relu=False, split="first", gpool=True),
        LayerSpec(name="c4/p2", ch_out=16, kernel=1, relu=False, split="second", gpool=True),
    )
    return place_layers(NetworkSpec(name="mini", input=InputShape(width=16, height=16, channels=3), layer=layers))
