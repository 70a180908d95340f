"""Treebanks, which the grammars are learnt from: CoNLL-U, tags, constituents."""
