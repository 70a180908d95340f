"""Markdown to main text: lines and their plain form, the verdicts on them, images."""
