"""Trains the language model of one language, and sets the limits between its buckets.

    python -m skord.models.language_model.train sv --text svwiki.json.gz --out FOLDER
    python -m skord.models.language_model.train sv --text svwiki.json.gz --pages crawl.txt.gz --out FOLDER

The recipe is CCNet's (Wenzek et al. 2020, section 3.4): SentencePiece unigram pieces, a 5-gram
KenLM model, Wikipedia as text. Training text is normalised as pages are, a paragraph a line.

The limits stand in `cutoff.csv` in the published form. CCNet's are percentiles over crawled
pages; with --pages they are that here too. Without, they are percentiles over every 50th
document of the text itself, which no model is trained on: then most pages of a crawl lie above
both limits, and it is better to say what pages are to be sorted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from statistics import median

from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.models.language_model.corpus import corpus_documents
from skord.models.language_model.cutoffs import page_perplexities, set_limits
from skord.models.language_model.files import (
    CUTOFFS_NAME,
    NGRAMS_SUFFIX,
    PIECES_SUFFIX,
    LanguageFiles,
)
from skord.models.language_model.perplexity import normalize_lines
from skord.models.language_model.scorer import SENTENCEPIECE


@dataclass(frozen=True)
class NgramRecipe:
    """How an n-gram model is made.

    Attributes:
        prune: n-grams seen so often or less are left out, one number for each order; the
            last goes for the rest. (0,) keeps all.
        quantised: a trie of 8-bit probabilities: an eighth of the size, 2.7 times slower.
        memory: what lmplz may sort in, such as "2G" or "50%".
    """

    order: int = 5
    prune: tuple[int, ...] = (0,)
    quantised: bool = False
    memory: str = "50%"


def lmplz_command(program: str, recipe: NgramRecipe, temporary: Path) -> list[str]:
    """The command that estimates a model from lines of pieces; ARPA on standard output."""
    return [
        *(program, "-o", str(recipe.order), "-S", recipe.memory, "-T", str(temporary)),
        *(
            "--discount_fallback",
            "--skip_symbols",
            "--prune",
            *(str(count) for count in recipe.prune),
        ),
    ]


def build_binary_command(program: str, recipe: NgramRecipe, arpa: Path, binary: Path) -> list[str]:
    """The command that turns an ARPA file into the form that is mapped into memory."""
    trie = ["-q", "8", "-b", "8", "-a", "22", "trie"] if recipe.quantised else []
    return [program, *trie, str(arpa), str(binary)]


def estimate_kenlm(pieces: Path, binary: Path, recipe: NgramRecipe) -> None:
    """Writes a KenLM binary from a file of lines of pieces with spaces between.

    Raises:
        ConfigError: a program is missing or fails, with the end of its complaint.
    """
    arpa = binary.with_name(f"{binary.name}.arpa")
    _run_kenlm(
        lmplz_command(kenlm_program("lmplz"), recipe, binary.parent), stdin=pieces, stdout=arpa
    )
    _run_kenlm(build_binary_command(kenlm_program("build_binary"), recipe, arpa, binary))
    arpa.unlink()


def kenlm_program(name: str) -> str:
    """Path of lmplz or build_binary: on PATH, or where build_kenlm.sh puts it.

    Raises:
        ConfigError: it is in neither place.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skord" / "kenlm"
    path = shutil.which(name) or shutil.which(name, path=str(cache))
    if path is None:
        raise ConfigError(f"training needs KenLM's program {name}: `make lmplz` builds it")
    return path


def _run_kenlm(command: list[str], stdin: Path | None = None, stdout: Path | None = None) -> None:
    with (
        Path(stdin or os.devnull).open("rb") as given,
        Path(stdout or os.devnull).open("wb") as written,
    ):
        done = subprocess.run(
            command, stdin=given, stdout=written, stderr=subprocess.PIPE, check=False
        )
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise ConfigError(f"{Path(command[0]).name} failed with {done.returncode}: {complaint}")


PIECE_LINE_BYTES = 4000
"""SentencePiece leaves out longer lines without a word; they are cut at spaces."""


@dataclass(frozen=True)
class Recipe:
    """Every number of the training.

    Attributes:
        vocab_size: pieces; fewer when the text has no more.
        documents: read at most, as for the published models.
        piece_lines: lines that the pieces are learned from, at most; they are held in memory.
        held_every: each so-manieth document is held out.
        lines_at_most: where training text that is plain is cut into documents (`corpus_documents`).
        ngrams: the recipe of the n-gram model.
    """

    vocab_size: int = 65_536
    documents: int = 1_000_000
    piece_lines: int = 2_000_000
    held_every: int = 50
    lines_at_most: int = 0
    ngrams: NgramRecipe = field(default_factory=NgramRecipe)


