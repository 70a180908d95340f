"""Gopher's, C4's, FineWeb's and Uzushio's measures: each beside its plain restatement."""

from __future__ import annotations

import collections
import itertools
import math
import random
import re
import unicodedata

import pyarrow as pa
import pytest

from skord.quality.limits import FEATURES, decide_quality, quality_limits
from skord.quality.measures import Lists, bucket_columns, quality_columns
from skord.quality.policy_phrases import POLICY_PHRASES, phrase_finder
from skord.quality.stop_words import STOP_WORDS

URL = "https://exempel.se/"
NO_LISTS = Lists()
PROSE = (
    "Kommunen öppnar biblioteket igen efter sommaren. Samlingen har flyttats till nya lokaler "
    "vid torget, och barnavdelningen har fått ett eget rum med utsikt över ån. Den som vill "
    "låna en bok visar sitt kort vid disken eller använder automaten som står vid ingången. "
    "På lördagar läser personalen högt för barn, och i oktober börjar kurserna för nybörjare."
)


def measure(*texts, language="sv", lists=NO_LISTS, given=None):
    scores = [{language: 0.9}] * len(texts)
    return quality_columns(pa.array(texts, pa.string()), [URL] * len(texts), scores, lists, given)


def one(text, **settings):
    return measure(text, **settings).to_pylist()[0]


def is_punctuation(char):
    return unicodedata.category(char)[0] in "PS"


def script(char):
    name = unicodedata.name(char, "")
    kinds = ("HIRAGANA", "KATAKANA", "CJK UNIFIED")
    return next((kind for kind in kinds if name.startswith(kind)), "")


def plain_words(text, by_script):
    runs = [
        "".join(part)
        for run in text.split()
        for _, part in itertools.groupby(run, script if by_script else lambda _: "")
    ]
    bare = ("".join(char for char in run if not is_punctuation(char)) for run in runs)
    return [word for word in bare if word]


def restated(text, by_script):
    """The measures of words and lines, the slow way."""
    words = plain_words(text, by_script)
    same = [unicodedata.normalize("NFD", word.lower()) for word in words]
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    paragraphs = [
        tuple(line.strip() for line in lines)
        for blank, lines in itertools.groupby(text.split("\n"), lambda line: not line.strip())
        if not blank
    ]
    seen = [line in lines[:at] for at, line in enumerate(lines)]
    seen_paragraphs = [part in paragraphs[:at] for at, part in enumerate(paragraphs)]
    chars = max(len(text), 1)
    in_seen = sum(len(line) for line, is_seen in zip(lines, seen, strict=True) if is_seen)
    actual = {
        "num_words": len(words),
        "ellipsis_line_ratio": sum(re.search(r"(…|\.\.\.)$", line) is not None for line in lines)
        / max(len(lines), 1),
        "short_line_ratio": sum(len(line) <= (10 if by_script else 30) for line in lines)
        / max(len(lines), 1),
        "duplicate_line_ratio": sum(seen) / max(len(lines), 1),
        "duplicate_line_char_ratio": in_seen / chars,
        "repeated_line_char_ratio": in_seen / max(sum(map(len, lines)), 1),
        "duplicate_paragraph_ratio": sum(seen_paragraphs) / max(len(paragraphs), 1),
        "duplicate_paragraph_char_ratio": sum(
            sum(map(len, part))
            for part, is_seen in zip(paragraphs, seen_paragraphs, strict=True)
            if is_seen
        )
        / chars,
        "adjacent_duplicate_char_ratio": sum(
            len(line) for before, line in itertools.pairwise(lines) if before == line
        )
        / chars,
        "ellipsis_word_ratio": len(re.findall(r"…|\.\.\.", text)) / len(words) if words else 0,
        "alphabetic_word_ratio": sum(any(map(str.isalpha, run)) for run in text.split())
        / len(text.split())
        if text.split()
        else None,
    }
    for n in (2, 3, 4):
        grams = [tuple(same[at : at + n]) for at in range(len(same) - n + 1)]
        gram, times = (collections.Counter(grams).most_common(1) or [((), 0)])[0]
        at = grams.index(gram) if times > 1 else 0
        length = len(" ".join(words[at : at + n]))
        actual[f"top_{n}_gram_char_ratio"] = times * length / chars if times > 1 else 0
    for n in range(5, 11):
        grams = [tuple(same[at : at + n]) for at in range(len(same) - n + 1)]
        again, seen_grams = set(), set()
        for at, gram in enumerate(grams):
            if gram in seen_grams:
                again |= set(range(at, at + n))
            seen_grams.add(gram)
        actual[f"duplicate_{n}_gram_char_ratio"] = sum(len(words[at]) for at in again) / chars
    return actual


