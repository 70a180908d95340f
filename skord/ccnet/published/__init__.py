"""The forms in which CCNet published its corpora, written and read."""
