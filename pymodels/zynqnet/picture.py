# SPDX-License-Identifier: Apache-2.0
"""From a picture to the words in memory.

The network takes blue, green, red less a mean colour, and rows and columns exchanged: row y of the memory is column y of the
picture. The kernels are stored alike, so a picture that is not turned gives wrong results without any error.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.zynqnet.network import InputShape

MEAN = (104, 117, 123)
"""Mean blue, green and red (the public host's values)."""


def from_rgb(picture: npt.NDArray[np.uint8], shape: InputShape) -> npt.NDArray[np.float32]:
    """Turn a picture into an image as it lies in memory.

    Args:
        picture: (rows, columns, 3) red, green, blue.
        shape: what the network wants.

    Returns:
        (height, width, 3) blue, green, red less the mean; rows and columns exchanged.

    Raises:
        InputError: another size, or no picture with three colours.
    """
    wanted = (shape.width, shape.height, 3)
    if picture.dtype != np.uint8 or picture.shape != wanted or shape.channels != 3:
        raise InputError(
            f"a picture of shape {picture.shape}, {picture.dtype}", f"{wanted} of uint8 for {shape.channels} channels"
        )
    turned = picture.transpose(1, 0, 2)[:, :, ::-1]
    return turned.astype(np.float32) - np.array(MEAN, np.float32)