def random_page(generator):
    """Blocks of few words, so that words, runs of them, lines and paragraphs recur."""
    vocabulary = ["hej", "Hej,", "på", "dig...", "och…", "#", "2024", "–", "å", "a\u030a", "日本の",
                  "データです", "**fet**", "。", "...."]  # fmt: skip
    vocabulary = generator.sample(vocabulary, k=generator.randint(1, len(vocabulary)))
    lines = [
        " ".join(generator.choices(vocabulary, k=generator.randint(0, 12)))
        for _ in range(generator.randint(1, 8))
    ]
    return "\n".join(generator.choices([*lines, "", "  ", " indragen"], k=generator.randint(0, 40)))


@pytest.mark.parametrize("language", ["sv", "ja"])
def test_measures_are_what_their_plain_restatement_says(language):
    texts = [random_page(random.Random(seed)) for seed in range(250)]

    for text, row in zip(texts, measure(*texts, language=language).to_pylist(), strict=True):
        for name, value in restated(text, language == "ja").items():
            assert row[name] == pytest.approx(value, abs=1e-12), (name, text)


def test_words_of_one_script_count_for_the_published_measures_where_there_are_no_blanks():
    text = "# 北の町の駅\n\n新しい橋は五月に開通した。橋は町と港を結ぶ。工事に二年かかった。"

    row = measure(text, language="ja").to_pylist()[0]

    words = collections.Counter(plain_words(text, by_script=True))
    shares = [times / words.total() for times in words.values()]
    headings = plain_words("北の町の駅", by_script=True)
    assert row["unigram_entropy"] == pytest.approx(-sum(one * math.log(one) for one in shares))
    others = words.total() - len(headings)
    assert row["ratio_headings_per_non_heading_word"] == pytest.approx(1 / others)


def test_no_measure_of_words_decides_where_words_are_not_known():
    text = "สะพานใหม่เปิดให้ใช้ในเดือนพฤษภาคม หลังจากก่อสร้างมาสองปี ชาวเมืองรอคอยมานาน " * 2

    thai, as_swedish = (measure(text, language=label) for label in ("th", "sv"))

    assert decide_quality(thai, quality_limits())[1].to_pylist() == [[]]
    assert decide_quality(as_swedish, quality_limits())[1].to_pylist() == [["unigram_entropy"]]


def test_ordinary_prose_keeps_within_the_limits_of_every_set_but_what_needs_more_text():
    text = "\n\n".join([f"## Biblioteket\n\n{PROSE}"])
    sets = [feature.set for feature in FEATURES]

    assert decide_quality(measure(text), quality_limits(sets=sets))[1].to_pylist() == [[]]


LIST = "\n".join(f"- {word} {number}" for number, word in enumerate(PROSE.split()))


