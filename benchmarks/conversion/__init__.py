"""A page's bytes to Markdown, beside the published way and pandoc."""
