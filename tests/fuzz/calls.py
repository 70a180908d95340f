"""Calls of compiled functions as inputs: which function, and numbers, tables and texts for it.

An input is JSON: a list of calls, each the name of a function and its arguments. An argument is a
number, a string, null, a list, or an object: `{"i4": [1, 2]}` numbers of a type, `{"room": ["u8",
3]}` so many zeros, `{"bytes": "text"}`, `{"tuple": […]}`, `{"made": 0}` what the first call gave,
`{"says": [1]}` a function that always gives these numbers, `{"entries": [1]}` their bytes,
`{"answers": "a"}` this text. So what changes is the meaning of an argument, and not its spelling.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from skord import native
from skord.extras.contamination.evaluation_sets import QUESTION, Probe
from skord.extras.contamination.index import build_index
from skord.native import _native
from tests.fuzz.mutations import EDGES, bytewise

MOST_NUMBERS = 1 << 21
"""Of a table: there are 0x110000 code points."""

REFUSALS = (ValueError, TypeError, OverflowError, MemoryError, LookupError, BufferError,
            NotImplementedError)  # fmt: skip

NAMES = frozenset(name for name in dir(_native) if not name.startswith("_"))
Call = list[Any]


def read_calls(data: bytes) -> str:
    """Make the calls one after another; says how many gave something."""
    calls = json.loads(data)
    made: list[Any] = []
    for name, *arguments in calls:
        if name not in NAMES:
            raise ValueError(f"there is no function {name!r}")
        made.append(getattr(native, name)(*(decoded(one, made) for one in arguments)))
    return f"{calls[-1][0]} {type(made[-1]).__name__} {_size(made[-1])}"


def _size(value: Any) -> int:
    """Roughly how much came of it; tells outcomes apart."""
    parts = value if isinstance(value, tuple) else (value,)
    return sum(len(part) > 0 for part in parts if isinstance(part, bytes | str | list))


def decoded(argument: Any, made: list[Any]) -> Any:
    """An argument as Python passes it."""
    if isinstance(argument, list):
        return [decoded(one, made) for one in argument]
    if not isinstance(argument, dict):
        return argument
    ((kind, value),) = argument.items()
    if kind == "tuple":
        return tuple(decoded(one, made) for one in value)
    return made[value] if kind == "made" else MAKERS.get(kind, partial(_numbers, kind))(value)


def _room(value: list[Any]) -> np.ndarray:
    return np.zeros(min(abs(int(value[1])), MOST_NUMBERS), value[0])


def _saying(answer: Any) -> Callable[..., Any]:
    return lambda *_: answer


def _numbers(kind: str, values: list[Any]) -> np.ndarray:
    """Numbers of a type; those that are too large for it as their lowest bits."""
    if kind[0] == "f":
        return np.array([float(value) for value in values], kind)
    bits = 8 * int(kind[1])
    unsigned = np.array([int(value) % 2**bits for value in values], f"u{kind[1]}")
    return unsigned.view(kind)


MAKERS: dict[str, Callable[[Any], Any]] = {
    "room": _room,
    "says": lambda value: _saying(_numbers("i4", value)),
    "entries": lambda value: _saying(_numbers("u8", value).tobytes()),
    "answers": _saying,
    "bytes": lambda value: value.encode("utf-8", "surrogatepass"),
}


# -- how they are changed ------------------------------------------------------------------------


def changed_call(dice: random.Random, data: bytes) -> bytes:
    """Another number, another length, another order: one to three times."""
    try:
        calls = json.loads(data)
    except ValueError:
        return data
    for _ in range(dice.choice((1, 1, 2, 3))):
        places = list(_places(calls))
        holder, key = dice.choice(places)
        holder[key] = _changed(dice, holder[key], places)
    return json.dumps(calls).encode()


def _places(value: Any) -> Any:
    """Every list or object in it, with an index or key each, names of functions left alone."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield value, key
            yield from _places(inner)
    if isinstance(value, list):
        for at, inner in enumerate(value):
            if not (at == 0 and isinstance(inner, str) and inner in NAMES):
                yield value, at
            yield from _places(inner)


