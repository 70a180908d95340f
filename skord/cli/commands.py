"""All commands of `skord`: what may be typed behind it, and the module that does it.

Nothing of the graph is imported here, so that help, completion and a misspelt word take no time.
"""

from __future__ import annotations

import functools
import os
from argparse import ArgumentParser
from pathlib import Path

from skord.cli.declarations import ExtraCommand, WhatIfSetting
from skord.cli.parser import (
    INCOMPLETE,
    Command,
    Group,
    Parser,
    as_json,
    build_parser,
    of_dump,
    of_dumps,
)
from skord.extras import declared

PROG = "skord"

DESCRIPTION = "Clean text corpora for smaller languages out of Common Crawl."

EPILOG = """\
skord COMMAND --help explains one command; skord study and skord publish list theirs, which are
understood without that word, too. Settings: luigi.cfg, which skord init writes. skord completion
SHELL prints what makes a shell complete these words.
Exit status: 0 done; 1 it could not be done, and the last line is the reason; 2 misspelt; 3 done in
part: something is left, and each part has its reason; 130 stopped by Ctrl-C: given again, the
same command continues where it was."""


# -- make ----------------------------------------------------------------------------------


def _extract(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="an HTML file or a page's address; - for a pipe")
    add("--input-dir", type=Path, metavar="FOLDER", help="all HTML files in it and below it")
    add(
        "-o", "--output", metavar="FILE|FOLDER",
        help="where the text is written, in place of standard output; a file a page in a FOLDER",
    )  # fmt: skip
    add("--parallel", type=int, default=1, metavar="N", help="processes that share the pages")
    add(
        "--format", choices=["markdown", "plain", "html", "json", "jsonl"], default="markdown",
        help="of the main text; json, jsonl: a line for each page with title, date, language, text "
        "(Markdown) and the lines that were kept",
    )  # fmt: skip
    add("--whole-page", action="store_true", help="print the whole page as Markdown, menus and all")
    add("--json", dest="format", action="store_const", const="json")
    add("--url", help="where the page was found: its pictures get whole addresses")
    add("--threshold", type=float, help="least probability of a line that is kept, from 0 to 1")


def _corpus(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "inputs", nargs="+", metavar="INPUT",
        help="files and folders: HTML pages, WARC files, texts (.txt, .md), Parquet, JSON Lines, CSV; "
        "packed with gzip or Zstandard or not",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="FOLDER", help="a new folder")
    add("--languages", help="such as et,pl,nb; all when left out")
    add("--format", choices=["parquet", "jsonl"], default="parquet", help="of the texts")
    add("--min-chars", type=int, metavar="N", help="shorter pages are left out; 300")
    add("--replace", action="store_true", help="make a corpus of other files, or settings, anew")
    add("--base-url", metavar="URL", help="what stands before the names of files")
    for name in ("url", "html", "text", "date"):
        add(f"--{name}-column", metavar="NAME", help=f"of tables: {name} when left out")


def _init(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path("luigi.cfg"), help="luigi.cfg when left out"
    )


