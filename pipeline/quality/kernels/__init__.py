"""Loops over characters, words and links that the measures need."""
