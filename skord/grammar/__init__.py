"""How much of a text is sentences, by a chunk grammar of its language."""
