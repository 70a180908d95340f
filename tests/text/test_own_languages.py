"""Files of one's own languages: what they may say, and that it counts where it should."""

import pyarrow as pa
import pytest

from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.failures import ConfigError
from skord.html.charset.decode import CharsetSource, decode
from skord.html.charset.letter_rules import RULES
from skord.quality.measures import Lists, quality_columns
from skord.records.conversion import rules_with
from skord.text.own_languages import OwnLanguages, own_languages, read_languages
from tests.shards.test_filter_documents import FINNISH, batch_of

FILE = """
stop_words = ["kirjasto", "on"]
sentence_ends = "।"
notices = ["korttinsa tiskillä"]
[letters]
charsets = ["ISO-8859-9"]
words = ["ve", "bir", "bu", "kar", "gece"]
per_mille = { "ı" = 400, "ş" = 300, "ğ" = 200, "ü" = 50, "ö" = 50 }
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "fi.toml").write_text(FILE)
    return read_languages(str(tmp_path))


def test_of_no_folder_nothing_is_said():
    assert read_languages("") == OwnLanguages()
    assert OwnLanguages().digest("stop_words", "letters") == ""


def test_words_ends_and_notices_count_for_a_text_of_the_language(own):
    texts = pa.array([f"{FINNISH}\n\nKirjasto on auki।\n\nKirjasto on kiinni।", FINNISH])
    scores = [{"fi": 1.0}, {"et": 1.0}]
    plain, added = (
        quality_columns(texts, ["http://a.example/"] * 2, scores, lists).to_pylist()
        for lists in (Lists(), Lists(own=own))
    )

    assert [row["num_stop_words"] for row in plain] == [3, 2]
    assert [row["num_stop_words"] for row in added] == [2, 2]
    assert plain[0]["punctuated_line_ratio"] == pytest.approx(1 / 3)
    assert [row["punctuated_line_ratio"] for row in added] == [1, 1]
    assert plain[0]["num_prose_sentences"] > added[0]["num_prose_sentences"]
    of_words = ("num_prose_sentences", "stop_word_ratio", "prose_char_ratio", "is_list")
    assert plain[1] == {**added[1], **{name: plain[1][name] for name in of_words}}


def test_old_pages_are_read_by_the_letters_of_a_file(own):
    text = "Bu gece kar yağdı ve bir kış daha başladı. Bu kış ve bir gece, kar ve ışık."
    body = f"<p>{text}</p>".encode("iso8859-9")

    others = [rule for rule in RULES if rule.language != "tr"]
    assert "ğ" not in decode(body, "text/html; charset=iso-8859-1", others).text
    read = decode(body, "text/html; charset=iso-8859-1", rules_with(own.letters))
    assert text in read.text
    assert read.source is CharsetSource.letters
    assert rules_with({}) == RULES


def test_the_settings_folder_is_read_by_the_tasks_and_is_in_their_fingerprints(tmp_path, settings):
    def fingerprints():
        tasks = (FilterDocuments(dump="2024-10"), ConvertToMarkdown(dump="2024-10"))
        return [task.fingerprint_parts() for task in tasks]

    settings('[CCNet]\nlanguages = ["fi"]\n')
    without = fingerprints()
    (tmp_path / "own").mkdir()
    settings(f'[CCNet]\nlanguages = ["fi"]\n[languages]\nfolder = {tmp_path / "own"}\n')
    assert fingerprints() == without
    (tmp_path / "own" / "fi.toml").write_text(FILE)
    read_languages.cache_clear()

    assert own_languages().notices == ("korttinsa tiskillä",)
    assert all(a != b for a, b in zip(fingerprints(), without, strict=True))
    (row,) = FilterDocuments(dump="2024-10").process(batch_of(FINNISH, language="fi")).to_pylist()
    assert row["num_stop_words"] == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("stopwords = []", "has stopwords: there is stop_words, sentence_ends"),
        ('stop_words = "ja on"', "stop_words is 'ja on'"),
        ('notices = ["Evästeet"]', "notices is"),
        ("stop_words = [", "cannot be read"),
        ("[letters]\nwords = []", "needs charsets, words and per_mille"),
        ('[letters]\nwords = ["a"]\ncharsets = ["x"]\nper_mille = { a = 1 }', "has 'a' = 1"),
    ],
)
def test_a_file_of_another_form_is_told_in_one_sentence(tmp_path, content, said):
    (tmp_path / "fi.toml").write_text(content)
    with pytest.raises(ConfigError, match=said):
        read_languages(str(tmp_path))


def test_a_charset_that_is_none_and_a_folder_that_is_not_there(tmp_path):
    (tmp_path / "fi.toml").write_text(FILE.replace("ISO-8859-9", "klingon"))
    with pytest.raises(ConfigError, match="klingon"):
        rules_with(read_languages(str(tmp_path)).letters)
    with pytest.raises(ConfigError, match="there is no folder"):
        read_languages(str(tmp_path / "none"))
