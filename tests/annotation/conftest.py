"""A database of a few pages, and the tool served over it on loopback."""

import contextlib
import socket
import threading

import pytest

from skord.annotation_tool.backend.access import access_for
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.published import SourcePage
from skord.annotation_tool.backend.sources import PageReader, site_of

ARTICLE = """<!doctype html><html lang="{lang}"><head><title>Bron</title>
<style>body {{ background: rgb(250, 200, 40) }}</style></head><body>
<ul><li>Hem</li><li>Nyheter</li><li>Kontakt</li></ul>
<h1>Kommunen bygger en ny bro</h1>
<p>Den nya bron skall stå klar nästa höst, säger kommunens ingenjör. {words}</p>
<p>Den gamla bron är från 1932 och har länge varit för smal.</p>
<p>Logga in</p><p>© Tidningen</p></body></html>"""
MENU, HEADING, TEXT, FOOTER = (0, 2), 4, (6, 8), (10, 12)
"""Places in the Markdown of ARTICLE, line numbers from 0."""


@pytest.fixture(scope="session")
def articles(tmp_path_factory):
    """A folder of three HTML pages that are alike, in two languages."""
    folder = tmp_path_factory.mktemp("articles")
    for name, lang, words in (("a", "sv", "Ett."), ("b", "sv", "Två."), ("c", "da", "Tre.")):
        (folder / f"{name}.html").write_text(ARTICLE.format(lang=lang, words=words))
    return folder


@pytest.fixture(scope="session")
def article_pages(articles):
    reader = PageReader()
    return list(reader.read(articles))


@pytest.fixture
def database(tmp_path, article_pages):
    made = Database(tmp_path / "annotations.sqlite")
    assert made.add_pages(article_pages) == 3
    return made


def page_of(markdown: str, url: str = "https://a.se/", **more) -> SourcePage:
    given = {"digest": f"{abs(hash(url)):064x}", "site": site_of(url), "lang": "sv"}
    return SourcePage(url=url, source="made", markdown=markdown, **given | more)


@contextlib.contextmanager
def served(database, token=None, names=(), annotators=(), **options):
    """The tool over a database; yields its address."""
    import uvicorn  # noqa: PLC0415

    from skord.annotation_tool.backend.app import create_app  # noqa: PLC0415

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        access = access_for("127.0.0.1", port, names, token)
        app = create_app(database, access, frozenset(annotators), **options)
        config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(timeout=240)
