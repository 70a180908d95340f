"""Spoilt texts, and how well grades part them from good ones."""
