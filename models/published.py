"""Models of others that can be used here: where they are published, how large, under which terms.

Sizes and digests stand where they are known: CCNet published neither for its language models.
"""

from __future__ import annotations

from dataclasses import dataclass

CCNET_LANGUAGES = (
    "af", "ar", "az", "be", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi",
    "fr", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "km", "kn", "ko",
    "lt", "lv", "mk", "ml", "mn", "mr", "my", "ne", "nl", "no", "pl", "pt", "ro", "ru", "uk", "zh",
)  # fmt: skip
"""Languages of which CCNet published a model (Wenzek et al. 2020; the Makefile of cc_net)."""

CCNET_ADDRESS = "https://dl.fbaipublicfiles.com/cc_net/lm/"
CCNET_SOURCE = "https://raw.githubusercontent.com/facebookresearch/cc_net/"
CCNET_COMMIT = "bda555bd1cf1ee2e0b925363e62a61cd46c8b60d"
FASTTEXT_ADDRESS = "https://dl.fbaipublicfiles.com/fasttext/supervised-models/"
HUB = "https://huggingface.co/"

CCNET_TERMS = "not stated; cc_net is MIT, the Wikipedia text CC BY-SA"

LANGUAGE_MODELS, IDENTIFIER = "language_models", "lid_model_path"
"""The settings that the files are named in: their folder, or the file itself."""


@dataclass(frozen=True)
class PublishedFile:
    """One file.

    Attributes:
        model: the name that it is asked for by; several files may be one model.
        name: of the file here, which decides how it is used.
        address: where it is.
        setting: `LANGUAGE_MODELS` or `IDENTIFIER`.
        licence: its terms.
        bytes: its size; None where it was not published.
        sha256: likewise.
        about: what it is.
    """

    model: str
    name: str
    address: str
    setting: str
    licence: str
    bytes: int | None = None
    sha256: str | None = None
    about: str = ""


IDENTIFIERS = (
    PublishedFile(
        "lid.176.bin", "lid.176.bin", f"{FASTTEXT_ADDRESS}lid.176.bin", IDENTIFIER,
        "CC BY-SA 3.0", 131_266_198,
        "7e69ec5451bc261cc7844e49e4792a85d7f09c06789ec800fc4a44aec362764e",
        "CCNet's lid.bin: the labels of the shipped lid.176.ftz, not quantised",
    ),
    PublishedFile(
        "glotlid", "glotlid-v3.bin", f"{HUB}cis-lmu/glotlid/resolve/main/model_v3.bin", IDENTIFIER,
        "Apache-2.0", about="more than 2,000 labels such as swe_Latn; 1.69 GB",
    ),
    PublishedFile(
        "openlid", "openlid-v2.bin", f"{HUB}laurievb/OpenLID-v2/resolve/main/model.bin", IDENTIFIER,
        "GPL-3.0", about="some 200 labels such as swe_Latn; 1.22 GB",
    ),
    PublishedFile(
        "nllb", "lid218e.bin", "https://dl.fbaipublicfiles.com/nllb/lid/lid218e.bin", IDENTIFIER,
        "CC BY-NC 4.0", about="218 labels such as swe_Latn; 1.18 GB",
    ),
)  # fmt: skip

CUTOFFS = PublishedFile(
    "cutoff.csv", "cutoff.csv", f"{CCNET_SOURCE}{CCNET_COMMIT}/cc_net/data/cutoff.csv",
    LANGUAGE_MODELS, "MIT", 21_364,
    "62a2ff3c587a110610dd7d8750712cbba9da08088ce4f158780d349ac35d430d",
    "CCNet's limits of head and tail, by language",
)  # fmt: skip


def files_of_model(model: str) -> tuple[PublishedFile, ...]:
    """The files of an identifier, or of CCNet's model of a language; none for an unknown name.

    >>> [file.name for file in files_of_model("lv")]
    ['cutoff.csv', 'lv.sp.model', 'lv.arpa.bin']
    """
    if model not in CCNET_LANGUAGES:
        return tuple(file for file in (*IDENTIFIERS, CUTOFFS) if file.model == model)
    about = {"sp.model": "SentencePiece", "arpa.bin": "KenLM, 5-grams of Wikipedia"}
    return (
        CUTOFFS,
        *(
            PublishedFile(
                model, f"{model}.{kind}", f"{CCNET_ADDRESS}{model}.{kind}", LANGUAGE_MODELS,
                CCNET_TERMS, about=what,
            )
            for kind, what in about.items()
        ),
    )  # fmt: skip


def all_models() -> tuple[str, ...]:
    """The names that `files_of_model` knows."""
    return (*CCNET_LANGUAGES, *(file.model for file in (*IDENTIFIERS, CUTOFFS)))