def _changed(dice: random.Random, value: Any, places: list[Any]) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        near = int(value) if abs(value) < 2**70 else 0
        return dice.choice((*EDGES, near + 1, near - 1, -1, 2**62, 2**64 - 1, near * 2))
    if isinstance(value, str):
        return bytewise(dice, value.encode("utf-8", "replace")).decode("utf-8", "replace")
    if isinstance(value, list) and value and all(isinstance(one, int | float) for one in value):
        return _other_numbers(dice, value)
    if isinstance(value, dict) and dice.random() < 0.5:
        other, key = dice.choice(places)
        return (
            copy.deepcopy(other[key]) if isinstance(other[key], dict) else value
        )  # it may hold this
    return value


def _other_numbers(dice: random.Random, values: list[Any]) -> list[Any]:
    at = dice.randrange(len(values))
    match dice.randrange(6):
        case 0:
            return values[:at]
        case 1:
            return values * dice.choice((2, 3, 40))
        case 2:
            return [*values, dice.choice(EDGES)]
        case 3:
            return sorted(values, reverse=dice.random() < 0.5)
        case 4:
            return [*values[:at], *values[at + 1 :]]
        case _:
            return [*values[:at], dice.choice((*EDGES, -1, -(2**31))), *values[at + 1 :]]


# -- inputs to begin with ------------------------------------------------------------------------

KEPT = "Ett två tre fyra\nEva skrev:\n> Ett två tre fyra\n## b [edit]\n\n![](a)\n"
TEXT = "Kommunen bygger en ny bro över ån. " * 3 + "\n# Bron\n\nDen blir klar 2025, säger hon.\n"


def _of(kind: str, *values: float) -> dict[str, list[float]]:
    return {kind: list(values)}


def _zeros(kind: str, size: int) -> dict[str, list[Any]]:
    return {"room": [kind, size]}


def _text(text: str = TEXT) -> dict[str, str]:
    return {"bytes": text}


