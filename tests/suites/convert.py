"""Convert public test suites into the cases that `test_suites.py` judges Skörd by.

The cases of all suites go into one file of JSON lines, packed with xz, and their licences into
`LICENCES.txt` beside it. Every line is an object with `suite`, `id` and what that suite needs. The
same commits give the same bytes. The tests read the file beside this script, which git ignores, or
else the one in `../shared/suites` beside the checkout. To write it, clone each repository of
SOURCES, bare or not, then convert:

    git clone --bare https://github.com/html5lib/html5lib-tests clones/html5lib-tests
    python tests/suites/convert.py clones tests/suites/cases.jsonl.xz

To move a suite to a newer commit, change it in SOURCES, convert, run `pytest tests/suites`, and
correct the counts and differences in `known.json` by what it prints.

What is left out, since nothing here does it: trees of fragments and of pages with scripting on;
pages with lone surrogates; of robots_test.cc all but the decisions on addresses; lists of
structured fields, and their serialisation.
"""

from __future__ import annotations

import argparse
import ast
import json
import lzma
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Case = dict[str, Any]


class Source(NamedTuple):
    """A repository at one commit, its licence and the file of it, and where its clone is."""

    repository: str
    commit: str
    licence_file: str
    licence: str
    clone: Path = Path()

    def names(self, folder: str, ending: str) -> list[str]:
        """List the files of a folder, "" for all, and below it."""
        listed = self._git("ls-tree", "-r", "--name-only", self.commit).decode().splitlines()
        return sorted(name for name in listed if name.startswith(folder) and name.endswith(ending))

    def data(self, name: str) -> bytes:
        """Read a file."""
        return self._git("show", f"{self.commit}:{name}")

    def text(self, name: str) -> str:
        """Read a file in UTF-8."""
        return self.data(name).decode("utf-8")

    def _git(self, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.clone), *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def sections_of(data: bytes) -> Iterator[dict[str, bytes]]:
    """Cut a `.dat` file of html5lib into its tests: name of each section -> its content."""
    for test in re.split(rb"(?:\A|\n)#data\n", data)[1:]:
        parts = re.split(rb"(?:\A|\n)#([a-z-]+)(?=\n|\Z)", test)
        named = dict(zip((name.decode() for name in parts[1::2]), parts[2::2], strict=True))
        yield {"data": parts[0]} | {name: part.removeprefix(b"\n") for name, part in named.items()}


def html_trees(source: Source) -> Iterator[Case]:
    """Tree construction: whole pages, scripting off."""
    for name in source.names("tree-construction/", ".dat"):
        for number, test in enumerate(sections_of(source.data(name)), 1):
            if "document-fragment" in test or "script-on" in test:
                continue
            yield {
                "id": f"{name.removeprefix('tree-construction/')}:{number}",
                "html": test["data"].decode("utf-8"),
                "tree": test["document"].decode("utf-8").rstrip("\n"),
            }


def unescaped(text: Any) -> Any:
    """Undo the second escape of tests that are marked `doubleEscaped`, in lists and objects too."""
    if isinstance(text, str):
        return re.sub(r"\\u([0-9A-Fa-f]{4})", lambda match: chr(int(match[1], 16)), text)
    if isinstance(text, list):
        return [unescaped(item) for item in text]
    if isinstance(text, dict):
        return {unescaped(key): unescaped(value) for key, value in text.items()}
    return text


def html_tokens(source: Source) -> Iterator[Case]:
    """The tokenizer: each test in each of its initial states."""
    for name in source.names("tokenizer/", ".test"):
        tests = json.loads(source.data(name)).get("tests", [])
        for number, test in enumerate(tests, 1):
            page, tokens = test["input"], test["output"]
            if test.get("doubleEscaped"):
                page, tokens = unescaped(page), unescaped(tokens)
            if re.search("[\ud800-\udfff]", page):
                continue
            for state in test.get("initialStates", ["Data state"]):
                yield {
                    "id": f"{name.removeprefix('tokenizer/')}:{number}/{state.split()[0]}",
                    "html": page,
                    "state": state,
                    "last": test.get("lastStartTag", ""),
                    "tokens": tokens,
                }


