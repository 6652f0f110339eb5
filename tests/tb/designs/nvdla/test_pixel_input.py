# SPDX-License-Identifier: Apache-2.0
"""Pictures and arrays for models that read pixels, byte by byte."""

import numpy as np
import pytest
from nvdla_pixels import CODES, pixel_loadable
from PIL import Image

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.tb.designs.nvdla.pictures import Convention, opened_picture
from goldbeat.tb.designs.nvdla.tensors import Output, rank_text, read_tensors

# Bytes of a pixel from the lowest one on, by the vendor's manual.
ORDER = {
    "R8": "R", "A8B8G8R8": "RGBA", "X8B8G8R8": "RGBX", "A8R8G8B8": "BGRA", "X8R8G8B8": "BGRX", "A8Y8U8V8": "VUYA",
    "B8G8R8A8": "ARGB", "B8G8R8X8": "XRGB", "V8U8Y8A8": "AYUV", "R8G8B8A8": "ABGR", "R8G8B8X8": "XBGR",
    "Y8___U8V8_N444": "Y VU", "Y8___V8U8_N444": "Y UV",
}  # fmt: skip
HEIGHT, WIDTH, LINE, UV_LINE, UV = 3, 5, 24, 16, 80


def reads(form):
    """A convolution that reads pixels 8 bytes behind the start of memory 5."""
    channels = 1 if form == "R8" else 3 if " " in ORDER[form] else 4
    source = {"address": 0, "offset": 8, "width": WIDTH, "height": HEIGHT, "channel": channels}
    source |= {"size": LINE * HEIGHT, "line_stride": LINE, "surf_stride": LINE * HEIGHT}
    surface = {"src_data": source, "offset_u": UV, "in_line_uv_stride": UV_LINE}
    return compose([ComposedLayer("CONV", {"data_format": CODES[form]}, surface)], [Data(160, flags=ALLOC | INPUT)])


def expected(form, channels):
    """The bytes of the memory; channels by letter."""
    data = np.zeros(160, np.uint8)
    for plane, letters in enumerate(ORDER[form].split(" ")):
        for y, x, i in np.ndindex(HEIGHT, WIDTH, len(letters)):
            at = 8 + (UV + y * UV_LINE if plane else y * LINE) + x * len(letters) + i
            data[at] = channels.get(letters[i], np.zeros((HEIGHT, WIDTH), np.uint8))[y, x]
    return data


@pytest.mark.parametrize("form", ORDER)
def test_a_picture_is_packed_as_the_format_says(form, tmp_path):
    pixels = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 4), dtype=np.uint8)
    for mode in ("RGB", "RGBA", "L"):
        picture = Image.fromarray(pixels).convert(mode)
        picture.save(tmp_path / "p.png")
        colours = np.asarray(picture.convert("YCbCr" if "Y" in form else "RGB")).transpose(2, 0, 1)
        channels = dict(zip("YUV" if "Y" in form else "RGB", colours, strict=True))
        if form == "R8":
            channels = {"R": np.asarray(picture.convert("L"))}
        elif mode == "RGBA" and "Y" not in form:
            channels["A"] = pixels[..., 3]
        ((given,), _) = read_tensors(reads(form), [tmp_path / "p.png"])
        assert np.array_equal(given[5], expected(form, channels)), mode


@pytest.mark.parametrize("form", ORDER)
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_an_array_is_packed_with_channels_first_or_last(form, kind, tmp_path):
    letters = [c for c in "RGBAXYUV" if c in ORDER[form]]
    letters = [c for c in letters if c not in "AX"] + [c for c in letters if c in "AX"]
    array = np.random.default_rng(2).integers(0, 256, (len(letters), HEIGHT, WIDTH)).astype(np.uint8).view(kind)
    wanted = expected(form, dict(zip(letters, array.view(np.uint8), strict=True)))
    batch = np.stack([array, array])
    for given in (array, array.transpose(1, 2, 0), batch, batch.transpose(0, 2, 3, 1)):
        np.save(tmp_path / "a.npy", given)
        runs, _ = read_tensors(reads(form), [tmp_path / "a.npy"])
        assert all(np.array_equal(run[5], wanted) for run in runs)
        assert len(runs) == (2 if given.ndim == 4 else 1)
    if len(letters) == 4:
        np.save(tmp_path / "a.npy", array[:3])
        ((run,), _) = read_tensors(reads(form), [tmp_path / "a.npy"])
        assert np.array_equal(run[5], expected(form, dict(zip(letters[:3], array[:3].view(np.uint8), strict=True))))


def test_what_does_not_fit_is_refused_with_file_and_expected_form(tmp_path):
    for array in (np.zeros((4, 3, 4), np.int8), np.zeros((2, 3, 5), np.int8), np.zeros((4, 3, 5), np.int16)):
        np.save(tmp_path / "a.npy", array)
        with pytest.raises(InputError) as error:
            read_tensors(reads("A8B8G8R8"), [tmp_path / "a.npy"])
        assert "a.npy: found" in str(error.value)
        assert "expected int8 or uint8 of shape (4, 3, 5) or (3, 5, 4) (A8B8G8R8)" in str(error.value)
    Image.new("RGB", (5, 4)).save(tmp_path / "p.png")
    with pytest.raises(InputError, match=r"p\.png: found 5 x 4 pixels, expected 5 x 3"):
        read_tensors(reads("A8B8G8R8"), [tmp_path / "p.png"])
    Image.new("RGB", (5, 3)).save(tmp_path / "p.png")
    for convention in (Convention(scale="half"), Convention(order="rgb")):
        with pytest.raises(UsageError, match="do not apply"):
            read_tensors(reads("A8B8G8R8"), [tmp_path / "p.png"], convention)


def test_the_packed_picture_gives_what_its_bytes_give(tmp_path):
    loadable, image, _ = pixel_loadable()
    placement = place_memories(loadable)
    wanted = execute(placement)
    np.save(tmp_path / "a.npy", image)
    ((given,), _) = read_tensors(loadable, [tmp_path / "a.npy"])
    assert np.array_equal(execute(placement, given)[7], wanted[7])


def test_classes_of_equal_values_are_not_ranked():
    def text(*values):
        array = np.array(values, np.int8).reshape(-1, 1, 1)
        return rank_text(Output(7, "prob", True, array.view(np.uint8).reshape(-1), array))

    assert text(5, 5, 5) == "none: all 3 values are 5"
    assert text(5, 6, 5) == "1 (6), 0 (5), 2 (5)"


def test_a_picture_of_more_than_eight_bits_is_refused(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.full((4, 4), 300, np.uint16)).save(tmp_path / "a.png")
    with pytest.raises(InputError, match="expected 8 bits per channel"), opened_picture(tmp_path / "a.png"):
        pass


def test_a_damaged_picture_is_said_without_the_words_of_a_library(tmp_path):
    file = tmp_path / "a.png"
    said = r"a\.png: found a damaged picture, or none, expected a picture"
    for data in (b"", b"GIF89a", b"\x89PNG\r\n\x1a\n" + bytes(40)):
        file.write_bytes(data)
        with pytest.raises(InputError, match=said), opened_picture(file):
            pass
