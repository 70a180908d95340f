import skord
from skord.one_page import extract_page

PAGE = """<!doctype html><html lang="sv"><title>Bryggan</title><body>
<nav><ul><li><a href="/">Hem</a><li><a href="/k">Kontakt</a><li><a href="/s">Sök</a></ul></nav>
<h1>Bryggan är lagad</h1>
<p>Efter två somrar bakom avspärrning kan den som vill bada gå ut på den gamla bryggan igen. Det
meddelade kommunens hamnchef på tisdagen, sedan de sista plankorna hade skruvats fast.</p>
<p>Arbetet har kostat mer än väntat, eftersom pålarna under vattnet visade sig vara angripna av
skeppsmask. Nu är de utbytta mot nya av ek, som ska hålla i minst fyrtio år.</p>
<footer><p>Cookies</p><p>Om webbplatsen</p><p>Logga in</p></footer></body></html>"""


def test_a_page_becomes_markdown_and_its_main_text():
    markdown = skord.to_markdown(PAGE.encode("iso-8859-1"))
    text = skord.extract(PAGE.encode("iso-8859-1"), url="http://hamnen.example/")

    assert "- Hem" in markdown
    assert "# Bryggan är lagad" in markdown
    assert text.startswith("# Bryggan är lagad")
    assert "skeppsmask" in text
    assert "Logga in" not in text


def test_lines_are_those_that_are_kept_and_hold_something():
    lines = extract_page(PAGE).lines
    split = skord.to_markdown(PAGE).split("\n")
    assert all(line.text.strip() for line in lines)
    assert [line.text for line in lines] == [split[line.number] for line in lines]
    assert not any("Logga in" in line.text for line in lines)
    assert len(lines) == 3
