"""Whole HTML pages around the gold text: eight kinds of site, a bare page, and eight of components.

Each layout is a template in `layouts/`, and the words around the text come from
`layouts/chrome.toml`. A site keeps its name, menu and notices on all its pages. Every
page points images, frames and scripts at tracker.example, so that a converter that
fetches what it reads gives itself away.

Sites of components are what frameworks of the 2020s write: no `<main>`, no `<article>`, classes
that a build made up, consent dialogs, cards, tabs, lists that go on. Their templates begin, behind
`<!-- components -->`, with what they share (`components.html`), and repeat what stands between
`<!-- each -->` and `<!-- /each -->` for every section of the page but the first; `$css_name` is
the site's class for a component.
"""

from __future__ import annotations

import hashlib
import html
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from html.entities import codepoint2name
from importlib import resources
from string import Template
from typing import Literal
from urllib.parse import urlsplit

from skord.sample_crawl.page_source import PageSource

_ITEM = re.compile(r"(?:-|\d+\.) +")
_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)
_TAG_NAME = re.compile(r"</?[a-z][a-z0-9]*")

BlockKind = Literal["paragraph", "heading", "list", "numbers", "table", "quote", "code"]


@dataclass(frozen=True)
class Block:
    """One block of Markdown: its lines without their marks; `level` is a heading's."""

    kind: BlockKind
    lines: tuple[str, ...]
    level: int = 0


@dataclass(frozen=True)
class Dialect:
    """How a site writes HTML.

    Attributes:
        paragraphs: "closed" with an end tag, "open" without, "breaks" as `<br><br>`, "boxes"
            as an element without a meaning for each.
        heading: what a heading looks like; `{level}`, `{text}` and `{extra}` are filled in.
        shouting: tags in capitals.
        named: letters outside ASCII as named entities, as hand-written pages had them.
    """

    paragraphs: Literal["closed", "open", "breaks", "boxes"] = "closed"
    heading: str = "<h{level}>{text}</h{level}>"
    shouting: bool = False
    named: bool = False


