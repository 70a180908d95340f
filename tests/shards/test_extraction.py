import numpy as np
import pytest

from skord.markdown.extraction import extracted, kept_text


def logits(*kept):
    return np.array([9.0 if k else -9.0 for k in kept], np.float32)


def test_lines_are_counted_by_newline_alone():
    page = "a\u2028b\x85c\x0cd\n\nslut\n"

    assert kept_text(page, np.array([1.0, 0, 0], np.float32), 0.5) == "a\u2028b\x85c\x0cd\n"


def test_a_verdict_too_few_is_an_error():
    with pytest.raises(ValueError, match="1 probabilities for 2 lines"):
        kept_text("a\nb\n", np.array([1.0]), 0.5)


def test_an_end_without_a_verdict_is_an_error():
    with pytest.raises(ValueError, match="no verdict"):
        kept_text("a\nb", np.array([1.0]), 0.5)


def test_a_threshold_of_zero_keeps_the_page():
    assert kept_text("a\n\nb\n", np.zeros(3), 0.0) == "a\n\nb\n"


def test_images_are_set_aside_with_their_places():
    page = "Före ![alt](http://x.example/File_(1).jpg) efter.\n\n![](b.png)\n\nSlut.\n"

    row = extracted(page, logits(1, 1, 1, 1, 1), 0.5)

    assert row["text"] == "Före efter.\n\nSlut."
    assert row["images"] == [
        {"position": 5, "url": "http://x.example/File_(1).jpg"},
        {"position": 11, "url": "b.png"},
    ]
    assert row["kept_lines"] == 5


def test_addresses_of_images_become_absolute():
    page = "![](/a.png)\n![](b.png)\n![](//c.example/d.png)\n![](https://e.example/f)\n![](http://[x)\n"

    row = extracted(page, logits(1, 1, 1, 1, 1), 0.5, "https://sida.example/mapp/artikel.html")

    assert [image["url"] for image in row["images"]] == [
        "https://sida.example/a.png",
        "https://sida.example/mapp/b.png",
        "https://c.example/d.png",
        "https://e.example/f",
        "http://[x",
    ]


def test_mojibake_is_mended_in_what_is_kept():
    row = extracted("SmÃ¶rgÃ¥s\nMeny\n", logits(1, 0), 0.5)

    assert row["text"] == "Smörgås"


def test_a_page_of_which_nothing_is_kept_has_an_empty_text():
    row = extracted("Meny\n", logits(0), 0.5)

    assert row["text"] == ""
    assert row["kept_lines"] == 0
    assert list(row["line_probabilities"]) == [0]
    assert list(row["line_verdicts"]) == [0]
    assert row["nothing_kept"] == "no_main_text"


@pytest.mark.parametrize(
    ("page", "logit", "reason"),
    [
        ("", 9, "no_line"),
        ("\n\n", 9, "no_line"),
        ("![](a.png)\n", 9, "pictures_only"),
        ("Meny\n", -9, "no_main_text"),
        ("# Ingen treff\n", 9, "error_page"),
        ("Text.\n", 9, None),
    ],
)
def test_a_page_without_text_says_why(page, logit, reason):
    row = extracted(page, np.full(page.count("\n"), logit, np.float32), 0.5)

    assert row["nothing_kept"] == reason
    assert (row["text"] == "") == (reason is not None)


def test_each_page_is_cut_where_its_words_agree_best_as_expected():
    lines = ["Ett två tre fyra fem", "", "Sex sju", "", "Åtta nio tio elva tolv tretton"]
    page = "".join(f"{line}\n" for line in lines)

    def row(*likely):
        odds = np.array([likely[0], 0.001, likely[1], 0.001, likely[2]])
        return extracted(page, np.log(odds / (1 - odds)).astype(np.float32))

    # 2 Σ p n / (Σ n + Σ p n): .47 for the likeliest, .58 for two, .72 for all; and .88, .79, .59.
    assert row(0.6, 0.5, 0.6)["kept_lines"] == 3
    assert row(0.9, 0.3, 0.1)["text"] == "Ett två tre fyra fem"
    assert row(0.9, 0.3, 0.1)["threshold"] == pytest.approx(0.9, abs=1 / 255)
    # Unlikely lines are kept where none is likelier, but not where all are hopeless.
    assert row(0.2, 0.1, 0.3)["text"] != ""
    hopeless = row(0.01, 0.01, 0.02)
    assert (hopeless["text"], hopeless["threshold"]) == ("", None)