_LITERAL = r'"(?:[^"\\]|\\.)*"'
_STATEMENT = re.compile(
    r"TEST\(RobotsUnittest, (?P<test>\w+)\)"
    r"|(?:absl::string_view|std::string|size_t|int) (?P<name>\w+)(?: =(?P<value>[^;]*))?;"
    r"|while \((?P<grown>\w+)\.size\(\) < (?P<length>\w+)\) \{(?P<body>[^}]*)\}"
    r"|absl::StrAppend\(&(?P<longer>\w+), (?P<added>[^;]*)\);"
    r"|EXPECT_(?P<allowed>TRUE|FALSE)\(\s*IsUserAgentAllowed\((?P<asked>[^;]*)\)\);"
)


class CppTexts:
    """The variables of a C++ test, as far as robots_test.cc uses them."""

    def __init__(self) -> None:
        self.values: dict[str, str | int] = {}

    def value_of(self, source: str) -> str | int:
        """Evaluate literals, names, `absl::StrCat`, lengths, and sums of numbers."""
        source = source.strip()
        if re.fullmatch(rf"(?:{_LITERAL}\s*)+", source):
            return str(ast.literal_eval(f"({source})"))
        if source.startswith("absl::StrCat("):
            parts = self.arguments_of(source.removeprefix("absl::StrCat(").removesuffix(")"))
            return "".join(map(str, parts))
        if length := re.fullmatch(rf"(?:std::string\(({_LITERAL})\)|(\w+))\.length\(\)", source):
            return len(str(self.value_of(length[1] or length[2])))
        if factors := re.fullmatch(r"(\d+) \* (\d+)", source):
            return int(factors[1]) * int(factors[2])
        terms = re.findall(r"([+-]?) ?([\w.()]+)", source)
        if len(terms) == 1:
            return self.values[source]
        return sum(int(self.value_of(term)) * (-1 if sign == "-" else 1) for sign, term in terms)

    def arguments_of(self, source: str) -> list[str | int]:
        """Evaluate arguments between commas."""
        argument = rf"\s*((?:{_LITERAL}|[^,()\"]|\((?:{_LITERAL}|[^\"()])*\))+)"
        return [self.value_of(found) for found in re.findall(argument, source)]

    def append(self, name: str, source: str) -> None:
        """Do `absl::StrAppend`."""
        self.values[name] = str(self.values[name]) + "".join(map(str, self.arguments_of(source)))


def robots(source: Source) -> Iterator[Case]:
    """Google's robots_test.cc: may an agent fetch an address?"""
    decisions = source.text("robots_test.cc").partition("class RobotsStatsReporter")[0]
    code = re.sub(r"^\s*//.*$", "", decisions, flags=re.MULTILINE)
    texts, test, number = CppTexts(), "", 0
    for found in _STATEMENT.finditer(code):
        if found["test"]:
            texts, test, number = CppTexts(), found["test"], 0
        elif found["name"]:
            texts.values[found["name"]] = texts.value_of(found["value"]) if found["value"] else ""
        elif found["longer"]:
            texts.append(found["longer"], found["added"])
        elif found["grown"]:
            appended = re.findall(r"absl::StrAppend\(&(\w+), ([^;]*)\);", found["body"])
            while len(str(texts.values[found["grown"]])) < int(texts.values[found["length"]]):
                for name, added in appended:
                    texts.append(name, added)
        else:
            number += 1
            file, agent, url = texts.arguments_of(found["asked"])
            yield {
                "id": f"{test}:{number}",
                "robots": file,
                "agent": agent,
                "url": url,
                "allowed": found["allowed"] == "TRUE",
            }


def structured_fields(source: Source) -> Iterator[Case]:
    """Dictionaries as they are; items of one line as the value of a dictionary's only key."""
    for name in source.names("", ".json"):
        if "/" in name:
            continue
        for number, test in enumerate(json.loads(source.data(name)), 1):
            raw = test["raw"]
            is_item = test["header_type"] == "item" and [text.strip(" ") for text in raw[:1]] == raw
            if test["header_type"] != "dictionary" and not is_item:
                continue
            expected = test.get("expected")
            yield {
                "id": f"{name}:{number}",
                "field": f"k={raw[0]}" if is_item else ", ".join(raw),
                "members": [["k", expected]] if is_item and expected is not None else expected,
                "may_fail": test.get("can_fail", False),
            }


