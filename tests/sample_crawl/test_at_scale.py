"""A crawl of any size: the same bytes by parts, what is known of it, and readers that read it."""

import gzip
import hashlib
import json
import random
import shutil
from collections import Counter

import pytest

from skord.core.failures import ConfigError
from skord.crawl.cdx import cdx_lines, parse_cdx_line
from skord.crawl.warc.records import proven_response
from skord.crawl.warc.wet import read_wet
from skord.sample_crawl.at_scale import mixture
from skord.sample_crawl.at_scale.build import build_part
from skord.sample_crawl.at_scale.mixture import Mixture, by_zipf
from skord.sample_crawl.at_scale.pages import made_page
from tests.graph.bench import digests

MIX = Mixture(pages=230, share=0.4, seed="7", pages_a_file=60)
DUMP = "2024-10"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("at-scale") / "crawl"
    assert build_part(MIX, folder, DUMP)
    return folder


def truths(folder):
    return {
        row["record_id"]: row
        for path in sorted((folder / "truth").glob("*.jsonl.gz"))
        for row in map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    }


def captures(folder):
    for path in sorted(folder.rglob("cdx-*.gz")):
        with path.open("rb") as file:
            yield from (parse_cdx_line(line) for line in cdx_lines(file, Counter()))


def test_parts_in_any_order_give_the_bytes_of_the_whole(crawl, tmp_path):
    wholes = [build_part(MIX, tmp_path / "parts", DUMP, (part, 3)) for part in (2, 3, 1)]

    assert wholes == [False, False, True]
    assert digests(tmp_path / "parts") == digests(crawl)
    assert build_part(MIX, tmp_path / "parts", DUMP, (1, 1))
    assert digests(tmp_path / "parts") == digests(crawl)


def test_every_wet_record_has_its_truth_and_its_page(crawl):
    known = truths(crawl)
    read = []
    for path in sorted(crawl.rglob("*.warc.wet.gz")):
        with path.open("rb") as file:
            read += list(read_wet(file))

    assert len(read) == MIX.pages == len(known)
    assert {one.refers_to for one in read} == set(known)
    for one in read:
        shown = " ".join(one.text.split())
        text = known[one.refers_to]["text"]
        assert all(" ".join(line.split()) in shown for line in text.split("\n\n"))


def test_the_index_is_sorted_and_leads_to_every_page(crawl):
    lines = list(captures(crawl))
    pages = [one for one in lines if one.status == 200 and "/warc/" in one.filename]
    packed = [path.read_bytes() for path in sorted(crawl.rglob("cdx-*.gz"))]
    keys = [key for content in packed for key in gzip.decompress(content).splitlines()]

    assert keys == sorted(keys)
    assert len(pages) == MIX.pages
    assert {one.status for one in lines} >= {200, 301, 404}
    for one in pages[:60]:
        content = (crawl / one.filename).read_bytes()[one.offset : one.offset + one.length]
        response, matches = proven_response(gzip.decompress(content), one.digest)
        assert matches
        assert response.url == one.url


def test_shares_are_those_of_the_mixture():
    mix = Mixture(pages=9000, share=0.5, seed="3", pages_a_file=60)
    made = [made_page(mix, number).truth for number in range(400)]
    wanted = [one for one in made if one.language in mixture.SCANDINAVIAN]
    families = Counter(one.family for one in made if one.family)

    assert 0.4 < len(wanted) / len(made) < 0.6
    assert 0.06 < sum(families.values()) / len(made) < 0.2
    assert families.most_common(1)[0][1] > 2
    assert any(one.near for one in made)
    assert len({one.charset for one in made}) > 1
    assert 0.01 < sum(one.copy_of is not None for one in made) / len(made) < 0.06
    assert len({one.layout for one in wanted}) > 10
    ranks = Counter(by_zipf(random.Random(n), 1000) for n in range(3000))
    assert ranks[0] > 5 * max(ranks[rank] for rank in range(20, 1000))


def test_pages_of_a_family_have_one_text_unless_near():
    mix = Mixture(pages=200, share=1.0, seed="3")
    texts: dict[str, set[str]] = {}
    for one in (made_page(mix, number).truth for number in range(200)):
        if one.family and not one.near and one.planted is None:
            texts.setdefault(one.family, set()).add(one.text)

    assert any(len(actual) == 1 for actual in texts.values())
    assert all(len(actual) == 1 for actual in texts.values())


def test_another_crawl_in_the_folder_is_refused(crawl):
    other = Mixture(pages=230, share=0.4, seed="8", pages_a_file=60)
    with pytest.raises(ConfigError, match="holds another crawl"):
        build_part(other, crawl, DUMP)
    with pytest.raises(ConfigError, match="holds something else"):
        build_part(other, crawl.parent, DUMP)


def test_parts_that_end_together_make_one_index(crawl, tmp_path):
    """Both find all files there: the slower one must not begin anew what the other has ended."""
    whole = tmp_path / "crawl"
    shutil.copytree(crawl, whole)
    (whole / "whole").unlink()

    def ended(note, _):
        (whole / "whole").touch()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skord.sample_crawl.at_scale.build.flock", ended)
        patch.setattr("skord.sample_crawl.at_scale.build._run_path", lambda *_: whole)
        assert build_part(MIX, whole, DUMP)
    assert digests(whole) == digests(crawl)


RECORDED = "68dba900763f87d3"
"""Of what this seed makes, unpacked; another where pages, layouts or the mixture change."""


def test_a_seed_makes_the_pages_that_are_on_record(crawl):
    made = hashlib.sha256()
    for path in sorted([*crawl.rglob("truth/*.gz"), *crawl.rglob("*.warc.gz")]):
        made.update(gzip.decompress(path.read_bytes()))

    assert made.hexdigest()[:16] == RECORDED
