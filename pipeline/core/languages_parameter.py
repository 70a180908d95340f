"""A parameter that lists codes of languages."""

from __future__ import annotations

import luigi


class LanguagesParameter(luigi.TupleParameter):
    """Codes as `lv,sv`, or as any other tuple is written: `["lv", "sv"]`.

    >>> LanguagesParameter().parse("lv"), LanguagesParameter().parse('["sv", "da"]')
    (('lv',), ('sv', 'da'))
    """

    def parse(self, x: str) -> tuple[str, ...]:
        """The codes out of what was written."""
        if x.strip().startswith(("[", "(")):
            parsed: tuple[str, ...] = super().parse(x)
            return parsed
        return tuple(code.strip() for code in x.split(",") if code.strip())