def blocks_of(text: str) -> list[Block]:
    r"""Cut Markdown into blocks.

    >>> [(block.kind, block.lines) for block in blocks_of("## A\n\n- b\n- c\n  d\n\ne\nf")]
    [('heading', ('A',)), ('list', ('b', 'c d')), ('paragraph', ('e f',))]
    """
    fenced = re.split(r"^```[^\n]*\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    blocks: list[Block] = []
    for number, part in enumerate(fenced):
        if number % 2:
            blocks.append(Block("code", tuple(part.rstrip("\n").split("\n"))))
        else:
            blocks += [_block(chunk) for chunk in re.split(r"\n\s*\n", part.strip()) if chunk]
    return blocks


def _block(chunk: str) -> Block:
    lines = chunk.split("\n")
    marks = re.match(r"(#{2,6}) ", lines[0])
    if marks:
        return Block("heading", (chunk[marks.end() :].strip(),), len(marks[1]))
    if _ITEM.match(lines[0]):
        return Block("list" if lines[0].startswith("-") else "numbers", _items(lines))
    if lines[0].startswith("|"):
        return Block("table", tuple(line for line in lines if not re.fullmatch(r"[|:\- ]+", line)))
    if lines[0].startswith(">"):
        return Block("quote", (" ".join(line.lstrip("> ") for line in lines),))
    return Block("paragraph", (" ".join(line.strip() for line in lines),))


def _items(lines: list[str]) -> tuple[str, ...]:
    items: list[str] = []
    for line in lines:
        mark = _ITEM.match(line)
        if mark:
            items.append(line[mark.end() :].strip())
        else:
            items[-1] += f" {line.strip()}"
    return tuple(items)


def html_of(blocks: list[Block], dialect: Dialect, heading_extra: str = "") -> str:
    """Write blocks as HTML, with some markup after the text of each heading, such as an edit link."""
    return "\n".join(_written_block(block, dialect, heading_extra) for block in blocks)


def _written_block(block: Block, dialect: Dialect, extra: str) -> str:
    end = "" if dialect.paragraphs == "open" else "</li>"
    texts = [inline_html(line) for line in block.lines]
    match block.kind:
        case "heading":
            return dialect.heading.format(level=block.level, text=texts[0], extra=extra)
        case "list" | "numbers":
            name = "ul" if block.kind == "list" else "ol"
            return "\n".join((f"<{name}>", *(f"<li>{text}{end}" for text in texts), f"</{name}>"))
        case "table":
            return "\n".join(
                ("<table border=1>", *(_row(line) for line in block.lines), "</table>")
            )
        case "quote":
            return f"<blockquote>{texts[0]}</blockquote>"
        case "code":
            return f"<pre><code>{html.escape(chr(10).join(block.lines), quote=False)}</code></pre>"
        case "paragraph":
            return _PARAGRAPHS[dialect.paragraphs].format(texts[0])


_PARAGRAPHS = {
    "closed": "<p>{}</p>",
    "open": "<p>{}",
    "breaks": "{}<br><br>",
    "boxes": '<div dir="auto"><span>{}</span></div>',
}


def _row(line: str) -> str:
    cells = line.strip().strip("|").split("|")
    return "<tr>" + "".join(f"<td>{inline_html(cell.strip())}</td>" for cell in cells) + "</tr>"


def inline_html(text: str) -> str:
    """Escape text and turn its emphasis marks into tags.

    >>> inline_html("R&B med *Norsk Ordbog* och `a<b`")
    'R&amp;B med <em>Norsk Ordbog</em> och <code>a&lt;b</code>'
    """
    written = html.escape(text, quote=False)
    for pattern, replacement in _INLINE:
        written = pattern.sub(replacement, written)
    return written


def in_dialect(page: str, dialect: Dialect) -> str:
    """Return a whole HTML page with tags and letters as the dialect writes them.

    >>> in_dialect("<p>Så är det</p>", Dialect(shouting=True, named=True))
    '<P>S&aring; &auml;r det</P>'
    """
    if dialect.shouting:
        page = _TAG_NAME.sub(lambda match: match[0].upper(), page)
    if dialect.named:
        page = "".join(_named_letter(letter) for letter in page)
    return page


def _named_letter(letter: str) -> str:
    name = codepoint2name.get(ord(letter)) if ord(letter) > 127 else None
    return f"&{name};" if name else letter


DIALECTS = {
    "news": Dialect(),
    "blog": Dialect(paragraphs="closed"),
    "forum": Dialect(paragraphs="breaks", heading="<b>{text}</b><br><br>", shouting=True),
    "shop": Dialect(),
    "encyclopedia": Dialect(heading="<h{level}><span>{text}</span>{extra}</h{level}>"),
    "documentation": Dialect(heading="<h{level}>{text}{extra}</h{level}>"),
    "municipality": Dialect(),
    "recipe": Dialect(paragraphs="breaks"),
    "bare": Dialect(paragraphs="open", shouting=True, named=True),
    "magazine": Dialect(heading="<h{level}><span>{text}</span></h{level}>"),
    "handbook": Dialect(heading="<h{level}>{text}{extra}</h{level}>"),
    "service": Dialect(),
    "community": Dialect(paragraphs="boxes"),
    "storefront": Dialect(paragraphs="boxes"),
    "directory": Dialect(heading='<h{level}><a href="#">{text}</a></h{level}>'),
    "collection": Dialect(
        paragraphs="boxes", heading='<h{level}><a href="#">{text}</a></h{level}>'
    ),
    "kitchen": Dialect(),
}
"""How the sites of each layout write HTML."""

_SHOWN = 5
_START = "<!-- components -->\n"
_EACH = re.compile(r"<!-- each -->\n(.*?)<!-- /each -->\n", re.DOTALL)
_CLASS = re.compile(r"\$css_(\w+)")
_UPDATED_DAYS = 11

Chrome = dict[str, str | list[str]]


def render_page(page: PageSource) -> tuple[bytes, str]:
    """Return a page's HTML in its charset, and the Content-Type it is served with.

    Letters that the charset lacks are written as numeric entities. With
    `charset_declared = "wrong"`, header and meta name another charset than the true one.
    """
    label = _label_of(page)
    in_meta = page.charset_declared in ("meta", "both", "wrong")
    in_header = page.charset_declared in ("header", "both", "wrong")
    dialect = DIALECTS[page.layout]
    parts = _chrome_parts(page) | _text_parts(page, dialect) | _meta(label if in_meta else None)
    template = _with_components(_template(page.layout), page, dialect, parts)
    written = in_dialect(Template(template).substitute(parts), dialect)
    content_type = f"text/html; charset={label}" if in_header else "text/html"
    return written.encode(page.charset, "xmlcharrefreplace"), content_type


def site_name(url: str) -> str:
    """Return the name of a site, out of its host.

    >>> site_name("https://www.birkeholm-kommune.example/affald")
    'Birkeholm Kommune'
    """
    labels = (urlsplit(url).hostname or "").split(".")
    return (labels[-2] if len(labels) > 1 else labels[0]).replace("-", " ").title()


def _label_of(page: PageSource) -> str:
    if page.charset_declared != "wrong":
        return page.charset
    return "iso-8859-1" if page.charset.lower().replace("_", "-") == "utf-8" else "utf-8"


def _meta(label: str | None) -> dict[str, str]:
    if label is None:
        return {"meta": "", "meta_old": ""}
    old = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'
    return {"meta": f'<meta charset="{label}">', "meta_old": old}


@lru_cache
def _template(layout: str) -> str:
    folder = resources.files("skord.sample_crawl") / "layouts"
    template = (folder / f"{layout}.html").read_text(encoding="utf-8")
    if not template.startswith(_START):
        return template
    start = (folder / "components.html").read_text(encoding="utf-8")
    return start + template.removeprefix(_START)


def _with_components(
    template: str, page: PageSource, dialect: Dialect, parts: dict[str, str]
) -> str:
    """The template with a component for each further section, and the site's classes."""
    extra = _heading_extra(page)
    numbered = list(enumerate(page.sections[1:], 1))
    site = urlsplit(page.url).hostname or ""
    parts |= {f"css_{name}": _component_class(site, name) for name in _CLASS.findall(template)}
    parts |= {f"section_{n}": html_of(blocks_of(text), dialect, extra) for n, text in numbered}

    def repeated(match: re.Match[str]) -> str:
        each = match[1]
        return "".join(
            each.replace("$section", f"$section_{n}").replace("$number", str(n))
            for n, _ in numbered
        )

    return _EACH.sub(repeated, template)


def _component_class(site: str, component: str) -> str:
    """What a site's build has called a component: one of three habits, the same on all pages."""
    digest = hashlib.sha256(f"{site} {component}".encode()).hexdigest()
    match _site_turn(f"//{site}") % 3:
        case 0:
            return f"css-{digest[:6]}"
        case 1:
            return f"{component.title()}_root__{digest[:5]}"
        case _:
            return f"sc-{digest[:6]} {digest[6:11]} flex"


@lru_cache
def _all_chrome() -> dict[str, Chrome]:
    folder = resources.files("skord.sample_crawl") / "layouts"
    chrome, components = (
        tomllib.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("chrome.toml", "components.toml")
    )
    # Components are worded in the languages of their pages; others say them in English.
    return {lang: {**components.get(lang, components["en"]), **chrome[lang]} for lang in chrome}


def _chrome_parts(page: PageSource) -> dict[str, str]:
    """Return everything around the text: strings by name, lists entry by entry and as items."""
    parts: dict[str, str] = {}
    turn = _site_turn(page.url)
    for name, words in _all_chrome()[page.lang].items():
        if isinstance(words, str):
            parts[name] = html.escape(words)
            continue
        shown = _site_teasers(words, turn) if name in ("headlines", "teasers", "tags") else words
        escaped = [html.escape(word) for word in shown]
        parts |= {f"{_singular(name)}_{place}": word for place, word in enumerate(escaped, 1)}
        parts |= _lists(_singular(name), escaped)
    parts["teaser_cards"] = _cards(parts)
    return parts | _page_facts(page) | _comments(page, parts)


def _singular(name: str) -> str:
    return {
        "headlines": "headline",
        "teasers": "teaser",
        "tags": "tag",
        "chapters": "chapter",
        "share_on": "share",
    }.get(name, name)


def _lists(name: str, words: Sequence[str]) -> dict[str, str]:
    links = [f'<a href="/{name}/{place}">{word}</a>' for place, word in enumerate(words, 1)]
    return {
        f"{name}_items": "\n".join(f"<li>{link}</li>" for link in links),
        f"{name}_line": " | ".join(links),
    }


def _cards(parts: dict[str, str]) -> str:
    return "\n".join(
        f'<div class="card"><h3><a href="/story/{place}">{parts[f"headline_{place}"]}</a></h3>'
        f"<p>{parts[f'teaser_{place}']}</p></div>"
        for place in (1, 2, 3)
    )


def _site_turn(url: str) -> int:
    host = urlsplit(url).hostname or ""
    return hashlib.sha256(host.encode()).digest()[0]


def _site_teasers(words: list[str], turn: int) -> list[str]:
    """Return a site's own choice of teasers: the same on all its pages, not on all sites."""
    start = turn % len(words)
    return (words[start:] + words[:start])[:_SHOWN]


def _page_facts(page: PageSource) -> dict[str, str]:
    later = date.fromisoformat(page.published) + timedelta(days=_UPDATED_DAYS)
    return {
        "lang": page.lang,
        "slug": page.slug,
        "url": html.escape(page.url),
        "site": html.escape(site_name(page.url)),
        "title": html.escape(page.title),
        "date": page.published,
        "later": later.isoformat(),
    }


def _comments(page: PageSource, parts: dict[str, str]) -> dict[str, str]:
    texts = [html.escape(text, quote=False) for text in page.comments]
    who, reply, report = parts["guest"], parts["reply"], parts["report"]
    return {
        "comment_list": "\n".join(
            f'<div class="comment"><b>{who} {place * 7}</b> <span>{page.published}</span>'
            f'<p>{text}</p><a href="#r{place}">{reply}</a> <a href="#a{place}">{report}</a></div>'
            for place, text in enumerate(texts, 1)
        ),
        "comment_rows": "\n".join(
            f"<tr valign=top><td><b>{who} {place * 7}</b><td>{text}<br><a href=#>{reply}</a>"
            for place, text in enumerate(texts, 1)
        ),
    }


def _text_parts(page: PageSource, dialect: Dialect) -> dict[str, str]:
    """Return the gold text whole, and in three parts for layouts that put things between."""
    extra = _heading_extra(page)
    blocks = blocks_of(page.text)
    first = page.sections[0] if page.sections else page.text
    middle = 1 + (len(blocks) - 1) // 2
    headings = [block.lines[0] for block in blocks if block.kind == "heading"]
    return {
        "body": html_of(blocks, dialect, extra),
        "first": html_of(blocks_of(first), dialect, extra),
        "opening": html_of(blocks[:1], dialect, extra),
        "middle": html_of(_up_to_a_gap(blocks, middle), dialect, extra),
        "ending": html_of(blocks[1 + len(_up_to_a_gap(blocks, middle)) :], dialect, extra),
        "toc_items": _lists("toc", [html.escape(text, quote=False) for text in headings])[
            "toc_items"
        ],
    }


def _up_to_a_gap(blocks: list[Block], middle: int) -> list[Block]:
    """Return the blocks between the first and the middle, not parting a heading from its text."""
    while 1 < middle < len(blocks) and blocks[middle - 1].kind == "heading":
        middle -= 1
    return blocks[1:middle]


def _heading_extra(page: PageSource) -> str:
    if page.layout == "encyclopedia":
        words = _all_chrome()[page.lang]["wiki"]
        return f' <span class="edit">[<a href="/edit">{html.escape(words[0])}</a>]</span>'
    return (
        '<a class="headerlink" href="#">¶</a>'
        if page.layout in ("documentation", "handbook")
        else ""
    )
