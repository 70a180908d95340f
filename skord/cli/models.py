"""`skord study models`: published language models and identifiers that can be used, and their download."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import requests

from skord.cli.json_output import print_json
from skord.core.failures import ConfigError
from skord.models.language_model.files import FOLDER as SHIPPED
from skord.models.language_model.files import find_languages
from skord.models.published import (
    CCNET_LANGUAGES,
    CCNET_TERMS,
    CUTOFFS,
    IDENTIFIER,
    IDENTIFIERS,
    LANGUAGE_MODELS,
    PublishedFile,
    all_models,
    files_of_model,
)

CHUNK_BYTES = 1 << 16
TIMEOUT_S = 30.0
"""That a server may be silent."""
PARTIAL = ".part"
"""Behind the name of a file that is not whole yet; the next call continues it."""


def run(options: argparse.Namespace) -> None:
    """List the models, or fetch those named."""
    files = named_files(options.names)
    if options.fetch:
        if not options.names:
            raise ConfigError(
                "--fetch needs names, such as: skord study models lv lid.176.bin --fetch"
            )
        if options.to.exists() and not options.to.is_dir():
            raise ConfigError(f"--to {options.to} is a file: name a folder")
        for file in files:
            fetch_file(file, options.to, options.mirror)
        print("\n".join(setting_lines(files, options.to)))
    elif options.json:
        print_json([{**asdict(f), "is_here": (options.to / f.name).exists()} for f in files])
    elif options.names:
        print("\n\n".join(file_description(file, options.to) for file in files))
    else:
        print("\n".join(overview_lines()))


def named_files(names: Sequence[str]) -> list[PublishedFile]:
    """The files of some models, each once; of all where none is named."""
    files: dict[str, PublishedFile] = {}
    for name in names or all_models():
        found = files_of_model(name)
        if not found:
            shipped = " (a small one is shipped)" if name in find_languages(SHIPPED) else ""
            raise ConfigError(
                f"no model {name!r} is listed by skord study models; of a language that CCNet published "
                f"none for{shipped}, make one: python -m skord.models.language_model.train {name}"
            )
        files.update({file.name: file for file in found})
    return list(files.values())


def overview_lines() -> Iterator[str]:
    """All models, a paragraph for each kind."""
    yield "Language models, for perplexity and buckets: [CCNet] language_models = FOLDER"
    yield f"  shipped, small:  {' '.join(find_languages(SHIPPED))}"
    yield f"  CCNet's:         {' '.join(CCNET_LANGUAGES)}"
    yield f"                   ({len(CCNET_LANGUAGES)} languages; LANG.sp.model, LANG.arpa.bin)"
    yield f"  from:            {files_of_model('lv')[-1].address.replace('lv.', 'LANG.')}"
    yield "  size, SHA-256:   not published"
    yield f"  licence:         {CCNET_TERMS}"
    yield f"  with them:       {CUTOFFS.name} ({CUTOFFS.licence}), {CUTOFFS.about}"
    yield ""
    yield "Language identifiers: [CCNet] lid_model_path and [FilterDocuments] lid_model_path"
    yield "  lid.176.ftz      shipped"
    for file in IDENTIFIERS:
        yield f"  {file.model:<16} {file.about}; {file.licence}"
        yield f"  {'':<16} {file.address}"
    yield ""
    yield "One in full: skord study models lv."
    yield "To fetch: skord study models lv lid.176.bin --fetch --to FOLDER"


def file_description(file: PublishedFile, folder: Path) -> str:
    """All that is known of a file."""
    place = folder / file.name
    rows = {
        file.name: file.about,
        "address": file.address,
        "bytes": "not published" if file.bytes is None else f"{file.bytes:,}",
        "SHA-256": file.sha256 or "not published",
        "licence": file.licence,
        "here": f"{place}" if place.exists() else f"no; put it at {place}",
        "setting": setting_of(file, folder),
    }
    return "\n".join(f"{name:<14}{value}" for name, value in rows.items())


def setting_of(file: PublishedFile, folder: Path) -> str:
    """The line of luigi.cfg to use a file."""
    value = folder if file.setting == LANGUAGE_MODELS else folder / file.name
    return f"[CCNet] {file.setting} = {value}"


def setting_lines(files: Sequence[PublishedFile], folder: Path) -> Iterator[str]:
    """What to write into luigi.cfg to use the files."""
    yield "to use them, in luigi.cfg:"
    yield from dict.fromkeys(setting_of(file, folder) for file in files)
    if any(file.setting == IDENTIFIER for file in files):
        yield "and the same lid_model_path in [FilterDocuments]"


def fetch_file(file: PublishedFile, folder: Path, mirror: str | None = None) -> Path:
    """Download a file into a folder, unless it is there; one that broke off is continued.

    `mirror` stands in the place of scheme and server of the address.

    Raises:
        ConfigError: it cannot be had, or is not what was published.
    """
    place = folder / file.name
    if place.exists():
        check_file(file, place)
        print(f"{place}: there already", file=sys.stderr)
        return place
    address = re.sub(r"^https?://[^/]+", (mirror or "").rstrip("/"), file.address) if mirror else ""
    partial = place.with_name(file.name + PARTIAL)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _download(address or file.address, partial)
    except requests.exceptions.ChunkedEncodingError as error:
        raise ConfigError(
            f"{address or file.address} broke off: give the command again, and it continues after "
            f"{partial.stat().st_size:,} bytes"
        ) from error
    except (requests.RequestException, OSError) as error:
        raise ConfigError(
            f"{address or file.address} cannot be had ({_reason(error)}): fetch it on a machine "
            f"with a network and put it at {place}; then set {setting_of(file, folder)}"
        ) from error
    digest = check_file(file, partial)
    partial.rename(place)
    compared = "as published" if file.sha256 else "none was published to compare it with"
    print(
        f"{place}: {place.stat().st_size:,} bytes, SHA-256 {digest} ({compared})", file=sys.stderr
    )
    return place


def check_file(file: PublishedFile, place: Path) -> str:
    """The SHA-256 of a file that is there."""
    with place.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if file.sha256 not in (None, digest):
        raise ConfigError(
            f"{place} has the SHA-256 {digest}, not {file.sha256} as published: remove it and "
            "fetch it again"
        )
    return digest


def _download(address: str, partial: Path) -> None:
    """Append to `partial` what is missing of the file."""
    held = partial.stat().st_size if partial.exists() else 0
    # Packed bodies would be unpacked on the way, and their length be that of something else.
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={held}-"} if held else {})}
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT_S) as reply:
        if reply.status_code == requests.codes.requested_range_not_satisfiable and held:
            partial.unlink()
            raise requests.HTTPError("what was fetched before is no part of it: give it again")
        reply.raise_for_status()
        if reply.headers.get("Content-Type", "").startswith("text/html"):
            raise requests.HTTPError("a web page came instead")
        goes_on = reply.status_code == requests.codes.partial_content
        if goes_on and not reply.headers.get("Content-Range", "").startswith(f"bytes {held}-"):
            raise requests.HTTPError("another part came than was asked for")
        with partial.open("ab" if goes_on else "wb") as out:
            for chunk in reply.iter_content(CHUNK_BYTES):
                out.write(chunk)


def _reason(error: Exception) -> str:
    """An error in few words."""
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error).partition(" for url")[0]
