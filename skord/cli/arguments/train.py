"""Commands of the loop: label pages, train an extractor on them, judge it, label more.

Their options stand in the modules of the commands, and are declared once a command is typed.
"""

from __future__ import annotations

from skord.cli.arguments.parser import Command, Group, OptionsOf

_ANNOTATE, _TRAIN = "skord.cli.annotate", "skord.cli.train"

TRAIN = Group(
    "label and train",
    [
        Command(
            "annotate",
            "label in a browser which lines of pages are main text; then: annotate export",
            _ANNOTATE,
            OptionsOf(_ANNOTATE, "declare"),
            description="Open pages in a browser, to label which of their lines are main text. "
            "PAGES are HTML files or folders of them, WARC files, JSON Lines of pages or labels, "
            "or a dump of a data folder (data/2024-10). They are kept in the database, so that "
            "later starts need none. `skord annotate export FILE` writes the labels.",
        ),
        Command(
            "annotate export",
            "write the labels to a file",
            _ANNOTATE,
            OptionsOf(_ANNOTATE, "declare_export"),
            "export",
            "Write the labels of finished pages to a file that `skord train` reads, in the form of "
            "the published annotation tool, with the HTML of each page beside its Markdown.",
        ),
        Command(
            "annotate import",
            "take in pages, and labels that others gave",
            "skord.annotation_tool.backend.commands",
            OptionsOf(_ANNOTATE, "declare_import"),
            "take_in_with_labels",
        ),
        Command(
            "annotate agreement",
            "how far two annotators agree (Cohen's kappa)",
            "skord.annotation_tool.backend.commands",
            OptionsOf(_ANNOTATE, "declare_agreement"),
            "print_agreement",
        ),
        Command(
            "train",
            "train an extractor of your own on labels; then: train evaluate",
            _TRAIN,
            OptionsOf(_TRAIN, "declare"),
            description="Train an extractor of main text on labelled pages, starting from the one "
            "that is shipped, and write it to a folder that [ProcessMarkdown] model_path takes. "
            "Some sites are held out, so that `skord train evaluate` can judge it.",
        ),
        Command(
            "train evaluate",
            "judge an extractor on labelled pages that it was not trained on",
            _TRAIN,
            OptionsOf(_TRAIN, "declare_evaluate"),
            "evaluate",
            "Compare the text that an extractor keeps with the labels, beside the shipped extractor"
            " and trafilatura where it is installed: F1 of the text in runs of four words, mean "
            "over pages, with 95 % intervals from drawing sites anew; and write an HTML file of the"
            " pages that it gets most wrong.",
        ),
    ],
)
