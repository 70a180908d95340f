"""How much a text teaches its reader, trained on pairs that were read: a number to rank by.

`interface`: scores of texts; `train`: the recipe; `pairs.jsonl`: which of two texts teaches more;
CARD.md: how they were read, and how far the numbers can be trusted.
"""
