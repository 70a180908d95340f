"""What owners reserve of a single page, outside of any task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from skord.crawl.robots import robots_text
from skord.rights.page_signals import page_reservations
from skord.rights.reservations import AGENTS, Reservation
from skord.rights.site_signals import SiteFiles, site_statements


def reservations(
    html: str | bytes | None = None,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    robots: str | bytes | None = None,
    url: str | None = None,
    agents: Sequence[str] = AGENTS,
) -> list[Reservation]:
    """What the owners of a page reserve: by which signal, for whom, and in which words.

    Args:
        html: the page, for its robots tags, TDMRep tags and licences.
        headers: of the HTTP response, names in any case.
        robots: the robots.txt of its site; needs `url`.
        url: of the page.
        agents: crawlers whose rules in robots.txt, and whose robots tags, are looked for.

    Returns:
        records with `source` (a `skord.rights.reservations.Source`), `agent` (`*` for everybody)
        and `words`, each once, those of robots.txt first.

    Raises:
        ValueError: there is a robots.txt and no address that it could speak of.

    >>> found = reservations('<meta name="robots" content="noai">', url="https://example.se/a",
    ...     robots="User-agent: GPTBot, CCBot\\nDisallow: /", agents=("CCBot",))
    >>> [(one.source, one.agent, one.words) for one in found]  # doctest: +NORMALIZE_WHITESPACE
    [('robots_txt', 'CCBot', 'User-agent: CCBot Disallow: /'), ('meta_robots', '*', 'noai')]
    """
    found: list[Reservation] = []
    if robots is not None:
        if url is None:
            raise ValueError("robots.txt speaks of addresses: give the page's url, too")
        text = robots if isinstance(robots, str) else robots_text(robots)
        found += site_statements(SiteFiles(robots=text), tuple(agents)).reservations(url)
    body = html.encode(errors="replace") if isinstance(html, str) else html or b""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    found += page_reservations(pairs, body, agents)
    return list(dict.fromkeys(found))
