"""The HTTP interface of the tool, over one database."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field
from selectolax.lexbor import LexborHTMLParser

from skord.annotation_tool.backend import views
from skord.annotation_tool.backend.access import APP_POLICY, COOKIE, HEADERS, Access, refusal
from skord.annotation_tool.backend.annotations import (
    ADJUDICATED,
    Annotation,
    Annotations,
    StaleError,
    UnknownPageError,
)
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.labels import Change, LineRangeError, kept_lines
from skord.annotation_tool.backend.line_anchors import with_anchors
from skord.annotation_tool.backend.ordering import Filter, Order, Status
from skord.annotation_tool.backend.published import NAME
from skord.html.charset.decode import decode
from skord.markdown.extraction import split_lines

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


FRONTEND = Path(__file__).parents[1] / "frontend"

Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
"""Of an annotator."""


class Asked(BaseModel):
    """By whom, and on which revision, a change was made."""

    model_config = ConfigDict(extra="forbid")
    annotator: Name
    revision: int


class LineRange(BaseModel):
    """Lines from 0, both ends included."""

    model_config = ConfigDict(extra="forbid")
    first: int
    last: int
    keep: bool


class Labelling(Asked):
    """Ranges of lines to keep or remove, in order."""

    changes: Annotated[list[LineRange], Field(min_length=1, max_length=10_000)]


class Marking(Asked):
    """Marks to set or take away; what is left out stays."""

    is_ignored: bool | None = None
    is_done: bool | None = None


class Adjudication(BaseModel):
    """Two annotators whose labels are to be settled."""

    model_config = ConfigDict(extra="forbid")
    first: Name
    second: Name


def database_of(request: Request) -> Database:
    """The database that the app was made with."""
    database: Database = request.app.state.database
    return database


class NotAnnotatorError(Exception):
    """Somebody who is none of the given annotators wants to label."""


class UnknownAnnotatorError(KeyError):
    """Nobody of this name has labelled a page."""


def may_label(request: Request, name: str) -> None:
    """Refuses annotators other than those that the server was given, if it was given some."""
    allowed: frozenset[str] = request.app.state.annotators
    if allowed and name not in allowed | {ADJUDICATED}:
        raise NotAnnotatorError(
            f"{name!r} is none of the annotators here: {', '.join(sorted(allowed))}"
        )


DB = Annotated[Database, Depends(database_of)]
api = APIRouter(prefix="/api")


@api.get("/state")
def state(db: DB, request: Request) -> dict[str, object]:
    """What there is: pages, languages, sites, annotators, the model."""
    return {**views.state(db), "allowed": sorted(request.app.state.annotators)}


@api.get("/team")
def team(db: DB) -> dict[str, object]:
    """How far everybody is, and how far they agree."""
    return views.team(db)


@api.get("/queue")
def queue(
    db: DB,
    annotator: str,
    order: Order = Order.uncertainty,
    status: Status = Status.all,
    lang: str = "",
    site: str = "",
    words: str = "",
) -> list[dict[str, object]]:
    """The pages to look at, in order."""
    return views.queue(db, annotator, order, Filter(status, lang, site, words))


@api.get("/pages/{digest}")
def page(db: DB, request: Request, digest: str, annotator: str) -> dict[str, object]:
    """One page: lines, predictions, and, for those who are done with it, everybody's labels."""
    return views.page(db, digest, annotator, is_blind=request.app.state.is_blind)


@api.post("/pages/{digest}/labels")
def label(db: DB, request: Request, digest: str, asked: Labelling) -> dict[str, object]:
    """Keep or remove lines."""
    may_label(request, asked.annotator)
    changes = [Change(c.first, c.last, c.keep) for c in asked.changes]
    return _shown(Annotations(db).label(digest, asked.annotator, changes, asked.revision))


@api.post("/pages/{digest}/marks")
def mark(db: DB, request: Request, digest: str, asked: Marking) -> dict[str, object]:
    """Set a page aside, or call it done."""
    may_label(request, asked.annotator)
    marks = {"is_ignored": asked.is_ignored, "is_done": asked.is_done}
    return _shown(Annotations(db).mark(digest, asked.annotator, asked.revision, **marks))


@api.post("/pages/{digest}/undo")
def undo(db: DB, request: Request, digest: str, asked: Asked) -> dict[str, object]:
    """Take back the last change."""
    may_label(request, asked.annotator)
    return _shown(Annotations(db).undo(digest, asked.annotator, asked.revision))


