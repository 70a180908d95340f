"""Public test suites as judges; `convert.py` says where their cases come from.

`known.json` holds, by suite, the number of cases and the ids of those that come out otherwise here,
by reason. It is strict: a case that newly fails, and a listed one that newly passes, both fail.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cmarkgfm import cmark
from http_sf import StructuredFieldError

from skord.crawl.robots import robots_allow, rules_for
from skord.html.charset.decode import decode
from skord.html.charset.decoders import read
from skord.html.charset.names import charset_name
from skord.html.cleaning import clean_html
from skord.html.pandoc_dialect import fast_markdown
from skord.native import html_nodes, html_tokens
from skord.rights.structured_fields import parse_field_dictionary
from tests.conftest import SHARED

HERE = Path(__file__).parent
KNOWN = json.loads((HERE / "known.json").read_text(encoding="utf-8"))
PLACES = (HERE / "cases.jsonl.xz", SHARED / "suites" / "cases.jsonl.xz")

Case = dict[str, Any]
Outcome = Iterator[tuple[str, bool]]
"""Id of a case, and whether it comes out as its suite wants it."""


@pytest.fixture(scope="module")
def cases() -> dict[str, list[Case]]:
    """The cases of each suite."""
    found = next((place for place in PLACES if place.exists()), None)
    if found is None:
        pytest.skip("needs the cases that tests/suites/convert.py writes")
    by_suite: dict[str, list[Case]] = {}
    for line in lzma.decompress(found.read_bytes()).splitlines():
        case = json.loads(line)
        by_suite.setdefault(case["suite"], []).append(case)
    return by_suite


NAMESPACED = re.compile(
    "xlink:(actuate|arcrole|href|role|show|title|type)|xml:(lang|space)|xmlns:xlink"
)
"""Attributes that have a namespace in foreign elements (WHATWG HTML 13.2.6.1)."""


def tree_of(html: str) -> str:
    """The tree of a page as html5lib's tests write it."""
    lines: list[str] = []
    templates: list[int] = []  # depths of those around a node: they add a line "content" and a step
    for depth, kind, text, attributes in html_nodes(html):
        while templates and templates[-1] >= depth:
            templates.pop()
        indent = "  " * (depth + len(templates))
        if kind in ("html", "svg", "math"):
            lines.append(f"{indent}<{text}>" if kind == "html" else f"{indent}<{kind} {text}>")
            named = [(attribute_name(name, kind), value) for name, value in attributes]
            lines += [f'{indent}  {name}="{value}"' for name, value in sorted(named)]
            if (kind, text) == ("html", "template"):
                templates.append(depth)
                lines.append(f"{indent}  content")
        elif kind == "text":
            lines.append(f'{indent}"{text}"')
        else:
            form = {"comment": "<!-- {} -->", "doctype": "<!DOCTYPE {}>", "instruction": "<?{}>"}
            lines.append(indent + form[kind].format(text))
    return "\n".join(f"| {line}" for line in lines)


def attribute_name(name: str, kind: str) -> str:
    """The name as the tests write it: a blank for the colon behind the prefix of a namespace."""
    return name.replace(":", " ") if kind != "html" and NAMESPACED.fullmatch(name) else name


def judge_trees(cases: list[Case]) -> Outcome:
    """Of a doctype our tree keeps the name alone."""
    for case in cases:
        wanted = re.sub(r'^(\| <!DOCTYPE [^ >"]*) ".*>$', r"\1>", case["tree"], flags=re.MULTILINE)
        yield case["id"], tree_of(case["html"]) == wanted


STATES = ("Data state", "RCDATA state", "RAWTEXT state", "Script data state", "PLAINTEXT state")
"""Where a test may begin, as `html_tokens` counts it; beside them "CDATA section state"."""


def tokens_of(case: Case) -> list[list[Any]]:
    """The tokens as html5lib's tests write them; of a doctype its name and "is quirky"."""
    in_cdata = case["state"] == "CDATA section state"
    html = f"<![CDATA[{case['html']}" if in_cdata else case["html"]
    content = 0 if in_cdata else STATES.index(case["state"])
    tokens: list[list[Any]] = []
    for kind, text, attributes, flag in html_tokens(html, content, case["last"] or "?", in_cdata):
        if kind == "text" and tokens and tokens[-1][0] == "Character":
            tokens[-1][1] += text
        elif kind == "text":
            tokens.append(["Character", text])
        elif kind == "start":
            tokens.append(["StartTag", text, dict(attributes), *([True] if flag else [])])
        elif kind == "end":
            tokens.append(["EndTag", text])
        elif kind == "doctype":
            tokens.append(["DOCTYPE", text, flag])
        else:
            tokens.append(["Comment" if kind == "comment" else "ProcessingInstruction", text])
    return tokens


def are_tokens(ours: list[list[Any]], wanted: list[list[Any]]) -> bool:
    """Whether they agree; what is incorrect of a doctype has to ask for quirks mode."""
    if len(ours) != len(wanted):
        return False
    for our, one in zip(ours, wanted, strict=True):
        if one[0] == "DOCTYPE" == our[0]:
            if our[1] != (one[1] or "") or (not one[4] and not our[2]):
                return False
        elif our != one:
            return False
    return True


def judge_tokens(cases: list[Case]) -> Outcome:
    for case in cases:
        yield case["id"], are_tokens(tokens_of(case), case["tokens"])


