# SPDX-License-Identifier: Apache-2.0
"""What object FIFOs do to data, by numpy indexing alone: no model, no plan, only the rules of the format.

Streams are flat arrays of elements. Dims are (size, stride) pairs in elements, outermost first.
"""

import numpy as np


def indices(dims):
    """The order in which a walk touches elements."""
    sizes = [n for n, _ in dims]
    grid = np.indices(sizes).reshape(len(sizes), -1)
    return sum(grid[i] * dims[i][1] for i in range(len(dims)))


def gather(objects, dims):
    """Objects (n, elements) sent in the order of a walk."""
    return objects[:, indices(dims)]


def scatter(objects, dims):
    """Objects (n, elements) that arrive and are written in the order of a walk."""
    out = np.zeros_like(objects)
    out[:, indices(dims)] = objects
    return out


def chunks(stream, elements):
    """A stream cut into objects; a rest that is no whole object never arrives."""
    return stream[: len(stream) // elements * elements].reshape(-1, elements)


def distribute(objects, offsets):
    """The parts of each object, one list for each leg."""
    ends = [*offsets[1:], objects.shape[1]]
    return [objects[:, a:b] for a, b in zip(offsets, ends, strict=True)]


def join(legs):
    """The parts put together again."""
    return np.concatenate(legs, axis=1)


def repeat(objects, times):
    """Each object so often."""
    return np.repeat(objects, times, axis=0)


def pad(objects, rows, cols, before_after, value=0):
    """A value around each object of rows x cols, as far as the elements hold its bits."""
    shaped = objects.reshape(-1, rows, cols)
    fill = np.array([value], np.int64).astype(objects.dtype)[0]
    return np.pad(shaped, ((0, 0), *before_after), constant_values=fill).reshape(len(objects), -1)


def start_with(first, objects):
    """Objects that are there at the start come out first."""
    return np.concatenate([first, objects])
