"""Linear models over hashed words, pairs of words and runs of characters, which need few labels.

`features`: what of a text is counted; `linear`: weights over it, read from a file; `ridge`: how
such weights are trained. `skord.models.registers` and `skord.models.education` are two of them.
"""