def judge_robots(cases: list[Case]) -> Outcome:
    for case in cases:
        allowed = robots_allow(rules_for(case["robots"], case["agent"]), case["url"])
        yield case["id"], allowed == case["allowed"]


def token_in(item: Any) -> str:
    """What `parse_field_dictionary` gives for a value: a token, or "" for any other type."""
    value = item[0]
    return value["value"] if isinstance(value, dict) and value["__type"] == "token" else ""


def judge_fields(cases: list[Case]) -> Outcome:
    for case in cases:
        wanted = case["members"]
        try:
            found = parse_field_dictionary(case["field"])
        except StructuredFieldError:
            yield case["id"], wanted is None or case["may_fail"]
        else:
            named = wanted is not None and {key: token_in(item) for key, item in wanted}
            yield case["id"], found == named


BLOCKS = re.compile(
    "/?(html|head|body|p|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|blockquote|pre|hr|br|h[1-6])"
)
UNWRAPPED = frozenset(["a", "div"])
KEPT_ATTRIBUTES = ("src=", "alt=", "start=")


def visible_tree(html: str) -> list[tuple[str, ...]]:
    """Tags and texts of a page, less what docs/explanation/markdown.md leaves out of our Markdown
    (links, boxes, titles, languages of code) and less blanks beside blocks.
    """
    tree: list[tuple[str, ...]] = []
    open_tags: list[tuple[int, str]] = []

    def close_down_to(depth: int) -> None:
        while open_tags and open_tags[-1][0] >= depth:
            if (name := open_tags.pop()[1]) not in UNWRAPPED:
                tree.append((f"/{name}",))

    for depth, kind, text, attributes in html_nodes(html):
        close_down_to(depth)
        if kind == "text":
            is_raw = any(name == "pre" for _, name in open_tags)
            form = "raw" if is_raw else "text"
            whole = (tree.pop()[1] if tree[-1][0] == form else "") + text
            tree.append((form, whole if is_raw else re.sub(r"[ \t\n]+", " ", whole)))
        elif kind == "html":
            open_tags.append((depth, text))
            if text not in UNWRAPPED:
                kept = (f"{name}={value}" for name, value in sorted(attributes) if value)
                tree.append((text, *(one for one in kept if one.startswith(KEPT_ATTRIBUTES))))
    close_down_to(0)

    plain: list[tuple[str, ...]] = []
    for before, part, after in zip(tree, tree[1:], tree[2:], strict=False):
        if part[0] != "text":
            plain.append(part)
            continue
        text = part[1].lstrip(" ") if BLOCKS.fullmatch(before[0]) else part[1]
        if text := text.rstrip(" ") if BLOCKS.fullmatch(after[0]) else text:
            plain.append(("text", text))
    return plain


def judge_markdown(cases: list[Case]) -> Outcome:
    """HTML to our Markdown, and by cmark-gfm to HTML again, which says what it said."""
    for case in cases:
        again = cmark.markdown_to_html_with_extensions(
            fast_markdown(clean_html(case["html"])),
            cmark.Options.CMARK_OPT_UNSAFE,
            ["table", "strikethrough"],
        )
        yield case["id"], visible_tree(again) == visible_tree(case["html"])


def judge_labels(cases: list[Case]) -> Outcome:
    for case in cases:
        yield case["id"], charset_name(case["id"]) == case["encoding"]


def judge_tables(cases: list[Case]) -> Outcome:
    for case in cases:
        for code, wanted in case["table"]:
            try:
                text = read(bytes.fromhex(code), case["id"])
            except UnicodeDecodeError:
                text = None
            yield f"{case['id']}:{code}", text == wanted


def judge_encodings(cases: list[Case]) -> Outcome:
    """Three letters that are no UTF-8 follow a page in any other charset: no declaration is read of
    what is in UTF-8.
    """
    for case in cases:
        letters = b"" if case["encoding"] == "utf-8" else b"\xe5\xe4\xf6"
        decoded = decode(bytes.fromhex(case["body"]) + letters, None)
        yield case["id"], decoded.charset == case["encoding"]


JUDGES: dict[str, Callable[[list[Case]], Outcome]] = {
    "html trees": judge_trees,
    "html tokens": judge_tokens,
    "html encodings": judge_encodings,
    "robots": judge_robots,
    "structured fields": judge_fields,
    "commonmark": judge_markdown,
    "gfm": judge_markdown,
    "encoding labels": judge_labels,
    "encoding tables": judge_tables,
}


def listed(entries: list[str]) -> set[str]:
    """The ids of entries: "tests1.dat:44 47" are two.

    >>> sorted(listed(["latin1", "big5:8740 8741"]))
    ['big5:8740', 'big5:8741', 'latin1']
    """
    ids: set[str] = set()
    for entry in entries:
        group, colon, numbers = entry.rpartition(":")
        ids |= {f"{group}{colon}{number}" for number in numbers.split()}
    return ids


@pytest.mark.parametrize("suite", JUDGES)
def test_what_is_known_to_differ_differs_and_nothing_else(suite, cases):
    outcome = dict(JUDGES[suite](cases[suite]))
    known = set().union(*map(listed, KNOWN[suite]["differences"].values()))
    failed = {name for name, is_right in outcome.items() if not is_right}

    assert len(outcome) == KNOWN[suite]["cases"]
    assert sorted(failed - known) == [], "these fail now"
    assert sorted(known - failed) == [], "these pass now: take them out of known.json"