def train_language_model(
    language: str, texts: list[Path], pages: list[Path], out: Path, recipe: Recipe
) -> str:
    """Writes the files of a language into a folder; returns the line to print.

    A file already there is replaced when all the new ones are whole; in `cutoff.csv` only
    the column of this language changes.

    Raises:
        ConfigError: a program or a library is missing, or the text cannot be used.
    """
    require_package("sentencepiece", "training", SENTENCEPIECE)
    for program in ("lmplz", "build_binary"):
        kenlm_program(program)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".training-", dir=out) as folder:
        work = Path(folder)
        counts = _write_lines(_read_corpora(texts, recipe, recipe.lines_at_most), work, recipe)
        files = _train_models(work, recipe)
        held = page_perplexities(files, corpus_documents(work / "held.txt"))
        perplexities = page_perplexities(files, _read_corpora(pages, recipe)) if pages else held
        files.pieces.replace(out / f"{language}{PIECES_SUFFIX}")
        files.ngrams.replace(out / f"{language}{NGRAMS_SUFFIX}")
    head, tail = set_limits(out / CUTOFFS_NAME, language, perplexities)
    source = f"{len(perplexities)} pages" if pages else "the held-out documents"
    return (
        f"{language}: {counts}, with perplexity {median(held):.1f} in the median; "
        f"limits {head} and {tail}, from {source}"
    )


def _train_models(work: Path, recipe: Recipe) -> LanguageFiles:
    """From `lines.txt` in the folder."""
    files = LanguageFiles(work / "pieces.model", work / "ngrams.bin")
    train_pieces(work / "lines.txt", files.pieces, recipe)
    _write_pieces(work / "lines.txt", files.pieces, work / "pieces.txt")
    estimate_kenlm(work / "pieces.txt", files.ngrams, recipe.ngrams)
    return files


def _read_corpora(paths: list[Path], recipe: Recipe, lines_at_most: int = 0) -> Iterator[str]:
    texts = (text for path in paths for text in corpus_documents(path, lines_at_most))
    return islice(texts, recipe.documents)


def _write_lines(texts: Iterable[str], work: Path, recipe: Recipe) -> str:
    """Normalised lines of the training documents, and the held-out documents as they are.

    Raises:
        ConfigError: no document is held out.
    """
    trained = held = 0
    with (
        (work / "lines.txt").open("w", encoding="utf-8") as lines,
        (work / "held.txt").open("w", encoding="utf-8") as held_out,
    ):
        for number, document in enumerate(texts, start=1):
            if number % recipe.held_every == 0:
                held += 1
                paragraphs = [line for line in document.split("\n") if line.strip()]
                held_out.write("\n".join(paragraphs) + "\n\n")
            else:
                trained += 1
                lines.writelines(f"{line}\n" for line in normalize_lines(document) if line)
    if not held:
        raise ConfigError(
            f"the text has {trained} documents, and every {recipe.held_every}th is held out: "
            "give more, or cut it into documents with --lines-at-most"
        )
    return f"{trained} documents for training, {held} held out"


def train_pieces(lines: Path, model: Path, recipe: Recipe) -> None:
    """Writes a SentencePiece model learned from a file of normalised lines.

    Raises:
        ConfigError: the text is too small for any.
    """
    size = recipe.vocab_size
    while True:
        try:
            model.write_bytes(_learned_pieces(lines, recipe.piece_lines, size))
        except RuntimeError as error:
            possible = re.search(r"Vocabulary size too high.*<= (\d+)", str(error), re.DOTALL)
            if possible is None or int(possible[1]) >= size:
                raise ConfigError(f"no pieces can be learned from this text: {error}") from error
            size = int(possible[1])
        else:
            return


def _learned_pieces(lines: Path, most_lines: int, vocab_size: int) -> bytes:
    """The model as bytes: SentencePiece would write the name of a file into it."""
    from sentencepiece import SentencePieceTrainer  # noqa: PLC0415

    model = BytesIO()
    with lines.open(encoding="utf-8", newline="\n") as stream:
        SentencePieceTrainer.train(
            sentence_iterator=islice(cut_lines(stream), most_lines),
            model_writer=model,
            vocab_size=vocab_size,
            character_coverage=0.9995,
            model_type="unigram",
            num_threads=4,
            minloglevel=2,
        )
    return model.getvalue()


def cut_lines(lines: Iterable[str]) -> Iterator[str]:
    """Lines without their ends, cut at spaces so that none is longer than SentencePiece takes."""
    for line in lines:
        rest = line.rstrip("\n").encode()
        while len(rest) > PIECE_LINE_BYTES:
            at = rest.rfind(b" ", 1, PIECE_LINE_BYTES)
            if at < 0:
                break
            yield rest[:at].decode()
            rest = rest[at + 1 :]
        yield rest.decode()


def _write_pieces(lines: Path, pieces: Path, out: Path) -> None:
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415

    model = SentencePieceProcessor(model_file=str(pieces))
    with (
        lines.open(encoding="utf-8", newline="\n") as stream,
        out.open("w", encoding="utf-8") as written,
    ):
        while chunk := [line.rstrip("\n") for line in islice(stream, 1000)]:
            for line_pieces in model.encode(chunk, out_type=str, num_threads=1):
                written.write(" ".join(line_pieces) + "\n")


def _training_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("language", help="its code, as language identification gives it")
    add("--text", type=Path, nargs="+", required=True, help="files to train on")
    add("--pages", type=Path, nargs="+", default=[], help="files of pages to set the limits by")
    add("--out", type=Path, required=True, help="folder of models")
    add("--lines-at-most", type=int, default=0, help="cuts plain text into documents")
    return parser.parse_args()


def main() -> None:
    """Trains one language."""
    chosen = _training_arguments()
    recipe = Recipe(lines_at_most=chosen.lines_at_most)
    try:
        print(train_language_model(chosen.language, chosen.text, chosen.pages, chosen.out, recipe))
    except ConfigError as error:
        raise SystemExit(f"{error}") from error


if __name__ == "__main__":
    main()
