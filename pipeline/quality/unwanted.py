"""Signs of texts that nobody wrote to be read: lists of search words, spam of known kinds.

Lists of search words ("snabblån stockholm snabblån göteborg …") repeat few words and have hardly a
function word. The kinds of spam are known by words; the lists are written for this project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.native import word_grams
from pipeline.quality.stop_words import stop_words_of

U64 = NDArray[np.uint64]

FIRST_WORDS = 1000
"""Words of a text that count: the more there are, the fewer of them are new."""

LEAST_WORDS = 20
"""Fewer say nothing about how rich a vocabulary is."""

UNWANTED_WORDS: Mapping[str, str] = {
    "loans": """
        snabblån smslån sms-lån lån lånet låna lånar låne lånebelopp privatlån minilån mikrolån uc
        kreditupplysning betalningsanmärkning kreditt kredit forbrukslån smålån refinansiering
        kviklån kviklånet låntager forbrugslån minilån lán smálán lántaka skyndilán
        pikalaina pikalainat laina lainaa vippi vakuudeton kulutusluotto kredīts kredīti
        ātrais ātrie aizdevums aizdevumi loan loans payday lender""",
    "gambling": """
        casino casinot kasino kasinoer casinoer nettcasino spelautomater slots slot jackpot
        free-spins freespins spins insättningsbonus välkomstbonus velkomstbonus bonuskoder odds
        odds betting spelbolag bettingsider roulette blackjack poker bingo spilleautomater
        innskuddsbonus indskudsbonus spilavíti veðmál nettikasino kolikkopelit ilmaiskierrokset
        vedonlyönti kazino azartspēles likmes totalizators""",
    "adult": """
        porr porrfilm porrfilmer sexfilm sexfilmer knulla knull fitta kuk kåt kåta nakna naket
        eskort eskorter sexdejting porno pornofilm pornofilmer knulle knuller kåte nøgne nakne
        sexdate sexdating erotisk erotisch escort escorts klám klámmyndir nakin kynlíf pornovideot
        seksivideot seksitreffit pornogrāfija sekss kailas porn xxx milf blowjob hardcore hentai
        webcam camgirls nude nudes""",
    "pills": """
        viagra cialis levitra kamagra sildenafil tadalafil vardenafil xanax tramadol oxycodone
        ambien phentermine priligy potensmedel potensmiddel potensmidler receptfritt reseptfritt
        receptfri bantningspiller slankepiller slankemiddel bantningsmedel apotek pharmacy
        pharmacie generisk generika generic lyfseðils megrunartöflur laihdutuspillerit
        potenssilääke ilman-reseptiä tabletes potences""",
    "replicas": """
        replica replika replikor kopior kopia rolex omega breitling vuitton gucci moncler canada
        goose parajumpers ugg uggs michael-kors rayban ray-ban outlet rea salg udsalg billiga
        billiga billig billige billigt billigast billigste ódýr ódýrt halpa halvat lēti lētas cheap
        discount handväska handväskor väskor klockor skor jacka jakke sko""",
}
"""Kind to words of it in Swedish, Danish, Norwegian, Icelandic, Finnish, Latvian and English."""

KINDS = tuple(UNWANTED_WORDS)


def unwanted_columns(
    texts: pa.Array,
    languages: Sequence[str | None],
    own_stop_words: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> dict[str, pa.Array]:
    """`vocabulary_richness`, `stop_word_share`, `unwanted_word_share` and `unwanted_kind`.

    Args:
        texts: Markdown; a null measures nothing.
        languages: of each, as FilterDocuments names them.
        own_stop_words: of languages that the user has added.

    >>> measures = unwanted_columns(pa.array(["lån lån lån " * 10, None]), ["sv", None])
    >>> measures["unwanted_kind"].to_pylist(), measures["unwanted_word_share"].to_pylist()
    (['loans', None], [1.0, None])
    """
    hashes, sizes = _words(texts)
    ends = np.cumsum(sizes)
    richness: list[float | None] = []
    stop_shares: list[float | None] = []
    shares: list[float | None] = []
    kinds: list[str | None] = []
    for end, size, language in zip(ends.tolist(), sizes.tolist(), languages, strict=True):
        words = hashes[end - size : end][:FIRST_WORDS]
        richness.append(_richness(words))
        stop_shares.append(_share(words, _hashes(stop_words_of(language or "", own_stop_words))))
        measures = {kind: _share(words, _of_kind(kind)) or 0.0 for kind in KINDS}
        kind = max(KINDS, key=lambda name: measures[name])
        shares.append(measures[kind] if len(words) else None)
        kinds.append(kind if measures[kind] else None)
    return {
        "vocabulary_richness": pa.array(richness, pa.float64()),
        "stop_word_share": pa.array(stop_shares, pa.float64()),
        "unwanted_word_share": pa.array(shares, pa.float64()),
        "unwanted_kind": pa.array(kinds, pa.string()),
    }


def _richness(words: U64) -> float | None:
    """Herdan's C (1960): logarithm of the types by that of the tokens."""
    if len(words) < LEAST_WORDS:
        return None
    return float(np.log(len(np.unique(words))) / np.log(len(words)))


def _share(words: U64, listed: U64) -> float | None:
    """Share of the words that are listed; None without a word or a list."""
    if not len(words) or not len(listed):
        return None
    place = np.minimum(np.searchsorted(listed, words), len(listed) - 1)
    return float(np.mean(listed[place] == words))


@lru_cache(maxsize=8)
def _of_kind(kind: str) -> U64:
    return _hashes(tuple(word for word in UNWANTED_WORDS[kind].split() if "-" not in word))


@lru_cache(maxsize=32)
def _hashes(words: tuple[str, ...]) -> U64:
    """Sorted hashes of words, as `_words` has them."""
    return np.unique(_words(pa.array(words, pa.string()))[0])


def _words(texts: pa.Array) -> tuple[U64, NDArray[np.uint32]]:
    """Hashes of all words in lower case, and how many each text has."""
    large = texts.fill_null("").cast(pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    held = np.frombuffer(data, np.uint8) if data and data.size else np.zeros(1, np.uint8)
    hashes, sizes = word_grams(starts, held, 1)
    return np.frombuffer(hashes, np.uint64), np.frombuffer(sizes, np.uint32)