@api.get("/pages/{digest}/history")
def history(db: DB, digest: str, annotator: str) -> list[dict[str, object]]:
    """Every change, newest first."""
    return [entry._asdict() for entry in Annotations(db).history(digest, annotator)]


@api.post("/pages/{digest}/adjudication")
def adjudicate(db: DB, digest: str, asked: Adjudication) -> dict[str, object]:
    """Begin to settle two annotators' differences: what both keep is kept."""
    return _shown(views.begin_adjudication(db, digest, asked.first, asked.second))


@api.get("/agreement")
def agreement(db: DB, first: str, second: str) -> dict[str, object]:
    """Two annotators compared, over all pages and page by page."""
    known = Annotations(db).annotators()
    for name in (first, second):
        if name not in known:
            raise UnknownAnnotatorError(f"{name} has labelled no page")
    return views.agreement_of(db, first, second)


def _shown(annotation: Annotation) -> dict[str, object]:
    return {
        "selected_lines": kept_lines(annotation.labels),
        "is_ignored": annotation.is_ignored,
        "is_done": annotation.is_done,
        "revision": annotation.revision,
    }


def archived_page(db: DB, digest: str) -> HTMLResponse:
    """The page as archived, made inert; 404 where only Markdown is known."""
    page = db.archived_page(digest)
    headers = {"Content-Security-Policy": ARCHIVED_POLICY}
    if page is None:
        text = "<p>Of this page there is only Markdown, or nothing."
        return HTMLResponse(text, HTTPStatus.NOT_FOUND, headers)
    lines = split_lines(db.markdown(digest) or "")
    html = with_anchors(inert(decode(page.body, page.content_type).text), lines)
    return HTMLResponse(html.encode("utf-8", "replace"), headers=headers)


def create_app(
    database: Database,
    access: Access,
    annotators: frozenset[str] = frozenset(),
    *,
    is_blind: bool = False,
) -> FastAPI:
    """The tool as an ASGI application.

    Whoever gives a name may label where `annotators` is empty. `is_blind`: no predictions of a page
    are shown before the annotator is done with it.
    """
    app = FastAPI(title="annotation_tool", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.database = database
    app.state.annotators = annotators
    app.state.is_blind = is_blind
    app.include_router(api)
    app.add_api_route("/archived/{digest}", archived_page, response_class=HTMLResponse)
    app.add_api_route("/", _front, response_class=FileResponse)
    app.mount("/frontend", StaticFiles(directory=FRONTEND), name="frontend")
    for error, status in (
        (UnknownPageError, HTTPStatus.NOT_FOUND),
        (UnknownAnnotatorError, HTTPStatus.NOT_FOUND),
        (NotAnnotatorError, HTTPStatus.FORBIDDEN),
        (StaleError, HTTPStatus.CONFLICT),
        (LineRangeError, HTTPStatus.UNPROCESSABLE_ENTITY),
    ):
        app.add_exception_handler(error, _answer_with(status))
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.middleware("http")(_guard(access))
    return app


def _front() -> FileResponse:
    return FileResponse(FRONTEND / "index.html")


def _answer_with(status: HTTPStatus) -> Callable[[Request, Exception], Response]:
    def answer(_: Request, error: Exception) -> Response:
        return JSONResponse({"detail": str(error)}, status)

    return answer


def _answer_invalid(_: Request, error: Exception) -> Response:
    """What is wrong with a request, without the request: its strings may be none in UTF-8."""
    assert isinstance(error, RequestValidationError)
    what = [{name: one[name] for name in ("type", "msg")} for one in error.errors()]
    return JSONResponse({"detail": what}, HTTPStatus.UNPROCESSABLE_ENTITY)


def _guard(
    access: Access,
) -> Callable[[Request, Callable[[Request], Awaitable[Response]]], Awaitable[Response]]:
    """Refuses what may not pass, and puts the headers of `access` on every answer."""

    async def guard(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        given = request.query_params.get("token")
        refused = refusal(access, request.method, request.headers, given)
        if refused:
            answer: Response = JSONResponse({"detail": refused.reason}, refused.status)
        elif access.token and given and request.url.path == "/":
            answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
            answer.set_cookie(COOKIE, access.token, httponly=True, samesite="strict")
        else:
            answer = await call_next(request)
        for name, value in HEADERS.items():
            answer.headers[name] = value
        answer.headers.setdefault("Content-Security-Policy", APP_POLICY)
        return answer

    return guard