@pytest.mark.parametrize(
    ("feature_set", "text", "expected"),
    [
        ("gopher", "Hej och välkommen på torget. " * 5, {"num_words"}),
        ("gopher", "a b c d e f " * 20 + "och i", {"mean_word_length"}),
        ("gopher", PROSE + " #tagg" * 9, {"number_sign_word_ratio"}),
        ("gopher", PROSE.replace(" ", "... ", 9), {"ellipsis_word_ratio"}),
        ("gopher", LIST, {"bullet_line_ratio", "alphabetic_word_ratio"}),
        ("gopher", PROSE.replace(". ", " …\n"), {"ellipsis_line_ratio"}),
        ("gopher", "Åsa Öberg Örebro Åmål 12 " * 12, {"num_stop_words"}),
        ("gopher_repetition", "\n".join([PROSE, "Läs mer om det här"] + ["Läs mer"] * 3),
         {"duplicate_line_ratio"}),
        ("c4", "Hem\nOm oss\nKontakta oss på telefon", {"num_prose_sentences"}),
        ("c4", PROSE + " Lorem Ipsum dolor.", {"has_lorem_ipsum"}),
        ("c4", PROSE + " function() { }.", {"has_curly_bracket"}),
        ("fineweb", PROSE.replace(". ", "\n"), set()),
        ("fineweb", PROSE.replace(".", "").replace(" o", "\no"), {"punctuated_line_ratio"}),
        ("fineweb", PROSE.replace(" ", "\n"), {"short_line_ratio", "lines_per_word",
                                               "punctuated_line_ratio"}),
        ("fineweb", f"{PROSE}\n\n{PROSE}", {"repeated_line_char_ratio"}),
        ("uzushio", "Köp nu! " * 400, {"compression_ratio"}),
        ("uzushio", f"{PROSE}\n\n{PROSE}", {"adjacent_duplicate_char_ratio"}),
        ("lists", PROSE, set()),
        ("lists", PROSE.replace(".", "").replace(" o", "\no"), set()),
        ("lists", "- Åsa Öberg, 12 filer\n- Örebro Åmål, 9 filer\n" * 9, {"is_list"}),
        ("lists", f"| Namn | Ort |\n|---|---|\n{'| Åsa Öberg | Åmål |' * 20}\nDet är en lista på några.",
         {"is_list"}),
    ],
)  # fmt: skip
def test_pages_that_a_set_stops_and_why(feature_set, text, expected):
    verdicts = decide_quality(measure(text), quality_limits(sets=[feature_set]))[1].to_pylist()[0]

    assert set(verdicts) == expected


def test_number_signs_of_headings_are_markup():
    assert one("## Rubrik\n\nord")["number_sign_word_ratio"] == 0
    assert one("#tagg\n\nord C#")["number_sign_word_ratio"] == 2 / 3


@pytest.mark.parametrize(
    ("line", "is_item"),
    [("- ett", True), ("* ett", True), ("• ett", True), ("•ett", True), ("-5 grader", False),
     ("**fet** text", False), ("1. ett", False), ("  - inne i", True), ("-", False)],
)  # fmt: skip
def test_lines_that_begin_with_a_bullet(line, is_item):
    assert one(f"{line}\nandra raden")["bullet_line_ratio"] == (0.5 if is_item else 0)


@pytest.mark.parametrize(
    ("line", "language", "is_punctuated"),
    [("Han kom.", "sv", True), ("**Kom!**", "sv", True), ("(Han kom.)", "sv", True),
     ("”Han kom.”", "sv", True), ("»Han kom«", "da", True), ("Han kom,", "sv", False),
     ("Hem (start)", "sv", False), ("Läs mer", "sv", False), ("彼は来た。", "ja", True),
     ("彼は来た。", "sv", False), ("彼は来た」", "ja", True), ("***", "sv", False)],
)  # fmt: skip
def test_lines_that_end_in_terminal_punctuation(line, language, is_punctuated):
    assert one(line, language=language)["punctuated_line_ratio"] == is_punctuated


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("Han kom hem sent i går. Hon hade redan gått! Var det så?", "sv", 3),
        ("Vi ses kl. tre hos dr. Ek i morgon.", "sv", 2),  # a capital letter after a point
        ("Detta är fem ord utan slut", "sv", 0),
        ("Bara fyra ord här.", "sv", 0),
        ("Du måste slå på JavaScript för att se sidan.", "sv", 0),
        ("Vi förklarar i vår Integritetspolicy hur dina uppgifter används.", "sv", 0),
        ("Denna sida använder\u00a0kakor för att du ska trivas här.", "sv", 0),
        ("Han använder kakor.\nHan kom hem till sig i går. Hon var ute då.", "sv", 2),
        ("Mormor bakade sju sorters kakor till kaffet.", "sv", 1),
        ("By using this site you accept our Terms of Use.", "sv", 0),
        ("当サイトではCookieを使用しています。今日は晴れです。", "ja", 0),
        ("Det här är inte slut...", "sv", 0),
        ("Hon sade att ”nu går vi.” Så gick de hem till sig.", "sv", 2),
        ("Vad menar han med det?! Ingen vet.", "sv", 2),
        ("昨日は雨でした。今日は晴れです。", "ja", 2),
    ],
)
def test_sentences_in_lines_of_prose(text, language, number):
    assert one(text, language=language)["num_prose_sentences"] == number


