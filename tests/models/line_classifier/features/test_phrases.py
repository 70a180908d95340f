"""Lines of which a site's buttons, counters and notices consist."""

import pytest

from skord.markdown.plain_lines import PlainLines
from skord.models.line_classifier.features.phrases import frame_phrases


@pytest.mark.parametrize(
    "line",
    [
        "Laster innhold",
        "  Loading...",
        "[Hopp til hovedinnholdet]",
        "Fara beint í efni síðunnar",
        "- Log in",
        "Innskráning Stofna aðgang",
        "Siter Rapporter innlegget",
        "Reply",
        "12 replies",
        "Rediger denne side",
        "Edit this page on GitHub",
        "Lue myös: Uusi silta avattiin",
        "Lasi arī: Tirgotāji sūdzas par nomu",
        "**Les også: Dette mener ordføreren om broen**",
        "- [Läs mer:](/bro) Bron invigs i maj",
        "1.204 indlæg",
        "412 inlägg",
        "Medlem siden: 2009-04",
        "Joined: Nov 2013",
        "Annonse",
        "HistorieLes meir",
        "Previous 1 2 3 Next",
        "Hade du nytta av den här sidan?",
        "Was this page helpful?",
        "# Efnisyfirlit",
        "## On this page",
        "- Deila á Facebook",
        "Dela via e-post",
        "Senda í tölvupósti",
        "Facebook Twitter X",
        "Skickat från min telefon",
        "Sent from my iPhone using Tapatalk",
        "Karfan þín er tóm.",
        "Handlekurven din er tom",
    ],
)
def test_what_frames_say_is_told(line):
    assert frame_phrases(PlainLines.of([line]), [0]) == [0]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "---",
        "2009 2010 2011",
        "412 inlägg om bron",
        "Redigera denna sida i mallen",
        "Läs också villkoren innan du skriver på.",
        "Ny bro. Les også: gammel bro",
        "Report on the bridge",
        "Share of the votes",
        "Learn more",
        "Svar på frågor om bron",
        "## Svar",
        "## Contents of the box",
        "| Reply | 3 |",
        "Next year the bridge opens",
        "x",
        "Del på midten",
        "Facebook köper Instagram",
        "Skickat från min far",
        "Kurven er tom for epler",
        "Did you find the bridge helpful when you moved? Then tell us about it, in your own words.",
        "Citera " * 40,
        "log " * 30_000,
        "1 " * 50_000,
    ],
)
def test_text_is_none(line):
    assert frame_phrases(PlainLines.of([line, "Svar"]), [0, 1]) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "Bli prenumerant för 1 krona den första månaden.",
        "Er du allerede abonnent? Logg inn for å lese videre.",
        "Førre kapittel: Kom i gang Neste kapittel: Innstillingar",
        "Start tjenesten Logg inn med BankID",
        "Du måste slå på JavaScript i din webbläsare för att se sidan.",
        "Försäkringskassan använder cookies för att förbättra webbplatsen. Jag accepterar",
        "Griežtai draudžiama paskelbtą informaciją naudoti kitose svetainėse.",
        "クリックして今の気分を選択してください",
        "- Loe lähemalt",
        "- Till innehållet",
        "Přejít na obsah",
        "Prenumerera på vårt nyhetsbrev",
    ],
)
def test_sentences_of_a_site_amid_a_text_are_found(line):
    text = "Bron mellan torget och hamnen öppnades i går efter två års arbete och en lång väntan."
    assert frame_phrases(PlainLines.of([text, line, text, text, text]), range(5)) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "Kommunen har prenumererat på tidningen i tio år, och avtalet löper vidare.",
        "Nästa kapitel i bygdens historia skrevs av dem som stannade kvar här på gården.",
        "JavaScript är ett språk som de flesta webbläsare kan köra utan tillägg.",
        "Kopiering av nycklar görs medan du väntar, för 90 kronor.",
        "Kakor bakas i ugnens mitt i tolv minuter.",
    ],
)
def test_a_text_about_such_things_is_kept(line):
    text = "Bron mellan torget och hamnen öppnades i går efter två års arbete och en lång väntan."
    assert frame_phrases(PlainLines.of([text, line, text, text]), range(4)) == []


def test_a_page_about_cookies_keeps_its_sentences():
    policy = "Vi använder kakor för att förbättra sidan, och du kan när som helst ta tillbaka ditt samtycke."
    assert frame_phrases(PlainLines.of([policy, policy, "Kort text."]), range(3)) == []
