"""CPU of a page by this project's pandoc worker, beside the published way; at least 5× less.

    make bench-markdown-pandoc PEER=/path/to/pandoc ARGS="--pages pages.jsonl.gz --count 100"

Without pages the bundled sample crawl is converted, whose pages are small; without a peer the
published way runs the bundled pandoc. See `benchmarks.conversion.ways`.
"""

from __future__ import annotations

from benchmarks.conversion.ways import compare, convert_alone, median_ratio, parsed


def main() -> None:
    """Print the table and the ratio."""
    chosen = parsed(__doc__.partition("\n")[0])
    if chosen.alone:
        convert_alone(chosen)
        return
    costs = compare("benchmarks.conversion.pandoc", chosen, ["published", "worker"])
    ratio = median_ratio(costs, 1)
    print(f"\nmarkdown-pandoc: {ratio:.1f}× less CPU than the published way, median page (goal 5×)")


if __name__ == "__main__":
    main()