NOTICES = [phrase for phrases in POLICY_PHRASES.values() for phrase in phrases]


def test_lines_with_a_phrase_of_notices_are_no_prose_in_any_language():
    assert set(POLICY_PHRASES) == {"en", "sv", "da", "nb", "nn", "is", "lv", "ja"}
    lines = [f"Ett två tre fyra {phrase.upper()} fem." for phrase in NOTICES]
    parted = [f"Ett två tre fyra {phrase[:-1]}- fem." for phrase in NOTICES]

    for language in ("sv", "ja", "fi"):
        assert set(measure(*lines, language=language)["num_prose_sentences"].to_pylist()) == {0}
    assert set(measure(*parted)["num_prose_sentences"].to_pylist()) == {1}


def test_phrases_are_found_where_a_search_for_each_finds_one():
    phrases = {"aba", "ba b", "axcab", "xc", "bb", "ccc", "cab c"}
    finder = phrase_finder(phrases)
    generator = random.Random(3)
    for _ in range(3000):
        text = "".join(generator.choices("abcAB xå\t", k=generator.randint(0, 12)))
        state, is_found = 0, False
        for char in text:
            state = int(finder.moves[state + finder.letters[ord(char)]])
            is_found = state < 0
            if is_found:
                break
        plain = text.lower().replace("\t", " ")
        assert is_found == any(phrase in plain for phrase in phrases), text


@pytest.mark.parametrize("language", [*STOP_WORDS, "no"])
def test_stop_words_are_found_in_every_language_that_has_a_list(language):
    words = STOP_WORDS["nb" if language == "no" else language]
    text = " – ".join(word.upper() for word in words[:3]) + f" {words[0]}"

    assert one(text, language=language)["num_stop_words"] == 3


def test_measures_that_a_language_lacks_are_null_and_do_not_decide():
    assert one("–\n***", language="sv")["mean_word_length"] is None
    row = one("Habari za asubuhi", language="sw")
    assert row["num_stop_words"] is None
    assert row["hiragana_ratio"] is None

    japanese = one("これは日本語の文章です。" * 20, language="ja")
    assert japanese["mean_word_length"] is None
    assert japanese["lines_per_word"] is None
    assert japanese["hiragana_ratio"] == 0.5


def test_compression_tells_repetition_and_reads_no_more_than_a_mebibyte():
    assert one("")["compression_ratio"] is None
    assert one("a" * 1000)["compression_ratio"] < 0.05
    assert one(PROSE)["compression_ratio"] > 0.8
    noise = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=1 << 21))
    assert one(noise[: 1 << 20] + "a" * (1 << 20))["compression_ratio"] > 0.6


def test_words_of_lists_are_found_in_any_case_and_between_any_punctuation():
    lists = Lists(words={"kasino", "Bónus"})

    row = one("Kasino! KASINO, »bo\u0301nus« kasinot", lists=lists)

    assert (row["num_listed_words"], row["num_listed_word_types"]) == (3, 2)
    assert one(PROSE, lists=lists)["num_listed_words"] == 0


def test_an_entry_that_is_no_single_word_is_refused():
    with pytest.raises(ValueError, match="'fri frakt' is not one word"):
        one(PROSE, lists=Lists(words={"fri frakt"}))


def test_scandinavian_scores_are_summed():
    scores = [{"da": 0.4, "no": 0.3, "en": 0.2}, {"en": 1.0}, {}]
    table = quality_columns(pa.array(["Hej"] * 3), [URL] * 3, scores)

    assert table["scandinavian_score"].to_pylist() == pytest.approx([0.7, 0, None])
    assert table["language_score"].to_pylist() == pytest.approx([0.4, 1.0, None])


def test_buckets_that_are_not_wanted():
    buckets = pa.array(["head", "tail", None])

    assert bucket_columns(buckets, {"head"})["is_bucket_unwanted"].to_pylist() == [
        False, True, None,
    ]  # fmt: skip
    assert bucket_columns(buckets, ())["is_bucket_unwanted"].to_pylist() == [False] * 3


def test_features_that_others_have_measured_are_taken_as_they_are():
    table = measure("Hej", given={"perplexity": pa.array([12.5])})

    assert table["perplexity"].to_pylist() == [12.5]
    assert table["reference_score"].to_pylist() == [None]
