"""The parameter that lists codes of languages, and how it is handed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import luigi

ONE_SPELLING = {"nb": "no", "nob": "no"}
"""Bokmål is `no` in lid.176 and in fingerprints, whichever of its codes is written."""


class LanguagesParameter(luigi.TupleParameter):
    """Codes as `lv,sv`, or as any other tuple is written: `["lv", "sv"]`; each language once.

    >>> LanguagesParameter().parse("lv"), LanguagesParameter().parse('["sv", "nb"]')
    (('lv',), ('sv', 'nb'))
    >>> LanguagesParameter().normalize(("sv", "nb", "no"))
    ('sv', 'no')
    """

    def normalize(self, x: Any) -> tuple[str, ...]:
        """The codes, those of one language spelt alike."""
        codes: tuple[str, ...] = super().normalize(x)
        return tuple(dict.fromkeys(ONE_SPELLING.get(code, code) for code in codes))

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


def languages_option(languages: Sequence[str]) -> dict[str, Any]:
    """The parameter `languages` for a task upstream, where languages are given.

    >>> languages_option(()), languages_option(("lv",))
    ({}, {'languages': ('lv',)})
    """
    return {"languages": languages} if languages else {}
