"""Text that a page holds in its scripts alone, of `skord.html.script_content`."""

import json

import pytest

import skord
from skord.html.script_content import MAX_DEPTH, MAX_SCRIPT, script_content

PROSE = "I går öppnades bron mellan Norra torget och hamnen, efter två års arbete. " * 6


def linked(value):
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def state(value, opening='<script id="__NEXT_DATA__" type="application/json">'):
    return f"{opening}{json.dumps(value)}</script>"


def test_an_article_is_its_headline_and_body():
    page = linked(
        {"@graph": [{"@type": "NewsArticle", "headline": "Ny bro", "articleBody": PROSE}]}
    )
    assert script_content(page, "") == f"# Ny bro\n\n{PROSE.strip()}\n"


def test_a_recipe_has_ingredients_and_numbered_steps():
    recipe = {
        "@type": "Recipe",
        "name": "Våfflor",
        "description": PROSE,
        "recipeIngredient": ["3 dl mjöl", "4 dl mjölk"],
        "recipeInstructions": [
            {"@type": "HowToStep", "text": "Rör ihop."},
            {
                "@type": "HowToSection",
                "itemListElement": [{"@type": "HowToStep", "text": "Grädda."}],
            },
        ],
    }
    text = script_content(linked([recipe]), "")
    assert "- 3 dl mjöl\n- 4 dl mjölk" in text
    assert "1. Rör ihop.\n2. Grädda." in text


def test_questions_have_their_answers():
    page = linked(
        {
            "@type": "FAQPage",
            "mainEntity": [
                {
                    "@type": "Question",
                    "name": "När öppnar bron?",
                    "acceptedAnswer": {
                        "@type": "Answer",
                        "text": f"<p>{PROSE}</p><p>Välkommen.</p>",
                    },
                }
            ],
        }
    )
    assert script_content(page, "") == f"## När öppnar bron?\n\n{PROSE.strip()}\n\nVälkommen.\n"


def test_a_list_has_names_and_prices():
    items = [
        {"@type": "ListItem", "item": {"name": f"Armbandsur nummer {n} i stål",
         "offers": {"price": 100 + n, "priceCurrency": "SEK"}}}
        for n in range(12)
    ]  # fmt: skip
    text = script_content(linked({"@type": "ItemList", "itemListElement": items}), "")
    assert text.splitlines()[3] == "- Armbandsur nummer 3 i stål, 103 SEK"


def test_state_gives_text_and_no_settings_menus_or_translations():
    page = state(
        {
            "props": {
                "translations": {"consent": {"text": "Vi använder kakor för att förbättra sidan."}},
                "menu": [{"title": "Om oss", "description": "Läs om oss och om vår historia här."}],
                "article": {"title": "Ny bro", "body": f"<p>{PROSE}</p>", "slug": "ny-bro-over-an"},
                "names": {"sv": {"text": PROSE + "x"}, "en": {"text": "The bridge. " * 20}},
            }
        }
    )
    assert script_content(page, "") == f"## Ny bro\n\n{PROSE.strip()}\n"


@pytest.mark.parametrize("name", ["window.__APOLLO_STATE__", "window.__INITIAL_STATE__"])
def test_state_that_a_script_assigns_is_read_where_it_is_json(name):
    page = f"<script>{name} = {json.dumps({'post': {'content': PROSE}})};run()</script>"
    assert script_content(page, "") == f"{PROSE.strip()}\n"


def test_a_page_with_text_of_its_own_is_left_alone():
    page = linked({"@type": "NewsArticle", "articleBody": PROSE})
    assert script_content(page, (PROSE + "\n") * 3) is None


def test_what_stands_on_the_page_is_not_said_twice():
    page = linked({"@type": "NewsArticle", "articleBody": PROSE})
    assert script_content(page, PROSE) is None


def test_extract_takes_what_scripts_say_where_the_page_says_nothing():
    article = {"@type": "NewsArticle", "headline": "Ny bro", "articleBody": PROSE}
    page = f"<title>Ny bro</title>{linked(article)}<div id=app><p>Laddar innehåll</div>"
    assert skord.extract(page).startswith("# Ny bro\n\nI går öppnades bron")
    assert "I går" not in skord.extract(page.replace("NewsArticle", "WebSite"))


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"a":' * (MAX_DEPTH * 20) + "1" + "}" * (MAX_DEPTH * 20),
        "9" * 5000,
        '{"@type": "Product", "name": ' + "9" * 5000 + "}",
        '{"@type": "FAQPage", "mainEntity": 3}',
        '{"@type": ["ItemList"], "itemListElement": [{"item": []}, 4, null]}',
        '{"@type": {"a": 1}}',
        "not json",
        '"' + "x" * (MAX_SCRIPT + 1) + '"',
    ],
    ids=range(9),
)
def test_json_that_says_nothing_or_is_hostile_gives_nothing(body):
    assert script_content(f'<script type="application/ld+json">{body}</script>', "") is None
