"""The figures of `ccnet-figures` as SVG, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skord.cli.report.charts import LIMIT, PALETTE, standing_alone, svg_chart, tick_places

BUCKETS = ("head", "middle", "tail", "all")
HATCHES = ("", "//", "..", "\\\\")
"""Of the buckets, beside their colours, for those who see none."""
BLUE = PALETTE[0]


def write_pictures(figures: Mapping[str, Any], out: Path) -> None:
    """Write `figure-2.svg`, `figure-4.svg`, `figure-5.svg`, `perplexity-LANG.svg`."""
    for name, picture in ccnet_pictures(figures):
        (out / f"{name}.svg").write_text(standing_alone(picture), encoding="utf-8")


def ccnet_pictures(figures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and SVG of each figure that there is something to draw of."""
    if figures["amounts"]:
        yield "figure-2", amounts_picture(figures["amounts"])
    if figures["left_after_comparing"]:
        yield "figure-4", deduplication_picture(figures["left_after_comparing"])
        yield "figure-5", key_memory_picture(figures["keys_compared"])
    for language, figure in figures["perplexity"].items():
        yield f"perplexity-{language}", perplexity_picture(language, figure)


def amounts_picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """Tokens of each language by bucket; characters where no language has a model.

    Languages without a model are named beside tokens, and have no bar.
    """
    counted = [row for row in rows if row["tokens"] is not None]
    unit = "tokens" if counted else "characters"
    languages = list(dict.fromkeys(row["language"] for row in counted or rows))
    others = sorted({row["language"] for row in rows} - set(languages))

    def draw(axes: Any) -> None:
        below = dict.fromkeys(languages, 0)
        for place, bucket in enumerate(BUCKETS):
            sizes = {
                row["language"]: row[unit] for row in counted or rows if row["bucket"] == bucket
            }
            if not sizes:
                continue
            heights = [sizes.get(language, 0) for language in languages]
            bottom = [below[language] for language in languages]
            axes.bar(
                languages, heights, bottom=bottom, label=bucket, color=PALETTE[place],
                hatch=HATCHES[place], edgecolor="white", linewidth=0.4,
            )  # fmt: skip
            below = {one: below[one] + sizes.get(one, 0) for one in languages}
        axes.set_ylabel(unit)
        if others:
            axes.set_xlabel(f"without a language model: {', '.join(others)}")
        axes.legend(frameon=False, fontsize=8)

    return svg_chart(draw, 6.4, 3.0, f"Figure 2: {unit} by language and bucket")


def deduplication_picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """What is left of a shard's paragraphs when more shards are compared."""

    def draw(axes: Any) -> None:
        axes.plot([r["shards"] for r in rows], [100 * r["left"] for r in rows], "o-", color=BLUE)
        axes.set_ylim(0, 105)
        axes.xaxis.set_major_locator(tick_places(integer=True))
        axes.set_xlabel("shards compared")
        axes.set_ylabel("% of paragraphs left")

    return svg_chart(draw, 4.6, 2.8, "Figure 4: paragraphs left after deduplication")


def key_memory_picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """Memory of the keys that are compared."""

    def draw(axes: Any) -> None:
        shards = [row["shards"] for row in rows]
        sorted_mb, set_mb = ([row[name] for row in rows] for name in ("sorted_mb", "hash_set_mb"))
        axes.plot(shards, set_mb, "s--", color=PALETTE[1], label="the paper's hash set")
        axes.plot(shards, sorted_mb, "o-", color=BLUE, label="sorted keys")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(tick_places(integer=True))
        axes.set_xlabel("shards compared")
        axes.set_ylabel("MB")
        axes.legend(frameon=False, fontsize=8)

    return svg_chart(draw, 4.6, 2.8, "Figure 5: memory for the keys compared")


def perplexity_picture(language: str, figure: Mapping[str, Any]) -> str:
    """Pages by perplexity, with the limits of head and tail."""
    pages = figure["pages"]

    def draw(axes: Any) -> None:
        middles = list(pages)
        axes.bar(middles, list(pages.values()), [0.3 * one for one in middles], color=BLUE)
        axes.set_xscale("log")
        marks = middles[:: max(1, len(middles) // 6)]
        axes.set_xticks(marks, [f"{one:,}" for one in marks])
        axes.minorticks_off()
        for name in ("head_up_to", "tail_from"):
            if figure[name] is not None:
                axes.axvline(figure[name], color=LIMIT, linestyle="--", linewidth=1.2)
        axes.set_xlabel(f"perplexity, {language}")
        axes.set_ylabel("pages")

    return svg_chart(draw, 4.6, 2.4, f"Pages by perplexity: {language}")
