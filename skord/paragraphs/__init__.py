"""Paragraphs of HTML pages with their place and links, and how often each occurs."""
