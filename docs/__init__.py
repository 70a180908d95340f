"""The documentation: pages in Markdown, and what puts them together (`make docs`)."""
