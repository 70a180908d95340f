"""Commands that study languages and corpora rather than one run."""
