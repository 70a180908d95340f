"""Treebanks, which the grammars are induced from: CoNLL-U, tags, constituents."""
