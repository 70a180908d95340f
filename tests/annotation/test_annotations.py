import sqlite3
import threading
from contextlib import closing

import pytest

from skord.annotation_tool.backend import views
from skord.annotation_tool.backend.annotations import (
    ADJUDICATED,
    Annotation,
    Annotations,
    StaleError,
    UnknownPageError,
)
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.labels import Change, LineRangeError, kept_lines
from skord.annotation_tool.backend.ordering import Filter, Order, Status
from skord.core.failures import ConfigError
from skord.models.line_classifier.load import load_line_classifier
from tests.annotation.conftest import page_of


@pytest.fixture
def annotations(database):
    return Annotations(database)


@pytest.fixture
def digest(database):
    return database.entries()[0].digest


def test_changes_are_undone_one_by_one_and_remembered(annotations, digest):
    one = annotations.label(digest, "a", [Change(4, 8, True)], 0)
    two = annotations.label(digest, "a", [Change(5, 5, False)], one.revision)
    three = annotations.mark(digest, "a", two.revision, is_ignored=True)
    assert (kept_lines(three.labels), three.is_ignored) == ([4, 6, 7, 8], True)

    back = annotations.undo(digest, "a", three.revision)
    assert (back.labels, back.is_ignored) == (two.labels, False)
    back = annotations.undo(digest, "a", back.revision)
    assert back.labels == one.labels
    back = annotations.undo(digest, "a", back.revision)
    assert not any(back.labels)
    assert annotations.undo(digest, "a", back.revision) == back

    said = [(entry.what, entry.undone) for entry in annotations.history(digest, "a")]
    assert said[-3:] == [("ignored", True), ("remove 6-6", True), ("keep 5-9", True)]
    assert [what.split()[0] for what, _ in said[:3]] == ["undo"] * 3


def test_a_change_after_an_undo_can_be_undone_too(annotations, digest):
    one = annotations.label(digest, "a", [Change(1, 1, True)], 0)
    none = annotations.undo(digest, "a", one.revision)
    two = annotations.label(digest, "a", [Change(2, 2, True)], none.revision)
    assert kept_lines(annotations.undo(digest, "a", two.revision).labels) == []


def test_annotators_do_not_see_each_others_changes(annotations, digest):
    annotations.label(digest, "a", [Change(0, 3, True)], 0)
    assert not any(annotations.of(digest, "b").labels)
    assert annotations.undo(digest, "b", 0).revision == 0
    assert kept_lines(annotations.of(digest, "a").labels) == [0, 1, 2, 3]


def test_a_change_made_on_what_is_no_longer_there_is_refused(annotations, digest):
    annotations.label(digest, "a", [Change(0, 0, True)], 0)
    for late in (
        lambda: annotations.label(digest, "a", [Change(1, 1, True)], 0),
        lambda: annotations.mark(digest, "a", 0, is_done=True),
        lambda: annotations.undo(digest, "a", 0),
    ):
        with pytest.raises(StaleError):
            late()
    assert kept_lines(annotations.of(digest, "a").labels) == [0]


@pytest.mark.parametrize("change", [Change(-1, 0, True), Change(3, 2, True), Change(0, 999, True)])
def test_lines_that_are_not_there_change_nothing(annotations, digest, change):
    with pytest.raises(LineRangeError):
        annotations.label(digest, "a", [Change(0, 0, True), change], 0)
    assert annotations.of(digest, "a").revision == 0
    with pytest.raises(UnknownPageError):
        annotations.label("0" * 64, "a", [Change(0, 0, True)], 0)


