"""Single requests, and how often they are made again.

Every attempt takes its turn under the rate limit, and frees its connection before it
waits for the next one. The wait is a random part of a bound that doubles up to a cap
("full jitter": workers that failed together do not come back together), and never less
than the `Retry-After` of the reply (RFC 9110 §10.2.3). What the body holds is passed on
as it lies on the server: no transfer encoding is asked for or undone.
"""

from __future__ import annotations

import email.utils
import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import requests
import urllib3.exceptions

from skord.crawl.http.errors import FetchFailure, Obstacle, RequestError, status_error
from skord.crawl.http.rate_limit import RateLimiter
from skord.crawl.http.settings import CrawlSettings

Result = TypeVar("Result")

logger = logging.getLogger("luigi-interface")

LEAST_ANNOUNCED_WAIT_S = 1.0
"""A wait before another try that is shorter is not logged."""

_CHUNK_BYTES = 64 * 1024
_MAX_DIGITS = 18
"""Of a length; `int` refuses more than 4,300."""


@dataclass(frozen=True)
class Reply:
    """A reply with status 200 or 206 whose body has yet to be read.

    Args:
        response: as `requests` gives it, unread.
        deadline_s: monotonic time by which the body must have come.
    """

    response: requests.Response
    deadline_s: float

    @property
    def status(self) -> int:
        """200 or 206."""
        return self.response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """By name, in any case of letters."""
        return self.response.headers

    @property
    def length_bytes(self) -> int | None:
        """The declared length of the body; None when it comes in chunks that say their end.

        Raises:
            RequestError: SHORT_BODY, nothing says where the body ends, so nothing could tell
                that it came whole.
        """
        declared = self.headers.get("Content-Length", "")
        if declared.isascii() and declared.isdigit() and len(declared) <= _MAX_DIGITS:
            return int(declared)
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return None
        raise RequestError(
            FetchFailure.SHORT_BODY,
            "the reply does not say how long it is",
            status=self.status,
            again=False,
        )

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes in, at most 64 KiB at a time.

        `read1` gives what one read of the socket brings: asking for a full chunk would let
        a server that sends a byte now and then hold us far beyond every time limit.

        Raises:
            RequestError: TIMEOUT or SHORT_BODY.
        """
        while chunk := self._read():
            yield chunk
            if time.monotonic() > self.deadline_s:
                raise RequestError(FetchFailure.TIMEOUT, "its body came too slowly")

    def _read(self) -> bytes:
        raw: urllib3.HTTPResponse = self.response.raw
        try:
            return raw.read1(_CHUNK_BYTES, decode_content=False) or b""
        except urllib3.exceptions.ReadTimeoutError as error:
            raise RequestError(FetchFailure.TIMEOUT, "its body stopped coming") from error
        except urllib3.exceptions.HTTPError as error:
            raise RequestError(FetchFailure.SHORT_BODY, "its body broke off") from error


class Exchange:
    """One process's requests to the endpoint.

    Make it in the process that uses it: open connections do not survive a fork.

    Args:
        settings: time limits, attempts, user agent.
        limiter: whose turns are waited for.
    """

    def __init__(self, settings: CrawlSettings, limiter: RateLimiter) -> None:
        self.settings = settings
        self.exhausted_in_a_row = 0
        """Requests given up since the last one that the endpoint answered for good."""
        self._limiter = limiter
        self._session = requests.Session()
        self._session.trust_env = not settings.is_loopback
        self._session.headers.update(
            {"User-Agent": settings.user_agent, "Accept": "*/*", "Accept-Encoding": "identity"}
        )

    def close(self) -> None:
        """Close the connections that are kept for further requests."""
        self._session.close()

    def with_retries(self, url: str, once: Callable[[], Result]) -> tuple[Result, int]:
        """What `once` returns, and the attempts that it took; waits of a second are logged.

        Raises:
            RequestError: it cannot be mended, or all attempts are used up.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                answer = self.once(once)
            except RequestError as error:
                error.tries = attempt
                self._wait_or_raise(url, error)
            else:
                self.exhausted_in_a_row = 0
                return answer, attempt

    def once(self, once: Callable[[], Result]) -> Result:
        """What `once` returns in its turn under the rate limit, at the first attempt.

        Raises:
            RequestError: it failed.
        """
        with self._limiter.connection():
            return once()

    @contextmanager
    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Iterator[Reply]:
        """One attempt at a GET; the connection is dropped when the body is not read to its end.

        Raises:
            RequestError: any status but 200 and 206, or no reply.
        """
        deadline_s = time.monotonic() + self.settings.attempt_timeout_s
        with self._send(url, headers or {}) as response:
            response.raw.enforce_content_length = False  # whoever reads the body compares
            retry_after_s = parse_retry_after(
                response.headers.get("Retry-After", ""), datetime.now(UTC)
            )
            if error := status_error(response.status_code, retry_after_s):
                raise error
            yield Reply(response, deadline_s)

    def _send(self, url: str, headers: Mapping[str, str]) -> requests.Response:
        settings = self.settings
        try:
            return self._session.get(
                url,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=(settings.connect_timeout_s, settings.read_timeout_s),
            )
        except requests.Timeout as error:
            raise RequestError(
                FetchFailure.TIMEOUT, "it did not answer in time", obstacle=obstacle_of(error)
            ) from error
        except requests.RequestException as error:
            raise RequestError(
                FetchFailure.CONNECTION,
                f"the connection failed ({type(error).__name__})",
                obstacle=obstacle_of(error),
            ) from error

    def _wait_or_raise(self, url: str, error: RequestError) -> None:
        settings = self.settings
        asked_s = error.retry_after_s
        # 403, 429 and 503 mean all of us, not this request: every worker pauses.
        if error.cool_down:
            self._limiter.cool_down(settings.cool_down_s if asked_s is None else asked_s)
        # A 404 is an answer: the endpoint is there, whatever it lacks.
        if not error.again:
            self.exhausted_in_a_row = 0
            raise error
        if error.tries >= settings.attempts or (asked_s or 0) > settings.max_retry_after_s:
            self.exhausted_in_a_row += 1
            raise error
        bound_s = backoff_bound_s(error.tries, settings.backoff_s, settings.max_backoff_s)
        # Anywhere up to the bound ("full jitter"): workers that failed together spread out.
        wait_s = max(asked_s or 0.0, random.uniform(0, bound_s))
        pause_s = settings.cool_down_s if error.cool_down and asked_s is None else 0.0
        if max(wait_s, pause_s) >= LEAST_ANNOUNCED_WAIT_S:
            logger.warning(
                "%s: %s: try %d of %d, next in %.0f s",
                *(url, error.detail, error.tries, settings.attempts, max(wait_s, pause_s)),
            )
        time.sleep(wait_s)


