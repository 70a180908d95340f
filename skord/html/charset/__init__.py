"""Which charset a page's bytes are in, and the text that they hold."""
