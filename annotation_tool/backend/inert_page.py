"""An archived page that can be looked at and can do nothing.

Three walls, each enough by itself for most pages: what acts or asks the network is taken out
here; the answer carries `ARCHIVED_POLICY`, under which a browser runs no script and loads
nothing but what the page holds itself; and the frame it is shown in is sandboxed.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

ARCHIVED_POLICY = (
    "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
)
"""Content-Security-Policy (W3C, level 3) of an archived page: its own styles, `data:` images."""

_REMOVED = (
    "applet audio base bgsound embed frame frameset iframe link meta object portal script "
    "source template track video"
)
"""Elements that act, embed, or make a browser speak to a server: `link` names hosts to be
looked up and connected to, which no policy forbids; `meta` can redirect."""

_ADDRESSES = frozenset(
    [
        *("action", "archive", "background", "by", "cite", "classid", "code", "codebase", "data"),
        *("formaction", "from", "href", "icon", "imagesrcset", "longdesc", "manifest", "ping"),
        *("poster", "profile", "src", "srcdoc", "srcset", "to", "usemap", "values", "xlink:href"),
    ]
)
"""Attributes that hold an address, or a value that an animation writes into one."""

_DATA_IMAGE = re.compile(r"data:image/(?:png|gif|jpe?g|webp|avif|bmp)[;,]", re.IGNORECASE)
_NOSCRIPT = re.compile(r"(</?)noscript\b", re.IGNORECASE)
_REFERENCE = re.compile(r"#[\w.:-]*\Z")


def inert(html: str) -> str:
    """The page without scripts, handlers, embedded documents and outside addresses.

    Styles inside the page stay, and so do `data:` images and links within the page. The
    content of `<noscript>` is shown.

    >>> inert('<p onclick="x()">A <a href="https://b.se/">b</a><script>x()</script></p>')
    '<html><head></head><body><p>A <a>b</a></p></body></html>'
    >>> inert('<img src="https://b.se/a.png"><svg><script>x()</script></svg>')
    '<html><head></head><body><img><svg></svg></body></html>'
    """
    tree = LexborHTMLParser(_NOSCRIPT.sub(r"\1div", html))
    tree.strip_tags(_REMOVED.split(), recursive=True)
    for node in tree.css("*"):
        for name, value in node.attributes.items():
            if not _may_stay(name.lower(), value or ""):
                del node.attrs[name]
    return tree.html or ""


def _may_stay(name: str, value: str) -> bool:
    if name.startswith("on"):
        return False
    if name not in _ADDRESSES:
        return True
    if name == "src":
        return bool(_DATA_IMAGE.match(value.strip()))
    return name in ("href", "xlink:href") and bool(_REFERENCE.match(value.strip()))
