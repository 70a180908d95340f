"""Evaluation sets inside texts: read the sets, index their runs of words, score what matches."""
