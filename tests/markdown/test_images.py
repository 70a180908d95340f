from __future__ import annotations

import re

from skord.markdown.extraction import text_of_lines


def test_images(images_case):
    text, images = text_of_lines(images_case["markdown"].encode() + b"\n")

    wanted = re.sub(r"[^\S\n]+(?=\n|$)", "", images_case["text"])
    assert text == re.sub(r"\n{3,}", "\n\n", wanted).strip("\n")
    assert [one["url"] for one in images] == [url for _, url in images_case["images"]]
    assert all(0 <= one["position"] <= len(text) for one in images)


def test_a_long_line_of_unfinished_images_takes_no_time():
    line = "![a](" * 20_000

    assert text_of_lines(line.encode() + b"\n") == (line, [])
