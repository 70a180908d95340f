"""Dictionaries of structured fields (RFC 9651 §3.2), as far as Content-Usage needs them, and the
lists of Content-Signal, which are none."""

from __future__ import annotations

import re

REFUSABLE = ("train-ai", "ai", "genai", "train-genai", "tdm", "bots")
"""Uses that a corpus is made for: the label of draft-ietf-aipref-vocab, then those of its earlier
versions, which sites still write."""

_KEY = re.compile(r"[a-z*][a-z0-9_.*-]*")
_BARE = re.compile(
    r"(?P<token>[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*)"
    r"|-?\d{1,12}\.\d{1,3}|-?\d{1,15}"
    r'|"(?:[ !#-\[\]-~]|\\["\\])*"'
    r"|:[A-Za-z0-9+/=]*:|\?[01]|@-?\d{1,15}"
    r'|%"(?:[ !#$&-~]|%[0-9a-f]{2})*"'
)


class MalformedFieldError(ValueError):
    """The field is no dictionary; as a whole it says nothing."""


def parse_field_dictionary(field: str) -> dict[str, str]:
    """Keys to the tokens that are their values; "" for a value of another type.

    >>> parse_field_dictionary('train-ai=y, search=n;why="x", bots')
    {'train-ai': 'y', 'search': 'n', 'bots': ''}

    Raises:
        MalformedFieldError: it does not parse.
    """
    tokens: dict[str, str] = {}
    at = _skip_blanks(" ", field, 0)
    while at < len(field):
        key, at = _match_at(_KEY, field, at)
        value = ""
        if field[at : at + 1] == "=":
            value, at = _inner_list(field, at + 1)
        tokens.pop(key, None)
        tokens[key] = value
        at = _skip_blanks(" \t", field, _skip_parameters(field, at))
        if at < len(field):
            if field[at] != ",":
                raise MalformedFieldError(field)
            at = _skip_blanks(" \t", field, at + 1)
            if at == len(field):
                raise MalformedFieldError(field)
    return tokens


def _inner_list(field: str, at: int) -> tuple[str, int]:
    """A value: a bare item, or a list of such in round brackets, which is no token."""
    if field[at : at + 1] != "(":
        return _bare_item(field, at)
    at = _skip_blanks(" ", field, at + 1)
    while field[at : at + 1] != ")":
        _, at = _bare_item(field, at)
        at = _skip_parameters(field, at)
        if field[at : at + 1] not in (" ", ")"):
            raise MalformedFieldError(field)
        at = _skip_blanks(" ", field, at)
    return "", at + 1


def _bare_item(field: str, at: int) -> tuple[str, int]:
    match = _BARE.match(field, at)
    if match is None:
        raise MalformedFieldError(field)
    return match["token"] or "", match.end()


def _skip_parameters(field: str, at: int) -> int:
    while field[at : at + 1] == ";":
        _, at = _match_at(_KEY, field, _skip_blanks(" ", field, at + 1))
        if field[at : at + 1] == "=":
            _, at = _bare_item(field, at + 1)
    return at


def _match_at(wanted: re.Pattern[str], field: str, at: int) -> tuple[str, int]:
    match = wanted.match(field, at)
    if match is None:
        raise MalformedFieldError(field)
    return match[0], match.end()


def _skip_blanks(blanks: str, field: str, at: int) -> int:
    while at < len(field) and field[at] in blanks:
        at += 1
    return at


def refused_uses(field: str) -> list[str]:
    """Which of the uses in `REFUSABLE` a Content-Usage field refuses; none where it is malformed.

    >>> [refused_uses(said) for said in ("train-ai=n, search=y", "train-ai=y, train-ai", "A=n")]
    [['train-ai'], [], []]
    """
    try:
        said = parse_field_dictionary(field)
    except MalformedFieldError:
        return []
    return [use for use in REFUSABLE if said.get(use) == "n"]


def refuses_training(signals: str) -> bool:
    """Whether a Content-Signal (contentsignals.org, draft-romm-aipref-contentsignals) does.

    Names and values are told apart by "=" and one another by ","; case and blanks say nothing. Of
    two that contradict each other the refusal counts.

    >>> refuses_training("search=yes, ai-train=no"), refuses_training("ai-input=no, ai-train=yes")
    (True, False)
    """
    pairs = ("".join(part.split()).lower() for part in signals.split(","))
    return "ai-train=no" in pairs