def test_many_annotators_at_once_lose_nothing(database, digest):
    def work(name):
        annotations = Annotations(Database(database.path))
        revision = 0
        for line in range(10):
            change = [Change(line, line, True)]
            revision = annotations.label(digest, name, change, revision).revision

    threads = [threading.Thread(target=work, args=(f"annotator {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    actual = Annotations(database).by_page(digest)
    assert len(actual) == 4
    assert all(kept_lines(a.labels) == list(range(10)) for a in actual.values())


def test_the_file_is_in_wal_mode_and_another_file_is_refused(database, tmp_path):
    with database.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other = tmp_path / "other.sqlite"
    other.write_text("no database at all, but long enough to be taken for one " * 20)
    with pytest.raises(ConfigError, match="no SQLite file"):
        Database(other)


def done(database, digest, annotator, kept):
    labels = bytes(number in kept for number in range(database.entry(digest).lines))
    Annotations(database).replace(digest, annotator, Annotation(labels, is_done=True), "given")


def test_two_annotators_are_compared_on_visible_lines_and_settled(database, digest):
    done(database, digest, "a", {4, 6, 8})
    done(database, digest, "b", {4, 5, 6, 10})
    agreement = views.agreement_of(database, "a", "b")
    assert (agreement["pages"], agreement["lines"], agreement["differing"]) == (1, 8, 2)
    assert agreement["kappa"] == pytest.approx(0.4667, abs=1e-4)

    (contested,) = views.queue(database, "a", Order.disagreement, Filter(Status.contested))
    assert (contested["digest"], contested["differing"]) == (digest, 2)
    settled = views.begin_adjudication(database, digest, "a", "b")
    assert kept_lines(settled.labels) == [4, 6]
    Annotations(database).label(digest, ADJUDICATED, [Change(8, 8, True)], settled.revision)
    again = views.begin_adjudication(database, digest, "b", "a")
    assert kept_lines(again.labels) == [4, 6, 8]


def test_pages_are_queued_by_what_the_model_is_least_sure_of_and_by_loss(database):
    database.add_pages([page_of("Text\n" * 3, "https://ny.se/")])
    classifier = load_line_classifier("")
    assert database.predict(classifier) == 4
    assert database.predict(classifier) == 0
    unsure = [p["uncertainty"] for p in views.queue(database, "a", Order.uncertainty, Filter())]
    assert unsure == sorted(unsure, reverse=True)
    assert unsure[-1] < unsure[0]

    entries = database.entries()
    good, bad = entries[0].digest, entries[1].digest
    likely = database.probabilities(good)
    done(database, good, "a", {n for n, p in enumerate(likely) if p > 127})
    done(database, bad, "a", {n for n, p in enumerate(database.probabilities(bad)) if p <= 127})
    by_loss = [page["digest"] for page in views.queue(database, "a", Order.loss, Filter())]
    assert by_loss[:2] == [bad, good]


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Filter(), 3),
        (Filter(lang="sv"), 2),
        (Filter(words="C.HTML"), 1),
        (Filter(Status.open), 2),
        (Filter(Status.done), 1),
        (Filter(Status.ignored), 0),
        (Filter(site="a.se"), 0),
    ],
)
def test_the_queue_can_be_narrowed(database, digest, wanted, count):
    done(database, digest, "a", {4})
    assert len(views.queue(database, "a", Order.site, wanted)) == count


def test_a_second_reading_is_told_of_the_first_when_it_is_done(database, digest):
    done(database, digest, "a", {4, 6})
    (open_to_b,) = views.queue(database, "b", Order.site, Filter(Status.second))
    assert open_to_b["digest"] == digest
    assert views.queue(database, "a", Order.site, Filter(Status.second)) == []
    assert views.page(database, digest, "b")["others"] == {}
    assert views.page(database, digest, ADJUDICATED)["others"] == {"a": [4, 6]}
    done(database, digest, "b", {4})
    assert views.page(database, digest, "b")["others"] == {"a": [4, 6]}
    assert views.queue(database, "b", Order.site, Filter(Status.second)) == []


def test_a_blind_reading_has_no_predictions_before_it_is_done(database, digest):
    database.predict(load_line_classifier(""))
    assert views.page(database, digest, "a")["probabilities"]
    assert views.page(database, digest, "a", is_blind=True)["probabilities"] is None
    done(database, digest, "a", {4})
    assert views.page(database, digest, "a", is_blind=True)["probabilities"]


def test_a_team_has_progress_and_agreement_of_each_two(database):
    first, second, third = (entry.digest for entry in database.entries())
    done(database, first, "a", {4, 6, 8})
    done(database, first, "b", {4, 6, 10})
    done(database, second, "a", {4})
    Annotations(database).label(third, "b", [Change(4, 4, True)], 0)
    actual = views.team(database)
    assert actual["pages"] == 3
    assert actual["progress"] == [
        {"annotator": "a", "done": 2, "begun": 0, "ignored": 0},
        {"annotator": "b", "done": 1, "begun": 1, "ignored": 0},
    ]
    (pair,) = actual["agreement"]
    assert (pair["first"], pair["second"], pair["pages"], pair["differing"]) == ("a", "b", 1, 2)
    assert pair["kappa"] == pytest.approx(0.467, abs=1e-3)


@pytest.mark.parametrize(
    "made", ["CREATE TABLE mine (a)", "PRAGMA user_version = 99"], ids=["tables", "version"]
)
def test_a_database_of_something_else_is_not_written_to(tmp_path, made):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(made)
    before = path.read_bytes()

    with pytest.raises(ConfigError, match="was not made by this version: name another"):
        Database(path)

    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema").fetchall()
    assert tables == ([("mine",)] if b"mine" in before else [])