def markdown(source: Source, name: str, prefix: str, extensions: bool) -> Iterator[Case]:
    """Examples of a specification, all or of extensions alone: Markdown, the HTML that it means."""
    fence = "`" * 32
    example = rf"^{fence} example ?(.*)\n((?s:.*?))^\.\n((?s:.*?))^{fence}$"
    found = re.findall(example, source.text(name), re.MULTILINE)
    for number, (kind, written, html) in enumerate(found, 1):
        if kind or not extensions:
            yield {
                "id": f"{prefix}:{number}",
                "markdown": written.replace("→", "\t"),
                "html": html.replace("→", "\t"),
            }


def commonmark(source: Source) -> Iterator[Case]:
    """All examples of CommonMark."""
    return markdown(source, "spec.txt", "commonmark", extensions=False)


def gfm(source: Source) -> Iterator[Case]:
    """The examples that GFM adds to CommonMark."""
    return markdown(source, "test/spec.txt", "gfm", extensions=True)


def html_encodings(source: Source) -> Iterator[Case]:
    """Pages and the encoding that a browser takes them to be in."""
    for name in source.names("encoding/", ".dat"):
        if name.startswith("encoding/scripted/"):
            continue
        for number, test in enumerate(sections_of(source.data(name)), 1):
            yield {
                "id": f"{name.removeprefix('encoding/')}:{number}",
                "body": test["data"].hex(),
                "encoding": test["encoding"].decode().strip().lower(),
            }


def encoding_labels(source: Source) -> Iterator[Case]:
    """The labels of the Encoding Standard."""
    for heading in json.loads(source.data("encodings.json")):
        for encoding in heading["encodings"]:
            for label in encoding["labels"]:
                yield {"id": label, "encoding": encoding["name"].lower()}


