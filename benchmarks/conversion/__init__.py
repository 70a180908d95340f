"""A page's bytes to Markdown, beside the published way, pandoc and readers of charsets."""
