"""Mojibake, as ftfy mends it, which is only asked about lines with odd characters."""

from __future__ import annotations

from pipeline.native import partly_mended


def mended(text: str) -> str:
    r"""What `ftfy.fix_text` makes of a text.

    >>> mended("Vädret & sånt\nVÃ¤dret\n")
    'Vädret & sånt\nVädret\n'
    """
    partly, doubtful = partly_mended(text.encode("utf-8", "surrogatepass"))
    if not doubtful:
        return partly
    import ftfy

    lines = partly.split("\n")
    ends = ["\n"] * (len(lines) - 1) + [""]
    first_tag = next((number for number, line in enumerate(lines) if "<" in line), len(lines))
    for number in doubtful:  # behind the first tag entities stay entities
        unescapes = "auto" if number <= first_tag else False
        line = lines[number] + ends[number]
        lines[number], ends[number] = ftfy.fix_text(line, unescape_html=unescapes), ""
    return "".join(map("".join, zip(lines, ends, strict=True)))
