from __future__ import annotations

from skord.native import without_images


def test_images(images_case):
    text, images = without_images(images_case["markdown"].encode())

    assert text == images_case["text"]
    assert images == [tuple(image) for image in images_case["images"]]
    assert text.count("\n") == images_case["markdown"].count("\n")


def test_a_long_line_of_unfinished_images_takes_no_time():
    line = "![a](" * 20_000

    assert without_images(line.encode()) == (line, [])
