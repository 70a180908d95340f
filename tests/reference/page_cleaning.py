"""What `skord.html.cleaning` is to do, written over another parser's tree.

The tree is lexbor's, which reads HTML as browsers do (WHATWG
HTML, section 13.2) and closes what the author left open.
"""

from __future__ import annotations

import html as html_entities
import re
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from skord.core.failures import DocumentError
from skord.html.failures import ConversionFailure
from skord.html.link_spans import LINK_END, LINK_START
from skord.html.nesting import with_easy_menus

_REMOVED = (
    "applet audio canvas embed frame head iframe noembed noframes object script style svg template"
    " textarea video"
)
"""Elements that go with all they hold."""

_KEPT = (
    "a annotation blockquote br caption code col colgroup dd del dfn div dl dt em b figcaption"
    " figure h1 h2 h3 h4 h5 h6 hr i img kbd li maction math menclose merror mfenced mfrac"
    " mglyph mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt"
    " mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none ol p pre q s samp"
    " semantics strike strong sub sup table td th thead tr tt ul"
)
_AS_DIV = (
    "address article aside center details dialog fieldset footer form header hgroup legend main"
    " nav search section summary"
)
_NEW_NAME = (
    {name: name for name in _KEPT.split()}
    | dict.fromkeys(_AS_DIV.split(), "div")
    | {"dir": "ul", "menu": "ul", "listing": "pre"}
)
"""What a tag is called for pandoc; others vanish and leave their content. `<main>` must not
stay: pandoc 3.5 and later drop all that lies outside of it."""

_SPACED = frozenset(["button", "label", "optgroup", "option"])
"""Inline tags that browsers draw apart; without a blank their texts would run together."""

_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(/?)([a-z][^\s/>]*)((?:\s[^\s>]*?=\"[^\"]*\")*+)>|<![^>]*>|<",
    re.DOTALL | re.ASCII,
)
"""What lexbor writes: lower case, every attribute with a value in double quotes. A name may
hold a quote of its own, as in `<p class="a"">`, or begin with a no-break space."""
_ATTRIBUTE = re.compile(r"\s([^\s>]*?)=\"([^\"]*)\"", re.ASCII)
_LIST_TAG = re.compile(r"<(/?)(ul|ol|li|dl)(?: [^>]*)?>")
_TEXT_LINK = re.compile(r"<a( href=\"#\")?>([^<]*)</a>")
_CODE_LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#-]+)")
_TRACKING_SIZE = frozenset(["0", "1", "0px", "1px"])
_LAZY_SOURCES = ("src", "data-src", "data-lazy-src", "data-original")
_PLAIN_ATTRIBUTES = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan"),
    "ol": ("start",),
    "math": ("display",),
    "annotation": ("encoding",),
}
_WITH_ATTRIBUTES = frozenset(["a", "img", "pre", *_PLAIN_ATTRIBUTES])

_PRE = re.compile(r"(<pre\b[^>]*>(?:<code\b[^>]*>)?)(.*?</pre>)", re.DOTALL)
_BLANKS = re.compile(r"[ \t\r\n\f]{2,}|[\t\r\n\f]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufdd0-\ufdd2]")
"""Controls, soft hyphens and zero-width blanks, which split words for every later step, and
the noncharacters that mark links here."""
_HEADING = re.compile(r"<(h[1-6])>([^<]*(?:<(?!/?h[1-6]>)[^<]*){,1000})</\1>")
_MAX_HEADING_CHARS = 1000
_BLOCK_IN_HEADING = re.compile(r"</?(?:div|p|br|center)>")
_BODY_TAG = re.compile(r"<body[\s>]", re.IGNORECASE)
_NOSCRIPT = re.compile(
    r"(<script.*?(?=</script))|<noscript\b.*?(?:</noscript\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_OPEN_FRAME = re.compile(
    r"(<noscript(?:(?!</?noscript|<iframe).|<iframe(?:(?!</?noscript|</iframe).)*</iframe)*)"
    r"<iframe(?:(?!</?noscript|</iframe).)*(?=</noscript)",
    re.DOTALL | re.IGNORECASE,
)
_HEAD_CHARS = 100_000
"""How far into a page its title is looked for, where no `<body>` ends the search."""


