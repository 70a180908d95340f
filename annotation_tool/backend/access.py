"""Who may ask the tool anything.

It has no accounts. On loopback every program of this machine may ask, so what must be kept
out is a page of another site in the annotator's browser: it may neither send a change nor,
by pointing a name of its own at 127.0.0.1 (DNS rebinding), read the answers. Anything wider
than loopback needs a token.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import NamedTuple

from skord.core.failures import ConfigError

COOKIE = "skord_annotation"
HEADER = "x-skord-annotation"
"""Must be on every request that changes something: no form and no image can send it, and a
script of another site may not without leave, which is never given (no CORS answer)."""

MAX_BODY_BYTES = 8 << 20

APP_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Content-Security-Policy of the tool's own page; `frame-src` keeps a clicked link of an
archived page from loading the live site."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""On every answer."""


class Access(NamedTuple):
    """What a request must show.

    Attributes:
        hosts: values of the Host header under which the tool is reached.
        token: None on loopback, where none is asked for.
    """

    hosts: frozenset[str]
    token: str | None


class Refusal(NamedTuple):
    """Why a request is not answered, in a sentence for the person at the browser."""

    status: HTTPStatus
    reason: str


def access_for(host: str, port: int, names: Iterable[str], token: str | None) -> Access:
    """The rules for a server bound to an address.

    `names` are further host names by which browsers reach it.

    >>> sorted(access_for("127.0.0.1", 80, [], None).hosts)[:2]
    ['127.0.0.1', '127.0.0.1:80']

    Raises:
        ConfigError: another host than loopback without a token, or every address without a name.
    """
    names = list(names)
    if not is_loopback(host) and token is None:
        raise ConfigError(
            f"--host {host} can be reached from other machines: give --token-file FILE too "
            "(it is made, with a new token in it, if it is not there)"
        )
    if host in ("0.0.0.0", "::", "") and not names:
        raise ConfigError(
            f"--host {host or '::'} listens on every address: give --name HOST, the name that "
            "browsers use"
        )
    loopback = ["127.0.0.1", "localhost", "[::1]"]
    reached = {f"[{host}]" if ":" in host else host, *names, *loopback}
    with_port = {f"{name.lower()}:{port}" for name in reached}
    bare = {name.lower() for name in reached} if port in (80, 443) else set()
    return Access(frozenset(with_port | bare), token)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server bound to the host.

    >>> is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_in(path: Path) -> str:
    """The token in a file, made readable for its owner alone if it is not there.

    Raises:
        ConfigError: the file is empty, or others may read it.
    """
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{secrets.token_urlsafe(24)}\n")
    if path.stat().st_mode & 0o077:
        raise ConfigError(f"--token-file {path} can be read by others: chmod 600 {path}")
    token = path.read_text(encoding="utf-8").strip()
    if len(token) < 16:
        raise ConfigError(f"--token-file {path} holds no token of 16 characters: remove it")
    return token


def refusal(
    access: Access, method: str, headers: Mapping[str, str], given_token: str | None = None
) -> Refusal | None:
    """Why a request may not pass; None if it may.

    Names of headers are in lower case; a token in the address is given on the first visit.
    """
    host = headers.get("host", "").lower()
    if host not in access.hosts:
        return Refusal(HTTPStatus.MISDIRECTED_REQUEST, f"this is not {host or 'a nameless host'}")
    if access.token is not None and not _has_token(access.token, headers, given_token):
        return Refusal(HTTPStatus.UNAUTHORIZED, "open the address with ?token=… that serve printed")
    return None if method in ("GET", "HEAD") else _refused_change(access, headers)


def _refused_change(access: Access, headers: Mapping[str, str]) -> Refusal | None:
    origin = headers.get("origin")
    if origin is not None and origin.lower().partition("://")[2] not in access.hosts:
        return Refusal(HTTPStatus.FORBIDDEN, f"a change from {origin}")
    if headers.get(HEADER) != "1":
        return Refusal(HTTPStatus.FORBIDDEN, f"a change without the header {HEADER}")
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "changes are sent as application/json")
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        return Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "no length, or too long a change")
    return None


def _has_token(token: str, headers: Mapping[str, str], given: str | None) -> bool:
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        morsel = None
    shown = (given or "", bearer, morsel.value if morsel else "")
    return any(hmac.compare_digest(token.encode(), value.encode()) for value in shown)
