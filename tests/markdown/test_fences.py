import numpy as np

from skord.html.cleaning import clean_html
from skord.html.pandoc_dialect import fast_markdown
from skord.markdown.extraction import joined_lines, line_verdicts, split_lines
from skord.markdown.fences import fenced_blocks
from skord.markdown.plain_lines import plain_markdown, plain_page

COURSE = (
    "<p>Skriv en kodbit så här:</p>"
    "<pre><code>Text\n\n```{r}\nplot(1)\n```\n\nMer</code></pre><p>Klart.</p>"
)


def test_blocks_of_code_end_with_a_fence_like_the_first():
    assert fenced_blocks(b"````\n```\n````\nx") == [(0, 3)]
    assert fenced_blocks(b"- ```js\n  x\n  ```") == [(0, 3)]
    assert fenced_blocks(b"```\nnever closed") == []
    assert fenced_blocks(b"`` ` ``") == []


def test_code_that_holds_fences_is_one_block():
    markdown = fast_markdown(clean_html(COURSE))
    lines = split_lines(plain_markdown(markdown))

    assert "".join(f"{line}\n" for line in lines) == plain_markdown(markdown)
    assert [lines[start + 1 : end - 1] for start, end in fenced_blocks(plain_page(markdown))] == [
        ["Text", "", "```{r}", "plot(1)", "```", "", "Mer"]
    ]


def test_text_behind_code_that_holds_a_fence_is_text():
    said = "Det här står två gånger."
    lines = ["````", "```", "a \\* b", "````", said, said, r"Välj\* land"]
    page = "".join(f"{line}\n" for line in lines).encode()
    kept = line_verdicts(page, np.ones(len(lines)), 0.5)

    assert kept.tolist() == [True] * 5 + [False, True]
    assert joined_lines(page, kept).decode().split("\n") == [*lines[:5], "", "Välj* land", ""]
