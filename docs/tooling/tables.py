"""Markdown out of rows, docstrings and comments; nothing here knows what they are about."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields):$", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Rows as a table of Markdown; a cell is one line, and a bar in it no border.

    >>> print(table(["name", "is"], [["a", "x | y"]]), end="")
    | name | is |
    |---|---|
    | a | x \| y |
    """
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in lines).replace(
        "| " + " | ".join(["---"] * len(head)) + " |", "|" + "---|" * len(head)
    )


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", r"\|")


def code(text: object) -> str:
    """In back quotes, or nothing for nothing.

    >>> code("x"), code("")
    ('`x`', '')
    """
    return f"`{text}`" if str(text) else ""


def docstring(thing: object) -> str:
    """A docstring as Markdown: sections of arguments become lists, examples code."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(
        r"((?:^>>> .*\n?(?:^(?!>>>)\S.*\n?|^\.\.\. .*\n?)*)+)", _example, text, flags=re.M
    )
    parts = SECTION.split(text)
    written = [parts[0].strip()]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        entries = "\n".join(
            f"* `{name}`: {' '.join(what.split())}" for name, what in ENTRY.findall(body)
        )
        written.append(f"*{title}*\n\n{entries or inspect.cleandoc(body)}")
    return "\n\n".join(written)


def _example(match: re.Match[str]) -> str:
    return f"```pycon\n{match[0].rstrip()}\n```\n"


def arguments(thing: object) -> dict[str, str]:
    """What a docstring says of each argument, by name."""
    parts = SECTION.split(inspect.getdoc(thing) or "")
    body = dict(zip(parts[1::2], parts[2::2], strict=True)).get("Args", "")
    return {
        name: " ".join(what.split())
        for names, what in ENTRY.findall(body)
        for name in names.split(", ")
    }


def members(enum: type[Enum]) -> list[tuple[str, str]]:
    """Value and docstring of each member of an enum, in order."""
    said = attributes(enum)
    return [(str(member.value), said.get(member.name, "")) for member in enum]


def attributes(cls: type) -> dict[str, str]:
    """Docstrings that stand below a class's attributes, by name."""
    said: dict[str, str] = {}
    name = ""
    for node in ast.walk(ast.parse(inspect.getsource(cls))):
        if isinstance(node, ast.ClassDef):
            body = node.body
            break
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            said.setdefault(name, inspect.cleandoc(str(node.value.value)))
    return said


def in_brackets(text: str) -> dict[str, str]:
    """What a docstring says in brackets right after a name.

    >>> in_brackets("Columns: `bytes`, `text` (the kept lines,\\n`\\\\n` between).")
    {'text': 'the kept lines, `\\\\n` between'}
    """
    columns = re.findall(r"`(\w+)`\s+\(((?:[^()]|\([^()]*\))*)\)", text)
    return {name: " ".join(what.split()) for name, what in columns}


def comments(settings: str) -> dict[tuple[str, str], str]:
    """Section and key of settings to the comment right above the key."""
    told: dict[tuple[str, str], str] = {}
    section, words = "", []
    for line in settings.splitlines():
        key = re.match(r"(?:# )?(\w+) =", line)
        if line.startswith("["):
            section, words = line.strip("[]"), []
        elif key:
            if words:
                told[section, key[1]] = " ".join(words)
            words = []
        elif line.startswith("#"):
            words.append(line.removeprefix("#").strip())
        else:
            words = []
    return told


def meaning(name: str, *sources: Mapping[str, str]) -> str:
    """The first of several descriptions that there is, as a sentence."""
    words = next((source[name] for source in sources if source.get(name)), "")
    return words if re.match(r"\w+:", words) else words[:1].upper() + words[1:]