def test_what_stood_on_the_page_before_is_kept_once():
    verse = "Vi går över daggstänkta berg,  \nfallera.  \nVi går över daggstänkta berg,\n"
    table = "| ett två tre fyra |\n|---|\n| ett två tre fyra |\n"
    code = "```\nlet a = b + c\nlet a = b + c\n```\n"
    page = f"Det är vår i hela landet.\n\nDet är VÅR i hela landet\n\n{verse}\n{table}\n{code}"

    row = extracted(page, np.full(page.count("\n"), 9, np.float32), 0.5)

    verse = verse.replace("  \n", "\n")
    assert row["text"] == f"Det är vår i hela landet.\n\n{verse}\n{table}\n{code}".rstrip("\n")


def test_of_a_heading_and_what_says_the_same_the_heading_is_kept():
    contents = "- Vad kostar en ny taklampa?\n- Hur länge håller en lampa?\n"
    text = "# Allt om lampor i taket\n\n## Vad kostar en ny taklampa?\n\nMycket.\n"
    text += "## Hur länge håller en lampa?"
    again = "\n\nAllt om lampor i taket\n\n- # Allt om lampor i taket\n"

    row = extracted(f"{contents}{text}{again}", np.full(12, 9, np.float32), 0.5)

    assert row["text"] == text


def test_paragraphs_stay_apart_where_something_between_them_went_and_lists_together():
    page = "Kör:\n```\nmake\n```\nKlart.\n- ett\n- Annons\n- två\n"

    row = extracted(page, logits(1, 0, 0, 0, 1, 1, 0, 1), 0.5)

    assert row["text"] == "Kör:\n\nKlart.\n- ett\n- två"


def test_the_text_is_made_of_plain_lines_and_the_verdicts_are_of_the_published_ones():
    markdown = "# Ja\\!\n\n<table>\n<tr>\n<td>Åsa &amp; Bo</td>\n</tr>\n</table>\n\n  - Meny\n"
    logits = np.array([5, 5, 5, 5, 5, 5, 5, -5, -5], np.float32)

    actual = extracted(markdown, logits, 0.5)

    assert actual["text"] == "# Ja!\n\nÅsa & Bo"
    assert actual["kept_lines"] == 7
    assert len(actual["line_probabilities"]) == markdown.count("\n")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (r"Välj ett land\*", "Välj ett land*"),
        (r"\[sic\] sade hon", "[sic] sade hon"),
        (r"\*inte kursivt\*", r"\*inte kursivt\*"),
        (r"\* ingen punkt", "* ingen punkt"),
        (r"17\. mai åpnet", "17. mai åpnet"),
        (r"\- Vi er glade", "- Vi er glade"),
        (r"\[inte\](en länk)", r"\[inte\](en länk)"),
        (r"- \[x\] ingen ruta", r"- \[x\] ingen ruta"),
        (r"\[1\]: ingen hänvisning", r"\[1\]: ingen hänvisning"),
    ],
)
def test_backslashes_stay_only_where_a_sign_would_mark_something(line, text):
    assert extracted(f"{line}\n", logits(1), 0.5)["text"] == text


def test_backslashes_in_code_are_the_author_s():
    page = "```\nls \\[ab\\]\\*\n```\n"

    assert extracted(page, logits(1, 1, 1), 0.5)["text"] == page.rstrip("\n")
