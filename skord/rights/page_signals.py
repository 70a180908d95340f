"""Reservations in what came with the page: HTTP headers and tags of its markup.

Read here: X-Robots-Tag and robots meta tags (as Google documents them, with the words `noai` and
`noimageai` of DeviantArt), TDMRep (final report of the W3C community group, 2024: a tag outranks
the header, the header outranks the file of the site), Content-Usage (draft-ietf-aipref-attach,
draft-ietf-aipref-vocab), Content-Signal, and links to licences of RSL 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from skord.native import signal_tags
from skord.rights.reservations import EVERYBODY, Reservation, Source, reservation_line
from skord.rights.structured_fields import refused_uses, refuses_training
from skord.text.entities import unescape_html

WORDS = ("noai", "noimageai", "nosnippet")
"""Rules of robots tags that reserve."""

_SIGNS = [*WORDS, "max-snippet", "tdm-", "rsl+xml"]
"""A tag with none of them is not read here."""

_WITH_VALUE = frozenset(
    ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
)
_ATTRIBUTE = re.compile(
    r"""(?<![^\s"'<>/=])([^\s"'<>/=]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""",
)
_CRAWLER = re.compile(r"[a-z0-9_.-]*(?:bot|spider|crawler|slurp|-extended|-ai)[a-z0-9_.-]*")
_LINK = re.compile(r"<([^<>]*)>((?:[^,\"]|\"(?:[^\"\\]|\\.)*\")*)")
_PARAMETER = re.compile(r";\s*([\w*-]+)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;,]+))")
_RSL_TYPE = "application/rsl+xml"

Headers = Iterable[tuple[str, str]]
Tag = Mapping[str, str]


def page_reservations(
    headers: Headers, body: bytes, agents: Collection[str], site_tdm: str | None = None
) -> list[Reservation]:
    """What a page's headers and markup reserve, and the site's tdmrep.json where neither speaks.

    Names of `agents` count as names of robots tags; `site_tdm` are the words of the site's file
    that reserve the address.
    """
    fields = _header_fields(headers)
    tags = list(_signal_tags(body))
    return [
        *_header_robots(fields.get("x-robots-tag", ())),
        *_meta_robots(tags, {agent.lower() for agent in agents}),
        *_tdm_reservation(fields, tags, site_tdm),
        *_aipref_reservations(fields.get("content-usage", ())),
        *_content_signals(fields.get("content-signal", ())),
        *_header_licences(fields.get("link", ())),
        *_markup_licences(tags),
    ]


_READ = frozenset(
    ("x-robots-tag", "tdm-reservation", "tdm-policy", "content-usage", "content-signal", "link")
)


def _header_fields(headers: Headers) -> dict[str, list[str]]:
    """Values of the headers that are read, by name in lower case."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        plain = name.strip().lower().removeprefix("x-crawl-")
        if plain in _READ:
            values.setdefault(plain, []).append(value)
    return values


def _signal_tags(body: bytes) -> Iterator[Tag]:
    """Attributes of the tags that may say something; `<` its name, `>` a script's content."""
    for source in signal_tags(body, _SIGNS):
        text = source.decode("utf-8", "replace")
        name = re.match(r"[a-z]+", text[1:], re.IGNORECASE)
        kind = name[0].lower() if name else ""
        head, _, content = text.partition(">") if kind == "script" else (text, "", "")
        yield {
            **{
                key.lower(): unescape_html(a or b or c)
                for key, a, b, c in reversed(_ATTRIBUTE.findall(head[1 + len(kind) :]))
            },
            "<": kind,
            ">": re.sub(r"</script[^<>]*>?$", "", content, flags=re.IGNORECASE),
        }


def robots_words(value: str, agent: str = EVERYBODY) -> Iterator[tuple[str, str]]:
    """Agents and rules of one X-Robots-Tag, or of the content of a robots tag.

    A name before a colon holds for what follows it. Semicolons and bars part rules as commas do.

    >>> list(robots_words("noarchive; GPTBot: noai, max-snippet: 0"))
    [('*', 'noarchive'), ('GPTBot', 'noai'), ('GPTBot', 'max-snippet:0')]
    """
    for part in re.split("[,;|]", value):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name.lower() not in _WITH_VALUE:
            agent, (name, colon, rest) = name, (piece.strip() for piece in rest.partition(":"))
        for word in name.lower().split() if not colon else [f"{name.lower()}:{rest}"]:
            yield agent, word


def _reserving_rules(rules: Iterable[tuple[str, str]], source: Source) -> Iterator[Reservation]:
    for agent, rule in rules:
        if rule in WORDS or rule == "max-snippet:0":
            yield reservation_line(source, agent, rule)


def _header_robots(values: Sequence[str]) -> Iterator[Reservation]:
    for value in values:
        yield from _reserving_rules(robots_words(value), Source.x_robots_tag)


def _meta_robots(tags: Sequence[Tag], agents: Collection[str]) -> Iterator[Reservation]:
    for tag in tags:
        name = tag.get("name", "").strip()
        plain = name.lower()
        if tag["<"] != "meta" or not plain:
            continue
        if plain == "robots" or plain in agents or _CRAWLER.fullmatch(plain):
            agent = EVERYBODY if plain == "robots" else name
            rules = robots_words(tag.get("content", ""), agent)
            yield from _reserving_rules(rules, Source.meta_robots)


def _tdm_reservation(
    fields: Mapping[str, Sequence[str]], tags: Sequence[Tag], site: str | None
) -> Iterator[Reservation]:
    """The highest-ranking place that has a value of the protocol decides."""
    metas: dict[str, list[str]] = {}
    for tag in tags:
        if tag["<"] == "meta":
            metas.setdefault(tag.get("name", "").strip().lower(), []).append(tag.get("content", ""))
    for source, named in ((Source.tdmrep_meta, metas), (Source.tdmrep_header, fields)):
        values = {value.strip() for value in named.get("tdm-reservation", ())} & {"0", "1"}
        if values:
            if "1" in values:
                yield reservation_line(source, EVERYBODY, tdm_words(named.get("tdm-policy", ())))
            return
    if site is not None:
        yield reservation_line(Source.tdmrep_file, EVERYBODY, site)


def tdm_words(policies: Sequence[str]) -> str:
    """Words of a reservation of TDMRep, with the address of its policy if there is one."""
    return "tdm-reservation: 1" + "".join(f"; tdm-policy: {one.strip()}" for one in policies[:1])


def _aipref_reservations(values: Sequence[str]) -> Iterator[Reservation]:
    """Lines of one header are one field (RFC 9110 §5.2)."""
    for use in refused_uses(", ".join(values)) if values else ():
        yield reservation_line(Source.aipref_header, EVERYBODY, f"{use}=n")


def _content_signals(values: Sequence[str]) -> Iterator[Reservation]:
    for value in values:
        if refuses_training(value):
            yield reservation_line(
                Source.content_signal_header, EVERYBODY, f"Content-Signal: {value}"
            )


def _header_licences(values: Sequence[str]) -> Iterator[Reservation]:
    for value in values:
        for target, rest in _LINK.findall(value):
            given = {k.lower(): a or b for k, a, b in reversed(_PARAMETER.findall(rest))}
            if _is_licence(given):
                yield reservation_line(Source.rsl_header, EVERYBODY, target)


def _markup_licences(tags: Sequence[Tag]) -> Iterator[Reservation]:
    for tag in tags:
        if tag["<"] == "link" and _is_licence(tag) and tag.get("href"):
            yield reservation_line(Source.rsl_link, EVERYBODY, tag["href"])
        if tag["<"] == "script" and _is_rsl(tag) and tag[">"].strip():
            yield reservation_line(Source.rsl_inline, EVERYBODY, tag[">"])


def _is_licence(given: Mapping[str, str]) -> bool:
    return "license" in given.get("rel", "").lower().split() and _is_rsl(given)


def _is_rsl(given: Mapping[str, str]) -> bool:
    return given.get("type", "").split(";")[0].strip().lower() == _RSL_TYPE
