from __future__ import annotations

import numpy as np
import pytest

from models.line_classifier.interface import load_line_classifier
from models.line_classifier.network import read_network
from pipeline.core.failures import ConfigError
from pipeline.transforms.extraction import kept_text, probabilities

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


def test_a_block_of_code_is_kept_or_removed_as_one(embedded):
    page = ARTICLE + "```\nx = 1\n\ny = 2\n```\n"
    (logits,) = embedded.logits([page])
    assert len(set(logits[-5:].tolist())) == 1


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
        read_network(tmp_path / "other.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(ConfigError, match="cannot read"):
        read_network(tmp_path / "text.npz")
    with pytest.raises(ConfigError, match="cannot read"):
        read_network(tmp_path / "absent.npz")