def _run(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("task", help="such as Deduplicate, DeduplicateIndividually, ExportCorpus")
    add(
        "--source", metavar="PATH",
        help="your own files, under the name that --input gives: a file, a folder, 'a pattern', or "
        "s3://…; WARC files, HTML pages, texts, Parquet or JSON Lines",
    )  # fmt: skip
    add(
        "--kind", choices=["warc", "pages", "texts"],
        help="what they are, where their names do not show it",
    )  # fmt: skip
    add(
        "--check", action="store_true",
        help="start nothing: check settings, disk, permissions, executor, models and endpoint, a line "
        "each; exit status 1 where something is wrong",
    )  # fmt: skip
    add("--strict", action="store_true", help="do not complete a task whose yields look odd")
    add(
        "--dry-run", action="store_true",
        help="with [executor] kind = slurm: print the sbatch lines and scripts, and submit nothing",
    )  # fmt: skip


MAKE = Group(
    "make",
    [
        Command("extract", "main text of HTML files: as text, Markdown or JSON",
                "skord.cli.extract", _extract,
                description="The main text of HTML files, of pages by their address, or of what is "
                "piped. Exit status 1: no page has a text; 3: some have none.",
                reads_settings=False),
        Command("corpus",
                "a corpus of your own pages and texts: corpus pages --languages et,pl --out mine",
                "skord.cli.corpus", _corpus,
                description="Make a corpus of files of your own: FOLDER/texts.parquet (or .jsonl) with "
                "text, title, date, author, language, url and source file, and README.md, the dataset "
                "card. What is left out is counted, with the reason. Settings of tasks follow as "
                "--CCNet-rule top."),
        Command("init", "write a luigi.cfg with every setting, explained", "skord.cli.init", _init,
                description="Write a luigi.cfg in which every setting stands as a comment with its "
                "default: take the sign away before those that you change.",
                reads_settings=False),
        Command("run", "run a task and all that it needs: run Deduplicate --dump 2024-10",
                "skord.cli.run", _run,
                description="Run a task and all that it needs. Its parameters follow as options, such "
                "as --dump 2024-10 or --input mine, and those of any other task as --CCNet-rule top; with "
                "--source, the pages are those of your own files. Given again, it continues where it "
                "was. The same as python -m luigi --module MODULE TASK …."),
    ],
)  # fmt: skip

# -- look ----------------------------------------------------------------------------------


def _status(parser: ArgumentParser) -> None:
    of_dump(parser, required=False, text="one dump or input; all with data when left out")
    as_json(parser)


def _why(parser: ArgumentParser) -> None:
    parser.add_argument("page", nargs="?", help="URL or id")
    parser.add_argument("--text", help="words of the page, when its address is not known")
    of_dump(parser, required=False, text="one dump or input; all with data when left out")
    as_json(parser)


def _report(parser: ArgumentParser) -> None:
    of_dumps(parser)
    add = parser.add_argument
    add("--out", type=Path, default=Path("report.html"), help="the HTML file")
    add("--max-shards", type=int, default=100, help="shards read of each dump, evenly spaced")
    as_json(parser)


def _dump_figures(parser: ArgumentParser) -> None:
    of_dump(parser)
    as_json(parser)


def _verify(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--dump", "--dumps", "--input", metavar="NAME", help="all that was made of a dump or input"
    )
    what.add_argument(
        "--publish", metavar="FOLDER", help="a published corpus, checked by its folder alone"
    )
    parser.add_argument("--repair", action="store_true", help="make damaged shards again")
    as_json(parser)


def _logs(parser: ArgumentParser) -> None:
    parser.add_argument("task")
    of_dump(parser)
    parser.add_argument("--shard", type=int, required=True)
    parser.add_argument("--phase", default="shard")
    as_json(parser)


LOOK = Group(
    "look",
    [
        Command("status", "where every task of a dump stands", "skord.cli.look.status", _status),
        Command(
                "why", "one page's row in every table, and where it ended", "skord.cli.look.why", _why),
        Command("report", "an HTML file of what became of a dump, with pages to read",
                "skord.cli.report.command", _report,
                description="What a dump came to, in one HTML file to look at and one JSON file to "
                "calculate with. Several dumps stand side by side."),
    ],
)  # fmt: skip

LOOK_CLOSER = Group(
    "look closer",
    [
        Command("funnel", "documents and characters through the tasks, and what was lost to what",
                "skord.cli.look.funnel", _dump_figures),
        Command("verify", "read every shard and compare it with its checksums",
                "skord.cli.repair.verify", _verify,
                description="Read every shard of a dump and compare it with its fingerprint, ids, "
                "number, checksums and row counts, as bit rot asks for now and then. With --repair, "
                "shards that are missing or damaged are made again, and nothing else. With --publish, "
                "hold a published folder, or a copy of one, against its checksums, card, pointers and "
                "list of what was removed."),
        Command("logs", "what the runs of one shard left behind", "skord.cli.look.logs", _logs),
    ],
    below="study",
)  # fmt: skip

# -- decide and repair ---------------------------------------------------------------------


def _dumps(parser: ArgumentParser) -> None:
    parser.add_argument("--refresh", action="store_true", help="fetch the endpoint's list first")
    as_json(parser)


def _features(parser: ArgumentParser) -> None:
    parser.add_argument("--set", metavar="SET", help="one feature set; all when left out")
    as_json(parser)


def _what_if(parser: ArgumentParser) -> None:
    of_dump(parser)
    settings = (f", {one.name}={'|'.join(one.values)}" for one in declared(WhatIfSetting))
    parser.add_argument(
        "--set", dest="changes", action="append", required=True, metavar="NAME=VALUE,…",
        help="a feature's limit, such as unigram_entropy=2.5 or content_length=200..100000; or "
        f"what the export decides: reservations=PATTERN+PATTERN{''.join(settings)}",
    )  # fmt: skip
    parser.add_argument("--show", type=int, default=50, help="pages that are shown to read")
    as_json(parser)


def _models(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="a language, such as lv, or lid.176.bin")
    add("--fetch", action="store_true", help="download the files named")
    add(
        "--to", type=Path, default=Path("language-models"), metavar="FOLDER",
        help="where they lie, or are to lie; language-models when left out",
    )  # fmt: skip
    add("--mirror", metavar="ADDRESS", help="in the place of https://SERVER of every address")
    as_json(parser)


def _plan(parser: ArgumentParser) -> None:
    of_dump(parser)
    parser.add_argument(
        "--pilot", type=Path,
        help="a folder with data/ and logs/ of another run; what there is of this dump when left out",
    )  # fmt: skip
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    as_json(parser)


def _retry(parser: ArgumentParser) -> None:
    parser.add_argument("task")
    of_dump(parser)
    parser.add_argument("--shards", required=True, help="numbers and ranges, such as 3,17-20")


DECIDE = Group(
    "decide",
    [
        Command("dumps", "the dumps that are known", "skord.cli.dumps", _dumps),
        Command("features", "the measures of a text, their limits, and which of them decide",
                "skord.cli.look.features", _features,
                description="The measures that FilterDocuments takes of every text, and the limits in "
                "force. A star marks those that decide, as the settings have it."),
        Command("what-if", "which pages other limits would let pass or stop",
                "skord.cli.look.what_if", _what_if,
                description="Which pages would pass or fall if the limits were others; decided anew, "
                "measured once. Give NAME=VALUE for the limit that the feature has, NAME=LOW..HIGH for "
                "both (either may be left out), NAME=off for none."),
        Command("models", "language models and identifiers of others, and their download",
                "skord.cli.models", _models,
                description="List the published language models (CCNet's, of 48 languages) and language"
                " identifiers that can be used: address, size, SHA-256, licence, and where a file belongs."
                " With --fetch the files of those named are downloaded; a download that broke off is "
                "continued.",
                reads_settings=False),
        Command("plan", "what a dump will take: requests, bytes, disk, hours",
                "skord.cli.planning.command", _plan,
                description="What a dump will take, before anything of it is submitted. Estimated from "
                "shards that are there: of this dump, or of a pilot (its own data_dir, made with "
                "--DownloadWET-share 0.01 and a hundredth of the shards, so that they are as "
                "large), or of a sample crawl."),
        Command("slurm profile",
                "settings for the cluster that it stands on: slurm profile > cluster.cfg",
                "skord.slurm.profile", lambda _: None, reads_settings=False),
    ],
    below="study",
)  # fmt: skip

REPAIR = Group(
    "repair",
    [Command("retry", "make some shards of a task again", "skord.cli.repair.retry", _retry)],
    below="study",
)  # fmt: skip

# -- publish -------------------------------------------------------------------------------

LISTED_KINDS = ("domain", "url", "id", "text")
"""Kinds of removals that a person writes down; robots.txt rules are read from files."""


def _export(parser: ArgumentParser) -> None:
    of_dumps(parser)
    parser.add_argument("--json", action="store_true", help="JSON lines, too")
    parser.add_argument("--replace", action="store_true", help="also if published otherwise")


def _compact(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="a folder or s3://bucket/prefix without Parquet files")
    of_dumps(parser)
    add("--columns", help="such as CCNet.url,ProcessMarkdown.text; all when left out")
    add("--kept", action="store_true", help="only what Deduplicate kept")


def _removals_add(parser: ArgumentParser) -> None:
    add = parser.add_argument
    for kind in LISTED_KINDS:
        add(f"--{kind}", action="append", default=[], metavar=kind.upper())
        add(f"--{kind}-file", type=Path, action="append", default=[], metavar="FILE")
    add(
        "--reserved", action="append", default=[], metavar="PATTERN",
        help="addresses that DetectReservations found reserved in any dump, such as tdmrep_* or "
        "robots_txt:GPTBot",
    )  # fmt: skip
    add(
        "--robots-dump", default="", metavar="DUMP",
        help="all robots.txt files that the crawl archived for a dump",
    )  # fmt: skip
    add(
        "--robots", type=Path, action="append", default=[], metavar="WARC",
        help="a WARC file with archived robots.txt files",
    )  # fmt: skip
    add(
        "--robots-txt", nargs=2, action="append", default=[], metavar=("SITE", "FILE"),
        help="one robots.txt",
    )  # fmt: skip
    add("--agent", action="append", default=[], help="whose rules count; CCBot when left out")
    add("--reason", required=True, help="such as take-down, opt-out, robots.txt")
    add("--reference", default="", help="by which whoever asked knows the matter")
    add("--date", default="", help="of asking, as 2024-03-01; today when left out")
    as_json(parser)


def _removals_list(parser: ArgumentParser) -> None:
    parser.add_argument("--log", action="store_true", help="the audit log")
    as_json(parser)


def _removals_dumps(parser: ArgumentParser) -> None:
    of_dumps(parser, required=False, text="all that are published when left out")
    as_json(parser)


def _summary(parser: ArgumentParser) -> None:
    of_dumps(parser)
    parser.add_argument("--out", type=Path, default=Path("training-content.md"))
    as_json(parser)


def _rebuild(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("pointers", type=Path, nargs="+", metavar="FILE", help="tables of pointers, or folders")
    add("--out", type=Path, required=True, help="folder for the .parquet files")
    add("--crawl", default="", metavar="URL", help="[crawl] base_url when left out")
    add("--threads", type=int, default=4, help="requests under way at once")
    as_json(parser)


_REMOVALS = "skord.cli.publish.removals"
_REMOVALS_HELP = "remove pages from the corpus by request, and prove it"

PUBLISH = Group(
    "publish",
    [
        Command("export", "publish the kept texts: files, card, checksums, pointers",
                "skord.cli.publish.export", _export,
                description="Publish the kept texts of dumps: files, card, checksums, and where each "
                "text came from. Settings are those of section [ExportCorpus]. A dump that is published"
                " already loses what was listed for removal since, and is not made anew."),
        Command("compact", "columns of a dump in a few large Parquet files",
                "skord.cli.publish.export", _compact, "compact_columns",
                "Write columns of several tasks side by side to a few large Parquet files, "
                "in the order of the index, for readers that would open thousands of shards."),
        Command("removals add", _REMOVALS_HELP, _REMOVALS, _removals_add, "add_removals",
                "List domains, addresses, ids, texts or robots.txt rules that are to be removed."),
        Command("removals list", _REMOVALS_HELP, _REMOVALS, _removals_list, "print_removals",
                "What is listed, and what was done about it."),
        Command("removals apply", _REMOVALS_HELP, _REMOVALS, _removals_dumps, "apply",
                "Remove what is listed from what is published."),
        Command("removals check", _REMOVALS_HELP, _REMOVALS, _removals_dumps, "check_removals",
                f"Prove that nothing listed is left in what is published; exit status {INCOMPLETE} if "
                "something is."),
        Command("summary", "the EU's public summary of training content, filled in",
                "skord.cli.publish.summary", _summary,
                description="Fill in the template of the public summary of training content, C(2025) "
                "8311, from published dumps: size, languages, crawls, domains, measures. What only the "
                "provider of a model can answer stays an empty field with the question."),
        Command("rebuild", "make the texts again from pointers and the crawl",
                "skord.cli.publish.rebuild", _rebuild,
                description="Make the texts of a corpus again from its pointers and the crawl, byte for"
                " byte. Only what has the right digest counts. Exit status "
                f"{INCOMPLETE}: some texts could not be made again; each has its row, and in it the "
                "reason."),
    ],
    below="publish",
)  # fmt: skip

# -- label and train -----------------------------------------------------------------------

UNFINISHED = ("leave-out", "include")


def _annotate(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("pages", type=Path, nargs="*", metavar="PAGES", help="where the pages are")
    add("--only", type=Path, metavar="FILE", help="only pages of these addresses, one a line")
    add(
        "--least-sure", type=int, metavar="N",
        help="of a dump, the N pages of which its extractor was least sure",
    )  # fmt: skip
    _reading(parser)
    add("--host", default="127.0.0.1", help="another than loopback needs a token")
    add("--port", type=int, default=8090, help="0: any that is free")
    add("--name", action="append", default=[], help="host name that browsers use")
    add("--token-file", type=Path, help="made, with a token, if it is not there")
    add(
        "--annotator", action="append", default=[], metavar="NAME",
        help="only these may label; may be given again",
    )  # fmt: skip
    add("--blind", action="store_true", help="no predictions either before a page is done")


def _database(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--database", type=Path, default=Path("annotations.sqlite"),
        help="file of pages and labels; annotations.sqlite here when left out",
    )  # fmt: skip


def _reading(parser: ArgumentParser) -> None:
    """How pages are read, and which model predicts their labels."""
    _database(parser)
    add = parser.add_argument
    add("--languages", default="", help="only pages of these, such as sv,da")
    add("--limit", type=int, default=1000, help="pages of each PATH, at most")
    add("--model", default="embedded", help="embedded, a transformers model, or none")


def _annotate_export(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("out", type=Path, metavar="FILE", help="such as labels.jsonl")
    _database(parser)
    add(
        "--annotator", action="append", default=[], metavar="NAME",
        help="whose labels; needed where several have labelled",
    )  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--all-pages", action="store_true",
        help="pages without labels, too, and no HTML: for others to continue with",
    )  # fmt: skip
    form.add_argument(
        "--labels-only", action="store_true",
        help="no text, no address: digests of lines, and labels; of several annotators, too",
    )  # fmt: skip
    add(
        "--unfinished", choices=UNFINISHED, default=UNFINISHED[0],
        help="labels of pages that were begun and are not marked as done (left out unless asked)",
    )  # fmt: skip
    add("--replace", action="store_true", help="write over a file that is there")


def _annotate_import(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("pages", type=Path, nargs="*", metavar="PAGES", help="where the pages are")
    add(
        "--labels", type=Path, action="append", default=[], metavar="FILE",
        help="labels without text, as annotate export --labels-only writes them",
    )  # fmt: skip
    add(
        "--annotator", metavar="NAME", help="whose the labels are, if not the file's annotator, or 'imported'"
    )  # fmt: skip
    add("--replace", action="store_true", help="take labels that differ from the annotator's")
    _reading(parser)


def _annotate_agreement(parser: ArgumentParser) -> None:
    parser.add_argument("first", metavar="NAME")
    parser.add_argument("second", metavar="NAME")
    _database(parser)


def _train(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("labels", type=Path, nargs="+", metavar="LABELS", help="what annotate export wrote")
    add("--out", type=Path, required=True, metavar="FOLDER", help="to be made")
    add(
        "--base", default="embedded",
        help="what training starts from: the shipped extractor when left out, a folder that this "
        "command wrote, or the folder or hub id of a transformers model, such as "
        "allenai/longformer-base-4096",
    )  # fmt: skip
    add(
        "--with-shipped-gold", action="store_true",
        help="train on the labelled pages that come with the package, too, so that what the "
        "shipped extractor can do is not lost",
    )  # fmt: skip
    add(
        "--held-out", type=float, default=0.2, metavar="SHARE",
        help="share of the pages, whole sites, that are kept for train evaluate; 0: none",
    )  # fmt: skip
    _pages_of_labels(parser)
    add("--epochs", type=int, help="passes over the pages")
    add("--replace", action="store_true", help="write over an extractor")


def _train_evaluate(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("extractor", help="a folder that skord train wrote, or any model_path")
    add("labels", type=Path, nargs="+", metavar="LABELS", help="to evaluate it by")
    add(
        "--beside", default="embedded", metavar="EXTRACTOR",
        help="what it is compared with, such as the one before; the shipped one when left out",
    )  # fmt: skip
    add(
        "--out", type=Path, default=Path("worst-pages.html"), metavar="FILE",
        help="HTML file of the pages that it gets most wrong",
    )  # fmt: skip
    _pages_of_labels(parser)
    as_json(parser)


def _pages_of_labels(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--pages", type=Path, action="append", default=[], metavar="PATH",
        help="pages of labels that were written without text; may be given again",
    )  # fmt: skip


_LABEL, _TRAINING = "skord.cli.annotate", "skord.cli.train"

TRAIN = Group(
    "label and train",
    [
        Command("annotate",
                "label in a browser which lines of pages are main text; then: annotate export",
                _LABEL, _annotate,
                description="Open pages in a browser, to label which of their lines are main text. "
                "PAGES are HTML files or folders of them, WARC files, JSON Lines of pages or labels, "
                "or a dump of a data folder (data/2024-10). They are kept in the database, so that "
                "later starts need none. `skord annotate export FILE` writes the labels."),
        Command("annotate export", "write the labels to a file", _LABEL, _annotate_export, "export",
                "Write the labels of finished pages to a file that `skord train` reads, in the form of "
                "the published annotation tool, with the HTML of each page beside its Markdown."),
        Command("annotate import", "take in pages, and labels that others gave", _LABEL,
                _annotate_import, "import_pages"),
        Command("annotate agreement", "how far two annotators agree (Cohen's kappa)", _LABEL,
                _annotate_agreement, "print_agreement"),
        Command("train", "train an extractor of your own on labels; then: train evaluate",
                _TRAINING, _train,
                description="Train an extractor of main text on labelled pages, starting from the one "
                "that is shipped, and write it to a folder that [ProcessMarkdown] model_path takes. "
                "Some sites are held out, so that `skord train evaluate` can evaluate it."),
        Command("train evaluate",
                "evaluate an extractor on labelled pages that it was not trained on", _TRAINING,
                _train_evaluate, "evaluate",
                "Compare the text that an extractor keeps with the labels, beside the shipped extractor"
                " and trafilatura where it is installed: F1 of the text in runs of four words, mean "
                "over pages, with 95 % intervals from drawing sites anew; and write an HTML file of the"
                " pages that it gets most wrong."),
    ],
)  # fmt: skip

# -- try out -------------------------------------------------------------------------------


def _crawl(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where it lies")
    parser.add_argument("--dump", default="2024-10")
    parser.add_argument(
        "--harvest", action="store_true", help="a Latvian crawl instead, in five charsets"
    )


def _faults(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--fault", action="append", default=[], metavar="KIND=RATE",
        help="how often the server misbehaves, such as unavailable=0.05; seed=N too",
    )  # fmt: skip


def _sample_run(parser: ArgumentParser) -> None:
    _crawl(parser)
    _faults(parser)
    add = parser.add_argument
    add("--languages", default="", help="codes of the languages to select, such as fi,sv")
    add(
        "--kind", choices=["common_crawl", "warc", "pages", "texts"], default="common_crawl",
        help="what the pages are taken for: a crawl with WET files and an index, WARC files of "
        "one's own, HTML files and JSON Lines, or texts",
    )  # fmt: skip
    add("--workers", type=int, default=-1)
    add("--executor", choices=["local", "slurm"], default="local")


def _sample_build(parser: ArgumentParser) -> None:
    _crawl(parser)
    add = parser.add_argument
    add("--pages", type=int, help="so many, with the statistics of a real dump")
    add("--share", type=float, default=0.02, help="of them in Nordic languages")
    add("--seed", default="1")
    add("--part", default="1/1", help="of the files, such as 3/8")


def _sample_serve(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where it lies")
    parser.add_argument("--port", type=int, default=0)
    _faults(parser)


_SAMPLE, _SAMPLE_HELP = "skord.cli.sample", "the whole graph over a small crawl of one's own"

SAMPLE = Group(
    "try out",
    [
        Command("sample run", _SAMPLE_HELP, _SAMPLE, _sample_run, "run_sample",
                "Build a small crawl, serve it, and run the whole graph over it."),
        Command("sample build", _SAMPLE_HELP, _SAMPLE, _sample_build, "build_sample",
                "Build a crawl in the layout of Common Crawl."),
        Command("sample serve", _SAMPLE_HELP, _SAMPLE, _sample_serve, "serve_sample",
                "Serve a crawl over HTTP until interrupted."),
    ],
)  # fmt: skip

SHELL = Group(
    "",
    [
        Command("completion", "what makes the shell complete these words", "skord.cli.completion",
                lambda parser: parser.add_argument("shell", choices=("bash", "zsh", "tcsh")),
                description="Print what makes a shell complete these words: in bash, "
                            'eval "$(skord completion bash)".',
                reads_settings=False)
    ],
)  # fmt: skip

# -- all together --------------------------------------------------------------------------

GROUPS = tuple(
    Group(
        group.title,
        [
            *group.commands,
            *(one.command for one in declared(ExtraCommand) if one.group == group.title),
        ],
        group.below,
    )
    for group in (MAKE, LOOK, TRAIN, SAMPLE, LOOK_CLOSER, DECIDE, REPAIR, PUBLISH, SHELL)
)


@functools.cache
def command_line() -> Parser:
    """The parser of `skord`."""
    return build_parser(PROG, DESCRIPTION, EPILOG, GROUPS)