def obstacle_of(error: requests.RequestException) -> Obstacle | None:
    """What kept a request from being sent; None when it was sent and the answer failed."""
    if isinstance(error, (requests.exceptions.ProxyError, requests.exceptions.InvalidProxyURL)):
        return Obstacle.PROXY
    if isinstance(error, requests.exceptions.SSLError):
        return Obstacle.TLS
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return Obstacle.UNANSWERED
    reason = getattr(error.args[0], "reason", None) if error.args else None
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return Obstacle.NAME
    return Obstacle.REFUSED if isinstance(reason, urllib3.exceptions.NewConnectionError) else None


def backoff_bound_s(attempt: int, first_s: float, longest_s: float) -> float:
    """Longest wait after the n-th attempt, counted from 1: doubles, and stays at the cap.

    >>> [backoff_bound_s(n, 1.0, 60.0) for n in (1, 2, 6, 7, 10_000)]
    [1.0, 2.0, 32.0, 60.0, 60.0]
    """
    doublings = min(attempt - 1, 40)
    return min(longest_s, first_s * 2.0**doublings)


def parse_retry_after(value: str, now: datetime) -> float | None:
    """Seconds to wait by a `Retry-After` header: a number, or a date as in RFC 9110 §5.6.7.

    None when there is none or it cannot be read.

    >>> now = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)
    >>> parse_retry_after("120", now), parse_retry_after("Fri, 01 Mar 2024 12:00:30 GMT", now)
    (120.0, 30.0)
    >>> parse_retry_after("Fri, 01 Mar 2024 11:00:00 GMT", now)
    0.0
    >>> parse_retry_after("soon", now), parse_retry_after("", now)
    (None, None)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        when = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
