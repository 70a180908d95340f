"""Markdown as pandoc 2.9.2.1 writes it, without pandoc."""