def _starts(kind: str = "u8", text: str = TEXT) -> dict[str, list[float]]:
    size = len(text.encode())
    return _of(kind, 0, size // 2, size)


def near_duplicates() -> list[list[Call]]:
    """Keys dealt, shared and numbered; documents decided."""
    scatter: list[Call] = [
        ["key_scatter", 2, 2],
        ["scatter_keys", {"made": 0}, 0, {"tuple": [_of("u8", 1, 2, 1, 2, 2**63, 2), 2, 0, 2]},
         _of("u1", 1, 1, 1), _of("u4", 0, 1, 2), 2**32 - 1],
    ]  # fmt: skip
    earlier = [{"tuple": [_of("u8", 1, 2), _of("u4", 5, 6), 3]}]
    signatures = _of("u8", *range(14), *range(14), *range(14))
    state = [_of("i4", -1, -1), 1, signatures, _of("i4", 0, 1, 2), 90, _of("i4", -1, -1, -1),
             _of("u1", 0, 0, 0)]  # fmt: skip
    decided = [0, _of("i8", 0, 1, 2, 3), _of("u4", 0, 0, 1), {"tuple": state}]
    return [
        [*scatter, ["take_keys", {"made": 0}, 1]],
        [*scatter, ["shared_keys", {"made": 0}, 0, earlier, 1, 2, 7]],
        [*scatter, ["shared_keys", {"made": 0}, 1, [], 31, 1, 0]],
        [["count_rows", _of("u4", 0, 2, 2), _zeros("u1", 3)]],
        [["fill_rows", _of("u4", 5, 6, 6), _of("u4", 0, 1, 2), {"tuple": [2, 10, 20]}, 5, _of("i8", 0, 1),
          _zeros("u4", 3)]],
        [["gather_signatures", signatures, _of("u1", 1, 0, 1), _of("u4", 3, 4, 5),
          _of("i4", 0, -1, 1), 3, _zeros("u8", 28)]],
        [["decide_greedily", *decided]],
        [["join_components", *decided]],
        [["settle_components", signatures, _of("i4", -1, 0, 1), _of("u1", 0, 0, 0)]],
        [["sketches", _starts(), _text(), _zeros("u4", 0x110000), 16, 112, _zeros("u1", 224),
          _zeros("u1", 2)]],
        [["digests", _starts(), _text(), _zeros("u8", 2)]],
        [["published_keys", _starts(), _text(), _zeros("u4", 0x110000),
          {"tuple": [_of("u8", *range(1, 113)), *([_of("u8", *range(112))] * 2), 31]}, 14, _zeros("u8", 28),
          _zeros("u1", 2), _zeros("u1", 2)]],
    ]  # fmt: skip


def _indexed() -> list[Any]:
    """Tables of an item that the text holds, how many words and runs, and where they stand."""
    index = build_index([Probe("set", 0, QUESTION, TEXT)], 1)
    words, grams = index.words, index.grams
    count = len(index.of_probe)
    tables = [{"tuple": [_of("u8", *table.slots.tolist()), _of("u4", *table.numbers.tolist())]}
              for table in (words, grams)]  # fmt: skip
    items = [
        *(_of("u4", *column.tolist()) for column in (index.first, index.of_gram, index.places)),
        _of("f4", *([5.0] * grams.size)), _of("u4", *index.first_word.tolist()),
        _of("u4", *index.of_probe.tolist()), *([_of("f4", *([2.0] * count))] * 2),
    ]  # fmt: skip
    return [{"tuple": [1, *tables]}, words.size, grams.size, {"tuple": items}]


def texts() -> list[list[Call]]:
    """What is counted of texts, and runs that they share."""
    tables = {"tuple": [_zeros("u4", 0x20000), _zeros("u8", 0x20000), _zeros("u8", 0x20000)]}
    words = {"tuple": [_zeros("u8", 16), 16, _of("i4", -1, 0)]}
    notices = {"tuple": [_zeros("u1", 0x20000), _of("i4", 0)]}
    return [
        [["measure_texts", _starts(), _text(), tables, notices, _of("u1", 0, 1),
          {"tuple": [30, 10]}, words, words, _zeros("i8", 80), _zeros("f8", 2)]],
        [["word_numbers", TEXT, tables]],
        [["count_linked", _starts(), _text(),
          {"tuple": [_of("u1", 1, 0, 1, 1, 0, 1), _of("i8", 0, 1, 5)]},
          {"tuple": [_of("i8", 0, 1, 2), _of("i4", 3, 1), _of("i4", 9, 4)]}, _zeros("i8", 2)]],
        [["passage_anchors", _starts(), _text(), 4]],
        [["passage_prints", _starts(), _text(), 4, _of("u4", 0, 1), _of("u4", 2, 3)]],
        [["word_grams", _starts(), _text(), 3]],
        [["item_frequencies", _starts(), _text(), *_indexed()[:3]],
         ["item_matches", _starts(), _text(), _indexed()[0], _indexed()[3],
          {"tuple": [0.0, 0.0, 0.0, 0.0]}]],
        [["write_letters", _starts(), _text(), _of("u1", *range(20), *([3] * 100), 0), 50,
          _zeros("u1", 300), _zeros("i8", 3)]],
        [["sum_letter_grams", {"tuple": [_text(), _starts("i8")]}, 3, _zeros("i1", 64), _zeros("i4", 16),
          _zeros("i8", 2)]],
        [["train_letter_grams", {"tuple": [_text(), _starts("i8")]},
          {"tuple": [_of("i8", 0, 1), _of("i8", 1, 0), 3, 2, 0.1, 0.05]}, _zeros("f4", 16)]],
        [["keep_lines", _of("i8", 0, 5, 5), _text("a\nb\nc"), _of("i8", 3, 0),
          _of("u1", 1, 0, 1)]],
        [["take_texts", _starts(), _text(), _of("i8", 1, 0, 1)]],
        [["wet_pages", [_text(), _text("")], True]],
        [["find_lines", _of("u8", 1, 5), _of("u8", 5, 5, 7), _of("i8", 0, 0, 1), _zeros("i8", 3),
          _zeros("u1", 3)]],
        [["count_keys", _of("u8", 5, 5, 7), _of("i8", 2, 1), _zeros("i4", 3)]],
        [["char_table", {"entries": [0] * 256}],
         ["written", {"made": 0}, TEXT],
         ["line_keys", {"made": 0}, [_text("a\nb"), _text("")]],
         ["member_keys", {"made": 0}, [_text("a\nb"), _text("")], True, 1]],
        [["chunk_reader", _of("i4", 0, 1, -1, -1, -1, 1, -1, -1, -1, -1), 20],
         ["add_word_class", {"made": 0}, _of("i4"), True, False, False],
         ["add_word_class", {"made": 0}, _of("i4", 0, 1), True, True, False],
         ["count_chunks", {"made": 0}, _text(), {"says": [1, 1]}],
         ["list_chunks", {"made": 0}, _text(), {"says": [1]}]],
        [["said_lines", _text("EttTvå\nÅ |"), _of("i8", 1, 0), 9, 3],
         ["lines_holding", _text("EttTvå\nÅ |"), _of("i8", 1, 0), 9, ["etttv", "abcd"]],
         ["best_cut", _text("ett två\nEtt"), _of("f4", 0.5, 0.1)]],
        [["marked_lines", _text("# Å\n| b |\n#")]],
        [["fenced_blocks", _text("- ```\nx\n  ```\n~~~\n")]],
        [["line_verdicts", _text(KEPT), _of("f4", 1, 1, 0.5, 1, 1, 1), 0.5],
         ["joined_lines", _text(KEPT), {"made": 0}, {"answers": "## b"}, False],
         ["doubtful_lines", {"made": 1}], ["text_and_images", {"made": 1}, {"answers": "# VÄdret"}]],
        [["vector_width"]],
    ]  # fmt: skip


_WEIGHTS = (1, 2, 2, 32, 16, 4, 16, 528, 16, 528, 1, 16, 256, 256, 256, 16, 256, 768, 16, 1, 1, 16,
            32, 4)  # fmt: skip
"""Sizes of the arrays of a network with its least widths, for pages with their HTML."""


def networks() -> list[list[Call]]:
    """What the line classifier multiplies and adds up."""
    element, line = _of("i8", 1, 3), _of("i8", 0, 2)
    return [
        [["framing_rows", _text("Hem | Mat | Sport\n# Köp"), {"tuple": [
            _of("i8", 0, 1), _of("i8", 3, 1), _of("f4", 1, 0), _of("f4", 0, 1), _of("u1", 0, 1)]},
          True, {"tuple": [25, 0.5, 0.8, 2, 0.25, 0.95, 25, 0.9]}]],
        [["drawn_to_headings", _text("# Köp\nMat"), _of("i8", 0, 1), _of("f4", 2, -1), _of("f4", 0, 0),
          {"tuple": [0.5, -3, 3, 0.5, 0.5]}]],
        [["line_network", [_zeros("f4", size) for size in _WEIGHTS],
          {"tuple": [16, 1, 1, 1, 1, _of("i8", 1), 0.5, 5.0]}],
         ["judge_lines", {"made": 0}, {"tuple": [_of("f4", 1, 2), _of("i8", 0, 1),
          _of("i8", 0, 1, 2)]}, {"tuple": [_of("f4", 1), _of("f4", 1, 2), _of("i8", 0, 1),
          _of("i8", 0, 2), _of("i8", 0, 0), _of("i8", 0, 1), _of("i8", 0, 2), _of("i8", 0, 0),
          0]}]],
        [["smoothed_logits", _of("f4", 1, 2), _of("i8", 3, 4), _of("i8", 0, 0, 0, 1),
          {"tuple": [_of("f8", 0.4, 0.3), 0.3, 8.0, 0.5]}],
         ["chances_of", _of("f4", -1, 2)],
         ["with_blank_lines", _of("i8", 1, 3), _of("f4", 1, 2), 5, -16.0]],
        [["tree_features",
          {"tuple": [_of("i4", -1, 0), element, _of("i8", 0, 1), _of("i8", 0, 1, 2),
                     _of("u1", 0, 1)]},
          {"tuple": [line, _of("i8", 4, 9), _of("i4", 0, -1, 1), _of("u1", 0, 9, 255)]},
          {"tuple": [4, 5, 3, 1, 2, 3, 250, 5, 0.5, _of("f4", 0.5, 0.9)]}]],
        [["page_reader", _zeros("u1", 300), _of("u4", *range(300)), 15, 64, 8],
         ["read_page", {"made": 0}, _text()]],
        [["element_reader", ["p", "div"], [r"\bnav|menu", "foot[-_]"], 64],
         ["read_elements", {"made": 0}, ["div .nav #top", "p", "p .å"]]],
        [["word_scores", {"tuple": [2, 4, 2, [_text("ny"), _text("bro")], _of("i4", 0, 1, 2, -1),
          _of("f4", *range(10)), _of("f4", *range(4)), _of("i4", 0), _of("i4", 1)]}, 10],
         ["label_columns", {"made": 0}, _starts(), _text(), _of("u1", 1, 1), False, ["sv", "da"], 0.1,
          0.1, 99]],
    ]  # fmt: skip


def seeds(calls: Callable[[], list[list[Call]]]) -> Callable[[], list[bytes]]:
    """Calls as inputs."""
    return lambda: [json.dumps(one).encode() for one in calls()]