class PageMarkup(NamedTuple):
    """A page as its parser writes it again, without what no text is in.

    Attributes:
        base: a head with the page's `<base>`; "" if it has none.
        text: the markup.
    """

    base: str
    text: str


def page_markup(html: str) -> PageMarkup:
    """Parse a page, for `cleaned` and for `line_context` alike."""
    tree = LexborHTMLParser(without_open_frames(without_noscript_in_head(with_easy_menus(html))))
    base = _base(tree)
    tree.strip_tags(_REMOVED.split(), recursive=True)
    for raw in tree.css("xmp, plaintext"):  # the only elements left whose text is not escaped
        raw.replace_with(raw.text())
    return PageMarkup(base, _INVISIBLE.sub("", tree.html or ""))


def cleaned(page: PageMarkup, max_cleaned_chars: int = 500_000, *, mark_links: bool = False) -> str:
    """What `clean_html` does with a page once it is parsed."""
    base = page.base
    markup = _without_itemless_lists(_MARKUP.sub(_rewrite, page.text))
    link_text = _marked_link if mark_links else r"\2"
    markup = _TEXT_LINK.sub(link_text, markup.replace("</a><a", "</a> <a"))
    text = base + _HEADING.sub(_flat_heading, _fold_blanks(markup)).strip()
    if len(text) > max_cleaned_chars:
        raise DocumentError(ConversionFailure.too_large, f"{len(text)} characters cleaned")
    return text


def _without_itemless_lists(markup: str) -> str:
    """A list without an item as a division: converters drop what stands outside of items."""
    done = 0
    parts: list[str] = []
    lists: list[tuple[int, bool]] = []  # open ones: the part that starts it, whether it has items
    for tag in _LIST_TAG.finditer(markup):
        parts.append(markup[done : tag.start()])
        done = tag.end()
        closing, name = tag.groups()
        text = tag[0]
        if closing:
            if name in ("ul", "ol") and lists:
                start, has_item = lists.pop()
                if has_item and lists:
                    lists[-1] = (lists[-1][0], True)
                if not has_item and "".join(parts[start + 1 :]).strip(" \t\n\r\f"):
                    parts[start], text = "<div>", "</div>"
        elif name in ("ul", "ol"):
            lists.append((len(parts), False))
        elif lists:
            lists[-1] = (lists[-1][0], True)
        parts.append(text)
    return "".join([*parts, markup[done:]])


def page_title(html: str) -> str | None:
    """Return the text of `<title>` with blanks folded; None if there is none.

    >>> page_title("<html><head><title> Blåbär &amp;\\n mjölk </title></head><svg><title>x")
    'Blåbär & mjölk'
    """
    node = _head_tree(html).css_first("title")
    title = " ".join(_INVISIBLE.sub("", node.text()).split()) if node else ""
    return title or None


def html_lang(html: str) -> str | None:
    """Return the language that `<html lang>` declares, as written; None if it does not.

    >>> html_lang('<!doctype html><HTML LANG="nb-NO"><body lang="en">x')
    'nb-NO'
    """
    node = _head_tree(html).css_first("html")
    attributes = node.attributes if node else {}
    declared = attributes.get("lang") or attributes.get("xml:lang") or ""
    return declared.strip() or None


def _head_tree(html: str) -> LexborHTMLParser:
    """The tree of what comes before `<body>`, so that titles of drawings do not count."""
    start = html[:_HEAD_CHARS]
    body = _BODY_TAG.search(start)
    return LexborHTMLParser(start[: body.start()] if body else start)


def without_noscript_in_head(html: str) -> str:
    """Take `<noscript>` out of the head: parsing it there moves its images into the text."""
    body = _BODY_TAG.search(html)
    if body is None:
        return html
    return _NOSCRIPT.sub(r"\1", html[: body.start()]) + html[body.start() :]


