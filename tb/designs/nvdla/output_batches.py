# SPDX-License-Identifier: Apache-2.0
"""The output memories of a model that ran on several inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.tb.designs.nvdla.tensors import Output, rank_text

_SHOWN_RUNS = 20


def batch_arrays(runs: Sequence[Mapping[int, Output]], *, several: bool) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """Each memory, and each cube in it, as an array by its file's name; of several inputs one behind the other in a leading axis.

    Args:
        runs: the outputs by memory, input after input.
        several: the arrays get that axis.
    """

    def joined(arrays: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.stack(arrays) if several else arrays[0]

    for ident, first in runs[0].items():
        yield f"memory{ident}.npy", joined([outputs[ident].array for outputs in runs])
        for who in first.cubes:
            yield f"memory{ident}.{who}.npy", joined([outputs[ident].cubes[who] for outputs in runs])


def batch_lines(runs: Sequence[Mapping[int, Output]]) -> list[str]:
    """For people: the classes of every input; ``{folder}`` stands for the run's folder."""
    lines = [
        f"input {number}: {one.title}: classes {rank_text(one)}"
        for number, outputs in enumerate(runs[:_SHOWN_RUNS])
        for one in outputs.values()
        if one.ranking()
    ]
    if len(runs) > _SHOWN_RUNS:
        lines.append(f"... and {len(runs) - _SHOWN_RUNS} more inputs; all in {{folder}}/report.json")
    lines.append(f"{len(runs)} inputs, {len(runs[0])} memories each in {{folder}}/output")
    return lines
