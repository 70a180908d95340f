from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from skord.models.line_classifier.embedded import WEIGHTS
from skord.models.line_classifier.training.curve import Point, calibration, curve_picture

LETTERS = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_drawn_inside_its_frame():
    points = [Point(0.05, 0.7, 0.97, 0.8), Point(0.5, 0.9, 0.9, 0.9), Point(0.9, 0.95, 0.5, 0.6)]
    tree = ET.fromstring(curve_picture({"all": points}))
    (line,) = tree.iter(f"{LETTERS}polyline")
    places = [tuple(map(float, place.split(","))) for place in line.attrib["points"].split()]
    assert len(places) == 2  # the third lies below the lowest recall shown
    assert all(0 < x < 420 and 0 < y < 420 for x, y in places)
    assert places[0][0] > places[1][0]
    assert places[0][1] > places[1][1]


def test_the_card_shows_a_picture_that_is_there():
    svg = WEIGHTS.with_name("curve.svg").read_text(encoding="utf-8")
    assert len(list(ET.fromstring(svg).iter(f"{LETTERS}polyline"))) == 2
    assert "](curve.svg)" in WEIGHTS.with_name("CARD.md").read_text(encoding="utf-8")


def test_calibration_weighs_pages_alike():
    long = np.array([1.0] * 90 + [0.0] * 10, np.float32)
    short = np.array([0.0], np.float32)
    (actual,) = calibration([long, short], [np.full(100, 0.75), np.full(1, 0.75)], 2)
    assert actual.lines == 101
    assert np.isclose(actual.kept, 0.45)
