"""From a page's bytes to Markdown, and where in the page each line stood."""