def without_open_frames(html: str) -> str:
    """Take out an `<iframe>` that stands open where its `<noscript>` ends, and browsers end it."""
    return _OPEN_FRAME.sub(r"\1", html)


def _base(tree: LexborHTMLParser) -> str:
    """The page's `<base>`, by which pandoc makes image addresses absolute."""
    node = tree.css_first("base[href]")
    href = (node.attributes.get("href") or "").strip() if node else ""
    if not href.lower().startswith(("http://", "https://")):
        return ""
    return f'<head><base href="{html_entities.escape(href)}"></head>'


def marked_link(text: str, start: str = LINK_START) -> str:
    r"""A link's text between marks, blanks at its ends outside of them.

    >>> marked_link(" hem\xa0") == f" {LINK_START}hem{LINK_END}\xa0"
    True
    """
    inner = text.strip()
    if not inner:
        return text
    at = text.index(inner)
    return f"{text[:at]}{start}{inner}{LINK_END}{text[at + len(inner) :]}"


def _marked_link(link: re.Match[str]) -> str:
    """A link of text alone; without an address it is none."""
    href, text = link.groups()
    if not href:
        return text
    if "&nbsp;" in text:  # as the parser writes it, and a blank nevertheless
        return marked_link(text.replace("&nbsp;", "\xa0")).replace("\xa0", "&nbsp;")
    return marked_link(text)


def _rewrite(tag: re.Match[str]) -> str:
    """One comment, tag or stray `<` of lexbor's output as pandoc is to see it."""
    closing, name, attributes = tag.groups()
    if name is None:
        return "&lt;" if tag[0] == "<" else ""
    new_name = _NEW_NAME.get(name)
    if new_name is None:
        return " " if name in _SPACED else ""
    if closing or not attributes or new_name not in _WITH_ATTRIBUTES:
        return f"<{closing}{new_name}>"
    if new_name == "a":
        return '<a href="#">' if ' href="' in attributes else "<a>"
    return _with_attributes(new_name, dict(_ATTRIBUTE.findall(attributes)))


def _with_attributes(name: str, given: dict[str, str]) -> str:
    """A start tag with the attributes that show in Markdown; values are escaped already."""
    if name == "img":
        return _image(given)
    kept = {key: given[key] for key in _PLAIN_ATTRIBUTES.get(name, ()) if key in given}
    if name == "pre" and (language := _CODE_LANGUAGE.search(given.get("class", ""))):
        kept = {"class": language[1]}
    return f"<{name}" + "".join(f' {key}="{value}"' for key, value in kept.items()) + ">"


def _image(given: dict[str, str]) -> str:
    """An image that has an address; pages that load late keep it in another attribute."""
    sources = (given.get(key, "").strip() for key in _LAZY_SOURCES)
    source = next((src for src in sources if src and src[:5].lower() != "data:"), "")
    if not source or _TRACKING_SIZE & {given.get("width"), given.get("height")}:
        return ""
    return f'<img src="{source}" alt="{given.get("alt", "").strip()}">'


def _fold_blanks(markup: str) -> str:
    """One blank for each run of them; inside `<pre>` nothing is folded, and tabs are expanded.

    Pandoc's reader leaves tabs to its command line, which the worker does without.
    """
    parts = _PRE.split(markup)
    parts[::3] = [_BLANKS.sub(" ", outside) for outside in parts[::3]]
    parts[2::3] = [text.expandtabs(4) for text in parts[2::3]]
    return "".join(parts)


def _flat_heading(heading: re.Match[str]) -> str:
    """Blocks and breaks in a heading as blanks: pandoc would cut the heading off before them."""
    name, content = heading.groups()
    if len(content) > _MAX_HEADING_CHARS:
        return heading[0]
    return f"<{name}>{_BLOCK_IN_HEADING.sub(' ', content).strip()}</{name}>"
