"""What kind of text a page is: registers after CORE, by a linear model of words and letters.

`features`: hashed counts; `interface`: scores of texts; `train`: the recipe; CARD.md: the rest.
"""
