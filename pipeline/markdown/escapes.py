"""Backslashes that a writer of Markdown puts before whatever might mark, and that mark nothing."""

import re
from string import punctuation

LONGEST_LINE = 10_000
"""A longer line, in characters, stays as it is: what pictures cost to find grows as its square."""

_PICTURE = r"!\[(?:\\.|[^\[\]\\]|\[(?:\\.|[^\[\]\\])*+\])*+\]\((?:\\.|[^()\\]|\([^()]*+\))*+\)"
# Code and pictures as they stand, and a backslash with what follows it.
_TOKEN = re.compile(rf"(?<!`)(`++).*?(?<!`)\1(?!`)|{_PICTURE}|\\(.)")
_PICTURES = re.compile(rf"(?<!\\){_PICTURE}")
_PUNCTUATION = frozenset(punctuation)
# What may stand before a block in its line: quotations, and items around it.
_HOLDERS = re.compile(r"(?:[ \t]|> ?|[-*+] |\d{1,9}[.)] )*")
_TAG = re.compile(r"(?<!\\)<[A-Za-z/!?]")
_BRACKET = re.compile(r"\\([\[\]])")
_LINK_LIKE = re.compile(r"\][(\[]|\s*(?:[-*+] +)?\[[^\]]*\]:|\s*[-*+] +\[[ xX]\] ")
_LONE_STAR = re.compile(r"(?<=\s)\\?\*(?=\s|$)")


def without_needless_escapes(line: str) -> str:
    r"""A line that is no code without the backslashes before signs that would mark nothing there.

    What marks is as in CommonMark 0.31.2: number signs, bullets and numbers at the start of a
    block, ">" there or after a tag's "<", "<" before a letter, "/", "!" or "?", a star that has
    a partner, brackets where an address, or a line's text, follows. Pictures stay as they are:
    they are set aside later.

    >>> without_needless_escapes(r"Välj\* ett land \[2\], 3 \* 4")
    'Välj* ett land [2], 3 * 4'
    >>> without_needless_escapes(r"\*nej\* \[nej\](a)")
    '\\*nej\\* \\[nej\\](a)'
    >>> print(without_needless_escapes(r"| \-8 °C | nr \#1, a \< b \> c, \<3 |"))
    | -8 °C | nr #1, a < b > c, <3 |
    >>> print(without_needless_escapes(r"\# ett \# två, \<b\>"), without_needless_escapes(r"1\. a"))
    \# ett # två, \<b> 1\. a
    """
    if len(line) > LONGEST_LINE:
        return line
    text = _PICTURES.sub("", line) if "](" in line else line
    is_linked = bool(_LINK_LIKE.search(_BRACKET.sub(r"\1", text)))
    holders = _HOLDERS.match(line)
    start = holders.end() if holders else 0
    is_heading = line.startswith("#", start)
    has_tag = bool(_TAG.search(text))
    has_partners = len(_LONE_STAR.sub("", text).split("*")) > 2

    def plain(token: re.Match[str]) -> str:
        sign, at = token[2], token.start()
        if sign is None:
            return token[0]
        before, after = line[start:at], line[token.end() :]
        match sign:
            case "[" | "]":
                needed = is_linked
            case "*" if not before or before[-1].isspace():
                needed = not before or (bool(after) and not after[0].isspace())
            case "*":
                needed = has_partners
            case "#" if is_heading:
                needed = not after.strip("# ")
            case "#":
                needed = not before and bool(re.match(r"#*(?:\s|$)", after))
            case "-" | "+":
                needed = not before and (not after or after[0] in " \t-")
            case "." | ")":
                needed = is_linked or (before.isdigit() and after[:1] in (" ", "\t", ""))
            case ">":
                needed = not before or has_tag
            case "<":
                needed = bool(re.match(r"[A-Za-z/!?]", after))
            case "\\":
                needed = not after or after[0] in _PUNCTUATION
            case _:
                needed = True
        return token[0] if needed else sign

    return _TOKEN.sub(plain, line)
