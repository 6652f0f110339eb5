# SPDX-License-Identifier: Apache-2.0
"""A network as its description says, without memory, addresses or padding: plain numpy in the specified order of sums."""

import numpy as np


def run(description, weights, image):
    """Outputs of all layers by name, and the means over the pixels of the last one (or pair)."""
    outputs, scores, at, source, halves = {}, [], 0, image, []
    for layer in description["layer"]:
        kernel, channels = layer.get("kernel", 3), layer["ch_out"]
        count = source.shape[2] * channels * kernel * kernel
        kernels = weights[at : at + count].reshape(source.shape[2], channels, kernel, kernel)
        biases = weights[at + count : at + count + channels]
        at += count + channels
        out = _convolve(source, kernels, biases, kernel, layer.get("stride", 1), layer.get("relu", True))
        outputs[layer["name"]] = out
        split = layer.get("split", "none")
        halves = [*(halves if split == "second" else []), out]
        if layer.get("gpool"):
            scores.append(_pool(out))
        if split != "first":
            source = np.concatenate(halves, axis=2)
    assert at == len(weights)
    return outputs, np.concatenate(scores) if scores else None


def _convolve(source, kernels, biases, kernel, stride, relu):
    height, width, channels = source.shape
    edge = kernel // 2
    framed = np.zeros((height + 2 * edge, width + 2 * edge, channels), np.float32)
    framed[edge : edge + height, edge : edge + width] = source
    total = np.zeros((-(-height // stride), -(-width // stride), kernels.shape[1]), np.float32)
    for ci in range(channels):
        acc = np.zeros_like(total)
        for row in range(kernel):
            for column in range(kernel):
                pixels = framed[row : row + height : stride, column : column + width : stride, ci, None]
                acc += pixels * kernels[ci, :, row, column]
        total += acc
    total += biases
    return np.where(total < 0, np.float32(0), total) if relu else total


def _pool(out):
    total = np.zeros(out.shape[2], np.float32)
    for pixel in out.reshape(-1, out.shape[2]):
        total += pixel
    return total / np.float32(out.shape[0] * out.shape[1])
