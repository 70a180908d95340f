"""Texts in no language, and texts that only look so."""

import pytest

from skord.text.languages import ALL, check_languages, is_selected_language, with_columns
from skord.text.no_language import NoLanguage, no_language


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(x):\n    return {k: v for k, v in x.items() if v}\n" * 3, NoLanguage.CODE),
        ("getElementById setAttribute innerHTML addEventListener nodeName", NoLanguage.CODE),
        ("17 204,50\n18 311,00\n19 002,25 kr\n" * 4, NoLanguage.NUMBERS),
        ("\n".join(["rock", "pop", "hård rock", "nittiotal"] * 3), NoLanguage.TAGS),
        ("\n".join(["rock", "pop", "hård rock", "nittiotal"] * 3)[:-10], None),
        ("\n".join(["rock"] * 49 + ["En mening som slutar."]), NoLanguage.TAGS),
        ("\n".join(["rock"] * 48 + ["En mening som slutar."]), None),
        ("Bron öppnades i går efter 2 års arbete (se bild 3).", None),
        ("これは本です。あれは何ですか。", None),
        ('Hän sanoi: "Mennään!" – ja lähti.', None),
        ("\n".join(["Rubrik", "En mening som slutar."] * 8), None),
        ("สวัสดีครับ ผมชื่อสมชาย", None),
    ],
)
def test_what_a_text_is_instead(text, told):
    assert no_language(text) == told


def test_all_stands_alone_and_takes_what_scores_enough():
    check_languages([ALL], ["sv"])
    with pytest.raises(ValueError, match="say all, or name languages, not both"):
        check_languages([ALL, "sv"], ["sv"])
    for rule in ("any", "top"):
        assert is_selected_language({"ceb": 0.5}, [ALL], 0.5, rule)
        assert not is_selected_language({"ceb": 0.4}, [ALL], 0.5, rule)
        assert not is_selected_language({}, [ALL], 0.5, rule)


def test_many_languages_have_no_columns_of_scores():
    assert with_columns([f"x{n}" for n in range(20)]) == [f"x{n}" for n in range(20)]
    assert with_columns([f"x{n}" for n in range(21)]) == []
