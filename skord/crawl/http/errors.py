"""What can go wrong between us and the crawl's endpoint; what is done about it: `client`.

`RequestError` is one failed attempt. It stays inside this folder: the retry loop catches it, and
what is left of it afterwards becomes a `FetchFailure` of a byte range or a `CrawlError` of a file.
"""

from __future__ import annotations

from enum import StrEnum

from skord.core.failures import FailureCode, ShardError


class FetchFailure(FailureCode):
    """Why the bytes of one range could not be had."""

    NOT_FOUND = "http_not_found"
    """404 or 410: the endpoint has no such file."""
    FORBIDDEN = "http_forbidden"
    """403 on every attempt: the client is blocked, or the file is not public."""
    THROTTLED = "http_throttled"
    """429 on every attempt."""
    SERVER_ERROR = "http_server_error"
    """5xx on every attempt."""
    REDIRECTED = "http_redirected"
    """3xx: redirects are not followed, since they would go round the rate limit."""
    REFUSED = "http_refused"
    """Any other status that is neither 200 nor 206, such as 400 or 401."""
    TIMEOUT = "http_timeout"
    """No connection, no byte or no end within the time limits, or 408, on every attempt."""
    CONNECTION = "http_connection"
    """The connection was refused or broken before an answer, on every attempt."""
    SHORT_BODY = "short_body"
    """The body ended before its declared length on every attempt, or declared none."""
    RANGE_IGNORED = "range_ignored"
    """200 to a range request, and the wanted bytes lie too far into the body to skip to."""
    RANGE_MISMATCH = "range_mismatch"
    """206 for other bytes than those asked for, on every attempt."""
    RANGE_UNSATISFIABLE = "range_unsatisfiable"
    """416, or a range that reaches beyond the end of the file."""
    TOO_LARGE = "range_too_large"
    """A range, or a file that is to be held in memory, above `max_request_bytes`."""
    CORRUPT_GZIP = "corrupt_gzip"
    """The bytes came as often as allowed and never were one whole gzip member."""


class Obstacle(StrEnum):
    """Why a request could not be made, or was not answered by the endpoint; what to do about it."""

    NAME = (
        "its name cannot be resolved: connect this machine to the internet, or set "
        "[crawl] base_url to a mirror that it can reach"
    )
    REFUSED = "it cannot be connected to: check the network and its firewall, and [crawl] base_url"
    UNANSWERED = (
        "no connection came about in [crawl] connect_timeout_s: check the network and its "
        "firewall, or set HTTPS_PROXY to the proxy that leads out of it"
    )
    TLS = (
        "its certificate or TLS is not accepted: check this machine's clock, set "
        "REQUESTS_CA_BUNDLE where a network has certificates of its own, and check [crawl] base_url"
    )
    PROXY = "the proxy does not let it through: check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
    FORBIDDEN = (
        "it answers 403: it blocks this address for now: wait some minutes, set "
        "[crawl] requests_per_s lower, and check that other runs share [crawl] rate_limit_dir"
    )
    PORTAL = (
        "a web page came in place of the list of files: log in to the network in a browser if it "
        "asks for that, or check [crawl] base_url, under which crawl-data/ must lie"
    )


class RequestError(Exception):
    """One attempt failed.

    Args:
        failure: what it is called when no further attempt mends it.
        detail: the end of a sentence for people.
        status: the HTTP status, when there was one.
        again: whether another attempt may mend it.
        cool_down: whether the endpoint wants less traffic from everybody (403, 429, 503).
        retry_after_s: the wait that the endpoint asked for, in seconds.
        obstacle: what kept the request from the endpoint.
    """

    tries = 1
    """Attempts made so far, this one included; kept by the retry loop."""

    def __init__(
        self,
        failure: FetchFailure,
        detail: str,
        *,
        status: int | None = None,
        again: bool = True,
        cool_down: bool = False,
        retry_after_s: float | None = None,
        obstacle: Obstacle | None = None,
    ) -> None:
        super().__init__(f"{failure}: {detail}")
        self.failure = failure
        self.detail = detail
        self.status = status
        self.again = again
        self.cool_down = cool_down
        self.retry_after_s = retry_after_s
        self.obstacle = obstacle


class CrawlError(ShardError):
    """A file of the crawl could not be had.

    Args:
        error: the last attempt, which knows the number of tries.
    """

    def __init__(self, url: str, error: RequestError) -> None:
        tries = f"{error.tries} tries" if error.tries > 1 else "1 try"
        super().__init__(f"{url} could not be fetched in {tries}: {error.detail}")
        self.url = url
        self.failure = error.failure
        self.status = error.status
        self.tries = error.tries


class CrawlUnreachableError(CrawlError):
    """Every attempt was used up by errors that may pass."""


class NotOnCrawlError(CrawlError):
    """The endpoint has no such file."""


class CrawlRefusedError(CrawlError):
    """The answer will be the same however often one asks."""


def crawl_error(url: str, error: RequestError) -> CrawlError:
    """The error of a file whose last attempt was this.

    >>> gone = RequestError(FetchFailure.NOT_FOUND, "it answered 404", status=404, again=False)
    >>> crawl_error("https://crawl.example/a.gz", gone)
    NotOnCrawlError('https://crawl.example/a.gz could not be fetched in 1 try: it answered 404')
    """
    if error.again:
        return CrawlUnreachableError(url, error)
    if error.failure is FetchFailure.NOT_FOUND:
        return NotOnCrawlError(url, error)
    return CrawlRefusedError(url, error)


_AGAIN = {
    403: FetchFailure.FORBIDDEN,
    408: FetchFailure.TIMEOUT,
    429: FetchFailure.THROTTLED,
}
_FINAL = {
    404: FetchFailure.NOT_FOUND,
    410: FetchFailure.NOT_FOUND,
    416: FetchFailure.RANGE_UNSATISFIABLE,
}
_OBSTACLES = {403: Obstacle.FORBIDDEN, 407: Obstacle.PROXY, 511: Obstacle.PORTAL}
_COOL_DOWN = frozenset({403, 429, 503})
_NEVER_BETTER = frozenset({501, 505})


def status_error(status: int, retry_after_s: float | None = None) -> RequestError | None:
    """What a status means; None for 200 and 206, the two that carry what was asked for.

    403 is asked again: it is how Common Crawl's endpoint answers a client that was too
    fast, and it passes. 501 and 505 say that the server will never do it.

    >>> status_error(206)
    >>> status_error(503).again, status_error(503).cool_down
    (True, True)
    >>> str(status_error(410))
    'http_not_found: it answered 410'
    """
    if status in (200, 206):
        return None
    again = status in _AGAIN or (status >= 500 and status not in _NEVER_BETTER)
    failure = _AGAIN.get(status) or _FINAL.get(status) or _by_class(status)
    return RequestError(
        failure,
        f"it answered {status}" + (f", Retry-After {retry_after_s:.0f} s" if retry_after_s else ""),
        status=status,
        again=again,
        cool_down=status in _COOL_DOWN,
        retry_after_s=retry_after_s,
        obstacle=_OBSTACLES.get(status, Obstacle.PORTAL if 300 <= status < 400 else None),
    )


def _by_class(status: int) -> FetchFailure:
    if status >= 500:
        return FetchFailure.SERVER_ERROR
    return FetchFailure.REDIRECTED if 300 <= status < 400 else FetchFailure.REFUSED
