"""The parameter that lists codes of languages, and how it is handed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import luigi


class LanguagesParameter(luigi.TupleParameter):
    """Codes as `lv,sv`, or as any other tuple is written: `["lv", "sv"]`.

    >>> LanguagesParameter().parse("lv"), LanguagesParameter().parse('["sv", "da"]')
    (('lv',), ('sv', 'da'))
    """

    def parse(self, x: str) -> tuple[str, ...]:
        """The codes out of what was written.

        Raises:
            ValueError: it is neither.
        """
        if x.strip().startswith(("[", "(")):
            try:
                parsed: tuple[str, ...] = super().parse(x)
            except SyntaxError as error:
                raise ValueError(f'languages = {x}: write lv,sv or ["lv", "sv"]') from error
            return parsed
        return tuple(code.strip() for code in x.split(",") if code.strip())


def languages_said(languages: Sequence[str]) -> dict[str, Any]:
    """The parameter `languages` for a task upstream, unless nothing was said.

    >>> languages_said(()), languages_said(("lv",))
    ({}, {'languages': ('lv',)})
    """
    return {"languages": languages} if languages else {}
