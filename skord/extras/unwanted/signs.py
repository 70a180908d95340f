"""Signs of texts that nobody wrote to be read: lists of search words, spam of known kinds.

Lists of search words ("snabblån stockholm snabblån göteborg …") repeat few words and have hardly a
function word. The kinds of spam are known by words; the lists are written for this project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.extras.unwanted.machine_made import machine_made_measures
from skord.models.unwanted.interface import MACHINE_MADE, TRAINED_LANGUAGES, load_unwanted
from skord.native import word_grams
from skord.quality.stop_words import LIST_OF_LABEL, stop_words_of
from skord.text.words import string_buffers

U64 = NDArray[np.uint64]
Row = NDArray[np.float64]

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

AMBIGUOUS = """
    lån lånet låna lånar låne lånebelopp uc kreditt kredit laina lainaa lainat vippi kredīts kredīti
    lán lántaka aizdevums aizdevumi loan loans låntager lender spins spel slot odds likmes naket
    nakna nakne nøgne nakin kailas sekss klám escort erotisk apotek pharmacy generisk generika
    generic tabletes potences lyfseðils receptfritt reseptfritt ambien webcam"""
"""Listed words that libraries, banks, chemists and newspapers use, too; the model skips them."""

MEASURES = (
    "listed_words", "replicas", "repetition", "few_stop_words", "length", "currency",
    "sentence_ends", "links", "most_frequent_word",
)  # fmt: skip
"""What the model of `skord.models.unwanted` weighs: shares of words, most of them by their roots.

Loans, gambling, adult and pills count together, by the kind with most words: each alone has too
few labelled texts to weigh it.
"""

_PATTERNS = tuple(map(re.compile, (r"[€$£]", r"[.!?](?=\s|$)", r"https?:|www\.")))
_READ_CHARS = 8_000
"""Of a text, in which signs are counted: some thousand words."""
_USUAL_RICHNESS, _USUAL_STOP_WORDS, _USUAL_LENGTH = 0.93, 0.2, 7.5
"""Of a good text: subtracted, so that a measure that is not known weighs nothing."""


def unwanted_columns(
    texts: pa.Array,
    languages: Sequence[str | None],
    own_stop_words: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> dict[str, pa.Array]:
    """The columns of MeasureUnwanted; the scores are null in languages that were not trained on.

    `own_stop_words` are those of languages that the user has added.

    >>> measures = unwanted_columns(pa.array(["lån lån lån " * 10, None]), ["sv", None])
    >>> measures["unwanted_kind"].to_pylist(), measures["unwanted_word_share"].to_pylist()
    (['loans', None], [1.0, None])
    """
    richness: list[float | None] = []
    stop_shares: list[float | None] = []
    shares: list[float | None] = []
    kinds: list[str | None] = []
    rows: list[Row] = []
    signs: list[Row] = []
    for text, words, language in zip(
        texts.to_pylist(), _first_words(texts), languages, strict=True
    ):
        richness.append(_word_richness(words))
        stop_shares.append(
            _listed_share(words, _word_hashes(stop_words_of(language or "", own_stop_words)))
        )
        listed = {kind: _listed_share(words, _of_kind(kind)) or 0.0 for kind in KINDS}
        kind = max(KINDS, key=lambda name: listed[name])
        shares.append(listed[kind] if len(words) else None)
        kinds.append(kind if listed[kind] else None)
        rows.append(_text_measures(text or "", words, listed, richness[-1], stop_shares[-1]))
        signs.append(machine_made_measures(text or "", language))
    scores = load_unwanted().probabilities(np.array(rows).reshape(-1, len(MEASURES)))
    made = load_unwanted(MACHINE_MADE)
    made_scores = made.probabilities(np.array(signs).reshape(-1, len(made.measures)))
    is_unknown = np.array([
        share is None or LIST_OF_LABEL.get(language or "", language) not in TRAINED_LANGUAGES
        for share, language in zip(shares, languages, strict=True)
    ], np.bool_)  # fmt: skip
    return {
        "vocabulary_richness": pa.array(richness, pa.float64()),
        "stop_word_share": pa.array(stop_shares, pa.float64()),
        "unwanted_word_share": pa.array(shares, pa.float64()),
        "unwanted_score": pa.array(scores, pa.float64(), mask=is_unknown),
        "machine_made_score": pa.array(made_scores, pa.float64(), mask=is_unknown),
        "unwanted_kind": pa.array(kinds, pa.string()),
    }


def measures_of(text: str, language: str | None) -> Row:
    """What the model weighs of one text: `MEASURES`, shape (measures,)."""
    words = next(iter(_first_words(pa.array([text], pa.string()))))
    shares = {kind: _listed_share(words, _of_kind(kind)) or 0.0 for kind in KINDS}
    stop_words = _listed_share(words, _word_hashes(stop_words_of(language or "")))
    return _text_measures(text, words, shares, _word_richness(words), stop_words)


def _text_measures(
    text: str,
    words: U64,
    shares: Mapping[str, float],
    richness: float | None,
    stop_words: float | None,
) -> Row:
    number = max(len(words), 1)
    currency, ends, links = (
        min(len(pattern.findall(text[:_READ_CHARS])) / number, 1.0) for pattern in _PATTERNS
    )
    most = np.unique(words, return_counts=True)[1].max() / number if len(words) else 0.0
    listed = max(
        _listed_share(words, _plain_words(kind)) or 0.0 for kind in KINDS if kind != "replicas"
    )
    return np.array([
        *(4 * np.sqrt([listed, shares["replicas"]])),
        10 * (_USUAL_RICHNESS - (richness or _USUAL_RICHNESS)),
        10 * (_USUAL_STOP_WORDS - (_USUAL_STOP_WORDS if stop_words is None else stop_words)),
        np.log(max(len(text), 1)) - _USUAL_LENGTH,
        *(3 * np.sqrt([currency, ends, links])),
        5 * most,
    ])  # fmt: skip


def _first_words(texts: pa.Array) -> Iterator[U64]:
    """Hashes of the first words of each text."""
    hashes, sizes = _hashed_words(texts)
    for end, size in zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True):
        yield hashes[end - size : end][:FIRST_WORDS]


def _word_richness(words: U64) -> float | None:
    """Herdan's C (1960): logarithm of the types by that of the tokens."""
    if len(words) < LEAST_WORDS:
        return None
    return float(np.log(len(np.unique(words))) / np.log(len(words)))


def _listed_share(words: U64, listed: U64) -> float | None:
    """Share of the words that are listed; None without a word or a list."""
    if not len(words) or not len(listed):
        return None
    place = np.minimum(np.searchsorted(listed, words), len(listed) - 1)
    return float(np.mean(listed[place] == words))


@cache
def _of_kind(kind: str) -> U64:
    return _word_hashes(tuple(word for word in UNWANTED_WORDS[kind].split() if "-" not in word))


@cache
def _plain_words(kind: str) -> U64:
    """Those of a kind's words that hardly anything else uses."""
    return np.setdiff1d(_of_kind(kind), _word_hashes(tuple(AMBIGUOUS.split())))


@cache
def _word_hashes(words: tuple[str, ...]) -> U64:
    """Sorted hashes of words, as `_hashed_words` has them."""
    return np.unique(_hashed_words(pa.array(words, pa.string()))[0])


def _hashed_words(texts: pa.Array) -> tuple[U64, NDArray[np.uint32]]:
    """Hashes of all words in lower case, and how many each text has."""
    hashes, sizes = word_grams(*string_buffers(texts.fill_null("")), 1)
    return np.frombuffer(hashes, np.uint64), np.frombuffer(sizes, np.uint32)