def two_bytes(pointer: int, columns: int, first_lead: int, first_trail: int) -> bytes:
    """The bytes of a pointer into an index of rows and columns without gaps."""
    return bytes([first_lead + pointer // columns, first_trail + pointer % columns])


def shift_jis_bytes(pointer: int) -> bytes:
    """Shift_JIS: the Encoding Standard, section 12.3.2."""
    lead, trail = divmod(pointer, 188)
    return bytes([lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)])


def big5_bytes(pointer: int) -> bytes:
    """Big5: section 11.1.2."""
    lead, trail = divmod(pointer, 157)
    return bytes([lead + 0x81, trail + (0x40 if trail < 0x3F else 0x62)])


def gb18030_bytes(pointer: int) -> bytes:
    """The two-byte part of gb18030: section 10.2.2."""
    lead, trail = divmod(pointer, 190)
    return bytes([lead + 0x81, trail + (0x40 if trail < 0x3F else 0x41)])


def gb18030_ranges(ranges: Sequence[Sequence[int]]) -> Iterator[tuple[bytes, str]]:
    """The first and last character of each range of four-byte characters."""
    ends = [start - 1 for start, _ in ranges[1:-1]] + [39_419, 1_237_575]  # none between the two
    for (start, character), end in zip(ranges, ends, strict=True):
        for pointer in sorted({start, end}):
            rest, fourth = divmod(pointer, 10)
            rest, third = divmod(rest, 126)
            first, second = divmod(rest, 10)
            code = bytes([first + 0x81, second + 0x30, third + 0x81, fourth + 0x30])
            yield code, chr(character + pointer - start)


def encoding_tables(source: Source) -> Iterator[Case]:
    """What each encoding's bytes mean: pairs of bytes (hexadecimal) and text, null for an error."""
    indexes: dict[str, list[Any]] = json.loads(source.data("indexes.json"))
    for name, index in indexes.items():
        if len(index) == 128:
            table = [(bytes([0x80 + at]), code and chr(code)) for at, code in enumerate(index)]
            yield table_case(name, table)

    def all_of(name: str, below: int = 99_999) -> list[tuple[int, str]]:
        return [(at, chr(code)) for at, code in enumerate(indexes[name][:below]) if code]

    jis = all_of("jis0208", 94 * 94)
    katakana = [(code, chr(0xFF61 + code - 0xA1)) for code in range(0xA1, 0xE0)]
    private = [(at, chr(0xE000 + at - 8836)) for at in range(8836, 10716)]
    four = list(gb18030_ranges(indexes["gb18030-ranges"]))
    two = [(gb18030_bytes(at), char) for at, char in all_of("gb18030")]
    pairs = {1133: "\u00ca\u0304", 1135: "\u00ca\u030c", 1164: "\u00ea\u0304", 1166: "\u00ea\u030c"}
    big5 = sorted((dict(all_of("big5")) | pairs).items())
    yield table_case("big5", [(big5_bytes(at), char) for at, char in big5])
    yield table_case("euc-kr", [(two_bytes(at, 190, 0x81, 0x41), c) for at, c in all_of("euc-kr")])
    yield table_case("gbk", [*two, *four])
    yield table_case("gb18030", [*two, *four])
    shift_jis = [(shift_jis_bytes(at), char) for at, char in [*all_of("jis0208"), *private]]
    yield table_case("shift_jis", [*((bytes([c]), char) for c, char in katakana), *shift_jis])
    euc_jp = [(two_bytes(at, 94, 0xA1, 0xA1), char) for at, char in jis]
    euc_jp += [(b"\x8f" + two_bytes(at, 94, 0xA1, 0xA1), char) for at, char in all_of("jis0212")]
    yield table_case("euc-jp", [*((bytes([0x8E, c]), char) for c, char in katakana), *euc_jp])
    shifted = [(b"\x1b$B" + two_bytes(at, 94, 0x21, 0x21) + b"\x1b(B", char) for at, char in jis]
    shifted += [(b"\x1b(I" + bytes([c - 0x80]) + b"\x1b(B", char) for c, char in katakana]
    yield table_case("iso-2022-jp", shifted)


def table_case(encoding: str, table: Sequence[tuple[bytes, str | None]]) -> Case:
    """One line for a whole table."""
    return {"id": encoding, "table": [[code.hex(), text] for code, text in table]}


HTML5LIB = Source(
    "html5lib/html5lib-tests", "9329e64694e7835d0dcff9811e22856ef6ad16f9", "LICENSE", "MIT"
)
ROBOTSTXT = Source(
    "google/robotstxt", "22b355ff855419e6a3ff8ff09c0ad7fdb17116f9", "LICENSE", "Apache-2.0"
)
FIELDS = Source(
    "httpwg/structured-field-tests",
    "1e280c3ed9ffe0ca5fdb1d97219dddc389007677",
    "LICENSE.md",
    "BSD-3-Clause",
)
COMMONMARK = Source(
    "commonmark/commonmark-spec",
    "31c0ca2d294ea60ab4438004da410e2e590a46f2",
    "LICENSE",
    "CC-BY-SA-4.0",
)
CMARK_GFM = Source(
    "github/cmark-gfm", "85d895289c5ab67f988ca659493a64abb5fec7b4", "COPYING", "CC-BY-SA-4.0"
)
ENCODING = Source(
    "whatwg/encoding", "a985b62a9b45c17da3e17a9f0a0b4e30c34c4a8a", "LICENSE", "CC-BY-4.0"
)
SOURCES: dict[str, tuple[Source, Callable[[Source], Iterator[Case]]]] = {
    "html trees": (HTML5LIB, html_trees),
    "html tokens": (HTML5LIB, html_tokens),
    "html encodings": (HTML5LIB, html_encodings),
    "robots": (ROBOTSTXT, robots),
    "structured fields": (FIELDS, structured_fields),
    "commonmark": (COMMONMARK, commonmark),
    "gfm": (CMARK_GFM, gfm),
    "encoding labels": (ENCODING, encoding_labels),
    "encoding tables": (ENCODING, encoding_tables),
}
"""Each suite, where it comes from, and what reads it."""


def main() -> None:
    """Write the cases of all suites, and the licences that they are under."""
    parser = argparse.ArgumentParser(description="Convert public test suites into cases.")
    parser.add_argument("clones", type=Path, help="folder of clones, each named as its repository")
    parser.add_argument("cases", type=Path, help="file to write, *.jsonl.xz")
    given = parser.parse_args()
    lines: list[str] = []
    licences: dict[str, str] = {}
    for suite, (named, read) in SOURCES.items():
        source = named._replace(clone=given.clones / named.repository.split("/")[1])
        lines += (json.dumps({"suite": suite} | case) + "\n" for case in read(source))
        head = f"{source.repository} at {source.commit}: {source.licence}"
        licences[source.repository] = f"{head}\n\n{source.text(source.licence_file)}\n"
    given.cases.write_bytes(lzma.compress("".join(lines).encode(), preset=9))
    given.cases.with_name("LICENCES.txt").write_text("\n".join(licences.values()), encoding="utf-8")


if __name__ == "__main__":
    main()
