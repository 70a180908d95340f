"""How a corpus was made, in sentences that are derived from the settings in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Settings = Mapping[str, Mapping[str, str]]
"""Task to its settings in force."""

Models = Mapping[str, Sequence[str]]
"""Task to the names of what besides settings decides its output: models with digests, versions."""


def method_paragraphs(settings: Settings, models: Models, source: str = "") -> Iterator[str]:
    """A paragraph for each step.

    A setting that is left out is taken to be the task's default; `source` is the kind of files that
    the pages are from, empty for Common Crawl.
    """
    yield _selection(settings.get("CCNet", {}), models.get("CCNet", ()), source)
    if source == "texts":
        yield "The texts are as they were given; Markdown was brought into its plain form."
    else:
        read = "read again at their places" if source else "fetched by byte range"
        yield (
            f"Their records were {read} and checked by id and digest. "
            + conversion_sentence(
                settings.get("ConvertToMarkdown", {}), models.get("ConvertToMarkdown", ())
            )
        )
        yield _lines(settings.get("ProcessMarkdown", {}), models.get("ProcessMarkdown", ()))
    sets = settings.get("FilterDocuments", {}).get("feature_sets", "")
    yield (
        "Texts outside of the limits below were left out"
        + (f" (feature sets {_plain(sets)})" if sets else "")
        + ", and of texts that resemble one another (MinHash) one was kept. After Norlund et al. "
        "2024 (SWEb, arXiv 2410.04456) and Wenzek et al. 2020 (CCNet, arXiv 1911.00359)."
    )


def conversion_sentence(settings: Mapping[str, str], models: Sequence[str]) -> str:
    """What turned HTML into Markdown.

    >>> conversion_sentence({"converter": "pandoc"}, ["3.8.2"])
    'Their HTML was turned into Markdown by pandoc 3.8.2.'
    """
    pandoc = f"pandoc {models[0]}" if models else "pandoc"
    own = "Skörd's own converter, in pandoc's dialect"
    is_own = settings.get("converter", "fast") != "pandoc"
    return f"Their HTML was turned into Markdown by {own if is_own else pandoc}."


def language_identifiers(settings: Mapping[str, str], models: Sequence[str]) -> str:
    """What named the language of a text: FilterDocuments' settings and models.

    >>> language_identifiers({"scandinavian_model": "none"}, ["lid.176.ftz-8f3472cf"])
    'lid.176.ftz-8f3472cf'
    """
    first = models[0] if models else "fastText's lid.176"
    if settings.get("scandinavian_model") == "none":
        return first
    second = next((name for name in models[1:] if name.startswith("scandinavian-")), "")
    return f"{first}, the Scandinavian languages told apart by {second}" if second else first


_CHOSEN_FROM = {
    "warc": "the text of all their paragraphs",
    "pages": "the text of all their paragraphs",
    "texts": "their text",
}


def _selection(settings: Mapping[str, str], models: Sequence[str], source: str = "") -> str:
    languages = _plain(settings.get("languages", ""))
    rule = {"any": "one of them scores", "top": "the highest of them scores"}
    score = settings.get("min_score")
    by = f" by {models[0]}" if models else ""
    repeated = {
        "drop_all": "paragraphs that several pages have are left out of all of them",
        "keep_first": "of a paragraph on several pages the first stays",
    }
    return (
        f"Pages were chosen from {_CHOSEN_FROM.get(source, 'the plain text (WET) of the crawl')} "
        f"by the language of their "
        f"paragraphs{by}"
        + (f": {languages}" if languages else "")
        + (
            f", where {rule.get(settings.get('rule', 'any'), 'one scores')} {score} or more"
            if score
            else ""
        )
        + f"; {repeated.get(settings.get('paragraphs', ''), repeated['keep_first'])}."
    )


def _lines(settings: Mapping[str, str], models: Sequence[str]) -> str:
    model = models[0] if models else settings.get("model_path", "embedded")
    least = settings.get("line_filter_threshold", "")
    return (
        f"Every line was judged by a classifier ({model}); the lines of the main text"
        + (
            f", those with a probability of {least} or more,"
            if least
            else ", as many as are expected to agree best with it,"
        )
        + " are `text`."
    )


def _plain(listed: str) -> str:
    """A list as Luigi writes it, without its signs.

    >>> _plain('["sv", "da"]')
    'sv, da'
    """
    return listed.translate(str.maketrans("", "", "[]()\"'")).strip(", ")
