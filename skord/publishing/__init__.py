"""The published corpus: files, card, pointers, pseudonyms, removals."""
