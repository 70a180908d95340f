"""What kind of text a page is: registers after CORE, by a linear model of words and letters.

`interface`: their names, and scores of texts; `train`: the recipe; `nordic.jsonl`: labels of
Danish, Bokmål and Icelandic texts by reading; CARD.md: the rest.
"""
