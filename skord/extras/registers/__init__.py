"""What kind of text each page is, by its register: LabelRegisters."""

from __future__ import annotations

from skord.extras import TaskModule
from skord.quality.features import NO_LIMIT, Feature, Label

DECLARES = (
    TaskModule("skord.extras.registers.task", of_pages=("LabelRegisters",)),
    *(
        Feature(f"register_{name}", *NO_LIMIT, "probability", "skord.models.registers, after CORE",
                "registers",
                f"How likely the text is {described}; null in a language that the model was not trained on. "
                "By LabelRegisters.")
        for name, described in (
            ("narrative", "narrative"), ("information", "informational description"),
            ("opinion", "opinion"), ("persuasion", "informational persuasion"),
            ("discussion", "interactive discussion"), ("how_to", "how-to or instructional"),
        )
    ),
    Label("registers",
          "Registers that the text counts as, most likely first, of narrative, information, "
          "opinion, persuasion, discussion, how_to; empty where none is likely; null in a language "
          "that the model was not trained on. By LabelRegisters.", is_list=True, is_counted=True),
)  # fmt: skip
