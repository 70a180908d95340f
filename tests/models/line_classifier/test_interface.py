"""The shipped classifier through its interface."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.html.line_context import line_context
from skord.markdown.extraction import kept_text, probabilities
from skord.models.line_classifier.embedded import FRAME_LOGIT
from skord.models.line_classifier.interface import CONTEXT_WEIGHTS, WEIGHTS
from skord.models.line_classifier.load import (
    load_line_classifier,
    name_of_line_classifier,
    wants_gpu,
)
from skord.models.line_classifier.network import Judged, network_logits, read_network, write_network

ODD = "\u2028 \u2029 \x85 \f \v \r \x1c \x1d \x1e"
ARTICLE = (
    "- Hem\n- Nyheter\n- Om oss\n- Kontakt\n\n# Kommunen bygger en ny bro över ån\n\n"
    "Den nya bron skall stå klar 2026, säger kommunens ingenjör. Arbetet börjar redan i vår, "
    "och trafiken leds om under två år. Kostnaden delas med regionen.\n\n"
    "Den gamla bron är från 1932 och har länge varit för smal. Cyklister har fått leda sina "
    "cyklar över, och bussarna har fått vänta på varandra vid båda fästena.\n\n"
    "Logga in\n\n© 2024 Tidningen\n\nCookies\n"
)


@pytest.fixture(scope="module")
def embedded():
    return load_line_classifier("")


@pytest.mark.parametrize(
    "page", ["", "\n", "text utan radslut", "a\nb", "\n\n\n", f"{ODD}\nordet {ODD}ordet\n\n"]
)
def test_there_is_one_logit_for_each_line_feed(embedded, page):
    (logits,) = embedded.logits([page])
    assert logits.dtype == np.float32
    assert logits.shape == (page.count("\n"),)
    assert np.isfinite(logits).all()


def test_a_page_of_a_hundred_thousand_lines(embedded):
    page = "".join(f"- punkt {n}\n" if n % 3 else "\n" for n in range(100_000))
    (logits,) = embedded.logits([page])
    assert logits.shape == (100_000,)


def test_a_page_does_not_change_with_its_neighbours(embedded):
    pages = [ARTICLE, "", "Ensam rad\n", ARTICLE * 3]
    together = embedded.logits(pages)
    for page, logits in zip(pages, together, strict=True):
        assert np.array_equal(embedded.logits([page])[0], logits)


def test_the_article_stays_and_the_frame_goes(embedded):
    (logits,) = embedded.logits([ARTICLE])
    text = kept_text(ARTICLE, probabilities(logits), 0.5)
    assert "Arbetet börjar redan i vår" in text
    assert "bussarna har fått vänta" in text
    assert "Logga in" not in text
    assert "- Kontakt" not in text


def test_kept_blocks_stay_apart_and_removed_ones_leave_no_gap(embedded):
    (logits,) = embedded.logits([ARTICLE])
    text = kept_text(ARTICLE, probabilities(logits), 0.5)
    assert "regionen.\n\nDen gamla" in text
    assert "\n\n\n" not in text


def test_a_block_of_code_is_judged_as_one(embedded):
    page = ARTICLE + "```\nx = 1\n\ny = 2\n```\n"
    (judged,) = embedded.logits([page])
    assert len(set(judged[-5:].tolist())) == 1


def test_the_html_around_lines_changes_the_verdict(embedded):
    text = "Bron är öppen igen sedan i går, och den som vill kan gå över till fots."
    page = f"{text}\n\n{text[:-1]} också.\n"
    html = (
        f'<main class="article-body"><p>{text}</p></main>'
        f'<footer class="site-footer"><p>{text[:-1]} också.</p></footer>'
    )
    context = line_context(html, page)
    (with_html,) = embedded.logits([page], [context])
    assert with_html[0] - with_html[2] > 1
    (bare,) = embedded.logits([page])
    assert np.array_equal(embedded.logits([page], [None])[0], bare)
    assert not np.array_equal(bare, with_html)


def test_what_stands_in_a_footer_is_removed_unless_all_does(embedded):
    text = "Bron är öppen igen sedan i går, och den som vill kan gå över till fots."
    markdown = f"{text}\n\n{text}\n\n{text}\n"

    def logits(html):
        (actual,) = embedded.logits([markdown], [line_context(html, markdown)])
        return actual

    end = logits(
        f"<main><p>{text}</p><p>{text}</p></main><footer><div><p>{text}</p></div></footer>"
    )
    assert end[4] <= FRAME_LOGIT
    assert min(end[0], end[2]) > FRAME_LOGIT
    every = logits(f"<footer><p>{text}</p><p>{text}</p><p>{text}</p></footer>")
    assert max(every) > FRAME_LOGIT


def test_rows_of_controls_and_of_links_are_removed_unless_all_are(embedded):
    text = "Bron är öppen igen sedan i går, och den som vill kan gå över till fots."
    rows = ["Lägg i korgen Spara", "När öppnar bron?", "Hem | Nyheter | Sport"]
    page = "".join(f"{line}\n\n" for line in [text, *rows, text])
    controls = "<button>Lägg i korgen</button> <label>Spara</label>"
    html = (
        f"<p>{text}</p><div>{controls}</div><div><button>{rows[1]}</button></div><div>"
        f"<a href=/>Hem</a> | <a href=/n>Nyheter</a> | <a href=/s>Sport</a></div><p>{text}</p>"
    )
    (logits,) = embedded.logits([page], [line_context(html, page)])
    assert logits[2] <= FRAME_LOGIT
    assert logits[6] <= FRAME_LOGIT
    assert min(logits[[0, 4, 8]]) > FRAME_LOGIT
    every = line_context(f"<button>{text} {text}</button>", f"{text}\n\n{text}\n")
    assert embedded.logits([f"{text}\n\n{text}\n"], [every])[0].max() > FRAME_LOGIT


def test_what_only_buttons_say_is_removed_outside_of_code(embedded):
    text = "Bron är öppen igen sedan i går, och den som vill kan gå över till fots."
    page = f"{text}\n\nLaddar innehåll\n\n{text}\n\n```\nlogin\n{text}\n```\n"
    html = f"<p>{text}</p><p>Laddar innehåll</p><p>{text}</p><pre>login\n{text}</pre>"
    for context in (None, line_context(html, page)):
        (logits,) = embedded.logits([page], [context])
        assert logits[2] <= FRAME_LOGIT
        assert logits[0] > FRAME_LOGIT
        assert len(set(logits[6:10].tolist())) == 1
    (alone,) = embedded.logits([page.replace("Laddar innehåll", "Bron är lagad")])
    assert alone[2] > FRAME_LOGIT


def test_lines_set_alike_are_judged_alike(embedded):
    rows = ["Bron är öppen igen sedan i går.", "Meny", "Kontakt", "Den som vill kan gå över."]
    page = "".join(f"- {row}\n" for row in rows)
    html = "<ul>" + "".join(f"<li>{row}</li>" for row in rows) + "</ul>"
    context = line_context(html, page)
    shown = embedded.shown(page, context)
    alone = network_logits(embedded.with_context, shown.features, shown.context).logits
    (logits,) = embedded.logits([page], [context])
    assert 0 < np.ptp(logits) < np.ptp(alone) / 2


def test_a_context_of_another_page_is_refused(embedded):
    with pytest.raises(ValueError, match="1 contexts for 2 lines"):
        embedded.logits(["a\nb\n"], [line_context("<p>a", "a\n")])


@pytest.mark.parametrize("page", ["", "\n", "a\nb", f"{ODD}\nordet {ODD}ordet\n\n", "# a\n" * 3000])
@pytest.mark.parametrize("html", ["", "bara text", "<p>a<p>b", "<div>" * 90 + "a" + "</div>" * 90])
def test_any_html_gives_one_finite_logit_for_each_line_feed(embedded, page, html):
    (logits,) = embedded.logits([page], [line_context(html, page)])
    assert logits.shape == (page.count("\n"),)
    assert np.isfinite(logits).all()


def test_odd_line_breaks_do_not_shift_verdicts(embedded):
    page = ARTICLE.replace("säger", "säger\u2028\x85")
    (logits,) = embedded.logits([page])
    text = kept_text(page, probabilities(logits), 0.5)
    assert "säger\u2028\x85 kommunens" in text
    assert "Cookies" not in text


def test_a_classifier_is_read_once_and_named_after_its_weights(embedded):
    assert load_line_classifier("") is embedded
    assert load_line_classifier("embedded").name == embedded.name
    assert embedded.name.startswith("embedded-")


def test_a_weights_file_of_other_shapes_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", mean=np.zeros(3, np.float32))
    with pytest.raises(ConfigError, match="another line classifier"):
        read_network(tmp_path / "other.npz", False)
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(ConfigError, match="cannot read"):
        read_network(tmp_path / "text.npz", False)
    with pytest.raises(ConfigError, match="cannot read"):
        read_network(tmp_path / "absent.npz", False)


@pytest.mark.parametrize(("path", "with_context"), [(WEIGHTS, False), (CONTEXT_WEIGHTS, True)])
def test_weights_written_again_are_the_same_bytes(tmp_path, path, with_context):
    write_network(tmp_path / "again.npz", read_network(path, with_context).ensemble)
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(("logit", "ratio"), [(-6.0, 3), (6.0, 1)])
def test_a_page_of_which_little_is_promised_is_judged_less_surely(embedded, logit, ratio):
    page = embedded.shown("Ett stycke med sju ord i sig.\n\nEtt till.\n", None)
    types = np.eye(7, dtype=np.float32)[0]
    actual = embedded.ruled(page, Judged(np.full(2, logit, np.float32), types)).logits
    assert np.allclose(actual, logit / ratio, atol=1 / 64)
    unsure = np.eye(7, dtype=np.float32)[4]
    assert np.allclose(
        embedded.ruled(page, Judged(actual[::2], unsure)).logits, actual, atol=1 / 64
    )


def test_a_folder_of_weights_is_a_classifier_with_its_digest_in_its_name(tmp_path):
    for path in (WEIGHTS, CONTEXT_WEIGHTS):
        shutil.copy(path, tmp_path)
    folder = str(tmp_path)
    assert name_of_line_classifier(folder) == load_line_classifier("").name
    assert not wants_gpu(folder)
    (tmp_path / CONTEXT_WEIGHTS.name).unlink()
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(WEIGHTS, other)
    own = load_line_classifier(str(other))
    assert own.with_context is None
    assert own.name == name_of_line_classifier(str(other)) != load_line_classifier("").name
    # Without weights for pages with their HTML those for the Markdown alone judge all.
    page = "Meny\n\nDen nya bron skall stå klar nästa höst.\n"
    context = line_context("<nav>Meny</nav><p>Den nya bron skall stå klar nästa höst.", page)
    (alone,) = own.logits([page])
    (shown,) = own.logits([page], [context])
    assert np.array_equal(alone, shown)


def test_a_folder_with_damaged_weights_is_named(tmp_path):
    (tmp_path / WEIGHTS.name).write_bytes(b"none")
    with pytest.raises(ConfigError, match="cannot read the line classifier"):
        load_line_classifier(str(tmp_path))
