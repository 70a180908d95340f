from __future__ import annotations

import pytest

from skord.models.reference_classifier.references import cited_urls


@pytest.mark.parametrize(
    ("wikitext", "urls"),
    [
        ("<ref>http://dn.se/a</ref>", ["se,dn)/a"]),
        ("<ref>[//dn.se/a Bron], DN.</ref>", ["se,dn)/a"]),
        ("<REF group=n name='x'>Se http://dn.se/a, och (http://dn.se/b).</REF >",
         ["se,dn)/a", "se,dn)/b"]),
        ("<ref>http://dn.se/a_(b) ''http://dn.se/c''</ref>", ["se,dn)/a_(b)", "se,dn)/c"]),
        ("<ref>{{cite web|title=Bron|url=http://dn.se/a|date=1}}</ref>", ["se,dn)/a"]),
        ("{{Cite news\n | url = http://dn.se/a\n | archive-url = "
         "https://web.archive.org/web/2012/http://dn.se/a\n}}", ["se,dn)/a"]),
        ("{{citation|author={{nowrap|A. B.}}|url=http://dn.se/a}}", ["se,dn)/a"]),
        ("{{Vefheimild|url=http://ruv.is/a|titill=Brú}}", ["is,ruv)/a"]),
        ("{{Kilde www|url=http://nrk.no/a}}", ["no,nrk)/a"]),
        ("<ref name='a/b'>http://dn.se/a</ref>", ["se,dn)/a"]),
        ("<references><ref name=a>http://dn.se/a</ref></references>", ["se,dn)/a"]),
        ("<ref>öppen http://dn.se/x <ref>http://dn.se/a</ref>", ["se,dn)/a"]),
        ("<ref>A<br>http://dn.se/a <small>B</small></ref>", ["se,dn)/a"]),
    ],
)  # fmt: skip
def test_what_is_cited(wikitext, urls):
    assert sorted(cited_urls(wikitext)) == urls


@pytest.mark.parametrize(
    "wikitext",
    [
        "Se [http://hemsida.se hemsidan].",
        "{{Infobox företag|url=http://hemsida.se}}",
        "<ref name=a /> http://hemsida.se <ref name=b />",
        "<ref name=a/>http://hemsida.se</ref>",
        "<!-- <ref>http://dn.se/a</ref> -->",
        "<nowiki><ref>http://dn.se/a</ref></nowiki>",
        "<ref>Boken, sidan 3.</ref>",
        "{{cite book|title=http och url=|year=1932}}",
        "<ref>mailto:a@dn.se ftp://dn.se/a</ref>",
        "<references>http://hemsida.se</references>",
    ],
)
def test_what_is_not_cited(wikitext):
    assert cited_urls(wikitext) == set()


@pytest.mark.timeout(600)
def test_hostile_wikitext_takes_no_more_than_a_moment():
    for piece in ("<ref>", "{{cite web|", "<ref name='", "{{cite web|{{a|", "<!--", "http://["):
        cited_urls(piece * 5_000)
