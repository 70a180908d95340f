"""What columns hold whose task's docstring does not say it in brackets."""

from __future__ import annotations

import re

_SAID = {
    "bytes": "size in bytes",
    "digest": "SHA-256 of the file as it came",
    "file": "path of the file, from the root of the crawl or of the corpus",
    "url": "address of the page, as the crawl asked for it",
    "warc_file": "path of the WARC file with the page's response, from the root of the crawl",
    "warc_date": "when the page was fetched: the record's WARC-Date, UTC",
    "warc_block_digest": "the record's WARC-Block-Digest: SHA-1 in base32",
    "warc_record_offset": "first byte of the record's gzip member in `warc_file`",
    "http_status": "HTTP status of the response",
    "mime": "Content-Type of the response, without parameters",
    "title": "title that the page gives itself",
    "charset": "character encoding that the page was decoded from",
    "offset": "first byte of the record's gzip member in `file`",
    "num_listed_words": "words that are on the list, each time they come",
    "page_reason": "why the page as a whole goes no further; null where it does",
    "html_lang": "language that the HTML declares in `lang`",
    "language": "code of the text's language",
    "language_score": "probability of that language, from 0 to 1",
    "source_domain": "host of the address",
    "perplexity": "of the text by its language's model; null without a model",
    "documents": "number of documents",
    "HashParagraphs.documents": "number of documents of the shard that hold the paragraph",
    "original_nlines": "lines of the page's text before any was taken out",
    "length": "characters of the text that is left",
    "digest_ok": "whether the fetched payload has the digest that the crawl noted",
    "FetchHTMLDocuments.bytes": "size of the record as it came, in bytes",
    "page_type": "kind of page, as the line classifier takes it",
    "page_type_share": "probability of that kind, from 0 to 1",
    "nothing_kept": "why there is no text where the page could be converted; null with a text",
    "text_source": "where the text is from: the lines of the page, or its scripts; null without a text",
    "passes_all_quality_filters": "whether no deciding measure lies outside of its limits",
    "similarity": "estimated Jaccard similarity to the document that is kept, from 0 to 1",
    "text_without_repeats": "the text without paragraphs that earlier documents hold",
    "words": "number of words",
    "chunks": "number of stretches of words that the grammar reads in one piece",
    "ExportCorpus.file": "number of the published file that holds the document; null if in none",
    "ExportCCNet.file": "name of the published file",
    "ExportCCNet.documents": "documents in the file",
    "ExportCCNet.bytes": "packed size of the file in bytes",
}
"""Column, or Task.column where the same name says something else, to its meaning."""

_FAMILIES = (
    (re.compile(r"score_(\w+)"), "probability of `{}` for the page's own paragraphs, from 0 to 1"),
    (re.compile(r"minhash_bucket_(\d+)"), "key of band {} of the published signature"),
)
"""Names that are many, by what they have in common."""


def meaning_of(task: str, column: str) -> str:
    """What a column holds; nothing where it is not told here.

    >>> meaning_of("CCNet", "score_sv")
    "probability of `sv` for the page's own paragraphs, from 0 to 1"
    """
    if said := _SAID.get(f"{task}.{column}") or _SAID.get(column):
        return said
    matches = ((pattern.fullmatch(column), text) for pattern, text in _FAMILIES)
    return next((text.format(match[1]) for match, text in matches if match), "")
